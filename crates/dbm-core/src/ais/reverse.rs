//! Annealing from the model to independent units: the upper end of log Z, and a conservative estimate of log p(v).

use super::path::AnnealedChains;
use super::{AisEstimate, AisSettings, BaseDistribution, ReverseStart};
use crate::Dbm;
use crate::rng::{Purpose, Streams};
use std::ops::Range;

/// Chains of [`Ais`](super::Ais) backwards, to be advanced in slices: from states of the model to independent units.
///
/// A forward chain passes `s_0, ..., s_{K-1}`, `s_0` from `p_A` and `s_k` by a transition at `beta_k`, and has the weight `w = prod_k p*_{beta_{k+1}}(s_k) / p*_{beta_k}(s_k)`.
/// Here a path begins at `s_{K-1}` and goes down by the same transitions, which are reversible and so their own reversals, and has the same weight `w` of the same states. The shares
/// of a path among forward and reverse ones are then as `Z_A w` to `Z`, and where `s_{K-1}` is an exact sample of the model (Crooks 1998; Grosse, Ancha and Roy 2016)
///
/// `mean of 1 / w = Z_A / Z`.
///
/// So `log Z_A - log mean(1 / w)` errs on the high side, as that of the forward chains errs on the low one: exact samples give log Z from both sides. Other
/// starts give no bound. From an example v with hidden layers from their exact posterior the mean of `1 / w` is `Z_A / Z p_ann(v) / p(v)`, with the probability `p_ann` that
/// forward chains end at v ([`raise`]): from data that annealing reaches more often than the model does the estimate lies below log Z.
pub struct ReverseAis {
    chains: AnnealedChains,
    /// K: betas in all.
    pub betas: usize,
    /// How many betas are done.
    pub done: usize,
    /// Logs of `w` as they stand, chain by chain; they mean something once all betas are done.
    pub log_weights: Vec<f64>,
}

impl ReverseAis {
    /// Chains of these numbers at their starts.
    ///
    /// # Panics
    /// If there is not one start a chain, or the base or the starts are of a model of another shape.
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

    /// Goes on by this many betas, or to the end.
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

/// Logs of unbiased estimates of the probability that annealing ends at an example (RAISE: Burda, Grosse and Salakhutdinov 2015), in nats, one a chain:
///
/// `log p^(v) = log p*(v, s_p) - log q(s_p | v) - log Z_A - log w`
///
/// with the example and the state that the chain started from ([`ReverseStart::examples`]) and its log weight. The mean of `p^(v)` is exactly the probability
/// `p_ann(v)` that a forward chain, with what it does not hold drawn at its end, is at v; so the mean of `log p^(v)` is at most `log p_ann(v)` (Jensen). `p_ann` is a model of
/// its own, which nears p as there are more betas. Of examples drawn from p the mean of `log p_ann` is at most that of `log p`. Of others it can be above, where annealing is kinder to the data than the model is.
///
/// Empty where the chains did not start from examples.
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
/// Those of [`AisSettings::check`], and [`crate::DbmError::NotFinite`] where the parameters are so large that energies overflow.
///
/// # Panics
/// If there is not one start a chain, or the base or the starts are of a model of another shape.
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
