//! From cells to bits, with a table's own columns or those of a trained model.

use super::cells::{folded, number, shown, word};
use super::table::{Table, few};
use crate::error::zeros;
use crate::exclusive::at_levels;
use crate::visible::{Column, ColumnKind, Columns};
use crate::visible::{Encoding, Visible};
use crate::{DataError, Dataset};
use dbm_core::{Examples, Group};
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
pub(super) struct Reader<'a> {
    pub column: &'a Column,
    /// The column of the cells.
    pub at: usize,
    /// Its units; `None` if it has none.
    pub group: Option<Group>,
    /// The decimal mark of the cells.
    decimal: char,
    /// The two values of a binary column as numbers, if they are numbers.
    numbers: Option<(f64, f64)>,
    /// Its pair of words, if they are a pair.
    pair: Option<usize>,
    /// The levels of a category.
    levels: HashMap<&'a str, usize>,
    /// The levels, or the two values, without differences of case and blanks; those that are then equal have none.
    spellings: HashMap<String, Option<usize>>,
}

impl<'a> Reader<'a> {
    pub fn new(column: &'a Column, at: usize, units: Range<usize>, decimal: char) -> Self {
        let (levels, spellings) = (HashMap::new(), HashMap::new());
        let group = column.kind.group(units);
        let mut reader = Self { column, at, group, decimal, numbers: None, pair: None, levels, spellings };
        let mut spell = |text: &str, at: usize| {
            reader.spellings.entry(folded(text)).and_modify(|place| *place = None).or_insert(Some(at));
        };
        match &column.kind {
            ColumnKind::Binary { low, high } => {
                spell(low, 0);
                spell(high, 1);
                reader.numbers = number(low, column.decimal).zip(number(high, column.decimal));
                reader.pair = match (word(low), word(high)) {
                    (Some((one, false)), Some((other, true))) if one == other => Some(one),
                    _ => None,
                };
            }
            ColumnKind::Category { levels, .. } => {
                levels.iter().enumerate().for_each(|(at, level)| spell(level, at));
                reader.levels = levels.iter().enumerate().map(|(at, level)| (level.as_str(), at)).collect();
            }
            ColumnKind::Number { .. } | ColumnKind::Ignored => {}
        }
        reader
    }

    /// Whether a cell that usually means a missing value is a value of the column.
    fn is_value(&self, cell: &str) -> bool {
        match &self.column.kind {
            ColumnKind::Binary { low, high } => !cell.is_empty() && (cell == low || cell == high),
            ColumnKind::Category { .. } => self.levels.contains_key(cell),
            ColumnKind::Number { .. } | ColumnKind::Ignored => false,
        }
    }

    /// The level of a cell: of two values, 0 is the low one. The error is what was expected.
    pub fn level(&self, cell: &str) -> Result<usize, String> {
        match &self.column.kind {
            ColumnKind::Binary { low, high } => {
                if cell == low || cell == high {
                    return Ok(usize::from(cell == high));
                }
                if let (Some((low, high)), Some(value)) = (self.numbers, number(cell, self.decimal))
                    && (value == low || value == high)
                {
                    return Ok(usize::from(value == high));
                }
                match (word(cell), self.spellings.get(&folded(cell))) {
                    (Some((pair, high)), _) if self.pair == Some(pair) => Ok(usize::from(high)),
                    (_, Some(Some(place))) => Ok(*place),
                    _ => Err(format!("{low:?} or {high:?}")),
                }
            }
            ColumnKind::Number { threshold, .. } => match number(cell, self.decimal) {
                Some(value) => Ok(usize::from(value > *threshold)),
                None => Err("a number".into()),
            },
            ColumnKind::Category { levels, .. } => match (self.levels.get(cell), self.spellings.get(&folded(cell))) {
                (Some(&level), _) | (None, Some(&Some(level))) => Ok(level),
                _ => match number(cell, self.decimal).and_then(|value| self.level_of(value)) {
                    Some(level) => Ok(level),
                    None => Err(one_of(levels)),
                },
            },
            ColumnKind::Ignored => Ok(0),
        }
    }

    /// The level that is this number, written in another way: `1.0` is `1`.
    fn level_of(&self, value: f64) -> Option<usize> {
        let ColumnKind::Category { levels, .. } = &self.column.kind else { return None };
        levels.iter().position(|level| number(level, self.column.decimal) == Some(value))
    }
}

