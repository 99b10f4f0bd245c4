//! Splits text into rows of cells, and keeps the text, so that it can be written back with nothing changed but what is filled in.

use super::cells::shown;
use super::separator::{LOOK, Separator};
use crate::DataError;
use crate::error::check_size;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Tables with more columns are refused.
pub const MAX_COLUMNS: usize = 100_000;

/// A line that is not a row, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsideLine {
    /// From 1.
    pub line: u32,
    /// Why it was set aside, after "line 3 ": `is a comment`.
    pub reason: &'static str,
}

/// How a text is cut.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    pub separator: Separator,
    /// What encloses a cell that has a separator in it.
    pub quote: u8,
    /// What begins a line that is a comment.
    pub comment: u8,
    /// Where the rows begin in the text, and the number of that line, from 1.
    pub start: (usize, u32),
    /// The first line that can be a row, if the user says which.
    pub first: Option<u32>,
}

impl Cut {
    /// A whole text.
    pub fn whole(separator: Separator) -> Self {
        Self { separator, quote: b'"', comment: b'#', start: (0, 1), first: None }
    }
}

/// A row of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    /// Where it begins in the text.
    start: u32,
    /// The line on which it begins, from 1.
    line: u32,
}

/// All cells of a text, row by row: the bytes of the text, plus 4 per cell and 8 per row.
#[derive(Clone, Debug)]
pub struct Cells {
    text: String,
    /// Where each cell ends in the text.
    ends: Vec<u32>,
    rows: Vec<Row>,
    width: usize,
    /// The number of cells in rows that have fewer than the others; the rest of their cells are missing.
    short: BTreeMap<u32, u32>,
    /// Cells whose text is not a piece of the file, as they hold doubled quotes: their place, and where their text ends in `unquoted`.
    quoted: Vec<(u32, u32)>,
    unquoted: String,
    pub aside: Vec<AsideLine>,
    pub separator: Separator,
    quote: u8,
}

impl Cells {
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn line(&self, row: usize) -> u32 {
        self.rows[row].line
    }

    /// Whether both hold the same rows of the same text.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.width, self.separator, &self.text) == (other.width, other.separator, &other.text)
            && (&self.rows, &self.ends, &self.short) == (&other.rows, &other.ends, &other.short)
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where a cell is in the text, without surrounding blanks, and whether it is in quotes; at the end of its row if the row is too short
    /// to have it.
    fn place_of(&self, row: usize, column: usize) -> (std::ops::Range<usize>, bool) {
        let at = row * self.width + column;
        let end = self.ends[at] as usize;
        let mut start = self.rows[row].start as usize;
        if column > 0 {
            let before = self.ends[at - 1] as usize;
            start = if self.separator == Separator::Blanks { before } else { (before + 1).min(end) };
        }
        let raw = &self.text[start..end];
        // Only these may precede a quote.
        let tabs = self.separator == Separator::Blanks;
        let opened = raw.trim_start_matches(|c| c == ' ' || tabs && c == '\t');
        let quoted = opened.as_bytes().first() == Some(&self.quote);
        let content = if quoted { opened } else { raw.trim_start() };
        start = end - content.len();
        (start..start + content.trim_end().len(), quoted)
    }

    /// Where a cell is in the text, without surrounding blanks.
    pub fn place(&self, row: usize, column: usize) -> std::ops::Range<usize> {
        self.place_of(row, column).0
    }

    /// How many cells of this row are in the text.
    pub fn there(&self, row: usize) -> usize {
        self.short.get(&(row as u32)).map_or(self.width, |&there| there as usize)
    }

    /// Rows that have fewer cells than the others, with their numbers of cells.
    pub fn short_rows(&self) -> impl Iterator<Item = (usize, usize)> {
        self.short.iter().map(|(&row, &there)| (row as usize, there as usize))
    }

    /// Without surrounding blanks and quotes.
    pub fn get(&self, row: usize, column: usize) -> &str {
        let (place, quoted) = self.place_of(row, column);
        let raw = &self.text[place];
        if !quoted {
            return raw;
        }
        let at = (row * self.width + column) as u32;
        match self.quoted.binary_search_by_key(&at, |&(cell, _)| cell) {
            Ok(found) => {
                let start = found.checked_sub(1).map_or(0, |before| self.quoted[before].1 as usize);
                self.unquoted[start..self.quoted[found].1 as usize].trim()
            }
            Err(_) => raw[1..raw.len() - 1].trim(),
        }
    }

