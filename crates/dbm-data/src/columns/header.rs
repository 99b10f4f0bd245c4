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

/// The rows of a table that are no data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Whether the first row that is left names the columns.
    pub header: Header,
    /// Rows to set aside, in order, with the reason for each.
    pub aside: Vec<(usize, &'static str)>,
}

impl Header {
    /// Number of header rows: 0 or 1.
    pub fn rows(self) -> usize {
        usize::from(self != Self::None)
    }

    /// The rules for the row `first`, in order:
    ///
    /// 1. Numbers counting from 0 to at least 2, possibly after an empty cell, are pandas' column numbers.
    /// 2. A row with nothing known below it is a header if it contains only words.
    /// 3. A cell that appears again in its column makes the row data, unless the whole row appears again.
    /// 4. A non-number above numbers, or another word above a pair of words (yes and no), makes it a header; so do years that count up.
    /// 5. Numbers above numbers, and such words above such words, make it data.
    /// 6. What remains are words above words: a header if all differ and some column below repeats itself, or if only the first cell is
    ///    empty.
    pub fn of(cells: &Cells, decimal: char, first: usize) -> Self {
        if counts(cells, first) {
            return Self::Counting;
        }
        let number = |cell: &str| number(cell, decimal).is_some();
        let row = || (0..cells.width()).map(|column| cells.get(first, column));
        let is_word = |cell: &str| !is_missing(cell) && !number(cell) && word(cell).is_none();
        let again = again(cells, first);
        let below = || (first + 1..cells.rows().min(first + LOOK + 1)).filter(|row| again.binary_search(row).is_err());
        if !again.is_empty() && below().next().is_none() {
            return Self::None;
        }
        let known = |column: usize| below().map(move |row| cells.get(row, column)).filter(|cell| !is_missing(cell));
        if (0..cells.width()).all(|column| known(column).next().is_none()) {
            return if row().all(is_word) { Self::Names } else { Self::None };
        }
        let mut distinct = HashSet::new();
        let named = row().filter(|cell| !is_missing(cell)).all(|cell| distinct.insert(cell));
        let years = are_years(row());
        let (mut spoiled, mut fits, mut repeats) = (years, false, false);
        for (column, cell) in row().enumerate() {
            if is_missing(cell) {
                continue;
            }
            if known(column).any(|other| other == cell) {
                return Self::None;
            }
            if let Some(values) = Values::of(decimal, &known(column)) {
                let fit = values == Values::Numbers && number(cell)
                    || matches!((values, word(cell)), (Values::Words(of), Some((pair, _))) if pair == of);
                spoiled |= !fit;
                fits |= fit && !years;
            } else {
                let distinct: HashSet<&str> = known(column).collect();
                repeats |= distinct.len() < known(column).count();
            }
        }
        let words = || repeats && cells.rows() - first > WORDS && row().skip(1).all(|cell| !is_missing(cell));
        // As pandas writes an unnamed index.
        let indexed = || cells.width() > 1 && cells.get(first, 0).is_empty() && row().skip(1).all(is_word);
        if spoiled || named && (!fits && words() || indexed()) { Self::Names } else { Self::None }
    }
}

impl Heading {
    /// The heading of a table: its first row, or the second if the first one only groups columns and leaves cells empty. A row of units or
    /// explanations below the names, and the names where they come again, are no data either.
    pub fn of(cells: &Cells, decimal: char) -> Self {
        let mut aside = Vec::new();
        let row = |row: usize| (0..cells.width()).map(move |column| cells.get(row, column));
        let is_number = |cell: &str| number(cell, decimal).is_some();
        let mut first = 0;
        let groups = cells.rows() > 2
            && row(0).skip(1).any(str::is_empty)
            && !row(0).any(is_number)
            && row(1).all(|cell| !is_missing(cell) && !is_number(cell))
            && Header::of(cells, decimal, 1) == Header::Names;
        if groups {
            aside.push((0, "is above the heading"));
            first = 1;
        }
        let mut header = Header::of(cells, decimal, first);
        let mut distinct = HashSet::new();
        let words = |cell: &str| !is_missing(cell) && !is_number(cell);
        if header == Header::None
            && row(first).all(|cell| words(cell) && distinct.insert(cell))
            && continues(cells, decimal, first + 1)
        {
            header = Header::Names;
        }
        aside.extend(Self::further(cells, decimal, first, header));
        Self { header, aside }
    }

    /// The rows below the heading `first` that belong to it.
    pub fn further(cells: &Cells, decimal: char, first: usize, header: Header) -> Vec<(usize, &'static str)> {
        let mut aside = Vec::new();
        if header != Header::Names {
            return aside;
        }
        let again = again(cells, first);
        if !again.contains(&(first + 1)) && continues(cells, decimal, first + 1) {
            aside.push((first + 1, "continues the heading"));
        }
        aside.extend(again.into_iter().map(|row| (row, "repeats the heading")));
        aside
    }
}

/// Whether a row below the names has only words, some of them above columns of nothing but numbers.
fn continues(cells: &Cells, decimal: char, row: usize) -> bool {
    if cells.rows() < row + 3 {
        return false;
    }
    let below = || row + 1..cells.rows().min(row + LOOK + 1);
    let is_number = |cell: &str| number(cell, decimal).is_some();
    let mut strange = 0;
    for column in 0..cells.width() {
        let cell = cells.get(row, column);
        let known = || below().map(|row| cells.get(row, column)).filter(|cell| !is_missing(cell));
        if is_number(cell) || !cell.is_empty() && known().any(|other| other == cell) {
            return false;
        }
        strange += usize::from(!is_missing(cell) && known().next().is_some() && known().all(is_number));
    }
    // One word in a row of gaps is more likely a mistake in it.
    strange > 1 || strange == 1 && (0..cells.width()).all(|column| !is_missing(cells.get(row, column)))
}

/// The rows that are the same as this one, if it has no gap.
fn again(cells: &Cells, first: usize) -> Vec<usize> {
    let same = |&row: &usize| (0..cells.width()).all(|column| cells.get(row, column) == cells.get(first, column));
    if (0..cells.width()).any(|column| is_missing(cells.get(first, column))) {
        return Vec::new();
    }
    (first + 1..cells.rows()).filter(same).collect()
}

/// What a column contains if it is not text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Numbers,
    Words(usize),
}

impl Values {
    fn of<'a>(decimal: char, known: &(impl Iterator<Item = &'a str> + Clone)) -> Option<Self> {
        let first = known.clone().next()?;
        if known.clone().all(|cell| number(cell, decimal).is_some()) {
            return Some(Self::Numbers);
        }
        let (pair, _) = word(first)?;
        known.clone().all(|cell| word(cell).is_some_and(|(of, _)| of == pair)).then_some(Self::Words(pair))
    }
}

fn counts(cells: &Cells, first: usize) -> bool {
    if cells.rows() <= first {
        return false;
    }
    let index = usize::from(cells.get(first, 0).is_empty());
    cells.width() > 2 + index && (index..cells.width()).all(|column| cells.get(first, column).parse() == Ok(column - index))
}

/// Whether the numbers of a row, two or more, are years that count up in equal steps.
fn are_years<'a>(row: impl Iterator<Item = &'a str>) -> bool {
    let years: Vec<u32> = row.filter_map(|cell| cell.parse().ok()).collect();
    let step = years.get(1).copied().unwrap_or(0).saturating_sub(years.first().copied().unwrap_or(0));
    step > 0
        && years.iter().all(|year| (1500..2200).contains(year))
        && years.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(step))
}
