//! What can go wrong at the command line, and the exit code of each.

use dbm_core::DbmError;
use dbm_data::DataError;
use dbm_score::ScoreError;
use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum CliError {
    #[error(transparent)]
    Model(#[from] DbmError),
    #[error(transparent)]
    Data(#[from] DataError),
    #[error(transparent)]
    Score(#[from] ScoreError),
    #[error("cannot read {}: {source}; check the path", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write {}: {source}; check the folder, its permissions and the space left", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{refused} (the limit is {limit})")]
    Memory { refused: DbmError, limit: &'static str },
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Input(String),
}

impl CliError {
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Model(DbmError::Diverged { .. }) => 5,
            Self::Usage(_)
            | Self::Memory { .. }
            | Self::Model(_)
            | Self::Data(DataError::Asked { .. })
            | Self::Score(ScoreError::Setting { .. }) => 2,
            Self::Data(_) | Self::Score(_) | Self::Read { .. } | Self::Input(_) => 3,
            Self::Write { .. } => 4,
        }
    }
}
