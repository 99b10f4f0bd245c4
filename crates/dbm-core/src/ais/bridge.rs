//! Differences of log Z between models of one shape, such as the checkpoints of a run, from samples of each.

use super::path::held_parity;
use super::{LogRatio, bennett};
use crate::chains::Chains;
use crate::linalg::Matrix;
use crate::marginal::log_marginal;
use crate::{Dbm, DbmError};

/// `log Z_{k+1} - log Z_k` for each pair of neighbours in a ladder of models, by [`bennett`] from samples of both. `samples[k]` are states
/// of model `k`, `[count, n_l]` per layer; only the parity with fewer units is used, and the other is summed out. Neighbours should
/// overlap: see [`LogRatio::overlap`].
///
/// ```
/// use dbm_core::ais::{AisSettings, BaseDistribution, ReverseStart, ladder};
/// use dbm_core::{Dbm, DbmError, Units, exact};
/// let models = [0.2, 0.4, 0.6].map(|w| Dbm::new(Units::Signs, vec![vec![w; 12]], vec![vec![w; 4], vec![0.0; 3]]));
/// let models = models.into_iter().collect::<Result<Vec<Dbm>, DbmError>>()?;
/// let settings = AisSettings { chains: 500, betas: 200, seed: 1 };
/// let samples = |model| ReverseStart::of_samples(model, &BaseDistribution::uniform(model), &settings, 0..500).states;
/// let rungs = ladder(&models, &models.iter().map(samples).collect::<Vec<_>>())?;
/// for (pair, rung) in models.windows(2).zip(rungs) {
///     let exact = exact::log_z(&pair[1])? - exact::log_z(&pair[0])?;
///     assert!((rung.log_ratio - exact).abs() < 4.0 * rung.standard_error);
/// }
/// # Ok::<(), DbmError>(())
/// ```
///
/// # Errors
/// [`DbmError::Shape`] if models or samples differ in shape or in number; those of [`bennett`].
pub fn ladder(models: &[Dbm], samples: &[Vec<Matrix>]) -> Result<Vec<LogRatio>, DbmError> {
    DbmError::check_shape("the samples of a ladder's models", models.len(), samples.len())?;
    let pairs = models.windows(2).zip(samples.windows(2));
    pairs
        .map(|(models, samples)| {
            let [forward, reverse] = [&samples[0], &samples[1]].map(|states| log_ratios(&models[0], &models[1], states));
            bennett(&forward?, &reverse?)
        })
        .collect()
}

/// `log p*_b(s_p) - log p*_a(s_p)` for each of these states, `[count, n_l]` per layer, where `s_p` are the layers of the parity with fewer
/// units: the input of [`bennett`].
///
/// # Errors
/// [`DbmError::Shape`] if the models or the states differ in shape.
pub fn log_ratios(a: &Dbm, b: &Dbm, states: &[Matrix]) -> Result<Vec<f64>, DbmError> {
    let [of_a, of_b] = [a, b].map(|model| log_marginals(model, states));
    DbmError::check_shape("the second model's visible layer", a.n_visible(), b.n_visible())?;
    Ok(of_a?.into_iter().zip(of_b?).map(|(a, b)| b - a).collect())
}

/// `log p*(s_p)` of each state.
fn log_marginals(model: &Dbm, states: &[Matrix]) -> Result<Vec<f64>, DbmError> {
    DbmError::check_shape("a state", model.sizes().len(), states.len())?;
    let count = states[0].rows();
    for (layer, &n) in states.iter().zip(model.sizes()) {
        DbmError::check_shape("a layer of a state", n, layer.columns())?;
        DbmError::check_shape("a layer of the states", count, layer.rows())?;
    }
    let held = held_parity(model);
    let mut chains = Chains::free(model, count);
    chains.place_all(states);
    chains.refresh(model, held.other(), &chains.all());
    Ok((0..count).map(|c| log_marginal(model, &chains, c, held)).collect())
}
