//! Diagnostics of couplings and estimators at fixed parameters: how long couplings take, one coupling draw by draw, sums over samples of an
//! estimator next to its exact mean, and how rarely a coupling makes a correction in a wide model.
//!
//! All work is divided into jobs. A job's draws are addressed by its seed and by the run or sample; all arithmetic is that of
//! [`crate::Backend::Plain`]; and nothing passes from job to job except the states of persistent chains, which are handed over. So the
//! numbers are the same for any division into jobs, and on every machine.

mod bias;
mod correction;
mod couple;
mod exact_gradient;
mod expectation;
mod interval;
mod meetings;
mod replay;
mod run_pairs;
mod samples;
mod starts;
mod trace;

pub use crate::sweep::Reached;
pub use bias::{BiasRow, BiasTable, bias_table};
pub use correction::{CorrectionProbability, CorrectionProbabilityPlan, ENUMERATED_UNITS};
pub(crate) use couple::write_down;
pub use couple::{Caps, CouplingKernel};
pub use exact_gradient::{ExactGradient, MAX_UNITS, exact_gradient};
pub use expectation::{Expectations, STEPS_AT_REST, expectations};
pub use interval::simultaneous;
pub use meetings::{CouplingRun, Couplings, MAX_DIMENSION};
pub use replay::{MAX_REPLAY_STEPS, MAX_REPLAY_UNITS, ReplayPlan};
pub use run_pairs::{MeanCorrection, OfferedRun, RunPair, RunPairs, RunStep, spread_of_log_z};
pub use samples::{EstimateSums, GradientSamples, ProgressFn};
pub use starts::CouplingStart;
pub use trace::{ApproachState, CouplingTrace, MAX_OVERLAP_UNITS, PairDraw, PairStep, acceptance_probability};
