//! The columns of a table, and which visible units stand for each.

use dbm_core::Group;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The columns that the visible units of a model stand for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Columns {
    /// The columns, in the table's order.
    pub columns: Vec<Column>,
    /// The units of columns of two values that stand for one value together, in order.
    #[serde(default)]
    pub exclusive: Vec<Group>,
}

/// A column of a table: its name and what it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its name; `column 3` if the table has no header.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
    /// The only value that the table has in it, if its kind allows another: no other is filled in.
    #[serde(default)]
    pub only: Option<String>,
    /// Words that mean a missing value.
    #[serde(default)]
    pub missing: Vec<String>,
    /// Words among its numbers in the table that a model was trained on: neither learned from nor filled.
    #[serde(default)]
    pub strays: Vec<String>,
    /// The decimal mark of its numbers.
    #[serde(default = "point")]
    pub decimal: char,
}

fn point() -> char {
    '.'
}

impl Column {
    /// A column of this kind without words for missing values.
    pub fn new(name: impl Into<String>, kind: ColumnKind) -> Self {
        Self { name: name.into(), kind, only: None, missing: Vec::new(), strays: Vec::new(), decimal: point() }
    }

    /// The text to fill in for units that are high with these probabilities, and its probability: as [`ColumnKind::most_probable`], but
    /// never a value that nobody wrote in this column.
    ///
    /// # Panics
    /// If there is not one probability per unit.
    pub fn most_probable(&self, units: &[f64]) -> Option<(&str, f64)> {
        let (value, probability) = self.kind.most_probable(units)?;
        match &self.only {
            Some(only) if value != only => Some((only, 1.0 - probability)),
            _ => Some((value, probability)),
        }
    }
}

impl ColumnKind {
    /// Every value that its units can stand for, in words, with its probability: the most probable first.
    ///
    /// ```
    /// use dbm_data::columns::ColumnKind;
    /// let kind = ColumnKind::Number { threshold: 3.5, low: "2".into(), high: "7".into() };
    /// assert_eq!(kind.values(&[0.75]), [("above 3.5".to_string(), 0.75), ("at most 3.5".to_string(), 0.25)]);
    /// ```
    ///
    /// # Panics
    /// If there is not one probability per unit.
    pub fn values(&self, units: &[f64]) -> Vec<(String, f64)> {
        assert_eq!(units.len(), self.units(), "one probability a unit");
        let mut values = match self {
            Self::Binary { low, high } => vec![(high.clone(), units[0]), (low.clone(), 1.0 - units[0])],
            Self::Number { threshold, .. } => {
                vec![(format!("above {threshold}"), units[0]), (format!("at most {threshold}"), 1.0 - units[0])]
            }
            Self::Category { levels, .. } => levels.iter().cloned().zip(self.shares(units)).collect(),
            Self::Ignored => Vec::new(),
        };
        values.sort_by(|a, b| b.1.total_cmp(&a.1));
        values
    }
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ColumnKind {
    /// One unit for two values, as the table writes them.
    Binary {
        /// The text for a low unit.
        low: String,
        /// The text for a high unit.
        high: String,
    },
    /// One unit, high above the threshold.
    Number {
        /// In the column's own scale.
        threshold: f64,
        /// The text for a low unit: the lower median of the known cells at or below the threshold.
        low: String,
        /// The text for a high unit: the lower median of the known cells above it.
        high: String,
    },
    /// One unit per level, exactly one of them high; or, of ordered levels, one unit fewer, high up to the level.
    Category {
        /// As the table writes them, in order of first appearance; numbers and ordered levels from low to high.
        levels: Vec<String>,
        /// Whether neighbouring levels are alike: a scale, as a thermometer.
        #[serde(default)]
        ordered: bool,
    },
    /// No unit: written back unchanged (names, identifiers, free text). Checkpoints call it `Aside`.
    #[serde(rename = "Aside")]
    Ignored,
}

impl ColumnKind {
    /// The number of visible units that stand for it.
    pub fn units(&self) -> usize {
        match self {
            Self::Binary { .. } | Self::Number { .. } => 1,
            Self::Category { levels, ordered } => levels.len().saturating_sub(usize::from(*ordered)),
            Self::Ignored => 0,
        }
    }

    /// Its units as a group; `None` if it has none.
    pub fn group(&self, units: Range<usize>) -> Option<Group> {
        match self {
            Self::Category { ordered: false, .. } => Some(Group::one_hot(units)),
            Self::Ignored => None,
            _ => Some(Group::thermometer(units)),
        }
    }

    /// The probabilities of a category's levels, normalized by their sum.
    fn shares(&self, units: &[f64]) -> Vec<f64> {
        let levels = self.group(0..units.len()).map_or_else(Vec::new, |group| group.probabilities(units));
        let (sum, even) = (levels.iter().sum::<f64>(), 1.0 / levels.len() as f64);
        levels.into_iter().map(|p| if sum > 0.0 { p / sum } else { even }).collect()
    }

