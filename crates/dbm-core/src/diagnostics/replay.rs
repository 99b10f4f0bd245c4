//! One coupling on a small model, state by state and draw by draw.

use super::couple::{Caps, Draw, Step, couple};
use super::meetings::{check_caps, one_chain};
use super::starts::MAX_SWEEPS;
use super::{CouplingKernel, CouplingStart};
use crate::chains::Chains;
use crate::coupling::Meeting;
use crate::rng::{Purpose, Streams};
use crate::settings::within;
use crate::sweep::{GibbsDraw, search_observed, uniform_start};
use crate::{Backend, Dbm, DbmError, Parity};

/// Units of a model, in all, whose couplings can be replayed.
pub const MAX_REPLAY_UNITS: usize = 64;

/// The longest coupling that is told whole.
pub const MAX_REPLAY_STEPS: u32 = 20_000;

/// Free even units up to which the overlap of two laws of the even block is summed.
pub const MAX_OVERLAP_UNITS: usize = 12;

/// Values of all units, layer by layer.
type State = Vec<Vec<f32>>;

/// A coupling to replay.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayPlan {
    /// What the visible layer is clamped to (the positive phase); `None` where all is free.
    pub clamped: Option<Vec<bool>>,
    /// How the chains move.
    pub kernel: CouplingKernel,
    /// Where they begin.
    pub start: CouplingStart,
    /// Steps after which the coupling is cut.
    pub max_meeting: u32,
    /// Gibbs: tries of one draw, after which the last try is taken.
    pub max_tries: u32,
    /// Of the run.
    pub seed: u64,
    /// Which.
    pub run: u32,
}

/// One coupling.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// How x_0 was reached: the uniform state; where there is a search, the state after each of its `2 T` half-sweeps, the last of which change nothing, and
    /// after both halves of the Gibbs sweep. The last is x_0.
    pub approach: Vec<Moment>,
    /// The steps of the pair, `t = 1, 2, ...`; the last is the meeting, or the cut.
    pub steps: Vec<PairStep>,
    /// tau, and whether the cap cut it.
    pub meeting: Meeting,
}

/// A state on the way to x_0.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Where the chain is.
    pub state: State,
    /// Its energy.
    pub energy: f64,
    /// What led here.
    pub by: Reached,
}

/// What leads to a state on the way to x_0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// A uniform draw.
    Uniform,
    /// Half a sweep of the local search.
    Search,
    /// Half a Gibbs sweep.
    Gibbs,
}

/// Step `t` of a pair: x goes from `x_{t-1}` to `x_t`, and from `t = 2` on y goes from `y_{t-2}` to `y_{t-1}` with the same draws.
#[derive(Clone, Debug, PartialEq)]
pub struct PairStep {
    /// `x_t`.
    pub x: State,
    /// `y_{t-1}`.
    pub y: State,
    /// Energy of `x_t`,
    pub energy_x: f64,
    /// and of `y_{t-1}`.
    pub energy_y: f64,
    /// How they moved.
    pub moved: Moved,
}

/// How a pair moved in one step.
#[derive(Clone, Debug, PartialEq)]
pub enum Moved {
    /// One proposal and one uniform number for both chains.
    Metropolis {
        /// The proposal.
        proposal: State,
        /// Its energy.
        energy: f64,
        /// The same for both.
        u: f64,
        /// `min(1, exp(E(x_{t-1}) - E(x')))`: x accepts where `u` is below it.
        accept_x: f64,
        /// The same of y; `None` at `t = 1`, when y has not begun.
        accept_y: Option<f64>,
    },
    /// Two blocks: the even layers by a maximal coupling, the odd ones with common uniform numbers. At `t = 1` x moves alone, and nothing is shared.
    Gibbs {
        /// `sum min(p, q)` over the states of the even block, where it has at most [`MAX_OVERLAP_UNITS`] free units: the probability of a shared draw.
        overlap: Option<f64>,
        /// Whether the draw of the even block was shared.
        shared: bool,
        /// Tries of the draws from the residual laws; 0 where the draw was shared.
        tries: u32,
        /// Whether they were cut at the cap.
        tries_capped: bool,
    },
}

