//! Deep Boltzmann machines and their unbiased gradient: the mathematics of DBM Lab, and nothing else.
//!
//! No files, no clock, no threads of its own and nothing of the browser: a [`Host`] lends what is needed. Start with [`init`],
//! train with a [`Trainer`], sample and fill in with a [`complete::Completer`], and fill the gaps of a data set with an [`impute::Imputer`].

pub mod ais;
mod centered;
pub mod chains;
pub mod complete;
pub mod coupling;
pub mod diagnostics;
mod energy;
mod error;
pub mod exact;
mod examples;
pub mod expectation;
mod filters;
pub mod gibbs;
pub mod gradient;
mod host;
pub mod impute;
pub mod init;
pub mod linalg;
pub mod mask;
pub mod math;
pub mod mean_field;
mod model;
mod one_hot;
mod optimize;
mod parity;
pub mod pretrain;
pub mod rng;
pub mod search;
mod settings;
pub mod signals;
mod snapshot;

mod train;
mod units;
mod vector;

pub use error::DbmError;
pub use examples::Examples;
pub use filters::filters;
pub use host::{Host, SingleThread};
pub use linalg::Backend;
pub use model::{Dbm, MAX_PARAMETERS, check_sizes};
pub use parity::Parity;
pub use settings::{OptimizerMethod, OptimizerSettings, Settings, words};
pub use snapshot::{Parameters, ParametersView, Snapshot, SnapshotView};
pub use train::{Exchange, Footprint, Part, Shards, StepInfo, Trainer, Updated, format_bytes};
pub use units::Units;
