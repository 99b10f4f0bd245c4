//! Deep Boltzmann machines and their unbiased gradient: the mathematics of DBM Lab, and nothing else.
//!
//! No files, no clock, no threads and nothing of the browser: a [`Host`] provides what is needed. Start with [`init`], train with a
//! [`Trainer`], sample and complete with a [`complete::Completer`], and fill the gaps of a data set with an [`impute::Imputer`].

pub mod ais;
mod centered;
pub mod chains;
mod clamp;
pub mod classes;
pub mod complete;
pub mod coupling;
mod decode;
pub mod diagnostics;
mod draw;
mod energy;
mod error;
pub mod exact;
mod examples;
pub mod expectation;
mod filters;
mod footprint;
pub mod gradient;
mod greys;
mod groups;
mod host;
pub mod impute;
pub mod init;
pub mod linalg;
pub mod local;
mod marginal;
pub mod mask;
pub mod math;
pub mod mean_field;
mod model;
pub mod optimize;
mod parity;
pub mod pretrain;
pub mod reference;
pub mod rng;
pub mod settings;
pub mod signals;
mod snapshot;
pub mod sweep;
pub mod tempering;
mod train;
mod units;
mod vector;
mod visits;
pub mod words;

pub use clamp::Clamp;
pub use decode::decode;
pub use error::{DbmError, format_bytes};
pub use examples::Examples;
pub use filters::filters;
pub use footprint::Footprint;
pub use greys::GreyLevels;
pub use groups::{Code, Group};
pub use host::{Host, SingleThread};
pub use linalg::Backend;
pub use model::{Dbm, MAX_PARAMETERS, check_sizes};
pub use parity::Parity;
pub use settings::{OptimizerMethod, OptimizerSettings, Settings};
pub use snapshot::{LadderSnapshot, Parameters, ParametersView, Snapshot, SnapshotView};
pub use train::{Exchange, LadderStatus, NEW_WEIGHT_GAIN, ReplicaPart, Shards, StepInfo, Trainer, Updated};
pub use units::Units;
pub use visits::{Visit, Visits};