    /// Whether a cell is written in quotes.
    pub fn is_quoted(&self, row: usize, column: usize) -> bool {
        self.place_of(row, column).1
    }

    /// A value as it has to be written, in quotes if it would be read otherwise without, or if `quotes` says so.
    pub fn written<'a>(&self, value: &'a str, quotes: bool) -> Cow<'a, str> {
        let special =
            |c: char| c == char::from(self.quote) || c == '\n' || c == '\r' || (c.is_ascii() && self.separator.is(c as u8));
        let edges = value.trim().len() < value.len() || value.is_empty();
        if !quotes && !edges && !value.contains(special) {
            return Cow::Borrowed(value);
        }
        let quote = char::from(self.quote);
        let doubled = value.replace(quote, &format!("{quote}{quote}"));
        Cow::Owned(format!("{quote}{doubled}{quote}"))
    }

    /// Takes rows out, with the reason for each; they stay in the text. `rows` are in order, each once.
    pub fn set_aside(&mut self, rows: &[(usize, &'static str)]) {
        debug_assert!(rows.is_sorted_by(|(one, _), (next, _)| one < next), "{rows:?}");
        if rows.is_empty() {
            return;
        }
        let aside: Vec<AsideLine> = rows.iter().map(|&(row, reason)| AsideLine { line: self.line(row), reason }).collect();
        self.aside.extend(aside);
        self.aside.sort_by_key(|aside| aside.line);
        let gone = |row: usize| rows.binary_search_by_key(&row, |&(row, _)| row).is_ok();
        // How many rows before each one are taken out.
        let before = |row: usize| rows.partition_point(|&(gone, _)| gone < row);
        let width = self.width;
        let mut at = 0;
        self.ends.retain(|_| {
            at += 1;
            !gone((at - 1) / width)
        });
        let mut at = 0;
        self.rows.retain(|_| {
            at += 1;
            !gone(at - 1)
        });
        let short = std::mem::take(&mut self.short).into_iter();
        self.short = short
            .filter(|&(row, _)| !gone(row as usize))
            .map(|(row, there)| (row - before(row as usize) as u32, there))
            .collect();
        // Their texts stay, so that those of the others keep their places.
        let mut quoted = Vec::with_capacity(self.quoted.len());
        let mut texts = String::new();
        let mut start = 0;
        for &(cell, end) in &self.quoted {
            let row = cell as usize / width;
            if !gone(row) {
                texts.push_str(&self.unquoted[start..end as usize]);
                quoted.push((cell - (before(row) * width) as u32, texts.len() as u32));
            }
            start = end as usize;
        }
        (self.quoted, self.unquoted) = (quoted, texts);
    }

    /// Splits a text, which has no byte order mark.
    ///
    /// Lines that are empty, and comments with another number of cells than the table, are not rows; nor are lines of a single cell in a
    /// table of three columns or more, and lines above the table that lack more than one cell. Other rows may lack cells at their end, and
    /// may have empty ones too many.
    pub fn parse(name: &str, text: String, cut: Cut) -> Result<Self, DataError> {
        check_size(name, text.len() as u128)?;
        let (at, line) = cut.start;
        let mut parser = Parser {
            name,
            text: &text,
            at,
            line,
            cut,
            ends: Vec::new(),
            rows: Vec::new(),
            width: 0,
            short: BTreeMap::new(),
            quoted: Vec::new(),
            unquoted: String::new(),
            aside: Vec::new(),
        };
        let separator = cut.separator;
        let between = text[at..].bytes().filter(|&byte| separator.is(byte) || byte == b'\n' || byte == b'\r').count();
        parser.ends.try_reserve_exact(between + 1).map_err(|_| DataError::memory(name, 4 * (between + 1)))?;
        parser.width = parser.common_width();
        while parser.at < text.len() {
            parser.row()?;
        }
        parser.ends.shrink_to_fit();
        let Parser { ends, rows, width, short, quoted, unquoted, aside, .. } = parser;
        Ok(Self { ends, rows, width, short, quoted, unquoted, aside, separator, quote: cut.quote, text })
    }
}

struct Parser<'a> {
    name: &'a str,
    text: &'a str,
    at: usize,
    line: u32,
    cut: Cut,
    ends: Vec<u32>,
    rows: Vec<Row>,
    /// The number of cells in a row; 0 until it is known.
    width: usize,
    short: BTreeMap<u32, u32>,
    quoted: Vec<(u32, u32)>,
    unquoted: String,
    aside: Vec<AsideLine>,
}

