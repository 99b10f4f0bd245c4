//! What the cells of a column are: its distinct texts, which of them mean a missing value, and which may.

use super::cells::{folded, is_code, is_missing, is_suspect, number, shown};
use crate::interpretation::{Change, ColumnReading, Doubt};
use std::collections::HashMap;

/// Up to this many distinct texts are the levels of a category.
pub const MOST_LEVELS: usize = 32;

/// Words for missing values, and words among numbers, of which a column may have many: further ones are not listed.
const MOST_WORDS: usize = 64;

/// A distinct text of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Word<'a> {
    pub text: &'a str,
    /// The number that it is, if any.
    pub value: Option<f64>,
    pub count: usize,
    /// The first row with it.
    pub row: usize,
}

/// The distinct texts of a column, by first appearance, while there are few.
#[derive(Clone, Debug)]
pub struct Survey<'a> {
    /// What the user said about the column.
    asked: Option<&'a ColumnReading>,
    pub known: usize,
    pub numbers: usize,
    pub words: Vec<Word<'a>>,
    /// There are more than `MOST_LEVELS` of them.
    pub many: bool,
    /// Words that mean a missing value.
    pub gaps: Vec<Word<'a>>,
    /// Words that usually do, and are values here.
    pub kept: Vec<&'a str>,
    /// Texts that are not numbers, and numbers that may be codes, once there are many.
    pub others: Vec<Word<'a>>,
    lowest: f64,
    highest: f64,
    whole: bool,
}

impl<'a> Survey<'a> {
    pub fn new(asked: Option<&'a ColumnReading>) -> Self {
        Self {
            asked,
            known: 0,
            numbers: 0,
            words: Vec::new(),
            many: false,
            gaps: Vec::new(),
            kept: Vec::new(),
            others: Vec::new(),
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            whole: true,
        }
    }

    /// Counts a cell. `missing` are the words that the user named for all columns.
    pub fn see(&mut self, row: usize, cell: &'a str, decimal: char, missing: &[String]) {
        if cell.is_empty() {
            return;
        }
        if let Some(word) = self.words.iter_mut().find(|word| word.text == cell) {
            word.count += 1;
            self.known += 1;
            self.numbers += usize::from(word.value.is_some());
            return;
        }
        if count(&mut self.gaps, cell) {
            return;
        }
        let named = |words: &[String]| words.iter().any(|word| word == cell);
        let asked = |words: fn(&ColumnReading) -> &[String]| self.asked.is_some_and(|asked| named(words(asked)));
        let kept = asked(|asked| &asked.known);
        if !kept && (is_missing(cell) || named(missing) || asked(|asked| &asked.missing)) {
            push(&mut self.gaps, Word { text: cell, value: None, count: 1, row });
            return;
        }
        if kept {
            self.kept.push(cell);
        }
        let value = number(cell, decimal);
        self.known += 1;
        if let Some(value) = value {
            self.numbers += 1;
            self.whole &= value.fract() == 0.0;
            if !is_code(value) {
                (self.lowest, self.highest) = (self.lowest.min(value), self.highest.max(value));
            }
        }
        let word = Word { text: cell, value, count: 1, row };
        if self.words.len() < MOST_LEVELS {
            self.words.push(word);
        } else {
            self.many = true;
            if value.is_none_or(is_code) && !count(&mut self.others, cell) {
                push(&mut self.others, word);
            }
        }
    }

    /// Cells that are not numbers.
    pub fn texts(&self) -> usize {
        self.known - self.numbers
    }

