//! Cells held out from the runs of a fit, and how well a model guesses them.

use dbm_core::impute::{Cell, HiddenCells, ImputeSettings, Imputer, LEAST_PROBABILITY};
use dbm_core::math::mean_and_error;
use dbm_core::{Dbm, DbmError, Examples, Host};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The most rows whose hidden cells are guessed, spread evenly over those that have any.
const MOST_ROWS: usize = 500;
/// Chains of rows with too many missing cells to enumerate: fewer than for an answer, as only differences count.
const CHAINS: ImputeSettings = ImputeSettings { completions: 4, sweeps: 10, draws: 20, seed: 0 };
/// Rows guessed in one piece of work.
pub(super) const ROWS: usize = 8;

/// How well a model guesses the cells held out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOutScore {
    /// Mean of `- log P(truth)`, in nats per cell.
    pub log_loss: f64,
    /// Its standard error over the cells.
    pub log_loss_error: f64,
    /// Share of the cells whose most likely value is the truth.
    pub accuracy: f64,
    /// How many cells.
    pub cells: usize,
}

/// Rows with hidden cells.
pub(super) struct HeldOut {
    hidden: HiddenCells,
    groups: Vec<Range<usize>>,
    /// The cells of each row, as ranges of the hidden cells.
    rows: Vec<Range<usize>>,
}

/// A model's guesses so far: of each cell, the loss, and whether it is right.
#[derive(Default)]
pub(super) struct Guesses(Vec<(f64, bool)>);

impl HeldOut {
    pub fn new(hidden: HiddenCells, groups: &[Range<usize>]) -> Self {
        let cells = hidden.cells();
        let mut all: Vec<Range<usize>> = Vec::new();
        for (place, cell) in cells.iter().enumerate() {
            match all.last_mut() {
                Some(row) if cells[row.start].row == cell.row => row.end = place + 1,
                _ => all.push(place..place + 1),
            }
        }
        let count = all.len().min(MOST_ROWS);
        let rows = (0..count).map(|place| all[place * all.len() / count].clone()).collect();
        Self { hidden, groups: groups.to_vec(), rows }
    }

    /// How many rows there are to guess.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The examples with the cells hidden.
    pub fn examples(&self) -> &Examples {
        self.hidden.examples()
    }

    /// All hidden cells.
    pub fn cells(&self) -> &[Cell] {
        self.hidden.cells()
    }

    /// What guesses with this model.
    ///
    /// # Errors
    /// Those of [`Imputer::new`].
    pub fn imputer(&self, model: Dbm) -> Result<Imputer, DbmError> {
        Imputer::new(model, &self.groups, CHAINS)
    }

    /// Guesses the cells of some of the rows.
    ///
    /// # Errors
    /// Those of [`Imputer::fill`].
    pub fn guess(&self, imputer: &Imputer, rows: Range<usize>, into: &mut Guesses, host: &impl Host) -> Result<(), DbmError> {
        let guessed = host.map(self.rows[rows].to_vec(), |cells| {
            let cells = &self.hidden.cells()[cells];
            let highs = imputer.fill(self.hidden.examples(), cells[0].row)?.highs;
            Ok(cells.iter().map(|cell| guess(cell, &highs[cell.units.clone()])).collect::<Vec<_>>())
        });
        for row in guessed {
            into.0.extend(row?);
        }
        Ok(())
    }
}

/// The loss of one cell, given the probabilities that its units are high, and whether the guess is right.
fn guess(cell: &Cell, highs: &[f32]) -> (f64, bool) {
    let of = |level: usize| match highs {
        &[high] => f64::from(if level == 1 { high } else { 1.0 - high }),
        highs => f64::from(highs[level]),
    };
    let truth = of(cell.truth);
    // The first of equally likely values is the guess, as for an answer.
    let right = (0..cell.levels()).all(|level| if level < cell.truth { of(level) < truth } else { of(level) <= truth });
    (-libm::log(truth.max(LEAST_PROBABILITY)), right)
}

impl Guesses {
    pub fn score(&self) -> HeldOutScore {
        let losses: Vec<f64> = self.0.iter().map(|(loss, _)| *loss).collect();
        let (log_loss, log_loss_error) = mean_and_error(&losses);
        let right = self.0.iter().filter(|(_, right)| *right).count();
        HeldOutScore { log_loss, log_loss_error, accuracy: right as f64 / self.0.len() as f64, cells: self.0.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_is_the_first_of_the_likeliest_values() {
        let cell = |units, truth| Cell { row: 0, units, truth };
        assert_eq!(guess(&cell(0..1, 0), &[0.5]), (libm::log(2.0), true));
        assert!(!guess(&cell(0..1, 1), &[0.5]).1 && guess(&cell(0..1, 1), &[0.75]).1);
        assert!(guess(&cell(3..6, 1), &[0.2, 0.5, 0.3]).1 && !guess(&cell(3..6, 1), &[0.4, 0.4, 0.2]).1);
        assert!(guess(&cell(3..6, 2), &[0.5, 0.5, 0.0]).0 > 13.0);
    }
}
