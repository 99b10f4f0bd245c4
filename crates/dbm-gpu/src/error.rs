//! GPU errors.

use dbm_core::DbmError;
use thiserror::Error;

/// An error of this crate or of the device.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GpuError {
    /// There is no usable GPU. Contains what `wgpu` reports for each backend it tried, which does not help users who only want to continue.
    #[error("no GPU was found that can be used here; continue without it")]
    NoAdapter(String),
    /// The GPU provides no device.
    #[error("{name} could not be used ({reason}); continue without it")]
    NoDevice {
        /// Name that the GPU gives itself.
        name: String,
        /// The driver's message.
        reason: String,
    },
    /// A tensor that the device cannot hold in one piece.
    #[error(
        "{what} takes {bytes} bytes, more than the {limit} that this GPU can hold in one piece; choose smaller layers or a smaller batch, or continue without it"
    )]
    TooLarge {
        /// Which tensor.
        what: String,
        /// Its size.
        bytes: u64,
        /// The maximum size.
        limit: u64,
    },
    /// A run that only the processor can train so far.
    #[error("a run with {0} cannot be trained on a GPU yet; continue without it")]
    Unsupported(&'static str),
    /// A run or data that cannot be trained at all.
    #[error(transparent)]
    Run(#[from] DbmError),
    /// The device is lost, or has refused something.
    #[error("the GPU failed: {0}; continue without it")]
    Failed(String),
}
