//! Long work as jobs, described the same way for the page's worker, the command and the experiments: they begin jobs, show their progress,
//! and write down the results.
//!
//! A [`Job`] advances in pieces, so that a worker can handle requests between two pieces. With several threads, its parts are jobs too, one
//! per thread. The bits are the same either way: random numbers belong to the address of a chain or a row, not to the thread that works on
//! it.
//!
//! Nothing here depends on files, clocks or the browser.

mod answer;
mod begin;
mod consensus;
mod error;
mod fit;
mod gaps;
mod job;
mod of_class;
mod rows;
mod samples;

pub use answer::{AnswerSettings, Answered, Answers, ClassReading, Classes, Questions, VOTERS};
pub use begin::{Begun, begin, layers};
pub use consensus::Consensus;
pub use error::EngineError;
pub use fit::{Chosen, Fit, FitSettings, Fitted, HeldOutScore, Look, Member, RECIPES, Recipe, Tried, Width};
pub use gaps::{Calibration, CalibrationBin, Checked, FillGaps, FilledGaps, GapSettings, HIDDEN_SHARE, Trust};
pub use job::{Job, Progress};
pub use of_class::{OfClass, OfClassSamples};
pub use rows::{ByRow, Filling, RowByRow};
pub use samples::{Drawn, Samples, Sweeps, Swept};

/// Sweeps after which a local search is stopped; its statistics say so.
pub const MAX_SWEEPS: u32 = 10_000;
