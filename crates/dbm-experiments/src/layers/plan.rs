//! How layers are looked at.

use dbm_core::ais::AisSettings;

/// How a model's layers are looked at.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Examples, from the first.
    pub count: usize,
    /// Gibbs sweeps of the hidden layers, each example clamped; the second half of them counts.
    pub sweeps: u32,
    /// Of each log p(v).
    pub ais: AisSettings,
    /// Particles that are taken to the posterior of each example.
    pub particles: usize,
    /// Of all chains.
    pub seed: u64,
}
