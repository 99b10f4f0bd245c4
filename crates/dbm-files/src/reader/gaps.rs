//! A table whose gaps are filled: its rows to show, what else a cell may hold, and its files.

use dbm_core::Examples;
use dbm_data::columns::{Column, Columns, Filled, Table};
use dbm_data::raw::{self, Content, File, Reading, Visible};
use dbm_protocol::{AlikeRow, CellDetails, CellState, FilesEvent, NamedBytes, RowsAsked, TableFile, TableRows};
use std::ops::Range;

/// Most rows, and most columns, shown together.
const MOST_CELLS: u32 = 1000;
/// Alike rows listed.
const ALIKE: usize = 5;

/// A column's place in the table, the model's column, and its units.
type Place<'a> = (usize, &'a Column, Range<usize>);

/// A table, and what fills it.
pub struct OpenTable {
    name: String,
    table: Table,
    columns: Columns,
    /// As the model sees it.
    examples: Examples,
    /// Its missing cells, and the rows that have some.
    missing: usize,
    with_gaps: Vec<usize>,
    filling: Option<Filling>,
}

struct Filling {
    /// `[rows, units]`.
    highs: Vec<f32>,
    /// `[rows, imputations, units]`.
    draws: Option<Examples>,
    filled: Filled,
}

impl OpenTable {
    /// Reads the file once more, as it was read.
    ///
    /// # Errors
    /// What was expected, what came, and what to do, in words.
    pub fn new(file: NamedBytes, reading: &Reading, visible: Visible) -> Result<Self, String> {
        let NamedBytes { name, bytes } = file;
        let Visible::Table(columns) = visible else {
            return Err(format!("{name}: a table was expected, but the model knows pictures; train it on this table"));
        };
        // What packed or accompanied it is not there any more.
        let reading = Reading { file: None, ..reading.clone() };
        let file = File { name: name.clone(), bytes };
        let raw = raw::read(&[file], &reading, &mut |_, _, _| {}).map_err(words)?;
        let Content::Table(table) = raw.content else {
            return Err(format!("{name}: a table was expected, but it was understood as pictures; fill them in as completions"));
        };
        let examples = table.encode_as(&name, &columns).map_err(words)?.examples;
        let has_gaps = |row: &usize| (0..table.n_columns()).any(|column| table.is_missing(*row, column));
        let with_gaps = (0..table.n_rows()).filter(has_gaps).collect();
        Ok(Self { name, missing: table.n_missing(), table, columns, examples, with_gaps, filling: None })
    }

    /// What it is.
    pub fn about(&self) -> FilesEvent {
        let table = &self.table;
        // Those that could be filled are all that can be.
        let fillable = table.fill(&self.name, &self.columns, |_, _| 0.5).map_or(0, |filled| filled.cells().len());
        let missing = self.missing;
        FilesEvent::TableOpened {
            columns: (0..table.n_columns()).map(|column| table.name(column).to_string()).collect(),
            rows: table.n_rows() as u32,
            missing: (missing as u32, missing.saturating_sub(fillable) as u32),
        }
    }

    /// Takes in what fills the gaps.
    ///
    /// # Errors
    /// If that is of another shape than the table.
    pub fn fill(&mut self, highs: Vec<f32>, draws: Vec<u8>) -> Result<(), String> {
        let (name, rows, units) = (&self.name, self.table.n_rows(), self.columns.n_units());
        let refused = |what: &str, got: usize| {
            Err(format!("{name}: {rows} rows of {units} {what} were expected, but got {got}; fill the gaps again"))
        };
        if rows.checked_mul(units) != Some(highs.len()) {
            return refused("probabilities", highs.len());
        }
        let draws = if draws.is_empty() { None } else { Some(Examples::from_packed(units, draws).map_err(words)?) };
        if let Some(draws) = draws.as_ref().filter(|draws| draws.len() % rows != 0) {
            return refused("draws", draws.len());
        }
        let probability = |row: usize, unit: usize| f64::from(highs[row * units + unit]);
        let filled = self.table.fill(name, &self.columns, probability).map_err(words)?;
        self.filling = Some(Filling { highs, draws, filled });
        Ok(())
    }

    /// The filled cells, without the improbable ones.
    fn filled(&self, leave_below: f64) -> Filled {
        self.filling.as_ref().map_or_else(Filled::default, |filling| filling.filled.clone().leaving_below(leave_below))
    }

    /// Some rows.
    ///
    /// # Errors
    /// If there are not as many.
    pub fn rows(&self, asked: RowsAsked) -> Result<TableRows, String> {
        let RowsAsked { from, count, first_column, columns, only_gaps, leave_below } = asked;
        let (table, width) = (&self.table, self.table.n_columns());
        let all = if only_gaps { self.with_gaps.len() } else { table.n_rows() };
        let (from, first) = (from as usize, first_column as usize);
        if from > all || first >= width || count > MOST_CELLS || columns > MOST_CELLS {
            let of = format!("{all} rows and {width} columns");
            return Err(format!("at most {MOST_CELLS} of {of} were expected, but got row {from}, column {first} on"));
        }
        let cells = self.filling.as_ref().map_or(&[][..], |filling| filling.filled.cells());
        let kept = || cells.iter().filter(|cell| cell.probability >= leave_below);
        let last_column = width.min(first + columns as usize);
        let row = |row: usize| {
            let there = self.filling.as_ref().map_or(&[][..], |filling| filling.filled.of_rows(row..row + 1));
            let there = |column: usize| there.iter().find(|cell| cell.column == column && cell.probability >= leave_below);
            let cell = |column: usize| match there(column) {
                Some(cell) => (cell.value.clone(), CellState::Filled(cell.probability as f32)),
                None if table.is_missing(row, column) => (String::new(), CellState::Missing),
                None => (table.cell(row, column).to_string(), CellState::Known),
            };
            (row as u32, (first..last_column).map(cell).collect())
        };
        let (filled, sum) = kept().fold((0, 0.0), |(count, sum), cell| (count + 1, sum + cell.probability));
        let places = from..all.min(from + count as usize);
        Ok(TableRows {
            of: all as u32,
            rows: places.map(|place| row(if only_gaps { self.with_gaps[place] } else { place })).collect(),
            filled: filled as u32,
            left: self.missing.saturating_sub(filled) as u32,
            mean_probability: sum / filled.max(1) as f64,
        })
    }

