//! What a GPU can fail at.

use dbm_core::DbmError;
use thiserror::Error;

/// A refusal by this crate, or by the device.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GpuError {
    /// There is no GPU that this program can use; with what `wgpu` says of each way that it looked for one, which helps nobody who only wants to go on.
    #[error("no GPU was found that can be used here; go on without it")]
    NoAdapter(String),
    /// The GPU gives no device.
    #[error("{name} could not be used ({reason}); go on without it")]
    NoDevice {
        /// What it calls itself.
        name: String,
        /// What it said.
        reason: String,
    },
    /// A tensor that the device cannot hold in one piece.
    #[error(
        "{what} takes {bytes} bytes, more than the {limit} that this GPU can hold in one piece; choose smaller layers or a smaller batch, or go on without it"
    )]
    TooLarge {
        /// Which tensor.
        what: String,
        /// How large it is.
        bytes: u64,
        /// How large it may be.
        limit: u64,
    },
    /// A run that only the processor's code can train so far.
    #[error("a run with {0} cannot be trained on a GPU yet; go on without it")]
    Unsupported(&'static str),
    /// A run or data that nothing can train.
    #[error(transparent)]
    Run(#[from] DbmError),
    /// The device is gone, or has refused something.
    #[error("the GPU failed: {0}; go on without it")]
    Failed(String),
}
