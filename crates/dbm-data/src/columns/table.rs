//! A table as read.

use super::cells::{is_missing, is_suspect, number};
use super::header::Header;
use super::parse::Cells;
use crate::interpretation::{Doubt, Reading};
use crate::text::TextCoding;
use crate::visible::ColumnKind;
use std::io::{self, Write};

/// A table as read: its text, and where the cells are in it, so that everything is written back as it was but what is filled in.
///
/// It takes the bytes of its text, plus 4 per cell, 8 per row and some hundred per column: 70 000 x 784 cells of one digit each take 330
/// MB. Reading takes no more in addition to the text, and for no text more than 7 bytes for each of its bytes and those of the columns.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) cells: Cells,
    pub(super) header: Header,
    /// Names that come from elsewhere than a row.
    pub(super) given: Option<Vec<String>>,
    /// Whether the heading lacks the name of the first column, as R writes row names.
    pub(super) shifted: bool,
    pub(super) names: Vec<String>,
    pub(super) kinds: Vec<ColumnKind>,
    /// The only value written in a column, if its kind allows another.
    pub(super) only: Vec<Option<String>>,
    /// Words of each column that mean a missing value.
    pub(super) missing: Vec<Vec<String>>,
    /// Words among the numbers of each column.
    pub(super) strays: Vec<Vec<String>>,
    /// Words of each column that usually do and are values.
    pub(super) known: Vec<Vec<String>>,
    pub(super) notes: Vec<String>,
    pub(super) doubts: Vec<Doubt>,
    pub(super) decimal: char,
    pub(super) coding: TextCoding,
    pub(super) asked: Reading,
}

/// Tables are equal if they hold the same text and were read alike, whoever decided how.
impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        let decided = |table: &Self| (table.header, table.shifted, table.decimal, table.coding);
        self.cells.is_same(&other.cells)
            && (decided(self), &self.names, &self.kinds) == (decided(other), &other.names, &other.kinds)
            && (&self.missing, &self.known) == (&other.missing, &other.known)
    }
}

impl Table {
    /// Number of rows, without the header; at least one.
    pub fn n_rows(&self) -> usize {
        self.cells.rows() - self.header_rows()
    }

    /// Number of columns, at least one.
    pub fn n_columns(&self) -> usize {
        self.cells.width()
    }

    /// Label of a column: its name, followed by ` (2)` if the name occurred before; `column 3` if it has none.
    ///
    /// # Panics
    /// If it is out of range.
    pub fn name(&self, column: usize) -> &str {
        &self.names[column]
    }

    fn header_rows(&self) -> usize {
        if self.given.is_some() { 0 } else { self.header.rows() }
    }

    /// As in the header.
    pub(super) fn heading(&self, column: usize) -> Option<&str> {
        if let Some(names) = &self.given {
            return Some(names.get(column).map_or("", String::as_str));
        }
        match (self.header, self.shifted, column) {
            (Header::None, ..) => None,
            (_, true, 0) => Some(""),
            (_, true, _) => Some(self.cells.get(0, column - 1)),
            _ => Some(self.cells.get(0, column)),
        }
    }

    /// Whether the columns are named, or numbered by pandas.
    pub fn has_header(&self) -> bool {
        self.header != Header::None
    }

    /// Whether the columns have distinguishing names, not only numbers.
    pub fn has_names(&self) -> bool {
        self.header == Header::Names
    }

