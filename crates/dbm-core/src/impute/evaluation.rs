//! Whether imputations can be trusted: hidden cells, filled in by the model and by two baselines, against the truth.

use super::baselines::{Columns, Neighbours};
use super::hidden::{Cell, HiddenCells};
use super::{ImputeSettings, Imputer};
use crate::error::within;
use crate::math::mean_and_error;
use crate::{Dbm, DbmError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The least probability of the truth used in a logarithm, so that a loss is at most 13.8 nats.
pub const LEAST_PROBABILITY: f64 = 1e-6;

/// A method that fills in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImputationMethod {
    /// The model, by an [`Imputer`].
    Model,
    /// The most frequent value of the column, with probabilities `(count + 1) / (rows + levels)` over the rows in which the cell is known.
    ColumnMode,
    /// The same over the k nearest rows in which the cell is known, by the share of cells that differ among those known in both.
    Neighbours,
}

impl ImputationMethod {
    /// All methods.
    pub const ALL: [Self; 3] = [Self::Model, Self::ColumnMode, Self::Neighbours];

    /// Its name in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::ColumnMode => "column mode",
            Self::Neighbours => "nearest neighbours",
        }
    }
}

/// Settings of an evaluation, apart from what is hidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EvaluationSettings {
    /// k: number of nearest rows.
    pub neighbours: usize,
    /// The most rows whose hidden cells are scored, spread evenly over those that have any.
    pub most_rows: usize,
    /// The most rows that each is compared with, spread evenly over the data set: all pairs of many rows would take too long.
    pub most_compared: usize,
    /// Settings of the model's chains.
    pub impute: ImputeSettings,
}

impl Default for EvaluationSettings {
    fn default() -> Self {
        Self { neighbours: 10, most_rows: 1000, most_compared: 10_000, impute: ImputeSettings::default() }
    }
}

impl EvaluationSettings {
    /// Accepts settings that make sense.
    ///
    /// # Errors
    /// [`DbmError::Setting`], naming the first setting out of range.
    pub fn check(&self) -> Result<(), DbmError> {
        within("nearest neighbours", "1 to 10000", self.neighbours as f64, (1..=10_000).contains(&self.neighbours))?;
        within("rows to score", "at least 1", self.most_rows as f64, self.most_rows >= 1)?;
        within("rows to compare with", "at least 2", self.most_compared as f64, self.most_compared >= 2)?;
        self.impute.check()
    }
}

/// What one method predicts for one hidden cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The probability it gave to the truth.
    pub of_truth: f64,
    /// The value it considers most likely, the first in case of a tie.
    pub value: usize,
    /// The probability it gave to that value.
    pub of_value: f64,
}

impl Prediction {
    /// Of a cell, from the probabilities that the row's visible units are high, as an [`Imputer`] gives them.
    pub fn of_highs(highs: &[f32], cell: &Cell) -> Self {
        let highs: Vec<f64> = highs[cell.group.units.clone()].iter().map(|&high| f64::from(high)).collect();
        Self::new(&cell.group.probabilities(&highs), cell.truth)
    }

    fn new(probabilities: &[f64], truth: usize) -> Self {
        let likeliest = |best: usize, (value, p): (usize, &f64)| if *p > probabilities[best] { value } else { best };
        let value = probabilities.iter().enumerate().fold(0, likeliest);
        let of = |value: usize| probabilities.get(value).copied().unwrap_or(0.0);
        Self { of_truth: of(truth), value, of_value: of(value) }
    }

    /// `- log P(truth)` in nats, at most that of [`LEAST_PROBABILITY`].
    pub fn loss(&self) -> f64 {
        -libm::log(self.of_truth.max(LEAST_PROBABILITY))
    }
}

/// One hidden cell, filled in by every method.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The cell, with its true value.
    pub cell: Cell,
    /// In the order of [`ImputationMethod::ALL`].
    pub predictions: [Prediction; 3],
}

/// How well a method does on the scored cells.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Share of the cells whose most likely value is the truth.
    pub accuracy: f64,
    /// Mean of `- log P(truth)`, in nats per cell; probabilities below [`LEAST_PROBABILITY`] count as that.
    pub log_loss: f64,
    /// Its standard error over the cells.
    pub log_loss_error: f64,
}

/// The result of an evaluation, and how much it covers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Hidden cells that were scored.
    pub cells: usize,
    /// Rows with scored cells.
    pub rows: usize,
    /// Rows that have hidden cells.
    pub rows_with_hidden: usize,
    /// Rows that each was compared with to find its neighbours.
    pub rows_compared: usize,
    /// Rows of the data set.
    pub rows_in_all: usize,
    /// In the order of [`ImputationMethod::ALL`].
    pub scores: [Score; 3],
}

impl Report {
    /// The score of one method.
    pub fn of(&self, method: ImputationMethod) -> Score {
        self.scores[method as usize]
    }
}

