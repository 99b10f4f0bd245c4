//! What can go wrong.

use dbm_core::DbmError;
use dbm_data::DataError;
use dbm_engine::EngineError;
use dbm_gpu::GpuError;
use dbm_score::ScoreError;
use std::path::PathBuf;
use thiserror::Error;

/// A refusal or failure, in words that say what was expected, what came, and what to do.
#[derive(Debug, Error)]
pub enum Error {
    /// Of the core: settings, sizes, divergence.
    #[error(transparent)]
    Model(#[from] DbmError),
    /// Of jobs, what is not the core's.
    #[error(transparent)]
    Job(EngineError),
    /// Of data and files in their formats.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Of scores and their reference.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// Of the GPU.
    #[error(transparent)]
    Gpu(GpuError),
    /// A file that cannot be read.
    #[error("cannot read {}: {source}; check the path", path.display())]
    Read {
        /// The file or folder to read.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file that cannot be written.
    #[error("cannot write {}: {source}; check the folder, its permissions and the space left", path.display())]
    Write {
        /// The file or folder to write.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A model that takes more memory than it may.
    #[error("{refused} (the limit is {limit})")]
    Memory {
        /// What it would take.
        refused: DbmError,
        /// Whose limit it is.
        limit: &'static str,
    },
    /// A recipe or result that JSON cannot hold, so that it could not be distinguished from others or kept.
    #[error("{what} cannot be written as JSON: {source}; this is a mistake in the experiment")]
    Serialize {
        /// The cell, run or entry.
        what: String,
        /// What JSON cannot hold of it.
        source: serde_json::Error,
    },
    /// A report whose text cannot be made.
    #[error("the text of {name} cannot be made: {source}; this is a mistake in its template")]
    Template {
        /// Name of the experiment.
        name: String,
        /// What is wrong with the template or its values.
        source: minijinja::Error,
    },
    /// What was asked for makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A file that is not what it should be.
    #[error("{0}")]
    Input(String),
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Model(error) => Self::Model(error),
            of_job @ EngineError::FewOfClass { .. } => Self::Job(of_job),
        }
    }
}

impl From<GpuError> for Error {
    /// What is wrong with a run is so wherever it is trained.
    fn from(error: GpuError) -> Self {
        match error {
            GpuError::Run(error) => Self::Model(error),
            of_gpu => Self::Gpu(of_gpu),
        }
    }
}
