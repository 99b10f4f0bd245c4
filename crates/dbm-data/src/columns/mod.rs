//! Tables: named columns, their kinds, and the visible units that stand for them.
//!
//! A [`Table`] keeps every cell as it was written. The kind of a column is inferred from its known cells:
//!
//! | Known cells | ColumnKind |
//! | --- | --- |
//! | two numbers, or one of 0, 1, -1 (`1.0` is `1`) | [`ColumnKind::Binary`], the lesser is low |
//! | more numbers | [`ColumnKind::Number`], high above the median |
//! | false/true, no/yes, n/y, f/t, off/on, -/+, in any case; or one word of a pair | [`ColumnKind::Binary`] |
//! | any two texts | [`ColumnKind::Binary`], low is the first in alphabetical order |
//! | up to 8 texts, or up to 32 if each occurs more than twice on average | [`ColumnKind::Category`] |
//! | other texts; none at all; the numbers of the rows | [`ColumnKind::Ignored`] |
//!
//! Missing cells are those that are empty or `?`, `NA`, `<NA>`, `#N/A`, `None`, `N/A`, `NaN` or `null` (the last three in any case), and
//! `-` unless it is the counterpart of `+`.

mod cells;
mod encode;
mod fill;
mod header;
mod kinds;
mod parse;
mod separator;
mod table;
#[cfg(test)]
mod tests;
mod understand;

pub use encode::Matching;
pub use fill::{Filled, FilledCell};
pub use parse::MAX_COLUMNS;
pub use table::Table;

pub use crate::visible::{Column, ColumnKind, Columns};
