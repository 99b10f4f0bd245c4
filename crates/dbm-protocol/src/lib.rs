//! The messages between the page and its worker, checked on arrival by both.
//!
//! The worker speaks first: [`Event::Ready`]. After that the page sends [`Request`]s, each with an id of its own, and every
//! [`Message`] that answers one carries that id. A request ends with [`Event::Done`], [`Event::Failed`] or the one event that
//! is its answer; long ones send [`Event::Progress`] before. Training sends [`Event::Metrics`] and [`Event::Samples`] with
//! no id, unasked. A message of another [`VERSION`] is refused.

mod command;
mod event;
mod files;
mod proof;
mod seed;
mod study;
pub mod wire;

pub use command::{BenchProtocol, Command, CompletionMethod, DataSource, DigitSource, ModelChoice, Request, RunPlan, Start};
pub use event::{
    About, Activity, Bench, BenchRow, Completions, DataAbout, Digit, Evaluation, Event, Filters, Grid, Histogram, Message,
    Metrics, PairFrame, PairMove, PairTrace, PhaseMetrics, Pretraining, Score, SearchFrame, SearchTrace, Signals,
};
pub use files::{
    BitsFormat, ColumnAbout, EncodedData, EncodingChoice, FilesCommand, FilesEvent, FilesMessage, FilesRequest, KeptRun,
    LogFormat, LogPhase, LogRow, Look, NamedBytes, Product, Understood, UnderstoodKind,
};

pub use proof::{ProofPreset, proof_preset};
pub use seed::fresh_seed;
pub use study::{
    EstimateOf, Estimated, Exact, Meet, Met, ModelSource, Moment, Moved, PairKernel, PairStart, PairStep, Replay, ReplayOf, Seen,
    SmallModel, StudyCommand, StudyEvent, StudyMessage, StudyRequest,
};

/// Changes whenever a message changes shape; page and worker of different builds then refuse each other.
pub const VERSION: u32 = 9;
