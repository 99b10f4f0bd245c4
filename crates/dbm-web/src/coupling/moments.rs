//! A replayed coupling, moment by moment: what each moment shows, and its description.

use crate::canvas::short;
use crate::ui::number::subscript;
use dbm_core::diagnostics::{CouplingTrace, PairDraw, PairStep, Reached, acceptance_probability};

/// A state of a chain, and its energy.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainState {
    /// All layers, one byte per unit.
    pub state: Vec<u8>,
    pub energy: f64,
}

impl ChainState {
    fn new(state: &[u8], energy: f64) -> Self {
        Self { state: state.to_vec(), energy }
    }
}

/// One moment of a replay, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayMoment {
    /// Its name, such as `t = 3`.
    pub name: String,
    /// What happened, in a sentence or two.
    pub words: String,
    /// The step of the pair, from 1 on; `None` before `x_0` is reached.
    pub step: Option<u32>,
    /// x; before the pair begins, the state that will become `x_0`.
    pub x: ChainState,
    /// y, once it has begun.
    pub y: Option<ChainState>,
    /// The proposal, which both chains share.
    pub proposal: Option<ChainState>,
    /// `u` in [0, 1), and the probabilities with which x and y accept the proposal: a chain accepts if `u` is below its own.
    pub u: Option<(f64, f64, Option<f64>)>,
    /// For Gibbs the overlap of the two distributions of the even layers, in [0, 1], if known; and whether the draw was shared.
    pub overlap: Option<(Option<f64>, bool)>,
}

/// All moments of a replay: first those that lead to `x_0`, then the steps.
pub fn moments(replay: &CouplingTrace) -> Vec<ReplayMoment> {
    let mut all: Vec<ReplayMoment> = Vec::new();
    let mut sweeps = 0;
    let last = replay.approach.len().saturating_sub(1);
    for (at, state) in replay.approach.iter().enumerate() {
        let flipped = all.last().map_or(0, |before| differing(&before.x.state, &state.state));
        sweeps += usize::from(state.reached_by == Reached::Search);
        let (name, mut words) = match state.reached_by {
            Reached::Search => (
                format!("search, half-sweep {sweeps}"),
                format!("Half of the layers move to their least energy: {} flipped.", units(flipped)),
            ),
            Reached::Gibbs => ("Gibbs sweep".into(), format!("One Gibbs sweep from the local mode: {} flipped.", units(flipped))),
            Reached::Uniform => ("uniform state".into(), "Every unit high or low with probability one half.".into()),
        };
        if at == last {
            words += " This is x₀, and y₀ as well.";
        }
        let x = ChainState::new(&state.state, state.energy);
        all.push(ReplayMoment { name, words, step: None, x, y: None, proposal: None, u: None, overlap: None });
    }
    for (at, step) in replay.steps.iter().enumerate() {
        let end = at + 1 == replay.steps.len();
        let (proposal, u, overlap) = match &step.draw {
            PairDraw::Metropolis { proposal, energy, u, log_accept_x, log_accept_y } => {
                let accepts = (*u, acceptance_probability(*log_accept_x), log_accept_y.map(acceptance_probability));
                (Some(ChainState::new(proposal, *energy)), Some(accepts), None)
            }
            PairDraw::Single => (None, None, Some((None, false))),
            PairDraw::Gibbs { overlap, shared, .. } => (None, None, Some((*overlap, *shared))),
        };
        all.push(ReplayMoment {
            name: format!("t = {}", step.step),
            words: move_words(step) + &meeting_words(step, end, replay),
            step: Some(step.step),
            x: ChainState::new(&step.x, step.energies[0]),
            y: Some(ChainState::new(&step.y, step.energies[1])),
            proposal,
            u,
            overlap,
        });
    }
    all
}

/// How many units two states differ in.
pub fn differing(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).filter(|(one, other)| one != other).count()
}

fn units(count: usize) -> String {
    if count == 1 { "1 unit".into() } else { format!("{count} units") }
}

/// How the pair moved.
fn move_words(step: &PairStep) -> String {
    let did = |chain: &str, u: f64, log_accept: f64| {
        let accept = acceptance_probability(log_accept);
        let (verb, sign) = if u < accept { ("accepts x′", "<") } else { ("refuses x′ and stays", "≥") };
        format!("{chain} {verb} (u = {} {sign} {})", probability(u), probability(accept))
    };
    match &step.draw {
        PairDraw::Metropolis { u, log_accept_x, log_accept_y: None, .. } => {
            format!("{}; y has not begun.", did("x", *u, *log_accept_x))
        }
        PairDraw::Metropolis { u, log_accept_x, log_accept_y: Some(log_accept_y), .. } => {
            format!("{}; {}.", did("x", *u, *log_accept_x), did("y", *u, *log_accept_y))
        }
        PairDraw::Single => "x takes a Gibbs sweep alone; y has not begun.".into(),
        PairDraw::Gibbs { shared: true, .. } => {
            "The even layers of both were drawn as one, the odd ones with common uniform numbers.".into()
        }
        PairDraw::Gibbs { tries, tries_capped, .. } => format!(
            "The even layers were drawn apart, in {tries} {}{}, the odd ones with common uniform numbers.",
            if *tries == 1 { "try" } else { "tries" },
            if *tries_capped { " (cut at the cap on tries)" } else { "" }
        ),
    }
}

