//! CSV and its kin: text rows of 0 and 1.

use crate::DataError;
use crate::gzip::MAX_DATA;
use csv::{ReaderBuilder, StringRecord, Trim};

/// Rows of bits, all of one width.
///
/// ```
/// use dbm_data::table::Table;
/// let table = Table::read("x.csv", "a;b\n0;1\n1;1\n")?;
/// assert_eq!((table.width, table.bits), (2, vec![0, 1, 1, 1]));
/// # Ok::<(), dbm_data::DataError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Columns.
    pub width: usize,
    /// Row-major bytes 0 and 1.
    pub bits: Vec<u8>,
}

impl Table {
    /// Reads text whose cells are 0 and 1, in any notation of numbers (`1`, `1.0`, `1e0`), quoted or not.
    ///
    /// The separator is whichever of comma, semicolon and tab comes most often in the first line, or else blanks. A first row
    /// without any 0 or 1, or that counts 0, 1, 2, ... beyond 1 (as pandas writes it), is a header and is passed over; so
    /// are empty lines and lines beginning with `#`.
    ///
    /// # Errors
    /// [`DataError::Cell`] and [`DataError::Ragged`] naming the first line that does not fit, [`DataError::Empty`] for no
    /// rows, [`DataError::TooLarge`] beyond [`MAX_DATA`].
    pub fn read(name: &str, text: &str) -> Result<Self, DataError> {
        let text = text.trim_start_matches('\u{feff}');
        if text.len() > MAX_DATA {
            return Err(DataError::TooLarge { name: name.into(), needed: text.len() as u128, limit: MAX_DATA as u128 });
        }
        let separator = separator(text);
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .comment(Some(b'#'))
            .trim(Trim::All)
            .delimiter(separator)
            .from_reader(text.as_bytes());
        let mut table = Self { width: 0, bits: Vec::new() };
        let mut record = StringRecord::new();
        let mut first = true;
        loop {
            let more = reader.read_record(&mut record).map_err(|error| DataError::Format {
                name: name.into(),
                expected: "rows of 0 and 1".into(),
                got: error.to_string(),
                advice: "save the file as plain CSV",
            })?;
            if !more {
                break;
            }
            let cells: Vec<&str> = record.iter().filter(|cell| separator != b' ' || !cell.is_empty()).collect();
            let blank = cells.iter().all(|cell| cell.is_empty());
            if blank || std::mem::take(&mut first) && is_header(&cells) {
                continue;
            }
            table.push(name, &cells, || line_of(&record, text))?;
        }
        if table.bits.is_empty() {
            return Err(DataError::Empty { name: name.into() });
        }
        Ok(table)
    }

    fn push(&mut self, name: &str, cells: &[&str], line: impl Fn() -> u64) -> Result<(), DataError> {
        let start = self.bits.len();
        for (column, cell) in cells.iter().enumerate() {
            self.bits.push(bit(cell).ok_or_else(|| DataError::Cell {
                name: name.into(),
                line: line(),
                column: column + 1,
                got: cell.chars().take(40).collect(),
            })?);
        }
        if start == 0 {
            self.width = cells.len();
        } else if self.width != cells.len() {
            return Err(DataError::Ragged { name: name.into(), line: line(), expected: self.width, got: cells.len() });
        }
        Ok(())
    }
}

/// The line a record stands on. Its position is where the one before it ended, so passed-over lines are to be added.
fn line_of(record: &StringRecord, text: &str) -> u64 {
    let Some(position) = record.position() else { return 0 };
    let rest = text.get(position.byte() as usize..).unwrap_or("");
    let passed_over = rest.lines().take_while(|line| line.trim().is_empty() || line.starts_with('#')).count();
    position.line() + passed_over as u64
}

fn bit(cell: &str) -> Option<u8> {
    match cell {
        "0" => Some(0),
        "1" => Some(1),
        _ => match cell.parse::<f64>() {
            Ok(0.0) => Some(0),
            Ok(1.0) => Some(1),
            _ => None,
        },
    }
}

fn is_header(cells: &[&str]) -> bool {
    let names = cells.iter().all(|cell| bit(cell).is_none());
    let numbers = cells.len() > 2 && cells.iter().enumerate().all(|(i, cell)| cell.parse() == Ok(i));
    numbers || names && cells.iter().all(|cell| cell.parse::<f64>().is_err())
}

fn separator(text: &str) -> u8 {
    let line = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#')).unwrap_or("");
    let count = |separator: u8| line.bytes().filter(|&byte| byte == separator).count();
    let most = [b'\t', b';', b','].into_iter().max_by_key(|&separator| count(separator));
    most.filter(|&separator| count(separator) > 0).unwrap_or(b' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::refusal;
    use proptest::prelude::*;

    fn read(text: &str) -> (usize, Vec<u8>) {
        let table = Table::read("x", text).unwrap();
        (table.width, table.bits)
    }

    #[test]
    fn many_notations_are_one_table() {
        let expected = (3, vec![0, 1, 1, 1, 0, 0]);
        for text in [
            "0,1,1\n1,0,0\n",
            "0;1;1\r\n1;0;0",
            "0\t1\t1\n\n1\t0\t0\n",
            "  0 1   1 \n1 0 0\n",
            "\u{feff}a,b,c\n0,1,1\n1,0,0",
            "0,1,2\n0,1,1\n1,0,0",
            "\"0\",\"1\",\"1\"\n\"1\",\"0\",\"0\"",
            "# from numpy\n0.0e+00 1.0e+00 1.0\n1 0 -0\n",
            "0, 1, 1\n1, 0, 0\n",
        ] {
            assert_eq!(read(text), expected, "{text:?}");
        }
        assert_eq!(read("0\n1\n"), (1, vec![0, 1]));
    }

    #[test]
    fn the_first_misfit_is_named() {
        let message = refusal(Table::read("my.csv", "a,b\r\n0,1\n\n# why\n1,7\n"));
        assert!(message.contains("my.csv: line 5, column 2: expected 0 or 1, but \"7\""), "{message}");
        assert!(refusal(Table::read("x", "0,1\n0,\n")).contains("line 2, column 2: expected 0 or 1, but \"\""));
        assert!(refusal(Table::read("x", "0,5\n0,1\n")).contains("line 1, column 2"));
        assert!(refusal(Table::read("x", "3,5\n0,1\n")).contains("line 1, column 1"));
        assert!(refusal(Table::read("x", "0,1\nnan,1\n")).contains("\"nan\""));
        let message = refusal(Table::read("x", "0,1,1\n0,1\n"));
        assert!(message.contains("line 2: expected 3 columns as in the first row, but 2"), "{message}");
        for empty in ["", "\n \n", "name,other\n", "# nothing\n"] {
            assert!(refusal(Table::read("x", empty)).contains("at least one example"));
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(width in 1_usize..9, rows in 1_usize..9, seed: u64, separator in prop::sample::select(vec![",", ";", "\t", " ", "  "])) {
            let bits: Vec<u8> = (0..width * rows).map(|i| (seed.rotate_left(i as u32) & 1) as u8).collect();
            let lines: Vec<String> =
                bits.chunks(width).map(|row| row.iter().map(u8::to_string).collect::<Vec<_>>().join(separator)).collect();
            prop_assert_eq!(Table::read("x", &lines.join("\n")).unwrap(), Table { width, bits });
        }

        #[test]
        fn no_text_panics(text: String, table in "[01,; \"\n\t#a]{0,40}") {
            let _ = Table::read("x", &text);
            let _ = Table::read("x", &table);
        }
    }
}
