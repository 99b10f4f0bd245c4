//! What can be asked of couplings and estimators while parameters stand still: how long couplings take, one of them draw by draw, sums over samples
//! of an estimator beside its exact mean, and how seldom a coupling does anything in a wide model.
//!
//! Everything is cut into jobs. What a job draws is addressed by its seed and by the run or sample it is, all arithmetic is that of [`crate::Backend::Plain`], and
//! nothing is kept from job to job but the states of persistent chains, which are handed over: so the numbers are the same for any
//! partition into jobs, and on every machine.

mod correction;
mod couple;
mod exact_gradient;
mod expectation;
mod interval;
mod meetings;
mod replay;
mod samples;
mod starts;
mod trace;

pub use crate::sweep::Reached;
pub use correction::{CorrectionProbability, CorrectionProbabilityPlan, ENUMERATED_UNITS};
pub use couple::Caps;
pub(crate) use couple::trace;
pub use exact_gradient::{ExactGradient, MAX_UNITS, exact_gradient};
pub use expectation::{Expectations, STEPS_AT_REST, expectations};
pub use interval::simultaneous;
pub use meetings::{CouplingRun, Couplings, MAX_DIMENSION};
pub use replay::{MAX_REPLAY_STEPS, MAX_REPLAY_UNITS, ReplayPlan};
pub use samples::{EstimateSums, Samples};
use serde::{Deserialize, Serialize};
pub use trace::{ApproachState, CouplingTrace, MAX_OVERLAP_UNITS, PairDraw, PairStep, acceptance_probability};

/// How a pair of chains moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CouplingKernel {
    /// Metropolis-Hastings with one uniform proposal and one uniform number for both (the paper's Algorithm 3).
    #[default]
    Metropolis,
    /// Gibbs sweeps, each block drawn from a maximal coupling (Qiu et al. 2020).
    Gibbs,
}

/// Where a pair of chains begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CouplingStart {
    /// The local search's mode from a uniform state, then one Gibbs sweep (the paper's section 3.3).
    #[default]
    LocalMode,
    /// A uniform state.
    Uniform,
}

/// Hears how far a job has come: parts done so far, and the multiply-adds, roughly, since the last call.
pub type ProgressFn<'a> = dyn FnMut(u32, u64) + 'a;
