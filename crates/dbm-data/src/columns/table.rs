//! A table as read.

use super::header::Header;
use super::kinds::{detect_all, number_kind};
use super::parse::Cells;
use super::separator::{LOOK as SEPARATOR_ROWS, Separator};
use super::{Column, ColumnKind, Columns, cells::is_missing};
use crate::DataError;
use crate::raw::Encoding;
use std::collections::{HashMap, HashSet};

/// A table as read: its cells as text, so that what is known can be written back as it came.
///
/// It takes the bytes of its cells, 4 more a cell, 4 a row and some hundred a column: 70 000 x 784 cells of one digit each take 275 MB. Reading
/// takes no more beside the text, and for no text more than 7 bytes for each of its bytes and those of the columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    cells: Cells,
    header: Header,
    names: Vec<String>,
    kinds: Vec<ColumnKind>,
    notes: Vec<String>,
    /// The text began with a byte order mark.
    mark: bool,
    /// Its lines ended in CR LF.
    crlf: bool,
}

impl Table {
    /// Reads CSV and its kin: cells separated by tabs, semicolons, commas or blanks (whichever cuts the first lines alike, in this
    /// order), in quotes or not, with a first row of names or not. Empty lines and lines beginning with `#` are passed over.
    ///
    /// The first row is names where it would spoil a column below: text above numbers, other words above yes and no; and where all is text,
    /// if its cells differ, come nowhere below, and some column below repeats itself. Numbers counting from 0 to 2 or further are pandas'
    /// numbers of columns. [`Table::with_header`] decides otherwise.
    ///
    /// ```
    /// use dbm_data::columns::{ColumnKind, Table};
    /// let table = Table::read("x.csv", "smoker;weight\nyes;70,5\nno;?\n?;81\nno;64\n")?;
    /// assert_eq!((table.n_rows(), table.name(1), table.cell(0, 1), table.is_missing(1, 1)), (4, "weight", "70,5", true));
    /// let columns = table.columns(&Default::default());
    /// assert_eq!(columns.columns[0].kind, ColumnKind::Binary { low: "no".into(), high: "yes".into() });
    /// assert_eq!(columns.columns[1].kind, ColumnKind::Number { threshold: 70.5, low: "64".into(), high: "81".into() });
    /// # Ok::<(), dbm_data::DataError>(())
    /// ```
    ///
    /// # Errors
    /// [`DataError::Format`] naming the first line with another number of cells, for a quote that is never closed, more columns than
    /// [`super::MAX_COLUMNS`], no rows, more than [`crate::MAX_DATA`] bytes, or more than there is room for.
    pub fn read(name: &str, text: &str) -> Result<Self, DataError> {
        let content = text.strip_prefix('\u{feff}').unwrap_or(text);
        let cells = Cells::parse(name, content)?;
        if cells.rows() == 0 {
            return Err(DataError::empty(name));
        }
        let header = Header::of(&cells);
        if cells.rows() == header.rows() {
            return Err(DataError::empty(name));
        }
        let crlf = content.find('\n').is_some_and(|end| content[..end].ends_with('\r'));
        let table = Self {
            cells,
            header,
            names: Vec::new(),
            kinds: Vec::new(),
            notes: Vec::new(),
            mark: content.len() < text.len(),
            crlf,
        };
        Ok(table.understood())
    }

    /// The same table with its first row taken for names, or for data; unchanged where that would leave no row.
    pub fn with_header(mut self, header: bool) -> Self {
        if header == self.has_header() || header && self.cells.rows() == 1 {
            return self;
        }
        self.header = if header { Header::Names } else { Header::None };
        self.understood()
    }

    /// Names, kinds and notes made from the cells.
    fn understood(mut self) -> Self {
        self.names = self.distinct_names();
        (self.kinds, self.notes) = (vec![], vec![]);
        let (kinds, notes): (Vec<_>, Vec<_>) = detect_all(&self).into_iter().unzip();
        self.kinds = kinds;
        if self.cells.comments > 0 {
            self.notes.push(format!("Lines beginning with # were passed over: {}.", self.cells.comments));
        }
        self.notes.extend(few(notes.into_iter().flatten()));
        self
    }

    fn distinct_names(&self) -> Vec<String> {
        let mut taken = HashSet::new();
        // The next copy's number of each name, so that a thousand of one name take a thousand tries.
        let mut copies: HashMap<String, usize> = HashMap::new();
        let mut names = Vec::with_capacity(self.n_columns());
        for column in 0..self.n_columns() {
            let heading = self.heading(column).unwrap_or("");
            let base = if heading.is_empty() { format!("column {}", column + 1) } else { heading.to_string() };
            let mut name = base.clone();
            while !taken.insert(name.clone()) {
                let copy = copies.entry(base.clone()).or_insert(1);
                *copy += 1;
                name = format!("{base} ({copy})");
            }
            names.push(name);
        }
        names
    }

    /// Rows, the header not among them; one or more.
    pub fn n_rows(&self) -> usize {
        self.cells.rows() - self.header.rows()
    }

    /// Columns, one or more.
    pub fn n_columns(&self) -> usize {
        self.cells.width()
    }

    /// What to call a column: its name, with ` (2)` after it where it came before; `column 3` where it has none.
    ///
    /// # Panics
    /// If it is out of range.
    pub fn name(&self, column: usize) -> &str {
        &self.names[column]
    }

