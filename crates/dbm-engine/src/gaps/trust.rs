//! Whether to trust what a model fills in: its score compared with those of the baselines.

use super::calibration::Calibration;
use dbm_core::impute::{ImputationMethod, Outcome, Report};
use dbm_core::math::mean_and_error;
use serde::{Deserialize, Serialize};

/// Differences below this many standard errors count as none.
const ERRORS: f64 = 2.0;

/// The model compared with a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    Better,
    Alike,
    Worse,
}

/// What the scores mean for the missing cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trust {
    /// Better than the columns' modes and the nearest rows.
    BeatsBoth,
    /// Better than the columns' modes, and as good as the nearest rows.
    BeatsModes,
    /// Better than the columns' modes, but the nearest rows do better.
    NeighboursBetter,
    /// It guesses more cells than the columns' modes, but its probabilities are worse.
    TooSure,
    /// No better than the columns' modes.
    NoBetter,
    /// Worse than those.
    Worse,
}

impl Trust {
    /// By the guesses of hidden cells.
    pub fn of(outcomes: &[Outcome]) -> Self {
        let loss = |cell: &Outcome, method: ImputationMethod| cell.predictions[method as usize].loss();
        let wrong =
            |cell: &Outcome, method: ImputationMethod| f64::from(cell.predictions[method as usize].value != cell.cell.truth);
        let by_loss = |other| beside(outcomes, other, loss);
        match (by_loss(ImputationMethod::ColumnMode), by_loss(ImputationMethod::Neighbours)) {
            (Beside::Better, Beside::Better) => Self::BeatsBoth,
            (Beside::Better, Beside::Alike) => Self::BeatsModes,
            (Beside::Better, Beside::Worse) => Self::NeighboursBetter,
            _ if beside(outcomes, ImputationMethod::ColumnMode, wrong) == Beside::Better => Self::TooSure,
            (Beside::Alike, _) => Self::NoBetter,
            (Beside::Worse, _) => Self::Worse,
        }
    }

    /// In a sentence, with this share of the guesses right; the front end says what can be done.
    pub fn sentence(self, right: f64) -> String {
        let right = (100.0 * right).round();
        match self {
            Self::BeatsBoth => format!(
                "The model beats both: expect about {right} of 100 filled cells to be right, and their probabilities to mean something."
            ),
            Self::BeatsModes => format!(
                "The model beats the column’s most frequent value and does as well as the nearest rows: expect about {right} of 100 filled cells to be right."
            ),
            Self::NeighboursBetter => {
                "The model beats the column’s most frequent value, but the nearest rows do better: do not rely on it.".into()
            }
            Self::TooSure => format!(
                "The model guesses about {right} of 100 right, more than the column’s most frequent value, but it is too sure of itself: do not trust its probabilities."
            ),
            Self::NoBetter => {
                "The model does no better than the column’s most frequent value: do not trust it; either the columns do not depend on each other, or there are too few rows."
                    .into()
            }
            Self::Worse => "The model does worse than the column’s most frequent value: do not trust it.".into(),
        }
    }
}

/// A check of a model on hidden cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The scores of the model and of two simple guesses.
    pub report: Report,
    /// What they mean.
    pub trust: Trust,
    /// Whether the model's probabilities mean what they say.
    pub calibration: Calibration,
}

impl Checked {
    /// Of these guesses, which `report` summarizes.
    pub fn new(report: Report, outcomes: &[Outcome]) -> Self {
        let calibration = Calibration::of(outcomes.iter().map(|outcome| (outcome.predictions[0], outcome.cell.truth)));
        Self { report, trust: Trust::of(outcomes), calibration }
    }

    /// [`Trust::sentence`] with the model's share of right guesses.
    pub fn sentence(&self) -> String {
        self.trust.sentence(self.report.of(ImputationMethod::Model).accuracy)
    }
}

/// From the differences of their losses, cell by cell.
fn beside(outcomes: &[Outcome], other: ImputationMethod, loss: impl Fn(&Outcome, ImputationMethod) -> f64) -> Beside {
    let differences: Vec<f64> = outcomes.iter().map(|cell| loss(cell, ImputationMethod::Model) - loss(cell, other)).collect();
    let (mean, error) = mean_and_error(&differences);
    if mean < -ERRORS * error {
        Beside::Better
    } else if mean > ERRORS * error {
        Beside::Worse
    } else {
        Beside::Alike
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::Group;
    use dbm_core::impute::{Cell, Prediction};

    /// The verdict if each method gives the truth these probabilities, in turn.
    fn trust(model: [f64; 2], mode: [f64; 2], neighbours: [f64; 2]) -> Trust {
        let cell = |row: usize| Outcome {
            cell: Cell { row, group: Group::thermometer(0..1), truth: 1 },
            predictions: [model, mode, neighbours].map(|p| Prediction {
                of_truth: p[row % 2],
                value: usize::from(p[row % 2] > 0.5),
                of_value: p[row % 2].max(1.0 - p[row % 2]),
            }),
        };
        Trust::of(&(0..100).map(cell).collect::<Vec<_>>())
    }

    #[test]
    fn the_verdict_follows_the_scores() {
        let (good, fair, poor) = ([0.9, 0.95], [0.8, 0.7], [0.4, 0.45]);
        assert_eq!(trust(good, poor, poor), Trust::BeatsBoth);
        assert_eq!(trust(good, poor, good), Trust::BeatsModes);
        assert_eq!(trust(fair, poor, good), Trust::NeighboursBetter);
        assert_eq!(trust(poor, poor, fair), Trust::NoBetter);
        assert_eq!(trust(poor, fair, good), Trust::Worse);
        // Nearly always right, and quite sure when it is wrong.
        assert_eq!(trust([0.99, 1e-6], [0.4, 0.4], fair), Trust::TooSure);
        assert!(Trust::BeatsBoth.sentence(0.875).contains("about 88 of 100"));
    }
}