/// A text that a model has no units for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// The table's column.
    pub column: usize,
    /// The text.
    pub text: String,
    /// Cells with it.
    pub count: usize,
    /// The line of the first.
    pub line: u64,
    /// What was expected.
    expected: String,
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
    /// Those of [`Table::matching`], and [`DataError::Format`] naming all texts that the columns have no bits for.
    pub fn encode_as(&self, name: &str, columns: &Columns) -> Result<Dataset, DataError> {
        let matching = self.matching(name, columns)?;
        let unseen = self.unseen_matched(columns, &matching.columns);
        let Some(first) = unseen.first() else { return self.encode_matched(name, columns.clone(), &matching.columns) };
        let said = |unseen: &Unseen| {
            let (column, text) = (shown(self.name(unseen.column)), shown(&unseen.text));
            format!("line {}, column {} ({column:?}): {text:?} in {} cells", unseen.line, unseen.column + 1, unseen.count)
        };
        let place = format!("line {}, column {} ({:?})", first.line, first.column + 1, shown(self.name(first.column)));
        let got = if unseen.len() == 1 {
            format!("got {:?} in {} of its cells", shown(&first.text), first.count)
        } else {
            format!("got {:?}; and there are other values that the model never saw: {}", shown(&first.text), {
                const FEW: usize = 20;
                let mut each: Vec<String> = unseen[1..].iter().take(FEW).map(said).collect();
                if unseen.len() - 1 > FEW {
                    each.push(format!("and {} more", unseen.len() - 1 - FEW));
                }
                each.join("; ")
            })
        };
        let advice = "correct them, have them taken as missing, or train a model on this table";
        Err(DataError::part(name, &place, first.expected.clone(), got, advice))
    }

    /// The texts that a model with these columns has no units for, in the order of their lines.
    ///
    /// # Errors
    /// Those of [`Table::matching`].
    pub fn unseen(&self, name: &str, columns: &Columns) -> Result<Vec<Unseen>, DataError> {
        let matching = self.matching(name, columns)?;
        Ok(self.unseen_matched(columns, &matching.columns))
    }

    /// The same table, in which texts that a model has no units for are missing, and a note on each.
    ///
    /// # Errors
    /// Those of [`Table::matching`].
    pub fn with_unseen_missing(mut self, name: &str, columns: &Columns) -> Result<(Self, Vec<String>), DataError> {
        let unseen = self.unseen(name, columns)?;
        let note = |unseen: &Unseen| {
            let (column, text) = (shown(self.name(unseen.column)), shown(&unseen.text));
            format!(
                "Column {column:?}: the model never saw {text:?}; its {} cells, the first on line {}, count as missing.",
                unseen.count, unseen.line
            )
        };
        let notes = few(unseen.iter().map(note));
        for Unseen { column, text, .. } in unseen {
            self.take_as_missing(column, text);
        }
        Ok((self, notes))
    }

    fn unseen_matched(&self, columns: &Columns, matching: &[Option<usize>]) -> Vec<Unseen> {
        let mut found: HashMap<(usize, &str), Unseen> = HashMap::new();
        for reader in self.readers(columns, matching) {
            for row in 0..self.n_rows() {
                let cell = self.cell(row, reader.at);
                if self.is_gap(row, &reader) || reader.column.strays.iter().any(|stray| stray == cell) {
                    continue;
                }
                if let Some(unseen) = found.get_mut(&(reader.at, cell)) {
                    unseen.count += 1;
                } else if let Err(expected) = reader.level(cell) {
                    let unseen = Unseen { column: reader.at, text: cell.into(), count: 1, line: self.line(row), expected };
                    found.insert((reader.at, cell), unseen);
                }
            }
        }
        let mut unseen: Vec<Unseen> = found.into_values().collect();
        unseen.sort_by_key(|unseen| (unseen.line, unseen.column));
        unseen
    }

    pub(super) fn readers<'a>(&self, columns: &'a Columns, matching: &[Option<usize>]) -> Vec<Reader<'a>> {
        let reader = |(at, column, units): (usize, _, Range<usize>)| {
            matching[at].map(|place| Reader::new(column, place, units, self.decimal))
        };
        columns.with_units().filter_map(reader).collect()
    }

    /// Whether a cell is missing for a model: also if it holds a word that meant that in its training table.
    pub(super) fn is_gap(&self, row: usize, reader: &Reader) -> bool {
        let cell = self.cell(row, reader.at);
        (self.is_missing(row, reader.at) || reader.column.missing.iter().any(|word| word == cell)) && !reader.is_value(cell)
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
            // Columns that exclude one another have been put side by side: their labels say where they were.
            let place = |at: usize| if columns.exclusive.is_empty() { Some(at) } else { place_of(&theirs[at].name) };
            let places: Option<Vec<usize>> = (0..theirs.len()).map(place).collect();
            let places = places.filter(|places| places.iter().all(|&place| place < self.n_columns()));
            let Some(places) = places.filter(|_| self.n_columns() == theirs.len()) else {
                return refused(
                    format!("{} columns, as in the table that the model was trained on", theirs.len()),
                    format!("got {}, without names to tell them apart", self.n_columns()),
                    "give the columns their names in a first row",
                );
            };
            return Ok(Matching { columns: places.into_iter().map(Some).collect(), notes: vec![] });
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
        let readers = self.readers(&columns, matching);
        let stride = width.div_ceil(8);
        let size = stride.saturating_mul(self.n_rows());
        let (mut packed, mut known) = (zeros(name, size)?, zeros(name, size)?);
        let mut gaps = readers.len() < columns.with_units().count();
        for row in 0..self.n_rows() {
            let (packed, known) = (&mut packed[row * stride..], &mut known[row * stride..]);
            for reader in &readers {
                // A stray word among numbers is neither learned from nor filled.
                let level = if self.is_gap(row, reader) { None } else { reader.level(self.cell(row, reader.at)).ok() };
                let (Some(level), Some(group)) = (level, &reader.group) else {
                    gaps = true;
                    continue;
                };
                group.units.clone().filter(|&unit| group.is_high(level, unit)).for_each(|unit| set(packed, unit));
                group.units.clone().for_each(|unit| set(known, unit));
            }
        }
        let mut examples = Examples::from_packed(width, packed).map_err(DataError::refused(name))?;
        if gaps {
            examples = examples.with_packed_gaps(known).map_err(DataError::refused(name))?;
        }
        at_levels(name, &examples, &columns)?;
        let examples = examples.with_groups(columns.groups()).map_err(DataError::refused(name))?;
        Ok(Dataset { name: name.into(), examples, image: None, labels: None, visible: Some(Visible::Table(columns)) })
    }
}

fn set(bits: &mut [u8], at: usize) {
    bits[at / 8] |= 1 << (at % 8);
}

/// The place that the label of an unnamed column gives it.
fn place_of(name: &str) -> Option<usize> {
    name.strip_prefix("column ")?.parse::<usize>().ok()?.checked_sub(1)
}

/// Whether this is the label of an unnamed column.
fn is_nameless(name: &str) -> bool {
    let number = name.strip_prefix("column ").unwrap_or(name);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}