    /// A cell, without surrounding blanks and quotes.
    ///
    /// # Panics
    /// If row or column is out of range.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        self.cells.get(row + self.header_rows(), column)
    }

    /// Whether a cell is missing, and can be filled.
    ///
    /// # Panics
    /// If row or column is out of range.
    pub fn is_missing(&self, row: usize, column: usize) -> bool {
        let cell = self.cell(row, column);
        cell.is_empty() || self.missing[column].iter().any(|word| word == cell)
    }

    /// Number of missing cells.
    pub fn n_missing(&self) -> usize {
        (0..self.n_rows()).map(|row| (0..self.n_columns()).filter(|&column| self.is_missing(row, column)).count()).sum()
    }

    /// Whether the user said that this word means a missing value in this column.
    pub(super) fn is_asked_missing(&self, column: usize, cell: &str) -> bool {
        let asked = self.asked.columns.iter().find(|asked| asked.name == self.names[column]);
        asked.is_some_and(|asked| asked.missing.iter().any(|word| word == cell))
    }

    /// Makes a word a missing value in a column.
    pub(super) fn take_as_missing(&mut self, column: usize, word: String) {
        if !self.missing[column].contains(&word) {
            self.missing[column].push(word);
        }
    }

    /// Texts of a column, those that often mean a missing value first, then by frequency: at most this many, with their numbers of cells and
    /// whether they mean a missing value here.
    pub fn words_of(&self, column: usize, most: usize) -> Vec<(String, usize, bool)> {
        let mut counts: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
        (0..self.n_rows()).for_each(|row| *counts.entry(self.cell(row, column)).or_default() += 1);
        let mut words: Vec<(&str, usize)> = counts.into_iter().filter(|(text, _)| !text.is_empty()).collect();
        let missing = |text: &str| self.missing[column].iter().any(|word| word == text);
        // Those that often mean a missing value first, whatever they mean here: their places do not depend on what is decided.
        let asked =
            |text: &str| is_missing(text) || is_suspect(text) || number(text, self.decimal).is_some_and(|value| value < 0.0);
        words.sort_by(|a, b| asked(b.0).cmp(&asked(a.0)).then(b.1.cmp(&a.1)).then(a.0.cmp(b.0)));
        words.into_iter().take(most).map(|(text, count)| (text.to_string(), count, missing(text))).collect()
    }

    /// The line on which a row begins, from 1.
    pub fn line(&self, row: usize) -> u64 {
        u64::from(self.cells.line(row + self.header_rows()))
    }

    /// What was detected or left out that the visitor should know, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What may have been misread.
    pub fn doubts(&self) -> &[Doubt] {
        &self.doubts
    }

    /// Everything that was decided, so that reading again with it gives this table.
    pub fn reading(&self) -> Reading {
        let mut reading = self.asked.clone();
        reading.table = Some(true);
        reading.encoding = Some(self.coding.name().into());
        reading.separator = Some(self.cells.separator.char());
        reading.decimal = Some(self.decimal);
        let line = if self.has_header() && self.given.is_none() { self.cells.line(0) } else { 0 };
        reading.header = Some(line);
        for column in 0..self.n_columns() {
            let (missing, known) = (&self.missing[column], &self.known[column]);
            if !missing.is_empty() || !known.is_empty() {
                let asked = reading.column(&self.names[column]);
                (asked.missing, asked.known) = (missing.clone(), known.clone());
            }
        }
        reading
    }

    /// Writes the table's text with each cell from `cell` or, failing that, as it was: nothing else changes, not the encoding, the lines that
    /// are no rows, blanks, quotes or line ends.
    pub(super) fn write<'a>(
        &'a self,
        mut out: impl Write,
        mut cell: impl FnMut(usize, usize) -> Option<&'a str>,
    ) -> io::Result<()> {
        let (cells, text) = (&self.cells, self.cells.text());
        let coding = self.coding;
        out.write_all(coding.mark())?;
        let separator = cells.separator.char().to_string();
        // Quotes around every cell of a column are how its writer writes them.
        let mut quotes: Vec<Option<bool>> = vec![None; self.n_columns()];
        let mut done = 0;
        for row in 0..self.n_rows() {
            let place = row + self.header_rows();
            let mut cells_there = cells.there(place);
            for (column, quotes) in quotes.iter_mut().enumerate() {
                let Some(value) = cell(row, column) else { continue };
                let range = cells.place(place, column);
                // A row that lacks cells and begins with this would be a comment.
                let comment = column == 0 && value.starts_with('#') && cells.there(place) < self.n_columns();
                let quoted = comment
                    || cells.is_quoted(place, column)
                    || *quotes.get_or_insert_with(|| {
                        let known = (0..self.n_rows()).find(|&row| !self.is_missing(row, column));
                        known.is_some_and(|row| cells.is_quoted(row + self.header_rows(), column))
                    });
                coding.write(&mut out, &text[done..range.start])?;
                if column >= cells_there {
                    coding.write(&mut out, &separator.repeat(column + 1 - cells_there))?;
                    cells_there = column + 1;
                }
                coding.write(&mut out, &cells.written(value, quoted))?;
                done = range.end;
            }
        }
        coding.write(&mut out, &text[done..])?;
        out.flush()
    }

    /// The table's file, as it was read.
    pub fn to_csv(&self) -> Vec<u8> {
        in_memory(|bytes| self.write(bytes, |_, _| None))
    }
}

/// Output to a vector, which never fails.
pub(super) fn in_memory(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = write(&mut bytes);
    bytes
}

/// The first few notes on columns, and the number of further ones.
pub(super) fn few(mut notes: impl Iterator<Item = String>) -> Vec<String> {
    const FEW: usize = 20;
    let mut shown: Vec<String> = notes.by_ref().take(FEW).collect();
    let more = notes.count();
    if more > 0 {
        shown.push(format!("The same holds for {more} more columns."));
    }
    shown
}

/// Lines or rows, named: `lines 2, 7 and 11 more`.
pub(super) fn lines(mut numbers: impl Iterator<Item = u64>) -> String {
    const FEW: usize = 5;
    let some: Vec<String> = numbers.by_ref().take(FEW).map(|number| number.to_string()).collect();
    let more = numbers.count();
    let word = if some.len() == 1 && more == 0 { "Line" } else { "Lines" };
    if more > 0 { format!("{word} {} and {more} more", some.join(", ")) } else { format!("{word} {}", some.join(", ")) }
}
