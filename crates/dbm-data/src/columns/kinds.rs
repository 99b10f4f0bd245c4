//! The kind of a column, inferred from its known cells or chosen by the user.

use super::cells::{is_missing, number, other_number, other_word, shown, word};
use super::encode::Reader;
use super::survey::{MOST_LEVELS, Survey, Word};
use super::table::Table;
use crate::DataError;
use crate::interpretation::{Change, Doubt, KindChoice};
use crate::visible::{Column, ColumnKind};
use std::cmp::Ordering;
use std::collections::HashSet;

/// Up to this many are levels even in a table with few rows.
const FEW_LEVELS: usize = 8;

/// Up to this many different whole numbers are codes, if each occurs twice on average.
const MOST_CODES: usize = 10;

/// Fewer consecutive numbers may be a coincidence.
const COUNTING: usize = 3;

/// A first column with one of these names holds row numbers, if it counts up.
const INDEX_NAMES: [&str; 6] = ["id", "index", "row", "nr", "no", "#"];

/// How a column is read.
pub struct Understood {
    pub kind: ColumnKind,
    /// The only value that was ever written, if the kind allows another.
    pub only: Option<String>,
    pub missing: Vec<String>,
    /// Words among numbers, which the kind has no units for.
    pub strays: Vec<String>,
    pub known: Vec<String>,
    pub note: Option<String>,
    pub doubts: Vec<Doubt>,
    /// Words that may mean a missing value.
    pub suspects: Vec<(String, usize)>,
}

/// How each column is read. All columns are scanned together, in the order in which the cells are stored.
///
/// # Errors
/// [`DataError::Format`] for a kind that the user chose and that the cells do not fit.
pub fn understand_all(file: &str, table: &Table) -> Result<Vec<Understood>, DataError> {
    let asked = &table.asked;
    let of = |name: &str| asked.columns.iter().find(|column| column.name == name);
    let mut surveys: Vec<Survey> = (0..table.n_columns()).map(|column| Survey::new(of(table.name(column)))).collect();
    for row in 0..table.n_rows() {
        for (column, survey) in surveys.iter_mut().enumerate() {
            survey.see(row, table.cell(row, column), table.decimal, &asked.missing);
        }
    }
    surveys.into_iter().enumerate().map(|(column, survey)| understand(file, table, column, survey)).collect()
}

fn understand(file: &str, table: &Table, column: usize, mut survey: Survey) -> Result<Understood, DataError> {
    let name = table.name(column);
    let mut doubts = survey.judge(name);
    let asked = table.asked.columns.iter().find(|asked| asked.name == name);
    let alike = asked.and_then(|asked| asked.alike) == Some(true);
    let suspects = survey.suspects().into_iter().map(|word| (word.text.to_string(), word.count)).collect();
    let (kind, note) = match asked.and_then(|asked| asked.kind) {
        Some(choice) => (chosen(file, table, column, &survey, choice, asked.map_or(&[], |asked| &asked.levels))?, None),
        None => inferred(table, column, &survey),
    };
    if asked.and_then(|asked| asked.kind).is_none() && is_codes(&survey) && matches!(kind, ColumnKind::Category { .. }) {
        doubts.push(Doubt {
            text: format!("Column {name:?}: its {} whole numbers were read as categories.", survey.words.len()),
            label: "They are amounts".into(),
            change: Change::Kind(name.into(), KindChoice::Number),
        });
    }
    if matches!(kind, ColumnKind::Category { .. } | ColumnKind::Binary { .. }) {
        doubts.extend(survey.doubt_spellings(name));
    }
    let kind = if alike { joined(kind, &survey) } else { kind };
    let only = match &kind {
        ColumnKind::Binary { low, high } if survey.known > 0 => {
            let written = |value: &str| survey.words.iter().any(|word| word.text == value);
            [low, high].into_iter().find(|value| written(value)).filter(|_| written(low) != written(high)).cloned()
        }
        _ => None,
    };
    let strays = if survey.texts() > 0 && survey.numbers > 0 { strays(table, column, &survey, &kind) } else { Vec::new() };
    let texts = |words: &[Word]| words.iter().map(|word| word.text.to_string()).collect();
    let known = survey.kept.iter().map(|text| (*text).to_string()).collect();
    Ok(Understood { kind, only, missing: texts(&survey.gaps), strays, known, note, doubts, suspects })
}

/// The different texts that a column of this kind has no units for.
fn strays(table: &Table, column: usize, survey: &Survey, kind: &ColumnKind) -> Vec<String> {
    let read = Column { decimal: table.decimal, ..Column::new(table.name(column), kind.clone()) };
    let reader = Reader::new(&read, column, 0..read.kind.units(), table.decimal);
    let gap = |cell: &str| cell.is_empty() || survey.gaps.iter().any(|word| word.text == cell);
    let mut seen = HashSet::new();
    let cells = (0..table.n_rows()).map(|row| table.cell(row, column));
    cells.filter(|cell| !gap(cell) && seen.insert(*cell) && reader.level(cell).is_err()).map(String::from).collect()
}

