//! From probabilities back to cells: a table with its gaps filled.

use super::table::{Table, in_memory};
use crate::DataError;
use crate::visible::Columns;
use std::collections::HashSet;
use std::io::{self, Write};

/// A cell that was missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilledCell<'a> {
    /// From 0, not counting the header.
    pub row: usize,
    /// From 0, in the table.
    pub column: usize,
    /// What is written there now.
    pub value: &'a str,
    /// Its probability under the model.
    pub probability: f64,
}

/// A table with its gaps filled; every known cell is unchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled<'a> {
    table: &'a Table,
    cells: Vec<FilledCell<'a>>,
}

impl Table {
    /// Fills the missing cells of columns that have units: each gets its most probable value, as in [`Column::most_probable`], where
    /// `probability(row, unit)` is the probability that the unit is high. `name` is the file's, for errors.
    ///
    /// ```
    /// use dbm_data::columns::Table;
    /// let table = Table::read("x.csv", "a,b\nyes,1\n?,0\nno,1\n")?;
    /// let columns = table.columns(&Default::default());
    /// let filled = table.fill("x.csv", &columns, |row, unit| if (row, unit) == (1, 0) { 0.75 } else { 0.0 })?;
    /// assert_eq!(filled.to_csv(), b"a,b\nyes,1\nyes,0\nno,1\n");
    /// assert_eq!(filled.probabilities_csv(), b"row,column,value,probability\n2,a,yes,0.75\n");
    /// # Ok::<(), dbm_data::DataError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Table::matching`].
    ///
    /// [`Column::most_probable`]: super::Column::most_probable
    pub fn fill<'a>(
        &'a self,
        name: &str,
        columns: &'a Columns,
        mut probability: impl FnMut(usize, usize) -> f64,
    ) -> Result<Filled<'a>, DataError> {
        let matching = self.matching(name, columns)?;
        // In the table's order, so that the cells are listed row by row.
        let mut readers = self.readers(columns, &matching.columns);
        readers.sort_by_key(|reader| reader.at);
        let mut cells = Vec::new();
        for row in 0..self.n_rows() {
            for reader in &readers {
                if !self.is_gap(row, reader) {
                    continue;
                }
                let (column, of_model) = (reader.at, reader.column);
                let units = reader.unit..reader.unit + of_model.kind.units();
                let probabilities: Vec<f64> = units.map(|unit| probability(row, unit)).collect();
                if let Some((value, probability)) = of_model.most_probable(&probabilities) {
                    cells.push(FilledCell { row, column, value, probability });
                }
            }
        }
        Ok(Filled { table: self, cells })
    }
}

impl Filled<'_> {
    /// The filled cells, row by row.
    pub fn cells(&self) -> &[FilledCell<'_>] {
        &self.cells
    }

    /// Number of columns with filled cells.
    pub fn n_columns(&self) -> usize {
        self.cells.iter().map(|cell| cell.column).collect::<HashSet<_>>().len()
    }

    /// Cells still missing, in columns that are ignored.
    pub fn n_left(&self) -> usize {
        let (rows, columns) = (self.table.n_rows(), self.table.n_columns());
        let missing = (0..rows).map(|row| (0..columns).filter(|&column| self.table.is_missing(row, column)).count());
        missing.sum::<usize>().saturating_sub(self.cells.len())
    }

    /// Writes the complete table: the file as it was read, in its own encoding, with values where gaps were and nothing else changed.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let mut filled = self.cells.iter().peekable();
        self.table.write(out, |row, column| {
            let next = filled.next_if(|cell| (cell.row, cell.column) == (row, column))?;
            Some(next.value)
        })
    }

    /// Writes the filled cells, one per line: row (from 1, not counting the header), column, value, probability (in single precision).
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_probabilities(&self, out: impl Write) -> io::Result<()> {
        let mut writer = csv::WriterBuilder::new().comment(Some(b'#')).from_writer(out);
        writer.write_record(["row", "column", "value", "probability"])?;
        for cell in &self.cells {
            let (row, probability) = ((cell.row + 1).to_string(), (cell.probability as f32).to_string());
            writer.write_record([row.as_str(), self.table.name(cell.column), cell.value, &probability])?;
        }
        writer.flush()
    }

    /// [`Filled::write_csv`] into memory.
    pub fn to_csv(&self) -> Vec<u8> {
        in_memory(|bytes| self.write_csv(bytes))
    }

    /// [`Filled::write_probabilities`] into memory.
    pub fn probabilities_csv(&self) -> Vec<u8> {
        in_memory(|bytes| self.write_probabilities(bytes))
    }
}
