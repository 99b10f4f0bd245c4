//! The exact gradient of the log-likelihood of a few examples, with the other results of the enumeration.

use crate::exact;
use crate::{Dbm, DbmError, Examples};
use serde::{Deserialize, Serialize};

/// The most units, in total, of a model enumerated here.
pub const MAX_UNITS: usize = 24;

/// What enumeration says about a model and its data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExactGradient {
    /// The gradient of the mean of log p(v) over the examples, in the order of [`exact::gradient`].
    pub gradient: Vec<f64>,
    /// Its positive phase.
    pub positive: Vec<f64>,
    /// Its negative phase: `gradient = positive - negative`.
    pub negative: Vec<f64>,
    /// Mean log p(v), in nats per example.
    pub log_likelihood: f64,
    /// Logarithm of the partition function Z.
    pub log_z: f64,
    /// P(unit high) with nothing clamped, layer after layer.
    pub unit_probabilities: Vec<f64>,
}

/// Enumerates a model of at most [`MAX_UNITS`] units.
///
/// ```
/// use dbm_core::{Examples, Units, diagnostics, exact, init};
/// let model = init::gaussian(&[3, 2], Units::Bits, 1.0, 1)?;
/// let truth = diagnostics::exact_gradient(&model, &Examples::from_bits(3, &[1, 0, 1])?)?;
/// let gradient = exact::gradient(&model, &[true, false, true], &[false; 3])?;
/// assert!(truth.gradient.iter().zip(&gradient).all(|(a, b)| (a - b).abs() < 1e-12));
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Errors
/// [`DbmError::TooManyUnits`]; [`DbmError::Shape`] if the examples are not as wide as the visible layer.
pub fn exact_gradient(model: &Dbm, data: &Examples) -> Result<ExactGradient, DbmError> {
    let units = model.sizes().iter().sum();
    if units > MAX_UNITS {
        return Err(DbmError::TooManyUnits { units, limit: MAX_UNITS });
    }
    let free = vec![None; model.n_visible()];
    let all_free = exact::expectation(model, &free)?;
    let log_z = all_free.log_sum;
    let negative = all_free.flat();
    let (mut positive, mut log_likelihood) = (vec![0.0; negative.len()], 0.0);
    for (visible, share) in distinct(data) {
        let expectation = exact::expectation(model, &visible)?;
        log_likelihood += share * (expectation.log_sum - log_z);
        positive.iter_mut().zip(expectation.flat()).for_each(|(sum, x)| *sum += share * x);
    }
    let gradient = positive.iter().zip(&negative).map(|(p, n)| p - n).collect();
    let unit_probabilities = exact::marginals(model, &free)?.concat();
    Ok(ExactGradient { gradient, positive, negative, log_likelihood, log_z, unit_probabilities })
}

/// Each distinct example once, with its share of all.
pub(super) fn distinct(data: &Examples) -> impl Iterator<Item = (Vec<Option<bool>>, f64)> {
    data.distinct().into_iter().map(|(visible, count)| (visible, count as f64 / data.len() as f64))
}
