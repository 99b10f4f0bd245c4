//! Confidence intervals that hold for many parameters at once.

/// The multiple of the standard error within which all of `n` Gaussian means lie at once with probability `level`, however they depend on
/// one another: the Gaussian quantile at `1 - (1 - level) / (2 n)` (Bonferroni).
///
/// ```
/// assert!((dbm_core::diagnostics::simultaneous(0.95, 1) - 1.959964).abs() < 1e-6);
/// assert!((dbm_core::diagnostics::simultaneous(0.99, 29) - 3.577).abs() < 1e-2);
/// ```
pub fn simultaneous(level: f64, n: usize) -> f64 {
    let tail = (1.0 - level) / (2.0 * n.max(1) as f64);
    // P(Z > z) = erfc(z / sqrt 2) / 2 falls with z.
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if 0.5 * libm::erfc(middle * std::f64::consts::FRAC_1_SQRT_2) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}
