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
    /// From the core: settings, sizes, divergence.
    #[error(transparent)]
    Model(#[from] DbmError),
    /// From jobs, except errors of the core.
    #[error(transparent)]
    Job(EngineError),
    /// From data and files in their formats.
    #[error(transparent)]
    Data(#[from] DataError),
    /// From scores and their reference.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// From the GPU.
    #[error(transparent)]
    Gpu(GpuError),
    /// A file that cannot be read.
    #[error("cannot read {}: {source}; check the path", path.display())]
    Read {
        /// The file or folder to read.
        path: PathBuf,
        /// The system's message.
        source: std::io::Error,
    },
    /// A file that cannot be written.
    #[error("cannot write {}: {source}; check the folder, its permissions and the space left", path.display())]
    Write {
        /// The file or folder to write.
        path: PathBuf,
        /// The system's message.
        source: std::io::Error,
    },
    /// A model that takes more memory than it may.
    #[error("{refused} (the limit is {limit})")]
    Memory {
        /// The memory it would take.
        refused: DbmError,
        /// The owner of the limit.
        limit: &'static str,
    },
    /// A recipe or result that JSON cannot hold, so that it could not be distinguished from others or stored.
    #[error("{what} cannot be written as JSON: {source}; this is a mistake in the experiment")]
    Serialize {
        /// The cell, run or entry.
        what: String,
        /// The part that JSON cannot hold.
        source: serde_json::Error,
    },
    /// A report whose text cannot be generated.
    #[error("the text of {name} cannot be made: {source}; this is a mistake in its template")]
    Template {
        /// Name of the experiment.
        name: String,
        /// What is wrong with the template or its values.
        source: minijinja::Error,
    },
    /// The request is invalid.
    #[error("{0}")]
    Usage(String),
    /// A file with invalid content.
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
    /// Errors of the run itself are the same on any backend.
    fn from(error: GpuError) -> Self {
        match error {
            GpuError::Run(error) => Self::Model(error),
            of_gpu => Self::Gpu(of_gpu),
        }
    }
}
