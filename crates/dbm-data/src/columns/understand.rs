//! From text to a table: its names and the kinds of its columns.

use super::cells::decimal_mark;
use super::header::{Header, Heading};
use super::kinds::{number_kind, understand_all};
use super::parse::{AsideLine, Cells, Cut};
use super::separator::Separator;
use super::table::{Table, few, lines};
use crate::DataError;
use crate::interpretation::{Change, Doubt, KindChoice, Reading};
use crate::text::TextCoding;
use crate::visible::{Column, ColumnKind, Columns, Encoding};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Number of rows in which the decimal mark is looked for.
const LOOK: usize = 1000;

/// A text whose rows begin below a heading of its own, as in ARFF.
pub(crate) struct Framed {
    pub cut: Cut,
    pub names: Vec<String>,
    /// Kinds that the heading states.
    pub kinds: Vec<Option<KindChoice>>,
}

impl Table {
    /// Reads CSV and related formats: cells separated by tabs, semicolons, commas, bars or blanks (the first of these that splits the
    /// first lines equally), quoted or not, with or without names in the first row. Lines that are no rows (empty ones, titles, comments of
    /// another number of cells, names that come again) are set aside, and written back where they were.
    ///
    /// The first row is a header if it would not fit a column below: text above numbers, other words above yes and no. If everything is
    /// text, it is a header if its cells differ, none of them appears below, and some column below repeats itself. Numbers counting from 0
    /// to at least 2 are pandas' column numbers. [`Table::read_as`] lets all of this be decided otherwise.
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
    /// Those of [`Table::read_as`].
    pub fn read(name: &str, text: &str) -> Result<Self, DataError> {
        Self::read_as(name, text, &Reading::default())
    }

    /// The same, with what the user says about it.
    ///
    /// ```
    /// use dbm_data::columns::Table;
    /// use dbm_data::raw::Reading;
    /// let asked = Reading { header: Some(0), missing: vec!["-9".into()], ..Reading::default() };
    /// let table = Table::read_as("x.csv", "a,b\n0,-9\n", &asked)?;
    /// assert_eq!((table.n_rows(), table.name(0), table.is_missing(1, 1)), (2, "column 1", true));
    /// # Ok::<(), dbm_data::DataError>(())
    /// ```
    ///
    /// # Errors
    /// [`DataError::Format`] naming the first line with more cells than the others; also for a quote that is never closed, more columns
    /// than [`super::MAX_COLUMNS`], no rows, more than [`crate::MAX_DATA`] bytes, or more than fit in memory; for a heading or a kind that
    /// the user chose and that is not there.
    pub fn read_as(name: &str, text: &str, asked: &Reading) -> Result<Self, DataError> {
        let content = text.strip_prefix('\u{feff}').unwrap_or(text);
        let coding = TextCoding::utf8(content.len() < text.len());
        Self::of_text(name, content.into(), coding, asked, None)
    }

    /// A table of a decoded text without its mark.
    pub(crate) fn of_text(
        name: &str,
        text: String,
        coding: TextCoding,
        asked: &Reading,
        framed: Option<Framed>,
    ) -> Result<Self, DataError> {
        let mut excel = None;
        let (given, stated, mut cut) = if let Some(Framed { cut, names, kinds }) = framed {
            (Some(names), kinds, cut)
        } else {
            excel = excel_separator(&text);
            let separator = match (asked.separator, excel) {
                (Some(asked), _) => separator(asked)?,
                (None, Some((separator, _))) => separator,
                (None, None) => Separator::of(&text),
            };
            let start = excel.map_or((0, 1), |(_, length)| (length, 2));
            (None, Vec::new(), Cut { start, ..Cut::whole(separator) })
        };
        cut.first = asked.header.filter(|&line| line > 0 && given.is_none());
        let mut cells = Cells::parse(name, text, cut)?;
        if excel.is_some() {
            cells.aside.insert(0, AsideLine { line: 1, reason: "is Excel's word for the separator" });
        }
        if cells.rows() == 0 {
            return Err(DataError::empty(name));
        }
        let decimal = match asked.decimal {
            Some(mark @ ('.' | ',')) => mark,
            Some(other) => return Err(DataError::out_of_range("the decimal mark", "a point or a comma", &other)),
            None => decimal(&cells),
        };
        let shifted = given.is_none() && asked.header != Some(0) && is_shifted(&cells);
        let header = match (asked.header, &given) {
            (_, Some(_)) => Header::Names,
            (Some(0), _) => Header::None,
            (Some(line), _) if cells.line(0) != line => {
                let got = format!("no row begins on line {line}");
                return Err(DataError::format(
                    name,
                    "the names of the columns on the line that was given",
                    got,
                    "give another line, or 0 for none",
                ));
            }
            (Some(_), _) => {
                let counting = Header::of(&cells, decimal, 0) == Header::Counting;
                let header = if counting { Header::Counting } else { Header::Names };
                let further = Heading::further(&cells, decimal, 0, header);
                cells.set_aside(&further);
                header
            }
            (None, _) if shifted => Header::Names,
            (None, _) => {
                let Heading { header, aside } = Heading::of(&cells, decimal);
                cells.set_aside(&aside);
                header
            }
        };
        let mut table = Self {
            cells,
            header,
            given,
            shifted: shifted && header == Header::Names,
            names: Vec::new(),
            kinds: Vec::new(),
            only: Vec::new(),
            missing: Vec::new(),
            strays: Vec::new(),
            known: Vec::new(),
            notes: Vec::new(),
            doubts: Vec::new(),
            decimal,
            coding,
            asked: asked.clone(),
        };
        if table.cells.rows() == table.cells.rows().min(usize::from(table.given.is_none()) * header.rows()) {
            return Err(DataError::empty(name));
        }
        table.names = table.distinct_names();
        table.check_asked(name)?;
        for (column, kind) in stated.iter().enumerate() {
            let name = table.names[column].clone();
            let asked = table.asked.column(&name);
            asked.kind = asked.kind.or(*kind);
        }
        table.understand(name)?;
        table.asked.columns.clone_from(&asked.columns);
        Ok(table)
    }

