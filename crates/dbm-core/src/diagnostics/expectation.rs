//! The mean of an estimator over several examples, from the transition laws of its kernels.

use super::exact_gradient::distinct;
use super::samples::{ProgressFn, check_settings};
use crate::{Dbm, DbmError, Examples, Settings, expectation, gradient};
use serde::{Deserialize, Serialize};

/// The least number of sweeps that persistent chains have made before their distribution is used.
pub const STEPS_AT_REST: u32 = 1000;

/// A cap on couplings of at least this counts as none: their means are then solved for directly, and what such a cap would cut is below
/// rounding wherever couplings meet at all.
const NO_CAP: u32 = 10_000;

/// Means of an estimator, in the order of [`crate::exact::gradient`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectations {
    /// The mean of the estimate, `positive - negative`.
    pub mean: Vec<f64>,
    /// The mean of its positive phase.
    pub positive: Vec<f64>,
    /// The mean of its negative phase.
    pub negative: Vec<f64>,
    /// Largest probability that a coupling had not met by its cap.
    pub unmet: f64,
}

/// The mean over the examples of [`gradient::expectation`] with these settings; a cap on couplings of 10 000 steps or more counts as none.
///
/// Persistent chains are examined after [`STEPS_AT_REST`] sweeps with fixed parameters. By then they follow the model itself, so the
/// remaining bias is that of the positive phase: of mean field for `pcd`, of `k` sweeps for `pcd-gibbs`.
///
/// # Errors
/// [`DbmError::TooManyUnits`] above [`expectation::MAX_UNITS`] units; those of [`Settings::check`]; [`DbmError::Setting`] for settings that
/// diagnostics do not support; [`DbmError::Shape`] if the examples are not as wide as the visible layer.
pub fn expectations(
    model: &Dbm,
    data: &Examples,
    settings: &Settings,
    progress: &mut ProgressFn,
) -> Result<Expectations, DbmError> {
    check_settings(model, data, settings)?;
    let max_meeting = if settings.max_meeting >= NO_CAP { u32::MAX } else { settings.max_meeting };
    let estimator = gradient::expectation(&Settings { max_meeting, ..settings.clone() });
    let n = model.n_visible();
    let known = vec![false; n];
    let parameters = model.n_parameters();
    let (mut positive, mut negative, mut unmet) = (vec![0.0; parameters], vec![0.0; parameters], 0.0_f64);
    let mut add = |sum: &mut [f64], share: f64, mean: expectation::Expected| {
        sum.iter_mut().zip(&mean.values).for_each(|(sum, x)| *sum += share * x);
        unmet = unmet.max(mean.unmet);
    };
    for (place, (visible, share)) in (0..).zip(distinct(data)) {
        add(&mut positive, share, estimator.expected_positive(model, &visible)?);
        if place == 0 || estimator.negative_sees_all() {
            let share = if estimator.negative_sees_all() { share } else { 1.0 };
            let steps_before = STEPS_AT_REST.div_ceil(settings.estimator.k);
            add(&mut negative, share, estimator.expected_negative(model, &visible, &known, steps_before)?);
        }
        progress(place + 1, u64::MAX);
    }
    let mean = positive.iter().zip(&negative).map(|(p, n)| p - n).collect();
    Ok(Expectations { mean, positive, negative, unmet })
}
