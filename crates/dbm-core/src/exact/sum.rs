//! A sum of exponentials of any size, term by term.

use super::bipartition::Bipartition;
use super::enumerate::for_each_state;
use crate::math::exp_below_zero;

/// `sum exp(x)` of the terms so far, as `exp(offset) sum` with the largest term as offset, so that no term overflows and none that matters
/// is lost. Compensated summation (Kahan 1965) keeps the error from growing with the number of terms.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogSum {
    offset: f64,
    sum: f64,
    /// The excess that rounding added to `sum`.
    excess: f64,
}

impl LogSum {
    /// The sum of no terms.
    pub fn new() -> Self {
        Self { offset: f64::NEG_INFINITY, sum: 0.0, excess: 0.0 }
    }

    /// Adds `exp(x)`, for an `x` that is finite, or minus infinity, which adds nothing.
    #[inline]
    pub fn add(&mut self, x: f64) {
        let mut term = 1.0;
        if x == f64::NEG_INFINITY {
            return;
        }
        if x <= self.offset {
            term = exp_below_zero(x - self.offset);
        } else {
            let shrink = exp_below_zero(self.offset - x);
            (self.offset, self.sum, self.excess) = (x, self.sum * shrink, self.excess * shrink);
        }
        let term = term - self.excess;
        let sum = self.sum + term;
        self.excess = (sum - self.sum) - term;
        self.sum = sum;
    }

    /// The sum's logarithm; minus infinity if there are no terms.
    pub fn log(&self) -> f64 {
        self.offset + libm::log(self.sum)
    }

    /// `exp(x)` as a share of the sum, where `x` is one of its terms. Shares add up to one even if the sum's logarithm is so large that it
    /// has no digits left for them.
    #[inline(always)]
    pub fn share(&self, x: f64) -> f64 {
        exp_below_zero(x - self.offset) / self.sum
    }
}

/// The sum of `exp(-E)` over all free units.
pub(super) fn over(halves: &Bipartition) -> LogSum {
    let mut sum = LogSum::new();
    for_each_state(halves, |state| sum.add(state.log_weight));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::log_sum_exp;

    #[test]
    fn sums_whatever_the_order_and_the_size() {
        for scale in [1e-3, 1.0, 50.0, 2000.0, 1e9] {
            let mut terms: Vec<f64> = (0..500).map(|i| scale * (f64::from(i) * 0.7).sin()).collect();
            for _ in 0..3 {
                let mut sum = LogSum::new();
                terms.iter().for_each(|&x| sum.add(x));
                let expected = log_sum_exp(&terms);
                assert!((sum.log() - expected).abs() <= 1e-14 * expected.abs().max(1.0), "{} and {expected}", sum.log());
                let shares: f64 = terms.iter().map(|&x| sum.share(x)).sum();
                assert!((shares - 1.0).abs() < 1e-13);
                // Unsorted, then rising, then falling.
                if terms.is_sorted() { terms.reverse() } else { terms.sort_by(f64::total_cmp) }
            }
        }
        assert_eq!(LogSum::new().log(), f64::NEG_INFINITY);
    }

    #[test]
    fn many_small_terms_are_not_lost() {
        // Added one by one to 1, each of these would be rounded away.
        let mut sum = LogSum::new();
        sum.add(0.0);
        (0..100_000).for_each(|_| sum.add(-37.0));
        let expected = libm::log1p(1e5 * libm::exp(-37.0));
        assert!((sum.log() - expected).abs() < 2e-16, "{:e} and {expected:e}", sum.log());
        assert!(expected > 8e-12);
    }
}