impl Parser<'_> {
    fn rest(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// The number of cells that most of the first lines have, of those that are no comments; the greater one of equals.
    fn common_width(&mut self) -> usize {
        let begun = (self.at, self.line);
        let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
        let mut comments = Vec::new();
        for _ in 0..LOOK {
            while let Some(blank) = self.blank() {
                self.skip(blank);
            }
            if self.at >= self.text.len() {
                break;
            }
            let comment = self.rest().first() == Some(&self.cut.comment);
            let line = self.line;
            let first = self.ends.len();
            // An error is reported when the row is read in earnest.
            if self.cells().is_err() {
                break;
            }
            let width = self.ends.len() - first;
            if comment {
                comments.push(width);
            } else if self.cut.first.is_none_or(|first| line >= first) {
                *widths.entry(width).or_default() += 1;
            }
        }
        (self.at, self.line) = begun;
        self.ends.clear();
        self.quoted.clear();
        self.unquoted.clear();
        if widths.is_empty() {
            comments.into_iter().for_each(|width| *widths.entry(width).or_default() += 1);
        }
        // Nobody means a table of one column if other lines have more, as often.
        widths.iter().max_by_key(|&(width, lines)| (*lines, *width)).map_or(0, |(width, _)| *width)
    }

    /// The length of the line here, if there is nothing on it.
    fn blank(&self) -> Option<usize> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().position(|&byte| is_end(byte)).unwrap_or(rest.len());
        // In a tab-separated table, a line of only tabs is a row of missing cells.
        let blank = |byte: &u8| *byte == b' ' || *byte == b'\t' && self.cut.separator != Separator::Byte(b'\t');
        rest[..end].iter().all(blank).then_some(end)
    }

    fn skip(&mut self, length: usize) {
        self.at += length;
        self.end_of_line();
    }

    /// One row, or one line that is set aside.
    fn row(&mut self) -> Result<(), DataError> {
        if let Some(blank) = self.blank() {
            self.skip(blank);
            return Ok(());
        }
        // DOS ended files with Ctrl-Z.
        if self.rest().iter().all(|&byte| byte == 0x1a || byte == 0 || byte.is_ascii_whitespace()) {
            self.aside.push(AsideLine { line: self.line, reason: "is an end-of-file mark" });
            self.at = self.text.len();
            return Ok(());
        }
        let (began, start, first) = (self.line, self.at, self.ends.len());
        let texts = (self.quoted.len(), self.unquoted.len());
        let comment = self.rest().first() == Some(&self.cut.comment);
        let title = self.cut.first.is_some_and(|first| began < first);
        if title || comment && self.cut.comment != b'#' {
            let end = self.rest().iter().position(|&byte| is_end(byte)).unwrap_or(self.rest().len());
            self.aside
                .push(AsideLine { line: began, reason: if title && !comment { "is above the heading" } else { "is a comment" } });
            self.skip(end);
            return Ok(());
        }
        let cells = self.cells();
        let got = self.ends.len() - first;
        let lone = got == 1 && self.width > 2 || got + 1 < self.width && self.rows.is_empty();
        let extra = got > self.width && !self.ends_in_nothing(first);
        if comment && (cells.is_err() || extra || got < self.width) || cells.is_ok() && lone {
            self.ends.truncate(first);
            self.quoted.truncate(texts.0);
            self.unquoted.truncate(texts.1);
            let reason = match (comment, self.rows.is_empty()) {
                (true, _) => "is a comment",
                (false, true) => "is a title",
                (false, false) => "has a single cell",
            };
            self.aside.push(AsideLine { line: began, reason });
            if cells.is_err() {
                // A quote in a comment opens nothing.
                let rest = &self.text.as_bytes()[start..];
                (self.at, self.line) = (start + rest.iter().position(|&byte| is_end(byte)).unwrap_or(rest.len()), began);
            }
            self.end_of_line();
            return Ok(());
        }
        cells?;
        self.end_of_line();
        if got > MAX_COLUMNS {
            let (expected, got) = (format!("at most {MAX_COLUMNS} columns"), format!("line {began} has {got}"));
            let advice = "use fewer columns, or write the values as an array (NPY)";
            return Err(DataError::format(self.name, expected, got, advice));
        }
        if extra {
            let expected = format!("{} columns as in the other rows", self.width);
            let advice = "every row needs the same number, and a cell with a separator in it needs quotes";
            return Err(DataError::part(self.name, &format!("line {began}"), expected, format!("got {got}"), advice));
        }
        self.ends.truncate(first + self.width);
        let row = self.rows.len() as u32;
        if got < self.width {
            self.short.insert(row, got as u32);
            let end = self.ends.last().copied().unwrap_or(start as u32);
            self.ends.resize(first + self.width, end);
        }
        self.rows.push(Row { start: start as u32, line: began });
        Ok(())
    }

    /// Whether the cells that a row has too many, beginning with cell `first`, are empty.
    fn ends_in_nothing(&self, first: usize) -> bool {
        let cell = |at: usize| &self.text[self.ends[at - 1] as usize + 1..self.ends[at] as usize];
        self.width > 0 && (first + self.width..self.ends.len()).all(|at| cell(at).trim().is_empty())
    }

    /// The cells up to the end of the line.
    fn cells(&mut self) -> Result<(), DataError> {
        loop {
            self.cell()?;
            match self.rest().first() {
                Some(&byte) if self.cut.separator.is(byte) => {
                    // Blanks at the end of a line do not separate.
                    if self.cut.separator == Separator::Blanks {
                        self.skip_blanks();
                        if self.rest().first().is_none_or(|&byte| is_end(byte)) {
                            return Ok(());
                        }
                    } else {
                        self.at += 1;
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// One cell, up to the separator or line end.
    fn cell(&mut self) -> Result<(), DataError> {
        let from = self.at;
        self.skip_blanks();
        let quoted = self.rest().first() == Some(&self.cut.quote);
        let start = self.unquoted.len();
        let mut simple = false;
        if quoted {
            simple = self.quoted_part()?;
        } else if self.cut.separator != Separator::Blanks {
            self.at = from;
        }
        let separator = self.cut.separator;
        let length = self.rest().iter().position(|&byte| separator.is(byte) || is_end(byte)).unwrap_or(self.rest().len());
        let tail = &self.text[self.at..self.at + length];
        if quoted {
            simple &= tail.trim().is_empty();
            self.unquoted.push_str(tail);
            if simple {
                self.unquoted.truncate(start);
            } else {
                self.quoted.push((self.ends.len() as u32, self.unquoted.len() as u32));
            }
        }
        self.at += length;
        self.ends.push(self.at as u32);
        Ok(())
    }

    /// The content of quotes, in which a doubled quote stands for one. Whether it is a piece of the text.
    fn quoted_part(&mut self) -> Result<bool, DataError> {
        let (opened, from, quote) = (self.line, self.at, self.cut.quote);
        let mut simple = true;
        loop {
            self.at += 1;
            let Some(length) = self.rest().iter().position(|&byte| byte == quote) else {
                let expected = format!("a closing quote for the one opened on line {opened}");
                let got = format!("the file ends before one; it begins with {:?}", shown(&self.text[from..]));
                let advice = "close the quote, or write two for one that is part of the text";
                return Err(DataError::format(self.name, expected, got, advice));
            };
            let part = &self.text[self.at..self.at + length];
            self.unquoted.push_str(part);
            self.line += ends_in(part);
            self.at += length + 1;
            if self.rest().first() != Some(&quote) {
                return Ok(simple);
            }
            simple = false;
            self.unquoted.push(char::from(quote));
        }
    }

    fn skip_blanks(&mut self) {
        let tabs = self.cut.separator == Separator::Blanks;
        self.at += self.rest().iter().take_while(|&&byte| byte == b' ' || tabs && byte == b'\t').count();
    }

    /// Skips `\n`, `\r` or both.
    fn end_of_line(&mut self) {
        let rest = self.rest();
        self.at += if rest.starts_with(b"\r\n") { 2 } else { usize::from(!rest.is_empty()) };
        self.line += 1;
    }
}

fn is_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// Line ends in a text.
fn ends_in(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let ends = |&(at, &byte): &(usize, &u8)| byte == b'\n' || byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    bytes.iter().enumerate().filter(ends).count() as u32
}
