//! Annealing from independent units to the model.

use super::path::AnnealedChains;
use super::{AisEstimate, AisSettings, BaseDistribution};
use crate::linalg::Matrix;
use crate::rng::{Purpose, Stream, Streams};
use crate::{Dbm, DbmError, Host};
use std::ops::Range;

/// Some of the chains of a run, advanced in slices. What a chain does depends only on the seed and its number.
///
/// The path leads through `p_beta(s)` proportional to `exp((1 - beta) sum_l a_l . s_l - beta E(s))`, from the [`BaseDistribution`] at 0 to
/// the model at 1 (Neal 2001; Salakhutdinov and Murray 2008 for one hidden layer, Salakhutdinov and Hinton 2009 for two). A chain holds the
/// parity of layers with fewer units; the other is summed out. With `p` the parity held,
///
/// `log p*_beta(s_p) = sum_{l in p} ((1 - beta) a_l + beta b_l) . s_l + sum_{l not in p} sum_j log sum_j(g_lj)`,
///
/// where `g_l = (1 - beta) a_l + beta field_l` and `log sum_j` is the log of the sum over one unit. A chain starts from `p_A`. For each k
/// its log weight grows by `log p*_{beta_{k+1}}(s_p) - log p*_{beta_k}(s_p)`; then it makes a blocked Gibbs transition (the other parity
/// given s_p, then s_p given the other), which leaves `p_{beta_{k+1}}` invariant. The mean of the weights is an unbiased estimate of
/// `Z / Z_A` for any number of betas.
pub struct Ais {
    chains: AnnealedChains,
    /// K: number of betas.
    pub betas: usize,
    /// How many betas are done.
    pub done: usize,
    /// Log weights so far, chain by chain; meaningful only when all betas are done.
    pub log_weights: Vec<f64>,
}

impl Ais {
    /// The chains with these numbers, at their starts.
    ///
    /// # Panics
    /// If the base has the shape of another model.
    pub fn new(model: &Dbm, base: &BaseDistribution, settings: &AisSettings, chains: Range<usize>) -> Self {
        let numbers = chains.start as u64..chains.end as u64;
        Self::with_streams(model, base, settings.betas, Streams::new(settings.seed).of_chains(Purpose::Annealing, 0, numbers))
    }

    /// Chains, one per stream, at their starts.
    pub(super) fn with_streams(model: &Dbm, base: &BaseDistribution, betas: usize, streams: Vec<Stream>) -> Self {
        let log_weights = vec![0.0; streams.len()];
        let mut chains = AnnealedChains::new(model, base, streams);
        chains.draw_held(model, 0.0);
        Self { chains, betas, done: 0, log_weights }
    }

    /// Advances by this many betas, or to the end.
    pub fn advance(&mut self, model: &Dbm, betas: usize) {
        for _ in 0..betas.min(self.betas - self.done) {
            let [from, to] = [self.done, self.done + 1].map(|k| k as f64 / self.betas as f64);
            self.chains.weigh(model, [from, to], &mut self.log_weights);
            self.done += 1;
            // No transition is needed after a chain's last weight.
            if self.done < self.betas {
                self.chains.transition(model, to);
            }
        }
    }

    /// The states after all betas, `[chains, n_l]` per layer.
    pub(super) fn into_states(mut self, model: &Dbm) -> Vec<Matrix> {
        self.advance(model, self.betas);
        self.chains.sweep_on(model, 1);
        self.chains.states().to_vec()
    }
}

/// An estimate of log Z; `host` runs all shards of chains.
///
/// ```
/// use dbm_core::ais::{AisSettings, BaseDistribution, estimate};
/// use dbm_core::{SingleThread, Units, exact, init};
/// let model = init::orthogonal(&[5, 4], Units::Signs, 1)?;
/// let settings = AisSettings { chains: 50, betas: 200, seed: 1 };
/// let estimate = estimate(&model, &BaseDistribution::uniform(&model), &settings, &SingleThread)?;
/// let exact = exact::expectation(&model, &[None; 5])?.log_sum;
/// assert!((estimate.log_z - exact).abs() < 4.0 * estimate.standard_error);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Errors
/// Those of [`AisSettings::check`]; [`DbmError::NotFinite`] if the parameters are so large that energies overflow.
///
/// # Panics
/// If the base has the shape of another model.
pub fn estimate(model: &Dbm, base: &BaseDistribution, settings: &AisSettings, host: &impl Host) -> Result<AisEstimate, DbmError> {
    settings.check()?;
    let weights = host.map(settings.shards(), |chains| {
        let mut ais = Ais::new(model, base, settings, chains);
        ais.advance(model, settings.betas);
        ais.log_weights
    });
    AisEstimate::from_log_weights(base.log_z, &weights.concat()).finite()
}
