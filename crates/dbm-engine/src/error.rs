//! What can go wrong.

use dbm_core::DbmError;
use thiserror::Error;

/// Why a job ends without its result.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum EngineError {
    /// An error of the core.
    #[error(transparent)]
    Model(#[from] DbmError),
    /// Too few samples of a class were found.
    #[error(
        "the model itself reads only {found} of {drawn} samples as class {class}, but {wanted} were requested; train it longer, or draw without a class"
    )]
    FewOfClass {
        /// The class, counted from 0.
        class: usize,
        /// Samples drawn.
        drawn: usize,
        /// How many of them were of the class.
        found: usize,
        /// How many were requested.
        wanted: usize,
    },
}
