//! From cells to bits, with a table's own columns or those of a trained model.

use super::cells::{number, shown, word};
use super::table::{Table, few, is_gap};
use crate::error::zeros;
use crate::visible::{Column, ColumnKind, Columns};
use crate::visible::{Encoding, Visible};
use crate::{DataError, Dataset};
use dbm_core::Examples;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// How a table's columns correspond to those of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    /// For each column of the model, the table's column; `None` if the table has none.
    pub columns: Vec<Option<usize>>,
    /// What one has and the other lacks, one sentence each.
    pub notes: Vec<String>,
}

/// How the cells of one column become bits.
struct Reader<'a> {
    column: &'a Column,
    /// The column of the cells.
    at: usize,
    /// The first of its units.
    unit: usize,
    /// Whether decimal commas are read.
    comma: bool,
    /// The two values of a binary column as numbers, if they are numbers.
    numbers: Option<(f64, f64)>,
    /// Its pair of words, if they are a pair.
    pair: Option<usize>,
    /// The levels of a category.
    levels: HashMap<&'a str, usize>,
}

impl<'a> Reader<'a> {
    fn new(column: &'a Column, at: usize, unit: usize, comma: bool) -> Self {
        let mut reader = Self { column, at, unit, comma, numbers: None, pair: None, levels: HashMap::new() };
        match &column.kind {
            ColumnKind::Binary { low, high } => {
                reader.numbers = number(low, comma).zip(number(high, comma));
                reader.pair = match (word(low), word(high)) {
                    (Some((one, false)), Some((other, true))) if one == other => Some(one),
                    _ => None,
                };
            }
            ColumnKind::Category { levels } => {
                reader.levels = levels.iter().enumerate().map(|(at, level)| (level.as_str(), at)).collect();
            }
            ColumnKind::Number { .. } | ColumnKind::Ignored => {}
        }
        reader
    }

    /// Which of the column's units is high, counted from its first; `None` if its only unit is low. The error is what was expected.
    fn high(&self, cell: &str) -> Result<Option<usize>, String> {
        let first = |high: bool| if high { Some(0) } else { None };
        match &self.column.kind {
            ColumnKind::Binary { low, high } => {
                if cell == low || cell == high {
                    return Ok(first(cell == high));
                }
                if let (Some((low, high)), Some(value)) = (self.numbers, number(cell, self.comma))
                    && (value == low || value == high)
                {
                    return Ok(first(value == high));
                }
                match word(cell) {
                    Some((pair, high)) if self.pair == Some(pair) => Ok(first(high)),
                    _ => Err(format!("{low:?} or {high:?}")),
                }
            }
            ColumnKind::Number { threshold, .. } => match number(cell, self.comma) {
                Some(value) => Ok(first(value > *threshold)),
                None => Err("a number".into()),
            },
            ColumnKind::Category { levels } => match self.levels.get(cell) {
                Some(&level) => Ok(Some(level)),
                None => Err(one_of(levels)),
            },
            ColumnKind::Ignored => Ok(None),
        }
    }
}

/// The first few of some levels, for a message.
fn one_of(levels: &[String]) -> String {
    const SHOWN: usize = 6;
    let shown: Vec<String> = levels.iter().take(SHOWN).map(|level| format!("{:?}", shown(level))).collect();
    let more = if levels.len() > SHOWN { format!(" or another of its {} levels", levels.len()) } else { String::new() };
    format!("one of {}{more}", shown.join(", "))
}

impl Table {
    /// The table as binary examples, with its own columns. If all columns are binary and unnamed and their number is a square, four or
    /// more, a row is taken for a square image.
    ///
    /// # Errors
    /// [`DataError::Format`] if no column has units.
    pub fn encode(&self, name: &str, encoding: &Encoding) -> Result<Dataset, DataError> {
        let columns = self.columns(encoding);
        let matching: Vec<Option<usize>> = (0..self.n_columns()).map(Some).collect();
        let binary = columns.columns.iter().all(|column| matches!(column.kind, ColumnKind::Binary { .. }));
        let image = if binary && !self.has_names() { crate::dataset::square(columns.n_units()) } else { None };
        Ok(Dataset { image, ..self.encode_matched(name, columns, &matching)? })
    }

    /// The table as binary examples for a model trained on these columns.
    ///
    /// ```
    /// use dbm_data::columns::Table;
    /// let columns = Table::read("old.csv", "a,b\n0,red\n1,green\n1,blue\n")?.columns(&Default::default());
    /// let data = Table::read("new.csv", "c,b,a\n7,blue,?\n8,red,1\n")?.encode_as("new.csv", &columns)?;
    /// assert_eq!((data.examples.row(0), data.examples.row(1)), (vec![0, 0, 0, 1], vec![1, 1, 0, 0]));
    /// assert!(!data.examples.is_known(0, 0));
    /// # Ok::<(), dbm_data::DataError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Table::matching`], [`DataError::Format`] for the first cell that the columns have no bits for.
    pub fn encode_as(&self, name: &str, columns: &Columns) -> Result<Dataset, DataError> {
        let matching = self.matching(name, columns)?;
        self.encode_matched(name, columns.clone(), &matching.columns)
    }