    /// Columns that the user named must be there.
    fn check_asked(&self, file: &str) -> Result<(), DataError> {
        match self.asked.columns.iter().find(|asked| !self.names.contains(&asked.name)) {
            None => Ok(()),
            Some(asked) => {
                let names = crate::names::few(self.names.iter().map(String::as_str));
                let expected = format!("a column called {:?}", super::cells::shown(&asked.name));
                Err(DataError::format(file, expected, format!("the columns are {names}"), "use a name as the table has it"))
            }
        }
    }

    /// Kinds, missing words, notes and doubts, from the cells.
    fn understand(&mut self, name: &str) -> Result<(), DataError> {
        let mut column_notes = Vec::new();
        let mut doubts = Vec::new();
        let mut suspects: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        for (column, understood) in understand_all(name, self)?.into_iter().enumerate() {
            self.kinds.push(understood.kind);
            self.only.push(understood.only);
            self.missing.push(understood.missing);
            self.strays.push(understood.strays);
            self.known.push(understood.known);
            column_notes.extend(understood.note);
            doubts.extend(understood.doubts);
            for (word, count) in understood.suspects {
                suspects.entry(word).or_default().push((column, count));
            }
        }
        self.notes = self.line_notes();
        self.notes.extend(few(column_notes.into_iter()));
        self.notes.extend(self.missing_notes());
        self.doubts = suspects.into_iter().map(|(word, places)| self.suspicion(&word, &places)).collect();
        self.doubts.extend(doubts);
        self.doubts.extend(self.heading_doubt());
        Ok(())
    }

    /// What was set aside, and rows that are too short.
    fn line_notes(&self) -> Vec<String> {
        let mut by_reason: Vec<(&str, Vec<u64>)> = Vec::new();
        for AsideLine { line, reason } in &self.cells.aside {
            match by_reason.iter_mut().find(|(other, _)| other == reason) {
                Some((_, lines)) => lines.push(u64::from(*line)),
                None => by_reason.push((reason, vec![u64::from(*line)])),
            }
        }
        let mut notes: Vec<String> = by_reason
            .into_iter()
            .map(|(reason, numbers)| {
                let each = if numbers.len() > 1 { ": each" } else { "" };
                format!("{}{each} {reason}, is set aside, and is written back in its place.", lines(numbers.into_iter()))
            })
            .collect();
        let header = usize::from(self.given.is_none()) * self.header.rows();
        let short: Vec<u64> =
            self.cells.short_rows().filter(|&(row, _)| row >= header).map(|(row, _)| u64::from(self.cells.line(row))).collect();
        if !short.is_empty() {
            let count = self.n_columns();
            notes.push(format!("{}: fewer than {count} cells, so the last ones count as missing.", lines(short.into_iter())));
        }
        let headings = |column: usize| self.heading(column).unwrap_or("");
        let twice =
            (0..self.n_columns()).filter(|&column| !headings(column).is_empty() && self.names[column] != headings(column));
        notes.extend(few(twice.map(|column| {
            format!(
                "Two columns are called {:?}; the one at place {} is called {:?} here.",
                headings(column),
                column + 1,
                self.names[column]
            )
        })));
        notes
    }

