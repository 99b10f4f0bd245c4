//! What is watched, state by state and in words: a search, or a coupled pair.

use crate::state::{Frame, Shown, State, Watched};
use dbm_protocol::{PairMove, PairTrace, SearchFrame, SearchTrace};
use leptos::prelude::*;

/// Puts it on view from its first state on.
pub fn take(state: State, frames: Vec<Frame>, unknown: Vec<u8>) {
    if !frames.is_empty() {
        state.frame.set(0);
        state.watched.set(Some(Watched { frames, unknown }));
        state.shown.set(Shown::Search);
        state.playing.set(!crate::canvas::prefers_less_motion());
    }
}

/// A number with one decimal, as it is printed.
pub fn number(value: f64) -> String {
    format!("{value:.1}").replace('-', "−")
}

/// A search from its random start to its mode.
pub fn search(trace: SearchTrace) -> Vec<Frame> {
    let SearchTrace { frames, sweeps, capped, .. } = trace;
    let end = format!("T = {sweeps} sweeps{}.", if capped { " (cut at the cap)" } else { "" });
    let told = |SearchFrame { half_sweep, energy, flipped, visible }| {
        let at = number(energy);
        let words = if half_sweep == 0 {
            format!("Random start, energy {at}. The search took {end}")
        } else {
            let unit = if flipped == 1 { "unit" } else { "units" };
            format!("Half-sweep {half_sweep}: {flipped} {unit} flipped, energy {at}. {end}")
        };
        Frame { x: visible, y: Vec::new(), energies: [energy, f64::NAN], words }
    };
    frames.into_iter().map(told).collect()
}

/// A pair from one state to its meeting, or to the cut.
pub fn pair(trace: PairTrace) -> Vec<Frame> {
    let PairTrace { frames, capped } = trace;
    let last = frames.len().saturating_sub(1);
    let told = |(t, frame): (usize, dbm_protocol::PairFrame)| {
        let moved = match frame.moved {
            PairMove::Start => "x and y begin as one: the mode of the search, and a Gibbs sweep from there.".into(),
            PairMove::Alone => "a Gibbs sweep of x alone.".into(),
            PairMove::Metropolis { u, log_accept: [x, y], .. } => {
                let verdict = |log: f64| {
                    let word = if u.ln() < log { "accepts" } else { "refuses" };
                    format!("{word} (log-probability {})", number(log.min(0.0)))
                };
                let second = if t > 1 { format!(", y {}", verdict(y)) } else { String::new() };
                format!("ln u = {} for the proposal. x {}{second}.", number(u.ln()), verdict(x))
            }
            PairMove::Gibbs { shared: true, .. } => "both took the same even layers.".into(),
            PairMove::Gibbs { tries, tries_capped, .. } => {
                let cut = if tries_capped { ", cut at the cap" } else { "" };
                format!("the even layers were drawn apart, in {tries} {}{cut}.", if tries == 1 { "try" } else { "tries" })
            }
        };
        let met = match frame.differ {
            _ if t == 0 => String::new(),
            0 => format!(" They have met: τ = {t}."),
            n if t == last && capped => format!(" {n} units differ. Cut here: they have not met."),
            n => format!(" {n} units differ."),
        };
        let words = if t == 0 { moved } else { format!("Step {t}: {moved}{met}") };
        Frame { x: frame.x, y: frame.y, energies: frame.energies, words }
    };
    frames.into_iter().enumerate().map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_protocol::PairFrame;

    #[test]
    fn a_pair_is_told_step_by_step() {
        let frame = |differ, moved| PairFrame { x: vec![0], y: vec![1], energies: [-1.0, 2.0], differ, moved };
        let refused = PairMove::Metropolis { proposal: 9.0, u: 0.5, log_accept: [-412.04, 3.0] };
        let words =
            |frames: Vec<PairFrame>, capped| pair(PairTrace { frames, capped }).into_iter().map(|f| f.words).collect::<Vec<_>>();
        let told = words(vec![frame(0, PairMove::Start), frame(0, refused)], false);
        assert_eq!(told[1], "Step 1: ln u = −0.7 for the proposal. x refuses (log-probability −412.0). They have met: τ = 1.");
        let apart = PairMove::Gibbs { shared: false, tries: 1, tries_capped: false };
        let told = words(vec![frame(0, PairMove::Start), frame(3, PairMove::Alone), frame(2, refused), frame(4, apart)], true);
        assert_eq!(told[1], "Step 1: a Gibbs sweep of x alone. 3 units differ.");
        assert!(told[2].contains("y accepts (log-probability 0.0)"), "{}", told[2]);
        assert_eq!(told[3], "Step 3: the even layers were drawn apart, in 1 try. 4 units differ. Cut here: they have not met.");
    }
}
