//! Whether probabilities mean what they say: guesses in bins of their probability, and the share of them that is right.

use dbm_core::impute::Prediction;
use serde::{Deserialize, Serialize};

/// Upper ends of the bins.
const BINS: [f64; 8] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0];

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bin {
    cells: usize,
    right: usize,
    /// Sum of the probabilities of the guesses.
    expected: f64,
    /// Sum of `p (1 - p)`: the variance of the number of right ones, if the probabilities are exact.
    variance: f64,
}

/// Guesses of about the same probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// The least probability.
    pub from: f64,
    /// The greatest.
    pub to: f64,
    /// How many guesses.
    pub cells: usize,
    /// Their mean probability.
    pub probability: f64,
    /// The share of them that is right.
    pub right: f64,
}

/// The guesses of a model by their probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration([Bin; BINS.len()]);

impl Calibration {
    /// Of predictions with their true values.
    pub fn of(predictions: impl Iterator<Item = (Prediction, usize)>) -> Self {
        let mut bins = [Bin::default(); BINS.len()];
        for (prediction, truth) in predictions {
            let place = BINS.iter().position(|&end| prediction.of_value < end).unwrap_or(BINS.len() - 1);
            let bin = &mut bins[place];
            bin.cells += 1;
            bin.right += usize::from(prediction.value == truth);
            bin.expected += prediction.of_value;
            bin.variance += prediction.of_value * (1.0 - prediction.of_value);
        }
        Self(bins)
    }

    /// The mean over the guesses of how far their bin's mean probability is from its share of right ones.
    pub fn error(&self) -> f64 {
        let cells: usize = self.0.iter().map(|bin| bin.cells).sum();
        self.0.iter().map(|bin| (bin.expected - bin.right as f64).abs()).sum::<f64>() / cells.max(1) as f64
    }

    /// What [`Calibration::error`] would be on average if the probabilities were exact: `E|X| = sqrt(2 Var X / pi)` of a normal variable.
    pub fn by_chance(&self) -> f64 {
        let cells: usize = self.0.iter().map(|bin| bin.cells).sum();
        let each = self.0.iter().map(|bin| (2.0 * bin.variance / std::f64::consts::PI).sqrt());
        each.sum::<f64>() / cells.max(1) as f64
    }

    /// In words.
    pub fn sentence(&self) -> String {
        let (off, chance) = (100.0 * self.error(), 100.0 * self.by_chance());
        format!(
            "Its probabilities are off by {off:.1} points on average; on this many cells, exact ones would be off by {chance:.1}."
        )
    }

    /// Every bin that has guesses, probabilities rising.
    pub fn bins(&self) -> Vec<CalibrationBin> {
        let starts = std::iter::once(&0.0).chain(&BINS);
        let bins = self.0.iter().zip(starts).zip(BINS).filter(|((bin, _), _)| bin.cells > 0).map(|((bin, &from), to)| {
            let mean = |sum: f64| sum / bin.cells as f64;
            CalibrationBin { from, to, cells: bin.cells, probability: mean(bin.expected), right: mean(bin.right as f64) }
        });
        bins.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_are_compared_with_their_probabilities() {
        let guess = |of_value: f64, value: usize| (Prediction { of_truth: 0.0, value, of_value }, 1);
        let calibration = Calibration::of([guess(0.75, 1), guess(0.75, 0), guess(1.0, 1), guess(0.4, 1)].into_iter());
        // One of two where three of four were expected, and one of one where two of five were.
        assert!((calibration.error() - (0.5 + 0.0 + 0.6) / 4.0).abs() < 1e-12);
        let bins = calibration.bins();
        assert_eq!(bins.len(), 3);
        assert_eq!((bins[1].from, bins[1].cells, bins[1].right), (0.7, 2, 0.5));
        assert_eq!(Calibration::of(std::iter::empty()).error(), 0.0);
        // 800 guesses of probability 3/4: a standard deviation of sqrt(150), of which a normal variable is off by 0.798 on average.
        let many = Calibration::of((0..800).map(|_| guess(0.75, 1)));
        assert!((many.by_chance() - 0.798 * 150_f64.sqrt() / 800.0).abs() < 1e-4);
    }
}