/// An evaluation in progress: rows of hidden cells are scored in any order and on any thread, and then summarized. All methods see the data
/// with the hidden cells missing.
///
/// ```
/// use dbm_core::impute::{Evaluation, EvaluationSettings, ImputationMethod, hide};
/// use dbm_core::{Examples, Units, init};
/// use std::sync::Arc;
/// let data = Examples::from_bits(4, &[1, 1, 0, 0, 0, 0, 1, 1].repeat(20))?;
/// let hidden = Arc::new(hide(&data, 0.1, 7)?);
/// let model = init::orthogonal(&[4, 6], Units::Signs, 1)?;
/// let evaluation = Evaluation::new(vec![model], Arc::clone(&hidden), EvaluationSettings::default())?;
/// let outcomes = evaluation.score(0..evaluation.rows())?;
/// let report = evaluation.report(&outcomes);
/// assert_eq!(report.cells, hidden.cells().len());
/// // Each half of a pattern tells the other.
/// assert_eq!(report.of(ImputationMethod::Neighbours).accuracy, 1.0);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
pub struct Evaluation {
    hidden: Arc<HiddenCells>,
    imputer: Imputer,
    columns: Columns,
    neighbours: Neighbours,
    /// The cells of each scored row, as ranges of the hidden cells.
    rows: Vec<Range<usize>>,
    rows_with_hidden: usize,
}

impl Evaluation {
    /// For these models, averaged, on these cells.
    ///
    /// # Errors
    /// Those of [`EvaluationSettings::check`] and [`Imputer::new`]; [`DbmError::Shape`] if the data are not as wide as the visible layer.
    pub fn new(models: Vec<Dbm>, hidden: Arc<HiddenCells>, settings: EvaluationSettings) -> Result<Self, DbmError> {
        settings.check()?;
        let data = hidden.examples();
        models.iter().try_for_each(|model| data.check_width(model.n_visible()))?;
        let imputer = Imputer::new(models, settings.impute)?;
        let mut all: Vec<Range<usize>> = Vec::new();
        for (place, cell) in hidden.cells().iter().enumerate() {
            match all.last_mut() {
                Some(cells) if hidden.cells()[cells.start].row == cell.row => cells.end = place + 1,
                _ => all.push(place..place + 1),
            }
        }
        let count = all.len().min(settings.most_rows);
        let rows = (0..count).map(|place| all[place * all.len() / count].clone()).collect();
        let columns = Columns::new(data);
        let neighbours = Neighbours::new(data, settings.neighbours, settings.most_compared);
        Ok(Self { hidden, imputer, columns, neighbours, rows, rows_with_hidden: all.len() })
    }

    /// Number of rows to score.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Scores the hidden cells of some of these rows. Any division into calls gives the same outcomes.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if there are fewer rows.
    pub fn score(&self, rows: Range<usize>) -> Result<Vec<Outcome>, DbmError> {
        let (expected, got) = (rows.end, self.rows.len());
        let too_few = || DbmError::Shape { what: "the list of rows to score".into(), expected, got };
        let mut outcomes = Vec::new();
        for cells in self.rows.get(rows).ok_or_else(too_few)? {
            let cells = &self.hidden.cells()[cells.clone()];
            let Some(row) = cells.first().map(|cell| cell.row) else { continue };
            let highs = self.imputer.fill(self.hidden.examples(), row)?.highs;
            let ranked = self.neighbours.ranked(row);
            outcomes.extend(cells.iter().map(|cell| {
                let of_neighbours = self.neighbours.probabilities(self.hidden.examples(), &ranked, cell);
                let predictions = [
                    Prediction::of_highs(&highs, cell),
                    Prediction::new(self.columns.probabilities(cell), cell.truth),
                    Prediction::new(&of_neighbours, cell.truth),
                ];
                Outcome { cell: cell.clone(), predictions }
            }));
        }
        Ok(outcomes)
    }

    /// The summary of all outcomes, in the order of the rows.
    pub fn report(&self, outcomes: &[Outcome]) -> Report {
        let score = |method: ImputationMethod| {
            let predictions = outcomes.iter().map(|outcome| (outcome.cell.truth, outcome.predictions[method as usize]));
            let right = predictions.clone().filter(|(truth, prediction)| prediction.value == *truth).count();
            let losses: Vec<f64> = predictions.map(|(_, prediction)| prediction.loss()).collect();
            let (log_loss, log_loss_error) = mean_and_error(&losses);
            Score { accuracy: right as f64 / outcomes.len() as f64, log_loss, log_loss_error }
        };
        let mut rows = BTreeSet::new();
        rows.extend(outcomes.iter().map(|outcome| outcome.cell.row)); // one by one, since collecting would sort them first, which adds kilobytes to the page
        Report {
            cells: outcomes.len(),
            rows: rows.len(),
            rows_with_hidden: self.rows_with_hidden,
            rows_compared: self.neighbours.compared(),
            rows_in_all: self.hidden.examples().len(),
            scores: ImputationMethod::ALL.map(score),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Group;

    #[test]
    fn a_prediction_is_the_first_of_the_likeliest_values() {
        let of = |probabilities: &[f64], truth| Prediction::new(probabilities, truth);
        assert_eq!(of(&[0.5, 0.5], 1), Prediction { of_truth: 0.5, value: 0, of_value: 0.5 });
        assert_eq!(of(&[0.2, 0.5, 0.3], 2), Prediction { of_truth: 0.3, value: 1, of_value: 0.5 });
        assert_eq!(of(&[], 0), Prediction { of_truth: 0.0, value: 0, of_value: 0.0 });
        let of_highs = |group, truth| Prediction::of_highs(&[0.5, 0.75, 0.25], &Cell { row: 0, group, truth });
        assert_eq!(of_highs(Group::thermometer(2..3), 0), Prediction { of_truth: 0.75, value: 0, of_value: 0.75 });
        assert_eq!(of_highs(Group::one_hot(1..3), 1), of(&[0.75, 0.25], 1));
        assert_eq!(of_highs(Group::thermometer(1..3), 1), of(&[0.25, 0.5, 0.25], 1));
    }
}
