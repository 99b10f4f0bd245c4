//! A table as read.

use super::cells::is_missing;
use super::header::Header;
use super::parse::Cells;
use super::separator::{LOOK as SEPARATOR_ROWS, Separator};
use crate::visible::ColumnKind;

/// A table as read: its cells as text, so that known cells can be written back unchanged.
///
/// It takes the bytes of its cells, plus 4 per cell, 4 per row and some hundred per column: 70 000 x 784 cells of one digit each take 275
/// MB. Reading takes no more in addition to the text, and for no text more than 7 bytes for each of its bytes and those of the columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub(super) cells: Cells,
    pub(super) header: Header,
    pub(super) names: Vec<String>,
    pub(super) kinds: Vec<ColumnKind>,
    pub(super) notes: Vec<String>,
    /// Whether the text began with a byte order mark.
    pub(super) mark: bool,
    /// Whether its lines ended in CR LF.
    pub(super) crlf: bool,
}

impl Table {
    /// Number of rows, without the header; at least one.
    pub fn n_rows(&self) -> usize {
        self.cells.rows() - self.header.rows()
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

    /// As in the header.
    pub(super) fn heading(&self, column: usize) -> Option<&str> {
        (self.header != Header::None).then(|| self.cells.get(0, column))
    }

    /// Whether the first row is names, including pandas' column numbers.
    pub fn has_header(&self) -> bool {
        self.header != Header::None
    }

    /// Whether the columns have distinguishing names, not only numbers.
    pub fn has_names(&self) -> bool {
        self.header == Header::Names
    }

    /// A cell, without surrounding blanks.
    ///
    /// # Panics
    /// If row or column is out of range.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        self.cells.get(row + self.header.rows(), column)
    }

    /// A cell as written; row `None` is the header.
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

    /// The line on which a row begins, from 1.
    pub fn line(&self, row: usize) -> u64 {
        u64::from(self.cells.line(row + self.header.rows()))
    }

    /// Whether commas may be decimal commas.
    pub(super) fn comma(&self) -> bool {
        self.cells.separator.leaves_commas()
    }

    /// What was detected or left out that the visitor should know, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Writes the table in its own form (separator, header, line ends, byte order mark), with each cell from `cell` or, failing that, as it
    /// was. Cells are quoted if necessary.
    pub(super) fn write<'a>(
        &'a self,
        mut out: impl std::io::Write,
        mut cell: impl FnMut(usize, usize) -> Option<&'a str>,
    ) -> std::io::Result<()> {
        // If the first cell begins with the mark, it would be taken for the table's.
        let first = self.raw(if self.has_header() { None } else { Some(0) }, 0);
        if self.mark || first.starts_with('\u{feff}') {
            out.write_all("\u{feff}".as_bytes())?;
        }
        // If another separator in the first cells would be taken for the table's, all cells are quoted.
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

    /// The table as CSV, in its own form.
    pub fn to_csv(&self) -> Vec<u8> {
        in_memory(|bytes| self.write(bytes, |_, _| None))
    }
}

/// Output to a vector, which never fails.
pub(super) fn in_memory(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Vec<u8> {
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
        shown.push(format!("And so of {more} more columns."));
    }
    shown
}

/// Whether a cell in a column of this kind is missing: `-` is not missing if the column uses it as a value.
pub(super) fn is_gap(cell: &str, kind: &ColumnKind) -> bool {
    is_missing(cell)
        && !(cell == "-"
            && match kind {
                ColumnKind::Binary { low, high } => low == "-" || high == "-",
                ColumnKind::Category { levels } => levels.iter().any(|level| level == "-"),
                ColumnKind::Number { .. } | ColumnKind::Ignored => false,
            })
}
