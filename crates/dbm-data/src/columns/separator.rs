//! What separates the cells of a line.

use super::cells::{is_missing, number};

/// Number of lines examined.
pub const LOOK: usize = 50;

/// What separates two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// One byte with this value.
    Byte(u8),
    /// Any number of blanks and tabs.
    Blanks,
}

impl Separator {
    pub fn is(self, byte: u8) -> bool {
        match self {
            Self::Byte(separator) => byte == separator,
            Self::Blanks => byte == b' ' || byte == b'\t',
        }
    }

    /// What is written between two cells.
    pub fn byte(self) -> u8 {
        match self {
            Self::Byte(separator) => separator,
            Self::Blanks => b' ',
        }
    }

    /// Whether a comma is part of a cell, and so may be a decimal comma.
    pub fn leaves_commas(self) -> bool {
        self != Self::Byte(b',')
    }

    /// The first of tab, semicolon and comma that splits the first lines into equally many cells, two or more. If none does, the one that
    /// is most frequent in the first line. If none occurs, blanks, if they split all lines equally or separate numbers. Quoted text does
    /// not count.
    pub fn of(text: &str) -> Self {
        let lines = first_lines(text);
        let counts = |separator: u8| lines.iter().map(move |line| line.bytes().filter(|&byte| byte == separator).count());
        let candidates = [b'\t', b';', b','];
        for separator in candidates {
            let first = counts(separator).next().unwrap_or(0);
            if first > 0 && counts(separator).all(|count| count == first) {
                return Self::Byte(separator);
            }
        }
        let first = |separator: u8| counts(separator).next().unwrap_or(0);
        if let Some(most) =
            candidates.into_iter().max_by_key(|&separator| first(separator)).filter(|&separator| first(separator) > 0)
        {
            return Self::Byte(most);
        }
        let cells = |line: &String| line.split_ascii_whitespace().count();
        let alike = lines.iter().all(|line| cells(line) == lines.first().map_or(0, cells));
        let numbers = |line: &String| line.split_ascii_whitespace().all(|cell| is_missing(cell) || number(cell, false).is_some());
        let several = lines.iter().any(|line| cells(line) > 1);
        if several && (alike || lines.iter().any(numbers)) { Self::Blanks } else { Self::Byte(b',') }
    }
}

/// The first non-empty lines, skipping comments, with quoted text replaced by `q`.
fn first_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = Vec::new();
    let (mut quoted, mut before) = (false, b',');
    let mut bytes = text.bytes().peekable();
    while lines.len() < LOOK {
        let byte = bytes.next();
        match byte {
            None | Some(b'\n' | b'\r') if !quoted || byte.is_none() => {
                if !line.trim_ascii().is_empty() && !line.starts_with(b"#") {
                    // Bytes beyond ASCII do not matter here.
                    lines.push(String::from_utf8_lossy(&line).into_owned());
                }
                line.clear();
                before = b',';
                if byte.is_none() {
                    break;
                }
                continue;
            }
            Some(b'"') if quoted => quoted = false,
            // A quote opens a cell only where a cell can begin; a doubled one inside quotes opens them again.
            Some(b'"') if matches!(before, b',' | b';' | b'\t' | b' ' | b'"') && !line.starts_with(b"#") => {
                quoted = true;
                line.push(b'q');
            }
            Some(byte) if !quoted => line.push(byte),
            _ => {}
        }
        before = byte.unwrap_or(b',');
    }
    lines
}
