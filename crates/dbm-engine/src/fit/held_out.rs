//! Cells held out from the runs of a fit, and how well a model guesses them.

use dbm_core::impute::{Cell, HiddenCells, ImputeSettings, Imputer, Prediction};
use dbm_core::math::mean_and_error;
use dbm_core::{Dbm, DbmError, Host};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// About the most cells that are guessed, in whole rows spread evenly over those that have any.
const MOST_CELLS: usize = 2500;
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
    /// The cells of each row, as ranges of the hidden cells.
    rows: Vec<Range<usize>>,
}

/// A model's guesses so far: of each cell, the loss, and whether it is right.
#[derive(Default)]
pub(super) struct Guesses(Vec<(f64, bool)>);

impl HeldOut {
    pub fn new(hidden: HiddenCells) -> Self {
        let cells = hidden.cells();
        let mut all: Vec<Range<usize>> = Vec::new();
        for (place, cell) in cells.iter().enumerate() {
            match all.last_mut() {
                Some(row) if cells[row.start].row == cell.row => row.end = place + 1,
                _ => all.push(place..place + 1),
            }
        }
        let count = (all.len() * MOST_CELLS).div_ceil(cells.len()).min(all.len());
        let rows = (0..count).map(|place| all[place * all.len() / count].clone()).collect();
        Self { hidden, rows }
    }

    /// How many rows there are to guess.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// All hidden cells.
    #[cfg(test)]
    pub fn cells(&self) -> &[Cell] {
        self.hidden.cells()
    }

    /// What guesses with this model.
    ///
    /// # Errors
    /// Those of [`Imputer::new`].
    pub fn imputer(model: Dbm) -> Result<Imputer, DbmError> {
        Imputer::new(vec![model], CHAINS)
    }

    /// Guesses the cells of some of the rows.
    ///
    /// # Errors
    /// Those of [`Imputer::fill`].
    pub fn guess(&self, imputer: &Imputer, rows: Range<usize>, into: &mut Guesses, host: &impl Host) -> Result<(), DbmError> {
        let guessed = host.map(self.rows[rows].to_vec(), |cells| {
            let cells = &self.hidden.cells()[cells];
            let highs = imputer.fill(self.hidden.examples(), cells[0].row)?.highs;
            let guess = |cell: &Cell| {
                let prediction = Prediction::of_highs(&highs, cell);
                (prediction.loss(), prediction.value == cell.truth)
            };
            Ok(cells.iter().map(guess).collect::<Vec<_>>())
        });
        for row in guessed {
            into.0.extend(row?);
        }
        Ok(())
    }
}

impl Guesses {
    pub fn score(&self) -> HeldOutScore {
        let losses: Vec<f64> = self.0.iter().map(|(loss, _)| *loss).collect();
        let (log_loss, log_loss_error) = mean_and_error(&losses);
        let right = self.0.iter().filter(|(_, right)| *right).count();
        HeldOutScore { log_loss, log_loss_error, accuracy: right as f64 / self.0.len() as f64, cells: self.0.len() }
    }
}