    /// Which words count as missing, and where.
    fn missing_notes(&self) -> Vec<String> {
        let mut columns: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (column, words) in self.missing.iter().enumerate() {
            for word in words {
                columns.entry(word).or_default().push(&self.names[column]);
            }
        }
        let note = |(word, columns): (&str, Vec<&str>)| {
            let quoted: Vec<String> = columns.iter().map(|name| format!("{name:?}")).collect();
            let names = crate::names::few(quoted.iter().map(String::as_str));
            let column = if columns.len() > 1 { "columns" } else { "column" };
            format!("{:?} counts as missing in {column} {names}.", super::cells::shown(word))
        };
        columns.into_iter().map(note).collect()
    }

    /// The doubt about a word that may mean a missing value.
    fn suspicion(&self, word: &str, places: &[(usize, usize)]) -> Doubt {
        let count: usize = places.iter().map(|(_, count)| count).sum();
        let names: Vec<String> = places.iter().map(|&(column, _)| self.names[column].clone()).collect();
        let shown = super::cells::shown(word);
        let columns = if names.len() > 1 { "columns" } else { "column" };
        let cells = if count == 1 { "cell" } else { "cells" };
        Doubt {
            text: format!(
                "{shown:?} in {count} {cells} of {columns} {} was read as a value; it may mean that the value is missing.",
                crate::names::few(names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().iter().map(String::as_str))
            ),
            label: format!("{shown:?} is missing"),
            change: Change::Missing(names, word.into()),
        }
    }

    /// The other way to read a first row of nothing but words.
    fn heading_doubt(&self) -> Option<Doubt> {
        if self.given.is_some() || self.asked.header.is_some() || self.cells.rows() < 2 {
            return None;
        }
        let word = |column: usize| {
            let cell = self.cells.get(0, column);
            !cell.is_empty() && super::cells::number(cell, self.decimal).is_none()
        };
        (self.header == Header::None && (0..self.n_columns()).all(word)).then(|| Doubt {
            text: format!("The first row was read as data: {:?} and so on.", super::cells::shown(self.cells.get(0, 0))),
            label: "It names the columns".into(),
            change: Change::Header(self.cells.line(0)),
        })
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
        let columns = (0..self.n_columns()).map(|column| Column {
            name: self.names[column].clone(),
            kind: kind(column),
            only: self.only[column].clone(),
            missing: self.missing[column].clone(),
            strays: self.strays[column].clone(),
            decimal: self.decimal,
        });
        Columns { columns: columns.collect(), exclusive: vec![] }
    }
}

fn separator(character: char) -> Result<Separator, DataError> {
    let expected = "a tab, a blank, or a sign such as , ; or |";
    Separator::from_char(character).ok_or_else(|| DataError::out_of_range("the separator", expected, &character))
}

/// The separator that Excel's first line `sep=;` names, and the length of that line.
fn excel_separator(text: &str) -> Option<(Separator, usize)> {
    let end = text.find(['\n', '\r'])?;
    let line = text[..end].trim_end().trim_matches('"');
    let (word, named) = line.split_at_checked(4)?;
    let mut characters = named.chars();
    let separator = characters.next().and_then(Separator::from_char)?;
    let length = end + if text[end..].starts_with("\r\n") { 2 } else { 1 };
    (word.eq_ignore_ascii_case("sep=") && characters.next().is_none()).then_some((separator, length))
}

/// Whether only the first row lacks a cell, and it is a heading: R writes no name above row names, which are all there and differ. So they
/// still do when the table is filled.
fn is_shifted(cells: &Cells) -> bool {
    let mut short = cells.short_rows();
    let first = short.next();
    cells.rows() > 1
        && cells.width() > 1
        && first == Some((0, cells.width() - 1))
        && short.next().is_none()
        && (0..cells.width() - 1).all(|column| {
            let cell = cells.get(0, column);
            !cell.is_empty() && super::cells::number(cell, '.').is_none()
        })
        && {
            let mut seen = HashSet::new();
            (1..cells.rows()).all(|row| !super::cells::is_missing(cells.get(row, 0)) && seen.insert(cells.get(row, 0)))
        }
}

/// The decimal mark that most of the numbers show which can have only one meaning.
fn decimal(cells: &Cells) -> char {
    let (mut points, mut commas) = (0, 0);
    for row in 0..cells.rows().min(LOOK) {
        for column in 0..cells.width() {
            let cell = cells.get(row, column);
            if cell.len() > 2 && cell.bytes().any(|byte| byte == b',') || cell.contains('.') {
                match decimal_mark(cell) {
                    Some(',') => commas += 1,
                    Some(_) => points += 1,
                    None => {}
                }
            }
        }
    }
    if commas > points { ',' } else { '.' }
}