fn meeting_words(step: &PairStep, end: bool, replay: &CouplingTrace) -> String {
    let t = step.step;
    if end && !replay.meeting.capped {
        return format!(" x and y are in one state: met at τ = {t}.");
    }
    let apart = format!(" They differ in {}.", units(step.differing()));
    if end { format!("{apart} Cut at {t} steps, before they met.") } else { apart }
}

/// A probability, formatted so that it never rounds to 0 or 1 unless it is exactly that.
pub fn probability(value: f64) -> String {
    match value {
        v if v >= 1.0 => "1".into(),
        v if v > 0.999 => "0.999…".into(),
        v => short(v),
    }
}

/// The probability below which a chain accepts, and its decision.
pub fn decision(u: f64, below: f64) -> String {
    format!("{} {}", probability(below), if u < below { "accepts" } else { "refuses" })
}

/// The terms that step `t` contributes to the estimate, for a pair that met at `tau` (or was cut there).
pub fn terms(t: u32, replay: &CouplingTrace) -> String {
    if t < replay.meeting.time || (replay.meeting.capped && t <= replay.meeting.time) {
        format!("+ f(x{}) − f(y{})", subscript(t as usize), subscript(t as usize - 1))
    } else {
        "none: x = y".into()
    }
}

/// Lowest and highest energy of all moments.
pub fn energies(moments: &[ReplayMoment]) -> (f64, f64) {
    let of = |moment: &'_ ReplayMoment| {
        let states = [Some(&moment.x), moment.y.as_ref(), moment.proposal.as_ref()];
        states.map(|state| state.unwrap_or(&moment.x).energy)
    };
    let (low, high) =
        moments.iter().flat_map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), e| (low.min(e), high.max(e)));
    if low < high {
        (low, high)
    } else if low == high {
        (low - 1.0, high + 1.0)
    } else {
        (0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::coupling::Meeting;
    use dbm_core::diagnostics::ApproachState;

    fn step(t: u32, x: [u8; 2], y: [u8; 2], accept_y: Option<f64>) -> PairStep {
        let (log_accept_x, log_accept_y) = (0.25_f64.ln(), accept_y.map(f64::ln));
        let draw = PairDraw::Metropolis { proposal: vec![1, 1], energy: 3.0, u: 0.5, log_accept_x, log_accept_y };
        PairStep { step: t, x: x.to_vec(), y: y.to_vec(), energies: [-1.0, 2.0], draw }
    }

    fn replay(capped: bool) -> CouplingTrace {
        let moment = |state: [u8; 2], reached_by| ApproachState { state: state.to_vec(), energy: 0.0, reached_by };
        CouplingTrace {
            approach: vec![moment([0, 1], Reached::Uniform), moment([1, 1], Reached::Search), moment([1, 0], Reached::Gibbs)],
            steps: vec![step(1, [0, 0], [1, 0], None), step(2, [1, 1], [1, 1], Some(0.75))],
            meeting: Meeting { time: 2, capped },
        }
    }

    #[test]
    fn a_replay_is_described_moment_by_moment() {
        let all = moments(&replay(false));
        let names: Vec<&str> = all.iter().map(|moment| moment.name.as_str()).collect();
        assert_eq!(names, ["uniform state", "search, half-sweep 1", "Gibbs sweep", "t = 1", "t = 2"]);
        assert!(all[1].words.contains("1 unit flipped") && all[2].words.ends_with("This is x₀, and y₀ as well."));
        assert_eq!((&*all[2].x.state, &all[2].y, &*all[3].y.as_ref().unwrap().state), (&[1, 0][..], &None, &[1, 0][..]));
        assert!(
            all[3].words.contains("x refuses x′ and stays (u = 0.5 ≥ 0.25); y has not begun. They differ in 1 unit."),
            "{}",
            all[3].words
        );
        assert!(
            all[4].words.contains("y accepts x′ (u = 0.5 < 0.75)") && all[4].words.ends_with("met at τ = 2."),
            "{}",
            all[4].words
        );
        assert_eq!(energies(&all), (-1.0, 3.0));
    }

    #[test]
    fn terms_of_the_estimate_end_at_the_meeting() {
        assert_eq!([1, 2].map(|t| terms(t, &replay(false))), ["+ f(x₁) − f(y₀)", "none: x = y"]);
        assert_eq!(terms(2, &replay(true)), "+ f(x₂) − f(y₁)");
        assert!(moments(&replay(true))[4].words.ends_with("Cut at 2 steps, before they met."));
        assert_eq!((probability(0.9999), probability(1.0)), ("0.999…".into(), "1".into()));
    }
}
