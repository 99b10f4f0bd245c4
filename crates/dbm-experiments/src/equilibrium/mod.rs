//! Whether chains reach a model's equilibrium distribution: samples against the number of Gibbs sweeps, from several starts, compared with
//! real digits and the exact distribution.

mod exact;
mod figure;
mod looks;
mod report;
mod run;
mod verdict;

pub use exact::{Exact, Farthest};
pub use looks::{ChainRun, Digits, Look, Model, StartVerdict};
pub use report::Looks;
pub use run::{Plan, Seen, Subject};