impl ReplayPlan {
    /// Runs and tells the coupling, with the draws and decisions of [`super::Couplings`].
    ///
    /// # Errors
    /// [`DbmError::TooManyUnits`] above [`MAX_REPLAY_UNITS`], [`DbmError::Setting`] for caps of 0 or a `max_meeting` above [`MAX_REPLAY_STEPS`],
    /// [`DbmError::Shape`] for a clamp of another size than the visible layer.
    pub fn run(&self, model: &Dbm) -> Result<Replay, DbmError> {
        let units = model.sizes().iter().sum();
        if units > MAX_REPLAY_UNITS {
            return Err(DbmError::TooManyUnits { units, limit: MAX_REPLAY_UNITS });
        }
        check_caps(self.max_meeting, self.max_tries)?;
        within("max meeting time", "1 to 20000", f64::from(self.max_meeting), self.max_meeting <= MAX_REPLAY_STEPS)?;
        if let Some(clamped) = self.clamped.as_ref().filter(|clamped| clamped.len() != model.n_visible()) {
            let what = "the clamped visible layer".into();
            return Err(DbmError::Shape { what, expected: model.n_visible(), got: clamped.len() });
        }
        let model = &model.clone().with_backend(Backend::Plain);
        let values = |bits: &Vec<bool>| bits.iter().map(|&bit| model.units().value(bit)).collect();
        let mut chains = one_chain(model, self.clamped.as_ref().map(values));
        let mut stream = [Streams::new(self.seed).at(self.purpose(), 0, u64::from(self.run))];
        let approach = approach(model, &mut chains, self.start, &mut stream);
        let mut steps = Vec::new();
        let how = (self.kernel, Caps { meeting: self.max_meeting, tries: self.max_tries });
        let (meeting, _) = couple(model, &chains, 0, &mut stream[0], how, &mut |step| {
            let first = steps.is_empty();
            steps.push(progress(model, step, first));
        });
        Ok(Replay { approach, steps, meeting })
    }

    fn purpose(&self) -> Purpose {
        if self.clamped.is_some() { Purpose::Positive } else { Purpose::Negative }
    }
}

/// Takes a chain from a uniform state to x_0 as `starts::begin` does, noting every state.
fn approach(model: &Dbm, chains: &mut Chains, start: CouplingStart, stream: &mut [crate::rng::Stream; 1]) -> Vec<Moment> {
    let moment = |chains: &Chains, by: Reached| {
        let state = chains.state(0);
        Moment { energy: model.energy(&state), state, by }
    };
    let first = uniform_start(model, chains, stream)[0];
    let mut moments = vec![moment(chains, Reached::Uniform)];
    if start == CouplingStart::LocalMode {
        search_observed(model, chains, first, MAX_SWEEPS, |chains, _| moments.push(moment(chains, Reached::Search)));
        let first = Parity::first(stream[0].coin());
        for half in [first, first.other()] {
            chains.half_sweep(model, half, &[0], &mut GibbsDraw::new(stream));
            moments.push(moment(chains, Reached::Gibbs));
        }
    }
    moments
}

fn progress(model: &Dbm, step: &Step, first: bool) -> PairStep {
    let [x, y] = step.after;
    let moved = match step.draw {
        Draw::Metropolis { proposal, u, energies } => {
            let accept = energies.map(|energy| libm::exp((energy - proposal.energy).min(0.0)));
            Moved::Metropolis {
                proposal: proposal.state.clone(),
                energy: proposal.energy,
                u,
                accept_x: accept[0],
                accept_y: (!first).then_some(accept[1]),
            }
        }
        Draw::Gibbs(None) => Moved::Gibbs { overlap: None, shared: false, tries: 0, tries_capped: false },
        Draw::Gibbs(Some((draw, laws))) => {
            let [p, q] = laws();
            let (shared, tries, tries_capped) = (draw.shared, draw.tries, draw.capped);
            Moved::Gibbs { overlap: overlap(&p, &q), shared, tries, tries_capped }
        }
    };
    PairStep { x: x.to_vec(), y: y.to_vec(), energy_x: model.energy(x), energy_y: model.energy(y), moved }
}

/// `sum_s min(p(s), q(s))` over the states of independent units.
fn overlap(p: &[f64], q: &[f64]) -> Option<f64> {
    if p.len() > MAX_OVERLAP_UNITS {
        return None;
    }
    let pairs = p.iter().zip(q).fold(vec![(1.0, 1.0)], |states, (&p, &q)| {
        let grown = states.into_iter().flat_map(|(a, b)| [(a * (1.0 - p), b * (1.0 - q)), (a * p, b * q)]);
        grown.collect()
    });
    Some(pairs.into_iter().map(|(p, q): (f64, f64)| p.min(q)).sum())
}
