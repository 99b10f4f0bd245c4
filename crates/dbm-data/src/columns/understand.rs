//! From text to a table: its names and the kinds of its columns.

use super::header::Header;
use super::kinds::{detect_all, number_kind};
use super::parse::Cells;
use super::table::{Table, few};
use crate::DataError;
use crate::visible::{Column, ColumnKind, Columns, Encoding};
use std::collections::{HashMap, HashSet};

impl Table {
    /// Reads CSV and related formats: cells separated by tabs, semicolons, commas or blanks (the first of these that splits the first lines
    /// equally), quoted or not, with or without a header row. Empty lines and lines beginning with `#` are skipped.
    ///
    /// The first row is a header if it would not fit a column below: text above numbers, other words above yes and no. If everything is
    /// text, it is a header if its cells differ, none of them appears below, and some column below repeats itself. Numbers counting from 0
    /// to at least 2 are pandas' column numbers. [`Table::with_header`] overrides this.
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
    /// [`DataError::Format`] naming the first line with another number of cells; also for a quote that is never closed, more columns than
    /// [`super::MAX_COLUMNS`], no rows, more than [`crate::MAX_DATA`] bytes, or more than fit in memory.
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

    /// The same table with its first row taken as names, or as data; unchanged if that would leave no row.
    pub fn with_header(mut self, header: bool) -> Self {
        if header == self.has_header() || header && self.cells.rows() == 1 {
            return self;
        }
        self.header = if header { Header::Names } else { Header::None };
        self.understood()
    }

    /// Names, kinds and notes, from the cells.
    fn understood(mut self) -> Self {
        self.names = self.distinct_names();
        (self.kinds, self.notes) = (vec![], vec![]);
        let (kinds, notes): (Vec<_>, Vec<_>) = detect_all(&self).into_iter().unzip();
        self.kinds = kinds;
        if self.cells.comments > 0 {
            self.notes.push(format!("Lines beginning with # were skipped: {}.", self.cells.comments));
        }
        self.notes.extend(few(notes.into_iter().flatten()));
        self
    }

    fn distinct_names(&self) -> Vec<String> {
        let mut taken = HashSet::new();
        // The next suffix for each name, so that a thousand equal names take a thousand tries.
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

    /// The kinds of the columns, with the encoding's thresholds by name, or else the medians.
    pub fn columns(&self, encoding: &Encoding) -> Columns {
        let kind = |column: usize| match (&self.kinds[column], encoding.columns.get(&self.names[column])) {
            (ColumnKind::Number { .. }, Some(&threshold)) if threshold.is_finite() => number_kind(self, column, Some(threshold)),
            (kind, _) => kind.clone(),
        };
        let columns = (0..self.n_columns()).map(|column| Column { name: self.names[column].clone(), kind: kind(column) });
        Columns { columns: columns.collect() }
    }
}
