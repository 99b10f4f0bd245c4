//! Tables: named columns, what each holds, and which visible units stand for it.

use serde::{Deserialize, Serialize};

/// A table as read: its cells as text, so that what is known can be written back as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {}

/// What the visible units of a table's model stand for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Columns {
    /// In the table's order.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its name; `column 3` where the table has no header.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// One unit: two values, as the table writes them.
    Binary {
        /// Written for a low unit.
        low: String,
        /// Written for a high unit.
        high: String,
    },
    /// One unit, high above the threshold.
    Number {
        /// In units of the column.
        threshold: f64,
        /// Written for a low unit: the median of the known cells at or below the threshold.
        low: String,
        /// Written for a high unit: the median of the known cells above it.
        high: String,
    },
    /// A unit for each level, one of them high.
    Category {
        /// As the table writes them, in order of first appearance.
        levels: Vec<String>,
    },
    /// No unit: written back as it came (names, identifiers, free text).
    Aside,
}

impl Kind {
    /// How many units stand for it.
    pub fn units(&self) -> usize {
        match self {
            Self::Binary { .. } | Self::Number { .. } => 1,
            Self::Category { levels } => levels.len(),
            Self::Aside => 0,
        }
    }
}