    /// Every column of the model that the table has: its place there, and its units.
    fn places(&self) -> Result<Vec<Place<'_>>, String> {
        let matching = self.table.matching(&self.name, &self.columns).map_err(words)?;
        Ok(self.columns.with_units().filter_map(|(at, column, units)| Some((matching.columns[at]?, column, units))).collect())
    }

    /// What else a filled cell may hold, and what rows like its own hold.
    ///
    /// # Errors
    /// If it is not a filled cell.
    pub fn cell(&self, row: u32, column: u32) -> Result<CellDetails, String> {
        let filling = self.filling.as_ref().ok_or("the gaps are not filled yet: press Fill the gaps")?;
        let (at, n_units, places) = (row as usize, self.columns.n_units(), self.places()?);
        let is_filled = filling.filled.cells().iter().any(|cell| (cell.row, cell.column) == (at, column as usize));
        let of_model = places.iter().find(|(place, ..)| *place == column as usize).filter(|_| is_filled);
        let (_, kind, units) = of_model.ok_or_else(|| format!("row {row}, column {column} was not missing, or is ignored"))?;
        let highs: Vec<f64> = units.clone().map(|unit| f64::from(filling.highs[at * n_units + unit])).collect();
        let whole = |row: usize, units: &Range<usize>| units.clone().all(|unit| self.examples.is_known(row, unit));
        let mut alike: Vec<AlikeRow> = (0..self.table.n_rows())
            .filter(|&other| other != at && whole(other, units))
            .map(|other| {
                let both = places.iter().filter(|(_, _, units)| whole(at, units) && whole(other, units));
                let equal = |units: &Range<usize>| {
                    units.clone().all(|unit| self.examples.bit(at, unit) == self.examples.bit(other, unit))
                };
                let (mut known, mut same) = (0, 0);
                both.for_each(|(_, _, units)| {
                    known += 1;
                    same += u32::from(equal(units));
                });
                AlikeRow { row: other as u32, equal: same, known, value: String::new() }
            })
            .filter(|alike| alike.known > 0)
            .collect();
        // The largest share first: equal_a / known_a against equal_b / known_b.
        let share = |a: &AlikeRow, b: &AlikeRow| {
            (u64::from(b.equal) * u64::from(a.known)).cmp(&(u64::from(a.equal) * u64::from(b.known)))
        };
        alike.sort_by(|a, b| share(a, b).then(b.known.cmp(&a.known)));
        alike.truncate(ALIKE);
        for row in &mut alike {
            row.value = self.table.cell(row.row as usize, column as usize).to_string();
        }
        Ok(CellDetails { row, column, values: kind.kind.values(&highs), alike })
    }

    /// A file of the filled table.
    ///
    /// # Errors
    /// If it is not filled.
    pub fn write(&self, form: TableFile, leave_below: f64) -> Result<NamedBytes, String> {
        let filling = self.filling.as_ref().ok_or("the gaps are not filled yet: press Fill the gaps")?;
        let (stem, ending) = self.name.rsplit_once('.').unwrap_or((&self.name, "csv"));
        // Rows of JSON are written as CSV, and an archive's table without it.
        let ending = if ["csv", "tsv", "tab", "txt", "data", "dat", "arff"].contains(&ending) { ending } else { "csv" };
        Ok(match form {
            TableFile::Table => {
                NamedBytes { name: format!("{stem}-filled.{ending}"), bytes: self.filled(leave_below).to_csv(&self.table) }
            }
            TableFile::Probabilities => NamedBytes {
                name: format!("{stem}-probabilities.csv"),
                bytes: self.filled(leave_below).probabilities_csv(&self.table),
            },
            TableFile::Imputations => {
                let draws = filling.draws.as_ref().ok_or("nothing was drawn: press Fill the gaps")?;
                let each = draws.len() / self.table.n_rows();
                let table = |number: usize| {
                    let drawn = |row: usize, unit: usize| f64::from(draws.bit(row * each + number, unit));
                    let filled = self.table.fill(&self.name, &self.columns, drawn).map_err(words)?;
                    Ok((format!("{stem}-{}.{ending}", number + 1), filled.to_csv(&self.table)))
                };
                let tables = (0..each).map(table).collect::<Result<Vec<_>, String>>()?;
                NamedBytes { name: format!("{stem}-imputations.zip"), bytes: dbm_data::archive(&tables).map_err(words)? }
            }
        })
    }
}

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}