/// The kind that the cells suggest.
fn inferred(table: &Table, column: usize, survey: &Survey) -> (ColumnKind, Option<String>) {
    let name = table.name(column);
    let aside = |why: String| (ColumnKind::Ignored, Some(format!("Column {name:?} is set aside: {why}")));
    if column == 0 && table.n_columns() > 1 && is_index(table) {
        return aside("it numbers the rows.".into());
    }
    if survey.known == 0 {
        return aside("none of its cells is known.".into());
    }
    let signs = survey.words.iter().all(|word| matches!(word.text, "+" | "-"));
    if survey.numbers == survey.known && !signs {
        let few = if survey.many { None } else { few_numbers(&survey.words) };
        let codes = || is_codes(survey).then(|| codes(survey));
        return (few.or_else(codes).unwrap_or_else(|| number_kind(table, column, None)), None);
    }
    if !survey.many
        && let Some(kind) = words(&survey.words)
    {
        return (kind, None);
    }
    let distinct = survey.words.len();
    if !survey.many && distinct == 2 {
        return (two(survey), None);
    }
    let mostly_numbers = 2 * survey.texts() < survey.known;
    if !survey.many && (distinct <= FEW_LEVELS || 2 * distinct < survey.known) && !mostly_numbers {
        return (levels(survey), None);
    }
    if mostly_numbers {
        // Words among numbers are neither learned from nor filled: they are left as they are.
        let first = survey.strays().next();
        let note = first.map(|word| {
            format!(
                "Column {name:?}: {} of its {} known cells are not numbers, the first on line {}: {:?}. They are left as they are.",
                survey.texts(),
                survey.known,
                table.line(word.row),
                shown(word.text)
            )
        });
        let numbers: Vec<Word> = survey.words.iter().filter(|word| word.value.is_some()).cloned().collect();
        let few = if survey.many { None } else { few_numbers(&numbers) };
        let codes = || is_codes(survey).then(|| codes(survey));
        return (few.or_else(codes).unwrap_or_else(|| number_kind(table, column, None)), note);
    }
    let count = if survey.many { format!("more than {MOST_LEVELS}") } else { distinct.to_string() };
    aside(format!("it holds {count} different texts, too many for the levels of a category."))
}

/// The kind that the user chose.
fn chosen(
    file: &str,
    table: &Table,
    column: usize,
    survey: &Survey,
    choice: KindChoice,
    stated: &[String],
) -> Result<ColumnKind, DataError> {
    let name = table.name(column);
    let refuse = |expected: &str, got: String| {
        let advice = "choose another kind for this column";
        Err(DataError::part(file, &format!("column {:?}", shown(name)), expected, got, advice))
    };
    match choice {
        KindChoice::LeaveOut => Ok(ColumnKind::Ignored),
        KindChoice::Category | KindChoice::Ordered if survey.known == 0 => {
            refuse("values to tell apart", "none of its cells is known".into())
        }
        KindChoice::Category | KindChoice::Ordered => {
            // More than a few levels were not kept.
            let mut seen = HashSet::new();
            let cells = (0..table.n_rows()).map(|row| table.cell(row, column));
            let gap = |cell: &str| cell.is_empty() || survey.gaps.iter().any(|word| word.text == cell);
            let mut levels: Vec<&str> = cells.filter(|cell| !gap(cell) && seen.insert(*cell)).collect();
            if choice == KindChoice::Ordered && !stated.is_empty() {
                if let Some(other) = levels.iter().find(|level| !stated.iter().any(|stated| stated == *level)) {
                    return refuse("each of its values among the levels from low to high", format!("{:?} is not", shown(other)));
                }
                levels = stated.iter().map(String::as_str).filter(|level| seen.contains(level)).collect();
            } else if survey.numbers == survey.known {
                sort_by_number(&mut levels, table.decimal);
            }
            let levels: Vec<String> = levels.into_iter().map(String::from).collect();
            Ok(match (choice, &levels[..]) {
                (KindChoice::Ordered, [low, high]) => ColumnKind::Binary { low: low.clone(), high: high.clone() },
                _ => ColumnKind::Category { ordered: choice == KindChoice::Ordered && levels.len() > 1, levels },
            })
        }
        KindChoice::Number if survey.numbers == 0 => refuse("numbers", "none of its cells is one".into()),
        KindChoice::Number => Ok(number_kind(table, column, None)),
        KindChoice::YesNo => match (survey.many, &survey.words[..]) {
            (false, [_, _]) => Ok(words(&survey.words).or_else(|| few_numbers(&survey.words)).unwrap_or_else(|| two(survey))),
            (false, [_]) if words(&survey.words).or_else(|| few_numbers(&survey.words)).is_some() => {
                Ok(words(&survey.words).or_else(|| few_numbers(&survey.words)).unwrap_or(ColumnKind::Ignored))
            }
            (many, words) => {
                let count = if many { format!("more than {MOST_LEVELS}") } else { words.len().to_string() };
                refuse("two different values", format!("there are {count}"))
            }
        },
    }
}