    /// As the header has it.
    pub(super) fn heading(&self, column: usize) -> Option<&str> {
        (self.header != Header::None).then(|| self.cells.get(0, column))
    }

    /// Whether the first row is names, pandas' numbers of columns included.
    pub fn has_header(&self) -> bool {
        self.header != Header::None
    }

    /// Whether the columns have names that tell them apart, and not only numbers.
    pub fn has_names(&self) -> bool {
        self.header == Header::Names
    }

    /// A cell, without blanks around it.
    ///
    /// # Panics
    /// If row or column is out of range.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        self.cells.get(row + self.header.rows(), column)
    }

    /// A cell as it came; `None` is the header.
    pub(super) fn raw(&self, row: Option<usize>, column: usize) -> &str {
        self.cells.raw(row.map_or(0, |row| row + self.header.rows()), column)
    }

    /// Whether a cell is missing.
    ///
    /// # Panics
    /// If row or column is out of range.
    pub fn is_missing(&self, row: usize, column: usize) -> bool {
        is_gap(self.cell(row, column), &self.kinds[column])
    }

    /// The line that a row begins on, from 1.
    pub fn line(&self, row: usize) -> u64 {
        u64::from(self.cells.line(row + self.header.rows()))
    }

    /// Whether commas may be decimal ones.
    pub(super) fn comma(&self) -> bool {
        self.cells.separator.leaves_commas()
    }

    /// What was understood or left out that the visitor should know, a sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What the columns hold, and with which thresholds: those of the encoding by name, or else the medians.
    pub fn columns(&self, encoding: &Encoding) -> Columns {
        let kind = |column: usize| match (&self.kinds[column], encoding.columns.get(&self.names[column])) {
            (ColumnKind::Number { .. }, Some(&threshold)) if threshold.is_finite() => number_kind(self, column, Some(threshold)),
            (kind, _) => kind.clone(),
        };
        let columns = (0..self.n_columns()).map(|column| Column { name: self.names[column].clone(), kind: kind(column) });
        Columns { columns: columns.collect() }
    }

    /// Writes the table in its own way (separator, header, ends of lines, byte order mark) with every cell as `cell` has it,
    /// or else as it came. What needs quotes gets them.
    pub(super) fn write<'a>(
        &'a self,
        mut out: impl std::io::Write,
        mut cell: impl FnMut(usize, usize) -> Option<&'a str>,
    ) -> std::io::Result<()> {
        // A cell that begins with the mark would be taken for it, where it comes first.
        let first = self.raw(if self.has_header() { None } else { Some(0) }, 0);
        if self.mark || first.starts_with('\u{feff}') {
            out.write_all("\u{feff}".as_bytes())?;
        }
        // Where another separator in the first cells would be taken for that of the table, all cells are quoted.
        let mut first = Vec::new();
        self.write_rows(&mut first, csv::QuoteStyle::Necessary, SEPARATOR_ROWS.min(self.n_rows()), |_, _| None)?;
        let clear = Separator::of(&String::from_utf8_lossy(&first)) == self.cells.separator;
        let quotes = if clear { csv::QuoteStyle::Necessary } else { csv::QuoteStyle::Always };
        self.write_rows(&mut out, quotes, self.n_rows(), &mut cell)?;
        out.flush()
    }

    fn write_rows<'a>(
        &'a self,
        out: impl std::io::Write,
        quotes: csv::QuoteStyle,
        rows: usize,
        mut cell: impl FnMut(usize, usize) -> Option<&'a str>,
    ) -> std::io::Result<()> {
        let end = if self.crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let mut writer = csv::WriterBuilder::new()
            .delimiter(self.cells.separator.byte())
            .comment(Some(b'#'))
            .terminator(end)
            .quote_style(quotes)
            .from_writer(out);
        let columns = 0..self.n_columns();
        if self.has_header() {
            writer.write_record(columns.clone().map(|column| self.raw(None, column)))?;
        }
        for row in 0..rows {
            for column in columns.clone() {
                writer.write_field(cell(row, column).unwrap_or_else(|| self.raw(Some(row), column)))?;
            }
            writer.write_record(None::<&[u8]>)?;
        }
        writer.flush()
    }

    /// The table as CSV, in its own way.
    pub fn to_csv(&self) -> Vec<u8> {
        in_memory(|bytes| self.write(bytes, |_, _| None))
    }
}

/// What is written to a vector, which never fails.
pub(super) fn in_memory(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = write(&mut bytes);
    bytes
}

/// The first few notes on columns, and how many more there are.
pub(super) fn few(mut notes: impl Iterator<Item = String>) -> Vec<String> {
    const FEW: usize = 20;
    let mut shown: Vec<String> = notes.by_ref().take(FEW).collect();
    let more = notes.count();
    if more > 0 {
        shown.push(format!("And so of {more} more columns."));
    }
    shown
}

/// Whether a cell of a column of this kind is missing: `-` is not where the column writes it.
pub(super) fn is_gap(cell: &str, kind: &ColumnKind) -> bool {
    is_missing(cell)
        && !(cell == "-"
            && match kind {
                ColumnKind::Binary { low, high } => low == "-" || high == "-",
                ColumnKind::Category { levels } => levels.iter().any(|level| level == "-"),
                ColumnKind::Number { .. } | ColumnKind::Ignored => false,
            })
}
