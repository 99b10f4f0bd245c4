//! A table as read.

use super::cells::is_missing;
use super::header::Header;
use super::parse::Cells;
use super::separator::{LOOK as SEPARATOR_ROWS, Separator};
use crate::visible::ColumnKind;

/// A table as read: its cells as text, so that what is known can be written back as it came.
///
/// It takes the bytes of its cells, 4 more a cell, 4 a row and some hundred a column: 70 000 x 784 cells of one digit each take 275 MB. Reading
/// takes no more beside the text, and for no text more than 7 bytes for each of its bytes and those of the columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub(super) cells: Cells,
    pub(super) header: Header,
    pub(super) names: Vec<String>,
    pub(super) kinds: Vec<ColumnKind>,
    pub(super) notes: Vec<String>,
    /// The text began with a byte order mark.
    pub(super) mark: bool,
    /// Its lines ended in CR LF.
    pub(super) crlf: bool,
}

impl Table {
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
