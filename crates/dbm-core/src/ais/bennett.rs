//! Bennett's acceptance ratio: one estimate of log Z_b - log Z_a from samples of both models.

use crate::DbmError;
use crate::math::{log_sum_exp, mean_and_error, softplus};

/// What samples of both models say about `log Z_b - log Z_a`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogRatio {
    /// The estimate, in nats.
    pub log_ratio: f64,
    /// Its standard error, `sqrt(var_a(f) / (n_a mean_a(f)^2) + var_b(f) / (n_b mean_b(f)^2))` (Bennett 1976, equation 10); infinite if a
    /// side has fewer than two values. It assumes independent samples. Where the two sides hardly overlap it is meaningless: it is then
    /// about 1, whatever the actual error.
    pub standard_error: f64,
    /// `sum_x p_a p_b / (pi_a p_a + pi_b p_b)`, where `pi` are the two sides' shares of the samples: 1 if the sides are the same, near 0 if
    /// no sample of one could come from the other.
    pub overlap: f64,
}

/// `log Z_b - log Z_a` from `forward`, the differences `log p*_b(x) - log p*_a(x)` for samples x of `p_a`, and `reverse`, **the same
/// differences, not their negatives,** for samples of `p_b`. The log weights of annealed importance sampling from a to b, and minus those
/// from b to a, can be used as well.
///
/// It is the `d` that solves (Bennett 1976, equation 12; it maximizes the likelihood, Shirts et al. 2003)
///
/// `sum_{u in forward} f(u) = sum_{u in reverse} f(u)`, where `f(u) = sigma(log(n_b / n_a) + u - d)` in forward and 1 minus that in reverse:
///
/// that is, as many samples of a look like those of b as the other way round. The left side falls with d and the right side rises, so there
/// is one root. It is found by bisection on the logs, so sides hundreds of nats apart do no harm.
///
/// With many values, no other estimate from them has a smaller variance. It is not a bound: with few values, or a small
/// [`LogRatio::overlap`], it can be off in either direction.
///
/// ```
/// use dbm_core::ais::bennett;
/// // p_a = (1/2, 1/2) and p*_b = (1, 3), each sampled in proportion: log Z_b - log Z_a = log(4 / 1).
/// let [low, high] = [2_f64.ln(), 6_f64.ln()];
/// let found = bennett(&[low, high, low, high], &[low, high, high, high])?;
/// assert!((found.log_ratio - 4_f64.ln()).abs() < 1e-12);
/// assert!(found.overlap > 0.9 && bennett(&[], &[low]).is_err());
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Errors
/// [`DbmError::Setting`] if a side has no values, [`DbmError::NotFinite`] if a value is not finite.
pub fn bennett(forward: &[f64], reverse: &[f64]) -> Result<LogRatio, DbmError> {
    for (name, side) in [("number of forward log weights", forward), ("number of reverse log weights", reverse)] {
        if side.is_empty() {
            return Err(DbmError::Setting { name, expected: "at least 1", got: "0".into() });
        }
    }
    let all = || forward.iter().chain(reverse).copied();
    if !all().all(f64::is_finite) {
        return Err(DbmError::NotFinite { what: "a log weight between two models".into() });
    }
    let [n_a, n_b] = [forward, reverse].map(|side| side.len() as f64);
    let shift = libm::log(n_b / n_a);
    // log f on either side; log sigma(x) = -softplus(-x).
    let log_forward = |d: f64| forward.iter().map(|u| -softplus(d - shift - u)).collect::<Vec<f64>>();
    let log_reverse = |d: f64| reverse.iter().map(|u| -softplus(shift + u - d)).collect::<Vec<f64>>();
    // Where every sample looks like one of b by the odds n_b / n_a or more, the left side is the larger one; and the other way round.
    let mut low = all().fold(f64::INFINITY, f64::min) + shift - shift.abs();
    let mut high = all().fold(f64::NEG_INFINITY, f64::max) + shift + shift.abs();
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if log_sum_exp(&log_forward(middle)) > log_sum_exp(&log_reverse(middle)) { low = middle } else { high = middle }
    }
    let sides = [log_forward(high), log_reverse(high)];
    let relative_error = |logs: &[f64]| {
        let log_mean = log_sum_exp(logs) - libm::log(logs.len() as f64);
        mean_and_error(&logs.iter().map(|log| libm::exp(log - log_mean)).collect::<Vec<f64>>()).1
    };
    Ok(LogRatio {
        log_ratio: high,
        standard_error: libm::hypot(relative_error(&sides[0]), relative_error(&sides[1])),
        overlap: libm::exp(log_sum_exp(&sides[0])) * (1.0 / n_a + 1.0 / n_b),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream, Streams};

    /// `log N(x; 1, 1) - log N(x; 0, 1) + shift` is `x - 1/2 + shift`: log weights of two Gaussians this far apart, whose log ratio is the
    /// shift.
    fn gaussians(stream: &mut Stream, distance: f64, shift: f64, counts: [usize; 2]) -> [Vec<f64>; 2] {
        let mut side = |mean: f64, n: usize| {
            (0..n).map(|_| distance * (mean + stream.gaussian()) - distance * distance / 2.0 + shift).collect()
        };
        [side(0.0, counts[0]), side(distance, counts[1])]
    }

    /// 300 estimates per case, seed 1: their mean is within 4 of its standard errors, and their deviation matches the standard errors they
    /// report, within 5 of its own (4 % each).
    #[test]
    fn estimates_are_right_and_know_their_errors() {
        let mut stream = Streams::new(1).at(Purpose::Annealing, 0, 0);
        for (distance, counts) in [(0.5, [200, 200]), (2.0, [100, 400]), (1.0, [500, 60])] {
            let found: Vec<LogRatio> = (0..300)
                .map(|_| {
                    let [forward, reverse] = gaussians(&mut stream, distance, 800.0, counts);
                    bennett(&forward, &reverse).unwrap()
                })
                .collect();
            let (mean, error) = mean_and_error(&found.iter().map(|found| found.log_ratio).collect::<Vec<f64>>());
            assert!((mean - 800.0).abs() < 4.0 * error, "{distance}: {mean} +- {error}");
            let said = found.iter().map(|found| found.standard_error).sum::<f64>() / 300.0;
            let ratio = error * 300_f64.sqrt() / said;
            assert!((0.8..1.2).contains(&ratio), "{distance}: estimates vary by {ratio} of what they say");
        }
    }

    #[test]
    fn sides_change_places_and_sides_far_apart_are_answered() {
        let mut stream = Streams::new(2).at(Purpose::Annealing, 0, 0);
        let [forward, reverse] = gaussians(&mut stream, 1.5, -3.0, [40, 70]);
        let there = bennett(&forward, &reverse).unwrap();
        let negative = |side: &[f64]| side.iter().map(|u| -u).collect::<Vec<f64>>();
        let back = bennett(&negative(&reverse), &negative(&forward)).unwrap();
        assert!((there.log_ratio + back.log_ratio).abs() < 1e-10 && (there.overlap - back.overlap).abs() < 1e-10);
        assert!((there.standard_error - back.standard_error).abs() < 1e-10);
        // All that is known is that the ratio lies between the two.
        let apart = bennett(&[-2000.0, -1900.0], &[3000.0, 3500.0]).unwrap();
        assert!((apart.log_ratio - 550.0).abs() < 1.0 && apart.overlap == 0.0, "{apart:?}");
        let same = bennett(&[7.0; 3], &[7.0; 5]).unwrap();
        assert!((same.log_ratio - 7.0).abs() < 1e-12 && (same.overlap - 1.0).abs() < 1e-12 && same.standard_error < 1e-12);
        assert_eq!(bennett(&[1.0], &[2.0]).unwrap().standard_error, f64::INFINITY);
    }

    #[test]
    fn what_holds_no_answer_is_refused() {
        for (forward, reverse) in [(&[][..], &[1.0][..]), (&[1.0], &[])] {
            assert!(matches!(bennett(forward, reverse), Err(DbmError::Setting { expected: "at least 1", .. })));
        }
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(matches!(bennett(&[0.0, bad], &[1.0]), Err(DbmError::NotFinite { .. })));
        }
    }
}
