//! The messages between the page and its workers, checked on arrival by both sides. Records of the core are sent unchanged.
//!
//! Every message is an [`Envelope`]. A worker speaks first: [`Reply::Ready`]. After that the page sends commands, each with its own id, and
//! every reply to one carries that id. A request ends with [`Reply::Failed`] or the one [`Reply::Answer`]; long ones send
//! [`Reply::Progress`] first. A message without an id was not requested: the computing worker reports training this way, by
//! [`Event::Metrics`], [`Event::Samples`], [`Event::Snapshot`] and [`Event::Notice`]. A message of another [`VERSION`] is refused.
//!
//! Workers have one of four roles, by what they accept: a [`Command`], a [`FilesCommand`], a [`DiagnosticsCommand`] or, from the computing
//! worker, a [`GpuCommand`]. Each is a [`Request`], so one client serves all of the page's workers.

mod command;
mod diagnostics;
mod envelope;
mod event;
mod files;
mod gpu;
mod proof;
mod records;
mod seed;
pub mod transport;
pub mod wire;

pub use command::{Command, CompletionRequest, FIRST_ANSWERS, FIRST_PICTURE, GapModel, PictureSource};
pub use dbm_core::complete::{AnswerFrame, AnswerTrace};
pub use dbm_core::impute::{ImputationMethod, ImputeSettings, Report, Score};
pub use dbm_core::signals::Activity;
pub use dbm_data::coding::{Coding, Greys};
pub use dbm_data::raw::{
    Background, Binarization, Change, Doubt, Draw, Encoding, KindChoice, PictureReading, READING, Reading, Visible, ordered,
};
pub use diagnostics::{CouplingRuns, DiagnosticsCommand, DiagnosticsEvent, EstimateJob, ModelSource, RunPairsJob, SmallModel};
pub use envelope::{Body, Envelope, Reply, Request};
pub use event::{
    ChosenModel, Completions, DataInfo, Event, Filters, FitLook, GapCheck, GapsFilled, GpuTrial, Histogram, LadderMetrics,
    Metrics, ModelInfo, PhaseMetrics, PictureToComplete, Pretraining, RunInfo, RunSignals, Swept,
};
pub use files::{
    AlikeRow, BitsFormat, CellDetails, CellState, ColumnInfo, EncodingPreview, FilesCommand, FilesEvent, KeptRun, LogFormat,
    LogPhase, LogRow, Product, RowsAsked, TableFile, TableRows, Understood, UnderstoodKind,
};
pub use gpu::{GpuCommand, GpuEvent, RunForGpu};
pub use proof::{ProofPreset, proof_preset};
pub use records::{DataSource, EncodedData, Grid, ModelChoice, NamedBytes, Snapshot};
pub use seed::fresh_seed;

/// Changes whenever a message changes shape; page and worker of different builds then refuse each other.
pub const VERSION: u32 = 30;
