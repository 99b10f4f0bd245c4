//! From probabilities back to cells: a table with its gaps filled.

use super::table::{Table, in_memory};
use crate::DataError;
use crate::visible::Columns;
use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::Range;

/// A cell that was missing.
#[derive(Clone, Debug, PartialEq)]
pub struct FilledCell {
    /// From 0, not counting the header.
    pub row: usize,
    /// From 0, in the table.
    pub column: usize,
    /// What is written there now.
    pub value: String,
    /// Its probability under the model.
    pub probability: f64,
}

/// What fills the gaps of a table; every known cell is unchanged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filled {
    cells: Vec<FilledCell>,
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
    /// assert_eq!(filled.to_csv(&table), b"a,b\nyes,1\nyes,0\nno,1\n");
    /// assert_eq!(filled.probabilities_csv(&table), b"row,column,value,probability\n2,a,yes,0.75\n");
    /// # Ok::<(), dbm_data::DataError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Table::matching`].
    ///
    /// [`Column::most_probable`]: super::Column::most_probable
    pub fn fill(
        &self,
        name: &str,
        columns: &Columns,
        mut probability: impl FnMut(usize, usize) -> f64,
    ) -> Result<Filled, DataError> {
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
                let units = reader.group.iter().flat_map(|group| group.units.clone());
                let probabilities: Vec<f64> = units.map(|unit| probability(row, unit)).collect();
                if let Some((value, probability)) = of_model.most_probable(&probabilities) {
                    cells.push(FilledCell { row, column, value: value.into(), probability });
                }
            }
        }
        Ok(Filled { cells })
    }
}

impl Filled {
    /// The filled cells, row by row.
    pub fn cells(&self) -> &[FilledCell] {
        &self.cells
    }

    /// The filled cells of some rows.
    pub fn of_rows(&self, rows: Range<usize>) -> &[FilledCell] {
        let before = |row: usize| self.cells.partition_point(|cell| cell.row < row);
        &self.cells[before(rows.start)..before(rows.end)]
    }

    /// The same without values that are less probable than this: their cells stay missing.
    #[must_use]
    pub fn leaving_below(mut self, probability: f64) -> Self {
        self.cells.retain(|cell| cell.probability >= probability);
        self
    }

    /// Number of columns with filled cells.
    pub fn n_columns(&self) -> usize {
        self.cells.iter().map(|cell| cell.column).collect::<HashSet<_>>().len()
    }

    /// Cells of the table still missing: in columns that are ignored, or left so.
    pub fn n_left(&self, table: &Table) -> usize {
        table.n_missing().saturating_sub(self.cells.len())
    }

    /// Writes the complete table: the file as it was read, in its own encoding, with values where gaps were and nothing else changed.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_csv(&self, table: &Table, out: impl Write) -> io::Result<()> {
        let mut filled = self.cells.iter().peekable();
        table.write(out, |row, column| {
            let next = filled.next_if(|cell| (cell.row, cell.column) == (row, column))?;
            Some(&next.value)
        })
    }

    /// Writes the filled cells, one per line: row (from 1, not counting the header), column, value, probability (in single precision).
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_probabilities(&self, table: &Table, out: impl Write) -> io::Result<()> {
        let mut writer = csv::WriterBuilder::new().comment(Some(b'#')).from_writer(out);
        writer.write_record(["row", "column", "value", "probability"])?;
        for cell in &self.cells {
            let (row, probability) = ((cell.row + 1).to_string(), (cell.probability as f32).to_string());
            writer.write_record([row.as_str(), table.name(cell.column), &cell.value, &probability])?;
        }
        writer.flush()
    }

    /// [`Filled::write_csv`] into memory.
    pub fn to_csv(&self, table: &Table) -> Vec<u8> {
        in_memory(|bytes| self.write_csv(table, bytes))
    }

    /// [`Filled::write_probabilities`] into memory.
    pub fn probabilities_csv(&self, table: &Table) -> Vec<u8> {
        in_memory(|bytes| self.write_probabilities(table, bytes))
    }
}
