//! The kind of a column, inferred from its known cells.

use super::cells::{is_missing, number, other_number, other_word, shown, word};
use super::table::Table;
use crate::visible::ColumnKind;
use std::cmp::Ordering;
use std::collections::HashSet;

/// Up to this many distinct texts are the levels of a category.
const MOST_LEVELS: usize = 32;

/// Up to this many are levels even in a table with few rows.
const FEW_LEVELS: usize = 8;

/// Fewer consecutive numbers may be a coincidence.
const COUNTING: usize = 3;

/// A first column with one of these names holds row numbers, if it counts up.
const INDEX_NAMES: [&str; 6] = ["id", "index", "row", "nr", "no", "#"];

/// The distinct texts of a column, by first appearance, while there are few.
#[derive(Clone, Default)]
struct Survey<'a> {
    known: usize,
    numbers: usize,
    /// Including the number that each is, if any.
    texts: Vec<(&'a str, Option<f64>)>,
    /// There are more than `MOST_LEVELS` of them.
    many: bool,
    /// The first known cell that is not a number.
    stray: Option<usize>,
    dashes: bool,
}

impl<'a> Survey<'a> {
    fn see(&mut self, row: usize, cell: &'a str, comma: bool) {
        let value = match self.texts.iter().find(|(text, _)| *text == cell) {
            Some(&(_, value)) => value,
            None if is_missing(cell) => {
                self.dashes |= cell == "-";
                return;
            }
            None => {
                let value = number(cell, comma);
                if self.texts.len() < MOST_LEVELS {
                    self.texts.push((cell, value));
                } else {
                    self.many = true;
                }
                value
            }
        };
        self.known += 1;
        if value.is_some() {
            self.numbers += 1;
        } else {
            self.stray = self.stray.or(Some(row));
        }
    }
}

/// The kind of each column from its own cells, and what the visitor should know of it. All columns are scanned together, in the order in
/// which the cells are stored.
pub fn detect_all(table: &Table) -> Vec<(ColumnKind, Option<String>)> {
    let mut surveys = vec![Survey::default(); table.n_columns()];
    for row in 0..table.n_rows() {
        for (column, survey) in surveys.iter_mut().enumerate() {
            survey.see(row, table.cell(row, column), table.comma());
        }
    }
    surveys.into_iter().enumerate().map(|(column, survey)| detect(table, column, survey)).collect()
}

fn detect(table: &Table, column: usize, mut survey: Survey) -> (ColumnKind, Option<String>) {
    let name = table.name(column);
    let aside = |why: String| (ColumnKind::Ignored, Some(format!("Column {name:?} is set aside: {why}")));
    if column == 0 && table.n_columns() > 1 && is_index(table) {
        return aside("it numbers the rows.".into());
    }
    if survey.dashes && survey.texts.iter().all(|(text, _)| *text == "+") && !survey.texts.is_empty() {
        survey.texts.push(("-", None));
        survey.numbers = 0;
    }
    let distinct = survey.texts.len();
    if survey.texts.is_empty() {
        return aside("none of its cells is known.".into());
    }
    if survey.numbers == survey.known {
        let few = if survey.many { None } else { few_numbers(&survey.texts) };
        return (few.unwrap_or_else(|| number_kind(table, column, None)), None);
    }
    let texts: Vec<&str> = survey.texts.iter().map(|(text, _)| *text).collect();
    if !survey.many
        && let Some(kind) = words(&texts)
    {
        return (kind, None);
    }
    if !survey.many && distinct == 2 {
        let mut texts = [texts[0], texts[1]];
        texts.sort_by_key(|text| (text.to_lowercase(), *text));
        return (ColumnKind::Binary { low: texts[0].into(), high: texts[1].into() }, None);
    }
    if !survey.many && (distinct <= FEW_LEVELS || 2 * distinct < survey.known) {
        return (ColumnKind::Category { levels: texts.iter().map(|&text| text.into()).collect() }, None);
    }
    let words = survey.known - survey.numbers;
    match survey.stray {
        // Text among numbers is more likely a mistake.
        Some(row) if 2 * words < survey.known => aside(format!(
            "{} of its {} known cells are not numbers, the first on line {}: {:?}. Write NA there to use the others.",
            words,
            survey.known,
            table.line(row),
            shown(table.cell(row, column))
        )),
        _ => {
            let count = if survey.many { format!("more than {MOST_LEVELS}") } else { distinct.to_string() };
            aside(format!("it holds {count} different texts, too many for the levels of a category."))
        }
    }
}

