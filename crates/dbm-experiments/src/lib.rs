//! The experiments of the paper and our own, comparisons of estimators, coupling measurements, plots and benchmarks. Native only; the
//! command `dbm` is a thin shell around it.
//!
//! A command or an experiment works with a [`Workbench`]: threads and a clock, the available memory, and a receiver of progress reports.

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
pub mod say;
pub mod score;
mod session;
pub mod steps;
mod template;
pub mod training;

pub use error::Error;
pub use progress::{ProgressReport, Silent};
pub use report::Report;
pub use session::Workbench;
