//! How much neighbouring distributions on the path to a model overlap, estimated from exchanges of chains or from particles.

use crate::math::normalized;
use serde::{Deserialize, Serialize};

/// One rung in this many is tested in a round.
pub const SPACED: usize = 8;

/// The outcome of exchanges between neighbouring rungs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exchanges {
    /// For each pair, from the lowest that was offered exchanges up to the last rung and the model, the sum of its acceptance
    /// probabilities.
    pub acceptance: Vec<f64>,
    /// Number of exchanges offered to each pair.
    pub tried: u64,
    /// Rungs that were tested, with the sums of the probabilities by which their neighbours would accept exchanges with each other.
    pub without: Vec<(usize, f64)>,
}

impl Exchanges {
    /// Mean share of exchanges that each pair accepts; the last pair is the last rung and the model.
    pub fn rates(&self) -> impl DoubleEndedIterator<Item = f64> + ExactSizeIterator {
        self.acceptance.iter().map(|sum| self.rate(*sum))
    }

    /// Rungs, with the share of exchanges that their neighbours would accept without them.
    pub fn rates_without(&self) -> impl Iterator<Item = (usize, f64)> {
        self.without.iter().map(|&(rung, sum)| (rung, self.rate(sum)))
    }

    fn rate(&self, sum: f64) -> f64 {
        sum / self.tried.max(1) as f64
    }

    /// Adds the outcome for other chains on the same ladder, in the same round.
    pub(crate) fn append(&mut self, other: &Self) {
        if self.tried == 0 {
            *self = other.clone();
            return;
        }
        self.acceptance.iter_mut().zip(&other.acceptance).for_each(|(sum, more)| *sum += more);
        self.without.iter_mut().zip(&other.without).for_each(|(sum, more)| sum.1 += more.1);
        self.tried += other.tried;
    }
}

/// How much the points of a path overlap with those before them, estimated from the particles of some runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// For each point, the sum over the runs of the share of exchanges with the previous point that would be accepted.
    pub shares: Vec<f64>,
    /// Number of runs.
    pub runs: u64,
}

impl Spread {
    /// The mean over the runs, for each point.
    pub fn means(&self) -> impl ExactSizeIterator<Item = f64> {
        self.shares.iter().map(|sum| sum / self.runs.max(1) as f64)
    }

    /// Adds this many runs along a path with this many points.
    pub fn begin(&mut self, points: usize, runs: usize) {
        self.shares.resize(points.max(self.shares.len()), 0.0);
        self.runs += runs as u64;
    }

    /// Records what a point adds to the log weights of a run's particles.
    pub fn note(&mut self, point: usize, increments: &[f64]) {
        self.shares[point] += share_of_exchanges(increments);
    }

    /// Adds the result of other runs on the same path.
    pub fn append(&mut self, other: &Self) {
        self.shares.resize(self.shares.len().max(other.shares.len()), 0.0);
        self.shares.iter_mut().zip(&other.shares).for_each(|(sum, more)| *sum += more);
        self.runs += other.runs;
    }
}

/// The share of exchanges between `x` from one distribution and `y` from the next that would be accepted, `E min(1, w(x) / w(y))`, from the
/// log weights `log w` of particles of the first: unweighted for `x`, and weighted for `y`.
fn share_of_exchanges(log_weights: &[f64]) -> f64 {
    let n = log_weights.len() as f64;
    let mut sorted = log_weights.to_vec();
    sorted.sort_by(f64::total_cmp);
    let weights = normalized(&sorted);
    // For each y, lighter particles accept by the ratio of weights, and those at least as heavy always.
    let (mut lighter, mut sum) = (0.0, 0.0);
    for (place, w) in weights.iter().enumerate() {
        sum += lighter + w * (n - place as f64);
        lighter += w;
    }
    (sum / n).min(1.0)
}

/// The `d` for a share `erfc(d / 2)`, by bisection; at most 20, where the share is next to nothing.
pub(super) fn deviation(share: f64) -> f64 {
    let halve = |(low, high): (f64, f64), _| {
        let middle = 0.5 * (low + high);
        if libm::erfc(middle / 2.0) > share { (middle, high) } else { (low, middle) }
    };
    (0..40).fold((0.0, 20.0), halve).0
}

/// How much neighbouring rungs overlap: the share of exchanges between them that are accepted, or would be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Overlaps {
    /// One for each pair measured, the last being the last rung and the model.
    pub shares: Vec<f64>,
    /// Rungs, with the overlap of their neighbours without them.
    pub without: Vec<(usize, f64)>,
    /// Whether it comes from chains, which lag behind the model and can lose touch with it.
    pub of_chains: bool,
}

impl Overlaps {
    /// The overlaps measured by exchanges.
    pub fn of_exchanges(exchanges: &Exchanges) -> Self {
        Self { shares: exchanges.rates().collect(), without: exchanges.rates_without().collect(), of_chains: true }
    }

    /// The overlaps measured by particles moved along the ladder. If the log weights of two neighbours differ by a Gaussian of deviation
    /// `d`, a share of `erfc(d / 2)` of exchanges is accepted. The deviation between a rung's two neighbours is at most the sum of their
    /// deviations from the rung, which is used here. One rung in [`SPACED`] is tested, from this one on.
    pub fn of_particles(spread: &Spread, first: usize) -> Self {
        let shares: Vec<f64> = spread.means().collect();
        let of_both = |rung: usize| libm::erfc(f64::midpoint(deviation(shares[rung - 1]), deviation(shares[rung])));
        let without = (1 + first % SPACED..shares.len()).step_by(SPACED).map(|rung| (rung, of_both(rung))).collect();
        Self { shares, without, of_chains: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_exchanges_is_the_mean_over_all_pairs() {
        let logs: [f64; 5] = [0.3, -1.0, 2.0, 0.3, -4.0];
        let sum: f64 = logs.iter().map(|log| log.exp()).sum();
        let pair = |x: f64, y: f64| y.exp() / sum / 5.0 * (x - y).exp().min(1.0);
        let plain: f64 = logs.iter().flat_map(|&x| logs.map(|y| pair(x, y))).sum();
        assert!((share_of_exchanges(&logs) - plain).abs() < 1e-12);
        assert!((share_of_exchanges(&[7.0; 4]) - 1.0).abs() < 1e-12);
    }
}
