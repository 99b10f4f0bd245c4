//! Long work as jobs, in the same words for the page's worker, the command and the experiments: they begin jobs, show how far each is, and write down what comes of it.
//!
//! A [`Job`] advances piece by piece, so that a worker can hear requests between two pieces. Where there are threads, its parts are jobs of their own, one for each thread. The bits
//! are the same either way: whatever is random belongs to an address, of a chain or a row, and not to who works on it.
//!
//! Nothing here is of a file, a clock or the browser.

mod answer;
mod begin;
mod consensus;
mod error;
mod job;
mod of_class;
mod rows;
mod samples;

pub use answer::{Answered, Answering, Answers, ClassReading, Classes, Questions, READING, VOTERS};
pub use begin::{Begun, begin, footprint, layers};
pub use consensus::Consensus;
pub use error::EngineError;
pub use job::{Job, Progress};
pub use of_class::{OfClass, OfClassSamples};
pub use rows::{ByRow, Filling, RowByRow};
pub use samples::{Drawn, Samples, Sweeps, Swept};

/// Sweeps after which a local search is stopped; what it did says so.
pub const MAX_SWEEPS: u32 = 10_000;
