//! What separates the cells of a line.

use super::cells::{is_missing, number};

/// Number of lines examined.
pub const LOOK: usize = 50;

/// What separates two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// One byte of ASCII with this value.
    Byte(u8),
    /// Any number of blanks and tabs.
    Blanks,
}

/// The separators that are looked for, the most telling first.
const CANDIDATES: [u8; 4] = [b'\t', b';', b',', b'|'];

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

    /// The same as a character, a blank for [`Separator::Blanks`].
    pub fn char(self) -> char {
        char::from(self.byte())
    }

    /// The inverse of [`Separator::char`]; `None` for a character that cannot separate cells.
    pub fn from_char(character: char) -> Option<Self> {
        match character {
            ' ' => Some(Self::Blanks),
            '"' | '\n' | '\r' => None,
            _ if character.is_ascii() && !character.is_ascii_alphanumeric() => Some(Self::Byte(character as u8)),
            _ => None,
        }
    }

    /// The first of tab, semicolon, comma and bar that splits the first lines into equally many cells, two or more. If none does, the one
    /// that splits most of them equally, if they are at least half; else the one that is most frequent in the first line. If none occurs,
    /// blanks, if they split all lines equally (the first one may lack a cell) or separate numbers. Quoted text does not count.
    pub fn of(text: &str) -> Self {
        let lines = first_lines(text);
        let counts = |separator: u8| lines.iter().map(move |line| line.bytes().filter(|&byte| byte == separator).count());
        // A heading that begins with # is a line like the others; a comment is not.
        let best = CANDIDATES
            .into_iter()
            .map(|separator| {
                let counts: Vec<usize> = counts(separator).collect();
                (separator, most_frequent(&counts))
            })
            .filter(|&(_, (count, lines))| count > 0 && lines > 0)
            // The first of equals.
            .rev()
            .max_by_key(|&(_, (_, lines))| lines);
        if let Some((separator, (_, alike))) = best
            && 2 * alike >= lines.len()
        {
            return Self::Byte(separator);
        }
        let first = |separator: u8| counts(separator).next().unwrap_or(0);
        let most = CANDIDATES.into_iter().max_by_key(|&separator| first(separator)).filter(|&separator| first(separator) > 0);
        if let Some(most) = most {
            return Self::Byte(most);
        }
        let cells = |line: &String| line.split_ascii_whitespace().count();
        // R writes no name above row names.
        let usual = lines.last().map_or(0, cells);
        let alike =
            lines.iter().enumerate().all(|(at, line)| cells(line) == usual || at == 0 && usual > 1 && cells(line) + 1 == usual);
        let numbers = |line: &String| line.split_ascii_whitespace().all(|cell| is_missing(cell) || number(cell, '.').is_some());
        let several = lines.iter().any(|line| cells(line) > 1);
        if several && (alike || lines.iter().any(numbers)) { Self::Blanks } else { Self::Byte(b',') }
    }
}

/// The most frequent number, and how often it occurs; the first of equals.
fn most_frequent(numbers: &[usize]) -> (usize, usize) {
    let often = |number: usize| numbers.iter().filter(|&&other| other == number).count();
    let counted = numbers.iter().map(|&number| (number, often(number)));
    counted.rev().max_by_key(|&(_, often)| often).unwrap_or((0, 0))
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
            Some(b'"') if matches!(before, b',' | b';' | b'\t' | b' ' | b'"' | b'|') && !line.starts_with(b"#") => {
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