    /// The words that are not numbers, most of them, by first appearance.
    pub fn strays(&self) -> impl Iterator<Item = &Word<'a>> {
        self.words.iter().chain(&self.others).filter(|word| word.value.is_none())
    }

    /// Decides about the words that usually mean a missing value but need not: `-` is the counterpart of `+`, `NA` one of several codes of
    /// two capitals, `None` one of several words. What was decided against the usual meaning is in doubt, unless the user said so.
    pub fn judge(&mut self, name: &str) -> Vec<Doubt> {
        let mut doubts = Vec::new();
        let said = |cell: &str| self.asked.is_some_and(|asked| asked.missing.iter().chain(&asked.known).any(|word| word == cell));
        let capitals = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        let words = &self.words;
        let is_value = |gap: &Word| match gap.text {
            "-" => !words.is_empty() && words.iter().all(|word| word.text == "+"),
            "NA" => words.len() > 1 && words.iter().all(|word| capitals(word.text)),
            "None" => words.len() > 1 && words.iter().all(|word| word.value.is_none() && super::cells::word(word.text).is_none()),
            _ => false,
        };
        let (values, gaps): (Vec<Word>, Vec<Word>) =
            std::mem::take(&mut self.gaps).into_iter().partition(|gap| is_value(gap) && !said(gap.text));
        self.gaps = gaps;
        for word in values {
            // The sign has no other meaning next to its counterpart.
            if word.text != "-" {
                doubts.push(Doubt {
                    text: format!(
                        "Column {name:?}: {} {} {:?}, which was read as a value, like the others.",
                        word.count,
                        if word.count == 1 { "cell holds" } else { "cells hold" },
                        word.text
                    ),
                    label: format!("{:?} is missing", word.text),
                    change: Change::Missing(vec![name.into()], word.text.into()),
                });
            }
            self.kept.push(word.text);
            self.known += word.count;
            if self.words.len() < MOST_LEVELS { self.words.push(word) } else { self.many = true }
        }
        // By first appearance.
        self.words.sort_by_key(|word| word.row);
        doubts
    }

    /// Words and numbers that were read as values and often mean a missing one.
    pub fn suspects(&self) -> Vec<&Word<'a>> {
        let said = |cell: &str| self.asked.is_some_and(|asked| asked.missing.iter().chain(&asked.known).any(|word| word == cell));
        let all_numbers = self.numbers > 0
            && self.texts() == self.strays().filter(|word| is_suspect(word.text)).map(|word| word.count).sum::<usize>();
        let code = |value: f64| {
            if !is_code(value) || !self.whole || !all_numbers || self.lowest > self.highest {
                return false;
            }
            // A negative number where no other is, or one that lies far above all others.
            if value < 0.0 {
                self.lowest >= 0.0
            } else {
                self.lowest >= -1.0 && value > self.highest + 1.0 && (value > 10.0 || self.highest < 8.0)
            }
        };
        let suspect = |word: &&Word| {
            !said(word.text) && !self.kept.contains(&word.text) && (is_suspect(word.text) || word.value.is_some_and(code))
        };
        self.words.iter().chain(&self.others).filter(suspect).collect()
    }

    /// Spellings that differ only in case and blanks, by word; each with the most frequent one first.
    pub fn spellings(&self) -> Vec<Vec<&Word<'a>>> {
        let mut groups: Vec<Vec<&Word>> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for word in self.words.iter().filter(|word| word.value.is_none()) {
            let place = *places.entry(folded(word.text)).or_insert(groups.len());
            if place == groups.len() {
                groups.push(Vec::new());
            }
            groups[place].push(word);
        }
        groups.retain(|group| group.len() > 1);
        // The first of equals.
        groups.iter_mut().for_each(|group| group.sort_by_key(|word| std::cmp::Reverse(word.count)));
        groups
    }

    /// The doubt about spellings, if there are any and the user has said nothing.
    pub fn doubt_spellings(&self, name: &str) -> Option<Doubt> {
        let spellings = self.spellings();
        let group = spellings.first().filter(|_| self.asked.is_none_or(|asked| asked.alike.is_none()))?;
        let each: Vec<String> = group.iter().map(|word| format!("{:?} ({})", shown(word.text), word.count)).collect();
        Some(Doubt {
            text: format!(
                "Column {name:?}: {} differ only in case or blanks, and were read as different values.",
                each.join(" and ")
            ),
            label: "They are the same".into(),
            change: Change::Alike(name.into()),
        })
    }
}

/// Counts a text that is already listed.
fn count(words: &mut [Word], cell: &str) -> bool {
    words.iter_mut().find(|word| word.text == cell).map(|word| word.count += 1).is_some()
}

fn push<'a>(words: &mut Vec<Word<'a>>, word: Word<'a>) {
    if words.len() < MOST_WORDS {
        words.push(word);
    }
}
