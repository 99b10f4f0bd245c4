//! How much work an estimate of log Z takes, and how its chains are divided into shards.

use crate::DbmError;
use crate::error::within;
use crate::host::even_pieces;
use std::ops::Range;

/// Chains per shard: enough for batch products, few enough to keep every thread busy.
const SHARD: usize = 32;

/// How much work an estimate takes.
///
/// ```
/// use dbm_core::ais::AisSettings;
/// assert!(AisSettings::default().check().is_ok());
/// assert!(AisSettings { chains: 1, ..AisSettings::default() }.check().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AisSettings {
    /// R: independent chains over which the weights are averaged; at least 2, so that the error can be estimated.
    pub chains: usize,
    /// K: steps from the base model to the model, `beta_k = k / K`.
    pub betas: usize,
    /// Seed of the chains' streams.
    pub seed: u64,
}

impl Default for AisSettings {
    fn default() -> Self {
        Self { chains: 100, betas: 10_000, seed: 0 }
    }
}

impl AisSettings {
    /// Accepts settings that make sense.
    ///
    /// # Errors
    /// [`DbmError::Setting`], naming the first setting out of range.
    pub fn check(&self) -> Result<(), DbmError> {
        within("number of AIS chains", "2 to 100000", self.chains as f64, (2..=100_000).contains(&self.chains))?;
        within("number of AIS betas", "1 to 100000000", self.betas as f64, (1..=100_000_000).contains(&self.betas))
    }

    /// The chains in even shards of at most 32; the division depends only on their number.
    pub fn shards(&self) -> Vec<Range<usize>> {
        even_pieces(self.chains, SHARD)
    }
}
