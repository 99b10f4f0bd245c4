//! Work on a table, row by row.

use crate::{EngineError, Job, Progress};
use dbm_core::impute::{Evaluation, Filled, Imputer, Outcome};
use dbm_core::{DbmError, Examples};
use std::borrow::Borrow;
use std::sync::Arc;

/// Work that goes row by row, with results that do not depend on the order of the rows.
pub trait ByRow {
    /// The result of a row.
    type Row;

    /// How many rows there are.
    fn rows(&self) -> usize;

    /// Processes a row.
    ///
    /// # Errors
    /// Errors of the core.
    fn row(&self, row: usize) -> Result<Self::Row, DbmError>;
}

/// A table with its gaps filled in, row by row.
pub struct Filling<D> {
    /// What fills the gaps.
    pub imputer: Imputer,
    /// The table.
    pub data: D,
    /// Which of its rows to fill.
    pub rows: Vec<usize>,
    /// Completions to keep of each, at most as many as there are chains.
    pub imputations: usize,
}

impl<D: Borrow<Examples>> ByRow for Filling<D> {
    type Row = Filled;

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn row(&self, row: usize) -> Result<Filled, DbmError> {
        let mut filled = self.imputer.fill(self.data.borrow(), self.rows[row])?;
        filled.completions.truncate(self.imputations * filled.highs.len());
        filled.completions.shrink_to_fit();
        Ok(filled)
    }
}

/// The scored predictions of hidden cells; callers report on them afterwards.
impl ByRow for Arc<Evaluation> {
    type Row = Vec<Outcome>;

    fn rows(&self) -> usize {
        Evaluation::rows(self)
    }

    fn row(&self, row: usize) -> Result<Vec<Outcome>, DbmError> {
        self.score(row..row + 1)
    }
}

/// Such work as a job for one thread, one row per piece.
pub struct RowByRow<W: ByRow> {
    work: W,
    done: Vec<W::Row>,
}

impl<W: ByRow> RowByRow<W> {
    /// No row is done yet.
    pub fn new(work: W) -> Self {
        Self { work, done: Vec::new() }
    }
}

impl<W: ByRow> Job for RowByRow<W> {
    type Result = Vec<W::Row>;

    fn advance(&mut self) -> Result<Progress<Vec<W::Row>>, EngineError> {
        let (done, total) = (self.done.len(), self.work.rows());
        if done == total {
            return Ok(Progress::Ends(std::mem::take(&mut self.done)));
        }
        self.done.push(self.work.row(done)?);
        Ok(Progress::Goes { done: done as u32 + 1, total: total as u32 })
    }
}
