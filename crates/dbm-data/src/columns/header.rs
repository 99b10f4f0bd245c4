//! Whether the first row names the columns.

use super::cells::{is_missing, number, word};
use super::parse::Cells;
use std::collections::HashSet;

/// Number of rows examined.
const LOOK: usize = 1000;

/// With fewer rows of only words, names cannot be recognized.
const WORDS: usize = 3;

/// Kinds of first row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// An ordinary row.
    None,
    /// 0, 1, 2, ..., as pandas numbers unnamed columns.
    Counting,
    /// Names of the columns.
    Names,
}

impl Header {
    /// Number of header rows: 0 or 1.
    pub fn rows(self) -> usize {
        usize::from(self != Self::None)
    }

    /// The rules, in order:
    ///
    /// 1. Numbers counting from 0 to at least 2, possibly after an empty cell, are pandas' column numbers.
    /// 2. A row with nothing known below it is a header if it contains only words.
    /// 3. A cell that appears again in its column makes the row data.
    /// 4. A non-number above numbers, or another word above a pair of words (yes and no), makes it a header, if no two of its cells are the
    ///    same.
    /// 5. Numbers above numbers, and such words above such words, make it data.
    /// 6. What remains are words above words: a header if all differ and some column below repeats itself, or if only the first cell is
    ///    empty.
    pub fn of(cells: &Cells) -> Self {
        if counts(cells) {
            return Self::Counting;
        }
        let first = || (0..cells.width()).map(|column| cells.get(0, column));
        let is_word =
            |cell: &str| !is_missing(cell) && number(cell, cells.separator.leaves_commas()).is_none() && word(cell).is_none();
        let below = || 1..cells.rows().min(LOOK + 1);
        let known = |column: usize| below().map(move |row| cells.get(row, column)).filter(|cell| !is_missing(cell));
        if (0..cells.width()).all(|column| known(column).next().is_none()) {
            return if first().all(is_word) { Self::Names } else { Self::None };
        }
        let mut distinct = HashSet::new();
        let named = first().filter(|cell| !is_missing(cell)).all(|cell| distinct.insert(cell));
        let (mut spoiled, mut fits, mut repeats) = (false, false, false);
        for (column, cell) in first().enumerate() {
            if is_missing(cell) {
                continue;
            }
            if known(column).any(|other| other == cell) {
                return Self::None;
            }
            if let Some(values) = Values::of(cells, &known(column)) {
                let fit = values == Values::Numbers && number(cell, cells.separator.leaves_commas()).is_some()
                    || matches!((values, word(cell)), (Values::Words(of), Some((pair, _))) if pair == of);
                spoiled |= !fit;
                fits |= fit;
            } else {
                let distinct: HashSet<&str> = known(column).collect();
                repeats |= distinct.len() < known(column).count();
            }
        }
        let words = || repeats && cells.rows() > WORDS && first().skip(1).all(|cell| !is_missing(cell));
        // As pandas writes an unnamed index.
        let indexed = || cells.width() > 1 && cells.get(0, 0).is_empty() && first().skip(1).all(is_word);
        if named && (spoiled || !fits && words() || indexed()) { Self::Names } else { Self::None }
    }
}

/// What a column contains if it is not text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Numbers,
    Words(usize),
}

impl Values {
    fn of<'a>(cells: &Cells, known: &(impl Iterator<Item = &'a str> + Clone)) -> Option<Self> {
        let first = known.clone().next()?;
        if known.clone().all(|cell| number(cell, cells.separator.leaves_commas()).is_some()) {
            return Some(Self::Numbers);
        }
        let (pair, _) = word(first)?;
        known.clone().all(|cell| word(cell).is_some_and(|(of, _)| of == pair)).then_some(Self::Words(pair))
    }
}

fn counts(cells: &Cells) -> bool {
    if cells.rows() == 0 {
        return false;
    }
    let index = usize::from(cells.get(0, 0).is_empty());
    cells.width() > 2 + index && (index..cells.width()).all(|column| cells.get(0, column).parse() == Ok(column - index))
}
