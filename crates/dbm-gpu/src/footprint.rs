//! How much memory a run takes on a device, known before any of it is allocated.

use crate::Gpu;
use crate::chains::TENSORS;
use crate::optimizer::{MOMENTS, most_at_once};
use crate::trainer::{BATCHES, CLAMPED, most_of_a_part};
use dbm_core::Settings;

/// Bytes per number.
const F32: u64 = size_of::<f32>() as u64;

/// Bytes that a [`crate::GpuTrainer`] holds on its device, by purpose. Not included: small buffers of a step; one extra copy of the tensor
/// being read back while the run is brought from the device; for each rung of a ladder, another copy of the parameters and a quarter of the
/// chains; and for `ucd-smc`, one more copy of the parameters and the chains of its particles.
///
/// With `n_l` units in layer `l`, `U = sum n_l`, `P = sum_l n_l n_{l+1} + U` parameters and batches of `B`, at 4 bytes per number:
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuFootprint {
    /// `4 P`: weights, stored once, and biases.
    pub parameters: u64,
    /// `4 P m`, with `m` moments of the optimizer: Adam has 2.
    pub moments: u64,
    /// The block of the gradient that is computed and applied at a time: 16 MiB, or less if the largest matrix is smaller.
    pub gradient: u64,
    /// `4 * 3 * 4 B U`: states, fields and means of both phases' chains and of their proposals; `4 * 2 B n_1`: contributions of clamped
    /// layers to those above; and an energy per chain.
    pub chains: u64,
    /// Placeholders for sums over chains and for moments that the optimizer does not have.
    pub others: u64,
}

impl GpuFootprint {
    /// For a run on this device.
    pub fn of(gpu: &Gpu, sizes: &[usize], settings: &Settings) -> Self {
        let matrices = || sizes.windows(2).map(|pair| pair[0] as u64 * pair[1] as u64);
        let units: u64 = sizes.iter().map(|&n| n as u64).sum();
        let (parameters, batch) = (matrices().sum::<u64>() + units, settings.batch as u64);
        let n_moments = settings.optimizer.n_moments();
        let widest = sizes.iter().copied().max().unwrap_or_default() as u64;
        let block = matrices().max().unwrap_or_default().min(most_at_once(gpu) as u64).max(widest);
        Self {
            parameters: F32 * parameters,
            moments: F32 * parameters * n_moments as u64,
            gradient: F32 * block,
            chains: F32
                * (BATCHES as u64 * (TENSORS as u64 * batch * units + batch + 1)
                    + CLAMPED as u64 * (batch * sizes[1] as u64)
                    + (BATCHES - CLAMPED) as u64),
            others: F32 * (most_of_a_part(settings) as u64 + (MOMENTS - n_moments) as u64),
        }
    }

    /// The total.
    pub fn total(&self) -> u64 {
        let Self { parameters, moments, gradient, chains, others } = self;
        parameters + moments + gradient + chains + others
    }
}
