//! Annealing from the model to independent units: the upper end of log Z, and a conservative estimate of log p(v).

use super::path::AnnealedChains;
use super::{AisEstimate, AisSettings, BaseDistribution, ReverseStart};
use crate::Dbm;
use crate::rng::{Purpose, Streams};
use std::ops::Range;

/// Chains of [`Ais`](super::Ais) run backwards, from states of the model to independent units, advanced in slices.
///
/// A forward chain passes through `s_0, ..., s_{K-1}`, with `s_0` from `p_A` and `s_k` from a transition at `beta_k`, and has the weight
/// `w = prod_k p*_{beta_{k+1}}(s_k) / p*_{beta_k}(s_k)`. A reverse path begins at `s_{K-1}`, goes down by the same transitions, which are
/// reversible and so their own reversals, and has the same weight `w` for the same states. The probabilities of a path in the two
/// directions are then in the ratio `Z_A w` to `Z`, so that if `s_{K-1}` is an exact sample of the model (Crooks 1998; Grosse, Ancha and
/// Roy 2016)
///
/// `mean of 1 / w = Z_A / Z`.
///
/// So `log Z_A - log mean(1 / w)` is too high on average, as the forward estimate is too low: with exact samples, log Z is bracketed from
/// both sides. Other starts give no bound. From an example v, with hidden layers drawn from their exact posterior, the mean of `1 / w` is
/// `Z_A / Z p_ann(v) / p(v)`, where `p_ann` is the probability that a forward chain ends at v ([`raise`]): for data that annealing reaches
/// more often than the model does, the estimate lies below log Z.
pub struct ReverseAis {
    chains: AnnealedChains,
    /// K: number of betas.
    pub betas: usize,
    /// How many betas are done.
    pub done: usize,
    /// Logs of `w` so far, chain by chain; meaningful only when all betas are done.
    pub log_weights: Vec<f64>,
}

impl ReverseAis {
    /// The chains with these numbers, at their starts.
    ///
    /// # Panics
    /// If there is not one start per chain, or if the base or the starts have the shape of another model.
    pub fn new(model: &Dbm, base: &BaseDistribution, settings: &AisSettings, chains: Range<usize>, start: &ReverseStart) -> Self {
        let numbers = chains.start as u64..chains.end as u64;
        let streams = Streams::new(settings.seed).of_chains(Purpose::ReverseAnnealing, 0, numbers);
        let shape = |layer: usize, n: usize| (start.states[layer].rows(), start.states[layer].columns()) == (chains.len(), n);
        let fits = start.states.len() == model.sizes().len() && model.sizes().iter().enumerate().all(|(l, &n)| shape(l, n));
        assert!(fits, "one start of the model's shape for each chain");
        let mut annealed = AnnealedChains::new(model, base, streams);
        annealed.place(&start.states);
        Self { chains: annealed, betas: settings.betas, done: 0, log_weights: vec![0.0; chains.len()] }
    }

    /// Advances by this many betas, or to the end.
    pub fn advance(&mut self, model: &Dbm, betas: usize) {
        for _ in 0..betas.min(self.betas - self.done) {
            let k = self.betas - self.done;
            let [from, to] = [k - 1, k].map(|k| k as f64 / self.betas as f64);
            self.chains.weigh(model, [from, to], &mut self.log_weights);
            self.done += 1;
            if self.done < self.betas {
                self.chains.transition(model, from);
            }
        }
    }
}

/// Logs of unbiased estimates of the probability that annealing ends at an example (RAISE: Burda, Grosse and Salakhutdinov 2015), in nats,
/// one per chain:
///
/// `log p^(v) = log p*(v, s_p) - log q(s_p | v) - log Z_A - log w`
///
/// for the example and the state that the chain started from ([`ReverseStart::examples`]) and the chain's log weight. The mean of `p^(v)`
/// is exactly `p_ann(v)`, the probability that a forward chain, with the layers it does not hold drawn at its end, is at v; so the mean of
/// `log p^(v)` is at most `log p_ann(v)` (Jensen). `p_ann` is a model in its own right, which approaches p as the number of betas grows.
/// Over examples drawn from p, the mean of `log p_ann` is at most that of `log p`. Over other examples it can be higher, where annealing
/// favours the data more than the model does.
///
/// Empty if the chains did not start from examples.
pub fn raise(log_z_base: f64, start: &ReverseStart, log_weights: &[f64]) -> Vec<f64> {
    start.examples.iter().zip(log_weights).map(|(&(_, log_joint), log_weight)| log_joint - log_z_base - log_weight).collect()
}

/// An estimate of log Z from chains that start at these states, on one thread.
///
/// ```
/// use dbm_core::ais::{AisSettings, BaseDistribution, ReverseStart, reverse_estimate};
/// use dbm_core::{Units, exact, init};
/// let model = init::orthogonal(&[5, 4], Units::Signs, 1)?;
/// let (base, settings) = (BaseDistribution::uniform(&model), AisSettings { chains: 50, betas: 200, seed: 1 });
/// let start = ReverseStart::of_samples(&model, &base, &settings, 0..50);
/// let estimate = reverse_estimate(&model, &base, &settings, &start)?;
/// assert!((estimate.log_z - exact::log_z(&model)?).abs() < 4.0 * estimate.standard_error);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Errors
/// Those of [`AisSettings::check`], and [`crate::DbmError::NotFinite`] if the parameters are so large that energies overflow.
///
/// # Panics
/// If there is not one start per chain, or if the base or the starts have the shape of another model.
pub fn reverse_estimate(
    model: &Dbm,
    base: &BaseDistribution,
    settings: &AisSettings,
    start: &ReverseStart,
) -> Result<AisEstimate, crate::DbmError> {
    settings.check()?;
    let mut reverse = ReverseAis::new(model, base, settings, 0..settings.chains, start);
    reverse.advance(model, settings.betas);
    AisEstimate::from_reverse_log_weights(base.log_z, &reverse.log_weights).finite()
}