/// A column with one pair of words, as the table writes them.
fn words(texts: &[&str]) -> Option<ColumnKind> {
    let (pair, _) = word(texts[0])?;
    let mut written: [Option<&str>; 2] = [None; 2];
    for text in texts {
        let (of, high) = word(text)?;
        if of != pair {
            return None;
        }
        written[usize::from(high)].get_or_insert(text);
    }
    let text = |high: bool| match (written[usize::from(high)], written[usize::from(!high)]) {
        (Some(text), _) => text.into(),
        (None, other) => other_word(pair, other.unwrap_or_default(), high),
    };
    Some(ColumnKind::Binary { low: text(false), high: text(true) })
}

/// A column of one or two numbers, written as at their first appearance: a single 0, 1 or -1 is binary too; any other single number is a
/// category of one level.
fn few_numbers(texts: &[(&str, Option<f64>)]) -> Option<ColumnKind> {
    let mut values: Vec<(f64, &str)> = Vec::new();
    for &(text, value) in texts {
        let value = value?;
        if values.iter().all(|&(seen, _)| seen != value) {
            values.push((value, text));
        }
    }
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    match values[..] {
        [(value, text)] => Some(match other_number(value, text) {
            Some((low, high)) => ColumnKind::Binary { low, high },
            None => ColumnKind::Category { levels: vec![text.into()] },
        }),
        [(_, low), (_, high)] => Some(ColumnKind::Binary { low: low.into(), high: high.into() }),
        _ => None,
    }
}

/// The kind of a column of only numbers, of which those above the threshold, or above their median, are high.
pub fn number_kind(table: &Table, column: usize, threshold: Option<f64>) -> ColumnKind {
    let value = |row: usize| {
        let cell = table.cell(row, column);
        if is_missing(cell) { None } else { number(cell, table.comma()) }
    };
    let mut values: Vec<(f64, usize)> = (0..table.n_rows()).filter_map(|row| Some((value(row)?, row))).collect();
    // None is NaN; 0 and -0 are one number, and keep the order of their rows.
    values.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1)));
    let text = |at: usize| table.cell(values[at].1, column).to_string();
    let Some((last, most)) = values.len().checked_sub(1).map(|last| (last, values[last].0)) else { return ColumnKind::Ignored };
    let threshold = threshold.unwrap_or_else(|| {
        let median = values[last / 2].0;
        // Nothing is above the greatest number: then the one before it is the threshold.
        let below = values.partition_point(|v| v.0 < most).saturating_sub(1);
        let median = if median == most { values[below].0 } else { median };
        median.clamp(f64::MIN, f64::MAX)
    });
    let high = values.partition_point(|v| v.0 <= threshold);
    ColumnKind::Number {
        threshold,
        low: text(high.saturating_sub(1) / 2),
        high: text(if high > last { last } else { high + (last - high) / 2 }),
    }
}

/// Whether the first column only identifies the rows: it is nameless or `Unnamed: 0` with no repeated cell, as pandas writes its index; or
/// it counts up from 0 or 1, and has a name to match or none.
fn is_index(table: &Table) -> bool {
    let name = table.heading(0);
    let cells = || (0..table.n_rows()).map(|row| table.cell(row, 0));
    if name.is_some_and(|name| name.is_empty() || name.starts_with("Unnamed: ")) {
        let mut seen = HashSet::new();
        return cells().all(|cell| !is_missing(cell) && seen.insert(cell));
    }
    let called = name.is_none_or(|name| INDEX_NAMES.iter().any(|index| name.eq_ignore_ascii_case(index)));
    let from = |first: usize| cells().enumerate().all(|(row, cell)| cell.parse() == Ok(row + first));
    called && table.n_rows() >= COUNTING && (from(0) || from(1))
}
