//! Estimates of the gradient of log p, one file an estimator, all behind one trait.

mod info;
mod moments;
mod ucd_lmi;

pub use info::{Info, PhaseInfo};
pub use moments::{Gradient, Moments};
pub use ucd_lmi::UcdLmi;

use crate::Dbm;
use crate::linalg::Matrix;
use crate::rng::Streams;

/// Examples of one shard of a minibatch, and where their random streams are.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Visible layers, `[count, n_0]`, as unit values.
    pub visible: Matrix,
    /// For the conditional gradient: what the negative phase keeps clamped, `[count, n_0]`; a row without a mark is the plain
    /// gradient of its example. `None` where no row has one.
    pub known: Option<Vec<bool>>,
    /// The run's streams.
    pub streams: Streams,
    /// The step they are drawn for.
    pub step: u64,
    /// Index in the whole minibatch of the first example here.
    pub first_chain: u64,
}

/// Anything that estimates the sum over a batch of the gradient of log p(v), or of log p(unknown | known).
pub trait Estimator: Sync {
    /// The estimate as a sum of outer products, and what happened on the way. `clock` gives seconds and touches no result.
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> (Moments, Info);
}
