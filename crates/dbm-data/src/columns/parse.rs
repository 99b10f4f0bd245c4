//! Splits text into rows of cells.

use super::cells::shown;
use super::separator::Separator;
use crate::DataError;
use crate::error::check_size;

/// Tables with more columns are refused.
pub const MAX_COLUMNS: usize = 100_000;

/// All cells of a text, row by row: the bytes of each, plus 4 per cell and 4 per row.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    text: String,
    /// Where each cell ends in `text`.
    ends: Vec<u32>,
    /// The line on which each row begins, from 1.
    lines: Vec<u32>,
    width: usize,
    /// Number of lines beginning with `#`, which are not rows.
    pub comments: usize,
    pub separator: Separator,
}

impl Cells {
    pub fn rows(&self) -> usize {
        self.lines.len()
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn line(&self, row: usize) -> u32 {
        self.lines[row]
    }

    /// As written, including surrounding blanks.
    pub fn raw(&self, row: usize, column: usize) -> &str {
        let at = row * self.width + column;
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.text[start..self.ends[at] as usize]
    }

    /// Without surrounding blanks.
    pub fn get(&self, row: usize, column: usize) -> &str {
        let raw = self.raw(row, column);
        if raw.len() == 1 && raw != " " { raw } else { raw.trim() }
    }

    /// Splits a text, which has no byte order mark.
    pub fn parse(name: &str, text: &str) -> Result<Self, DataError> {
        check_size(name, text.len() as u128)?;
        let separator = Separator::of(text);
        let mut parser = Parser {
            name,
            text,
            at: 0,
            line: 1,
            cells: Self { text: String::new(), ends: Vec::new(), lines: Vec::new(), width: 0, comments: 0, separator },
        };
        // The maximum number of cells, and the rest of the text for them: exact if nothing is quoted.
        let between = text.bytes().filter(|&byte| separator.is(byte) || byte == b'\n' || byte == b'\r').count();
        parser.reserve(between + 1, text.len() - between)?;
        while parser.at < text.len() {
            parser.row()?;
        }
        parser.cells.ends.shrink_to_fit();
        parser.cells.text.shrink_to_fit();
        Ok(parser.cells)
    }
}

struct Parser<'a> {
    name: &'a str,
    text: &'a str,
    at: usize,
    line: u32,
    cells: Cells,
}

impl Parser<'_> {
    fn reserve(&mut self, cells: usize, bytes: usize) -> Result<(), DataError> {
        let full = |_| DataError::memory(self.name, 4 * cells + bytes);
        self.cells.ends.try_reserve_exact(cells).map_err(full)?;
        self.cells.text.try_reserve(bytes).map_err(full)
    }

    fn rest(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// One row, or one line that is skipped.
    fn row(&mut self) -> Result<(), DataError> {
        let end = self.rest().iter().position(|&byte| is_end(byte)).unwrap_or(self.rest().len());
        let line = &self.rest()[..end];
        let comment = line.first() == Some(&b'#');
        // In a tab-separated table, a line of only tabs is a row of missing cells.
        let blank = |byte: &u8| *byte == b' ' || *byte == b'\t' && self.cells.separator != Separator::Byte(b'\t');
        if comment || line.iter().all(blank) {
            self.cells.comments += usize::from(comment);
            self.at += end;
            self.end_of_line();
            return Ok(());
        }
        let (began, first) = (self.line, self.cells.ends.len());
        loop {
            self.cell()?;
            match self.rest().first() {
                Some(&byte) if self.cells.separator.is(byte) => self.at += 1,
                _ => break,
            }
            // Blanks at the end of a line do not separate.
            if self.cells.separator == Separator::Blanks {
                self.skip_blanks();
                if self.rest().first().is_none_or(|&byte| is_end(byte)) {
                    break;
                }
            }
        }
        self.end_of_line();
        self.cells.lines.push(began);
        let got = self.cells.ends.len() - first;
        if first == 0 {
            self.cells.width = got;
        }
        if got != self.cells.width {
            let expected = format!("{} columns as in the first row", self.cells.width);
            let advice = "every row needs the same number, and a cell with a separator in it needs quotes";
            return Err(DataError::part(self.name, &format!("line {began}"), expected, format!("got {got}"), advice));
        }
        if got > MAX_COLUMNS {
            let (expected, got) = (format!("at most {MAX_COLUMNS} columns"), format!("line {began} has {got}"));
            let advice = "use fewer columns, or write the values as an array (NPY)";
            return Err(DataError::format(self.name, expected, got, advice));
        }
        Ok(())
    }

    /// One cell, up to the separator or line end.
    fn cell(&mut self) -> Result<(), DataError> {
        let from = self.at;
        self.skip_blanks();
        if self.rest().first() == Some(&b'"') {
            self.quoted()?;
        } else if self.cells.separator != Separator::Blanks {
            self.at = from;
        }
        let separator = self.cells.separator;
        let length = self.rest().iter().position(|&byte| separator.is(byte) || is_end(byte)).unwrap_or(self.rest().len());
        self.cells.text.push_str(&self.text[self.at..self.at + length]);
        self.at += length;
        self.cells.ends.push(self.cells.text.len() as u32);
        Ok(())
    }

    /// The content of quotes, in which a doubled quote stands for one.
    fn quoted(&mut self) -> Result<(), DataError> {
        let (opened, from) = (self.line, self.at);
        loop {
            self.at += 1;
            let Some(length) = self.rest().iter().position(|&byte| byte == b'"') else {
                let expected = format!("a closing quote for the one opened on line {opened}");
                let got = format!("the file ends before one; it begins with {:?}", shown(&self.text[from..]));
                let advice = "close the quote, or write two for one that is part of the text";
                return Err(DataError::format(self.name, expected, got, advice));
            };
            let part = &self.text[self.at..self.at + length];
            self.cells.text.push_str(part);
            self.line += ends_in(part);
            self.at += length + 1;
            if self.rest().first() != Some(&b'"') {
                return Ok(());
            }
            self.cells.text.push('"');
        }
    }

    fn skip_blanks(&mut self) {
        let tabs = self.cells.separator == Separator::Blanks;
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
