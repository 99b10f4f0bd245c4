//! The paper's experiments and ours, comparisons of estimators, coupling measurements, plots and benchmarks. Native only; the command `dbm` is a thin
//! shell around it.
//!
//! What a command or an experiment works with is a [`Session`]: threads and a clock, the memory there is, and the progress that it reports.

pub mod answers;
pub mod bench;
mod columns;
pub mod compare;
pub mod coupling;
pub mod data;
pub mod equilibrium;
mod error;
pub mod evaluation;
pub mod experiment;
pub mod files;
pub mod gradients;
pub mod layers;
pub mod likelihood;
pub mod log_z;
pub mod memory;
pub mod model;
pub mod plot;
mod progress;
mod report;
pub mod samples;
pub mod score;
mod session;
pub mod steps;
mod template;
pub mod training;

pub use error::Error;
pub use progress::{Progress, Silent};
pub use report::Report;
pub use session::Session;
