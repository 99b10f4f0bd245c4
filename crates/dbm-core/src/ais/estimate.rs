//! What the log weights of annealing say about log Z.

use crate::DbmError;
use crate::math::{log_sum_exp, mean_and_error};

/// What the chains say about log Z.
///
/// The estimate of Z is unbiased, so the estimate of log Z is too low on average (Jensen), especially if the chains miss modes with much of
/// the mass: the standard error comes from the same weights and knows nothing of what they missed. Compare several numbers of betas, and
/// take a small effective sample size as a warning.
#[derive(Clone, Debug, PartialEq)]
pub struct AisEstimate {
    /// `log Z_A + log mean w`, in nats; in reverse `log Z_A - log mean(1 / w)`.
    pub log_z: f64,
    /// Standard error of `log_z` by the delta method, `deviation(w) / (sqrt(R) mean(w))`; infinite for fewer than two chains.
    pub standard_error: f64,
    /// `(sum w)^2 / sum w^2`, between 1, where one chain has all the weight, and R.
    pub effective_sample_size: f64,
    /// Log weights, chain by chain.
    pub log_weights: Vec<f64>,
}

impl AisEstimate {
    /// From the chains' log weights and the base model's log Z, without overflow.
    ///
    /// ```
    /// use dbm_core::ais::AisEstimate;
    /// let estimate = AisEstimate::from_log_weights(1.0, &[1000.0, 1000.0, 1000.0]);
    /// assert_eq!((estimate.log_z, estimate.standard_error, estimate.effective_sample_size), (1001.0, 0.0, 3.0));
    /// ```
    pub fn from_log_weights(log_z_base: f64, log_weights: &[f64]) -> Self {
        let n = log_weights.len() as f64;
        let log_mean = log_sum_exp(log_weights) - libm::log(n);
        // In units of their mean the weights neither overflow nor vanish.
        let weights: Vec<f64> = log_weights.iter().map(|w| libm::exp(w - log_mean)).collect();
        let [sum, squares] = [weights.iter().sum::<f64>(), weights.iter().map(|w| w * w).sum::<f64>()];
        Self {
            log_z: log_z_base + log_mean,
            standard_error: mean_and_error(&weights).1,
            effective_sample_size: sum * sum / squares,
            log_weights: log_weights.to_vec(),
        }
    }

    /// The same from the log weights of [`ReverseAis`](super::ReverseAis), whose reciprocals have mean `Z_A / Z`: `log_z` is
    /// `log Z_A - log mean(1 / w)`, and the standard error and the effective sample size are those of `1 / w`.
    ///
    /// ```
    /// use dbm_core::ais::AisEstimate;
    /// let estimate = AisEstimate::from_reverse_log_weights(1.0, &[2_f64.ln(), 6_f64.ln()]);
    /// assert!((estimate.log_z - (1.0 + 3_f64.ln())).abs() < 1e-12);
    /// ```
    pub fn from_reverse_log_weights(log_z_base: f64, log_weights: &[f64]) -> Self {
        let reciprocals: Vec<f64> = log_weights.iter().map(|w| -w).collect();
        let reciprocal = Self::from_log_weights(-log_z_base, &reciprocals);
        Self { log_z: -reciprocal.log_z, log_weights: log_weights.to_vec(), ..reciprocal }
    }

    /// The estimate, if it is a number.
    ///
    /// # Errors
    /// [`DbmError::NotFinite`] if the parameters are so large that energies overflow.
    pub fn finite(self) -> Result<Self, DbmError> {
        if self.log_weights.iter().all(|w| w.is_finite()) {
            Ok(self)
        } else {
            Err(DbmError::NotFinite { what: "the estimate of log Z".into() })
        }
    }
}