    /// Finds the columns of a model in this table: by name, in any order, or by position if either has no names. A column that this table
    /// lacks is missing in every row; one that the model lacks is ignored.
    ///
    /// # Errors
    /// [`DataError::Format`] if none is found, or if positions cannot tell which are which.
    pub fn matching(&self, name: &str, columns: &Columns) -> Result<Matching, DataError> {
        let refused = |expected: String, got: String, advice| Err(DataError::format(name, expected, got, advice));
        let theirs = &columns.columns;
        let used = || theirs.iter().filter(|column| column.kind.units() > 0);
        let places: HashMap<&str, usize> = (0..self.n_columns()).map(|column| (self.name(column), column)).collect();
        let found: Vec<Option<usize>> = theirs.iter().map(|column| places.get(column.name.as_str()).copied()).collect();
        if !self.has_names() || used().all(|column| is_nameless(&column.name)) {
            if self.n_columns() != theirs.len() {
                return refused(
                    format!("{} columns, as in the table that the model was trained on", theirs.len()),
                    format!("got {}, without names to tell them apart", self.n_columns()),
                    "give the columns their names in a first row",
                );
            }
            return Ok(Matching { columns: (0..theirs.len()).map(Some).collect(), notes: vec![] });
        }
        let mut names = HashSet::new();
        if let Some(twice) = theirs.iter().find(|column| !names.insert(column.name.as_str())) {
            return refused(
                "columns of the model that have different names".into(),
                format!("two are called {:?}", shown(&twice.name)),
                "use the model's file as it was saved",
            );
        }
        let lacking: Vec<&str> = theirs
            .iter()
            .zip(&found)
            .filter(|(column, found)| column.kind.units() > 0 && found.is_none())
            .map(|(column, _)| column.name.as_str())
            .collect();
        if lacking.len() == used().count() {
            let names: Vec<String> = used().map(|column| column.name.clone()).collect();
            let own: Vec<String> = (0..self.n_columns()).map(|column| self.name(column).to_string()).collect();
            return refused(
                format!("columns that the model was trained on: {}", one_of(&names)),
                format!("line 1 names {}", one_of(&own)),
                "give a table with those columns, or train a model on this one",
            );
        }
        let mut notes = few(lacking
            .iter()
            .map(|lacking| format!("Column {lacking:?} of the model is not in this table: it counts as missing in every row.")));
        let known: HashSet<&str> = theirs.iter().map(|column| column.name.as_str()).collect();
        let unknown = (0..self.n_columns()).map(|column| self.name(column)).filter(|name| !known.contains(name));
        notes.extend(few(unknown.map(|name| format!("Column {name:?} is set aside: the model was trained without it."))));
        Ok(Matching { columns: found, notes })
    }

    fn encode_matched(&self, name: &str, columns: Columns, matching: &[Option<usize>]) -> Result<Dataset, DataError> {
        let width = columns.n_units();
        if width == 0 {
            return Err(DataError::format(
                name,
                "at least one column of two values, numbers or a few levels",
                format!("all {} are set aside", columns.columns.len()),
                "add such a column, or fill in some of its cells",
            ));
        }
        let reader = |(at, column, units): (usize, _, Range<usize>)| {
            matching[at].map(|place| Reader::new(column, place, units.start, self.comma()))
        };
        let readers: Vec<Reader> = columns.with_units().filter_map(reader).collect();
        let stride = width.div_ceil(8);
        let size = stride.saturating_mul(self.n_rows());
        let (mut packed, mut known) = (zeros(name, size)?, zeros(name, size)?);
        let mut gaps = readers.len() < columns.with_units().count();
        for row in 0..self.n_rows() {
            let (packed, known) = (&mut packed[row * stride..], &mut known[row * stride..]);
            for reader in &readers {
                let cell = self.cell(row, reader.at);
                if is_gap(cell, &reader.column.kind) {
                    gaps = true;
                    continue;
                }
                let high = reader.high(cell).map_err(|expected| {
                    let column = shown(&reader.column.name);
                    let place = format!("line {}, column {} ({column:?})", self.line(row), reader.at + 1);
                    let advice = "correct it, write NA where it is unknown, or train a model on this table";
                    DataError::part(name, &place, expected, format!("got {:?}", shown(cell)), advice)
                })?;
                if let Some(high) = high {
                    set(packed, reader.unit + high);
                }
                (reader.unit..reader.unit + reader.column.kind.units()).for_each(|unit| set(known, unit));
            }
        }
        let mut examples = Examples::from_packed(width, packed).map_err(DataError::refused(name))?;
        if gaps {
            examples = examples.with_packed_gaps(known).map_err(DataError::refused(name))?;
        }
        Ok(Dataset { name: name.into(), examples, image: None, labels: None, visible: Some(Visible::Table(columns)) })
    }
}

fn set(bits: &mut [u8], at: usize) {
    bits[at / 8] |= 1 << (at % 8);
}

/// Whether this is the label of an unnamed column.
fn is_nameless(name: &str) -> bool {
    let number = name.strip_prefix("column ").unwrap_or(name);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}
