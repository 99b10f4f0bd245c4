//! An answer or a coupled pair, recorded state by state, each state in words.

use crate::canvas::fixed;
use dbm_core::diagnostics::{CouplingTrace, PairDraw, PairStep};
use dbm_protocol::{AnswerFrame, AnswerTrace};

/// An answer or a pair, state by state.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Its states, in order.
    pub states: Vec<RecordedState>,
    /// One byte per visible unit, 1 if it was unknown.
    pub unknown: Vec<u8>,
}

/// One state of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedState {
    /// The visible layer of the answer's chain, or of the pair's x: one byte per unit.
    pub x: Vec<u8>,
    /// The visible layer of the pair's y; empty for an answer.
    pub y: Vec<u8>,
    /// Energies of both whole states; the second is not a number for an answer.
    pub energies: [f64; 2],
    /// What happened, in a sentence.
    pub words: String,
}

/// An answer, from the chain's random start to its mode.
pub fn of_answer(trace: AnswerTrace) -> Vec<RecordedState> {
    let AnswerTrace { frames, sweeps, search } = trace;
    let halves = 2 * search.sweeps;
    let cut = if search.capped { " (cut at the cap)" } else { "" };
    let recorded = |AnswerFrame { sweep, half_sweep, energy, visible }| {
        let at = match (sweep, half_sweep) {
            (0, 0) => "Random start".into(),
            (_, 0) => format!("Gibbs sweep {sweep} of {sweeps}"),
            _ => format!("Local search, half-sweep {half_sweep} of {halves}{cut}"),
        };
        let words = format!("{at}: energy {}.", fixed(energy, 1));
        RecordedState { x: visible, y: Vec::new(), energies: [energy, f64::NAN], words }
    };
    frames.into_iter().map(recorded).collect()
}

/// A pair from its common state until the chains meet or are cut; `visible` units of each state are shown.
pub fn of_pair(trace: &CouplingTrace, visible: usize) -> Vec<RecordedState> {
    let shown = |state: &[u8]| state[..visible.min(state.len())].to_vec();
    let start = trace.approach.last().map(|x0| RecordedState {
        x: shown(&x0.state),
        y: shown(&x0.state),
        energies: [x0.energy; 2],
        words: "x and y start from one state: the search’s mode and one Gibbs sweep.".into(),
    });
    let frame = |(at, step): (usize, &PairStep)| {
        let drawn = match &step.draw {
            PairDraw::Single => "a Gibbs sweep of x alone.".into(),
            PairDraw::Metropolis { u, log_accept_x, log_accept_y, .. } => {
                let verdict = |log: f64| {
                    let word = if u.ln() < log { "accepts" } else { "refuses" };
                    format!("{word} (log-probability {})", fixed(log.min(0.0), 1))
                };
                let second = log_accept_y.map_or_else(String::new, |log| format!(", y {}", verdict(log)));
                format!("ln u = {} for the proposal. x {}{second}.", fixed(u.ln(), 1), verdict(*log_accept_x))
            }
            PairDraw::Gibbs { shared: true, .. } => "both drew the same even layers.".into(),
            PairDraw::Gibbs { tries, tries_capped, .. } => {
                let cut = if *tries_capped { ", cut at the cap" } else { "" };
                format!("the even layers were drawn apart, in {tries} {}{cut}.", if *tries == 1 { "try" } else { "tries" })
            }
        };
        let t = step.step;
        let met = match step.differing() {
            0 => format!(" They have met: τ = {t}."),
            n if at + 1 == trace.steps.len() && trace.meeting.capped => {
                format!(" {n} units differ. Cut here: they have not met.")
            }
            n => format!(" {n} units differ."),
        };
        let words = format!("Step {t}: {drawn}{met}");
        RecordedState { x: shown(&step.x), y: shown(&step.y), energies: step.energies, words }
    };
    start.into_iter().chain(trace.steps.iter().enumerate().map(frame)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::coupling::Meeting;
    use dbm_core::diagnostics::{ApproachState, Reached};

    #[test]
    fn a_pair_is_told_step_by_step() {
        let refused = |log_accept_y| PairDraw::Metropolis {
            proposal: vec![0; 5],
            energy: 9.0,
            u: 0.5,
            log_accept_x: -412.04,
            log_accept_y,
        };
        let message = |steps: Vec<(usize, PairDraw)>, capped| {
            let approach = vec![ApproachState { state: vec![0; 5], energy: -1.0, reached_by: Reached::Gibbs }];
            let step = |(t, (differ, draw)): (u32, (usize, PairDraw))| {
                let y = (0..5).map(|at| u8::from(at < differ)).collect();
                PairStep { step: t, x: vec![0; 5], y, energies: [-1.0, 2.0], draw }
            };
            let meeting = Meeting { time: steps.len() as u32, capped };
            let trace = CouplingTrace { approach, steps: (1..).zip(steps).map(step).collect(), meeting };
            of_pair(&trace, 2).into_iter().map(|frame| frame.words).collect::<Vec<_>>()
        };
        let words = message(vec![(0, refused(None))], false);
        assert_eq!(words[1], "Step 1: ln u = −0.7 for the proposal. x refuses (log-probability −412.0). They have met: τ = 1.");
        let apart = PairDraw::Gibbs { overlap: None, shared: false, tries: 1, tries_capped: false };
        let words = message(vec![(3, PairDraw::Single), (2, refused(Some(3.0))), (4, apart)], true);
        assert_eq!(words[1], "Step 1: a Gibbs sweep of x alone. 3 units differ.");
        assert!(words[2].contains("y accepts (log-probability 0.0)"), "{}", words[2]);
        assert_eq!(words[3], "Step 3: the even layers were drawn apart, in 1 try. 4 units differ. Cut here: they have not met.");
    }
}