/// Any two texts, the first in alphabetical order low.
fn two(survey: &Survey) -> ColumnKind {
    let mut texts: Vec<&str> = survey.words.iter().map(|word| word.text).collect();
    texts.sort_by_key(|text| (text.to_lowercase(), *text));
    ColumnKind::Binary { low: texts[0].into(), high: texts[texts.len() - 1].into() }
}

fn levels(survey: &Survey) -> ColumnKind {
    ColumnKind::Category { levels: survey.words.iter().map(|word| word.text.into()).collect(), ordered: false }
}

/// Whether a column's numbers are few whole ones, each of which comes back: codes rather than amounts.
fn is_codes(survey: &Survey) -> bool {
    let numbers = || survey.words.iter().filter(|word| word.value.is_some());
    let whole = |word: &Word| word.value.is_some_and(|value| value.fract() == 0.0 && value.abs() < 1e4);
    let distinct = numbers().count();
    !survey.many && (3..=MOST_CODES).contains(&distinct) && survey.numbers >= 2 * distinct && numbers().all(whole)
}

/// Codes as levels, in the order of their values.
fn codes(survey: &Survey) -> ColumnKind {
    let mut codes: Vec<(f64, &str)> = survey.words.iter().filter_map(|word| Some((word.value?, word.text))).collect();
    codes.sort_by(|a, b| a.0.total_cmp(&b.0));
    ColumnKind::Category { levels: codes.into_iter().map(|(_, text)| text.into()).collect(), ordered: false }
}

fn sort_by_number(levels: &mut [&str], decimal: char) {
    levels.sort_by(|a, b| {
        let of = |text| number(text, decimal).unwrap_or(f64::INFINITY);
        of(a).total_cmp(&of(b))
    });
}

/// The same kind, each word in its most frequent spelling.
fn joined(kind: ColumnKind, survey: &Survey) -> ColumnKind {
    let spellings = survey.spellings();
    let spelled = |level: &String| {
        let group = spellings.iter().find(|group| group.iter().any(|word| word.text == level));
        group.map_or(level.clone(), |group| group[0].text.to_string())
    };
    let ColumnKind::Category { levels, ordered } = &kind else { return kind };
    let mut seen = HashSet::new();
    let levels: Vec<String> = levels.iter().map(spelled).filter(|level| seen.insert(level.clone())).collect();
    match &levels[..] {
        [one, other] => {
            let mut texts = [one, other];
            if !ordered {
                texts.sort_by_key(|text| text.to_lowercase());
            }
            ColumnKind::Binary { low: texts[0].clone(), high: texts[1].clone() }
        }
        _ => ColumnKind::Category { ordered: *ordered && levels.len() > 1, levels },
    }
}

/// A column with one pair of words, as the table writes them.
fn words(words: &[Word]) -> Option<ColumnKind> {
    let (pair, _) = word(words.first()?.text)?;
    let mut written: [Option<&str>; 2] = [None; 2];
    for Word { text, .. } in words {
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
fn few_numbers(words: &[Word]) -> Option<ColumnKind> {
    let mut values: Vec<(f64, &str)> = Vec::new();
    for word in words {
        let value = word.value?;
        if values.iter().all(|&(seen, _)| seen != value) {
            values.push((value, word.text));
        }
    }
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    match values[..] {
        [(value, text)] => Some(match other_number(value, text) {
            Some((low, high)) => ColumnKind::Binary { low, high },
            None => ColumnKind::Category { levels: vec![text.into()], ordered: false },
        }),
        [(_, low), (_, high)] => Some(ColumnKind::Binary { low: low.into(), high: high.into() }),
        _ => None,
    }
}

/// The kind of a column of numbers, of which those above the threshold, or above their median, are high.
pub fn number_kind(table: &Table, column: usize, threshold: Option<f64>) -> ColumnKind {
    let gap = |cell: &str| {
        is_missing(cell) || table.asked.missing.iter().any(|word| word == cell) || table.is_asked_missing(column, cell)
    };
    let value = |row: usize| {
        let cell = table.cell(row, column);
        if gap(cell) { None } else { number(cell, table.decimal) }
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