    /// The text for units that are high with these probabilities, and its probability: the more probable of two values, or the most
    /// probable level. The levels' probabilities are normalized by their sum.
    ///
    /// ```
    /// use dbm_data::columns::ColumnKind;
    /// let kind = ColumnKind::Category { levels: vec!["red".into(), "green".into(), "blue".into()], ordered: false };
    /// assert_eq!(kind.most_probable(&[0.1, 0.3, 0.1]), Some(("green", 0.6)));
    /// assert_eq!(ColumnKind::Ignored.most_probable(&[]), None);
    /// ```
    ///
    /// # Panics
    /// If there is not one probability per unit.
    pub fn most_probable(&self, units: &[f64]) -> Option<(&str, f64)> {
        assert_eq!(units.len(), self.units(), "one probability a unit");
        match self {
            Self::Binary { low, high } | Self::Number { low, high, .. } => {
                Some(if units[0] > 0.5 { (high, units[0]) } else { (low, 1.0 - units[0]) })
            }
            Self::Category { levels, .. } => {
                // The first of equals.
                let most = self.shares(units).into_iter().zip(levels).rev().max_by(|a, b| a.0.total_cmp(&b.0));
                most.map(|(p, level)| (level.as_str(), p))
            }
            Self::Ignored => None,
        }
    }

    /// The text for the states of its units: empty if no level of a category is high, the first of several.
    pub(crate) fn value_of(&self, bits: &[u8]) -> &str {
        if matches!(self, Self::Category { ordered: false, .. }) && bits.iter().all(|&bit| bit == 0) {
            return "";
        }
        let probabilities: Vec<f64> = bits.iter().map(|&bit| f64::from(u8::from(bit != 0))).collect();
        self.most_probable(&probabilities).map_or("", |(value, _)| value)
    }
}

impl Columns {
    /// The total number of visible units.
    pub fn n_units(&self) -> usize {
        self.columns.iter().map(|column| column.kind.units()).sum()
    }

    /// The units that stand for one value together: of each category, and of columns that exclude one another.
    pub fn groups(&self) -> Vec<Group> {
        let categories = self.with_units().filter(|(_, column, _)| matches!(column.kind, ColumnKind::Category { .. }));
        let groups = categories.filter_map(|(_, column, units)| column.kind.group(units));
        let mut groups: Vec<Group> = groups.chain(self.exclusive.iter().cloned()).collect();
        groups.sort_by_key(|group| group.units.start);
        groups
    }

    /// Whether the exclusive columns are there, are of two values each, and come in order.
    pub(crate) fn may_exclude(&self) -> bool {
        let is_of_two = |column: &Column| matches!(column.kind, ColumnKind::Binary { .. });
        let of_two: Vec<bool> = self.with_units().flat_map(|(_, column, units)| vec![is_of_two(column); units.len()]).collect();
        let mut end = 0;
        self.exclusive.iter().all(|Group { units, .. }| {
            let is_next = units.start >= end && !units.is_empty();
            end = units.end;
            is_next && of_two.get(units.clone()).is_some_and(|of_two| !of_two.contains(&false))
        })
    }

    /// Every column that has units: its index among all columns, the column, and its units.
    pub fn with_units(&self) -> impl Iterator<Item = (usize, &Column, Range<usize>)> {
        let mut start = 0;
        self.columns.iter().enumerate().filter_map(move |(at, column)| {
            let units = start..start + column.kind.units();
            start = units.end;
            (!units.is_empty()).then_some((at, column, units))
        })
    }

    /// States of all units, `[rows, n_units]` as bytes 0 and 1, as CSV with the columns' own names and values; ignored columns are omitted.
    /// A category with no high level is an empty cell; with several, the first is written; of a scale with a hole, the level below it. `before` provides further columns: their names,
    /// and a row's values.
    ///
    /// ```
    /// use dbm_data::columns::Table;
    /// use dbm_data::raw::Encoding;
    /// let columns = Table::read("x.csv", "smoker,age\nno,31\nyes,60\nno,45\n")?.columns(&Encoding::default());
    /// assert_eq!(columns.decode(&[1, 0], &["sample"], |row| vec![(row + 1).to_string()]), b"sample,smoker,age\n1,yes,31\n");
    /// # Ok::<(), dbm_data::DataError>(())
    /// ```
    ///
    /// # Panics
    /// If the bytes are not a whole number of rows.
    pub fn decode(&self, bits: &[u8], before: &[&str], values: impl Fn(usize) -> Vec<String>) -> Vec<u8> {
        let width = self.n_units().max(1);
        assert_eq!(bits.len() % width, 0, "whole rows");
        let mut out = csv::WriterBuilder::new().comment(Some(b'#')).from_writer(Vec::new());
        // Writing to a vector never fails.
        let header = before.iter().copied().chain(self.with_units().map(|(_, column, _)| column.name.as_str()));
        let _ = out.write_record(header);
        for (row, bits) in bits.chunks_exact(width).enumerate() {
            let before = values(row);
            let cells = self.with_units().map(|(_, column, units)| column.kind.value_of(&bits[units]));
            let _ = out.write_record(before.iter().map(String::as_str).chain(cells));
        }
        out.into_inner().unwrap_or_default()
    }
}
