//! Tables: named columns, their kinds, and the visible units that stand for them.
//!
//! A [`Table`] keeps its text, and every known cell as it was written. The kind of a column is inferred from its known cells, unless the
//! user chooses another:
//!
//! | Known cells | ColumnKind |
//! | --- | --- |
//! | two numbers, or one of 0, 1, -1 (`1.0` is `1`) | [`ColumnKind::Binary`], the lesser is low |
//! | 3 to 10 whole numbers, each twice or more on average | [`ColumnKind::Category`]: codes rather than amounts |
//! | other numbers, also with a few words among them | [`ColumnKind::Number`], high above the median |
//! | false/true, no/yes, n/y, f/t, off/on, -/+, in any case; or one word of a pair | [`ColumnKind::Binary`] |
//! | any two texts | [`ColumnKind::Binary`], low is the first in alphabetical order |
//! | up to 8 texts, or up to 32 if each occurs more than twice on average | [`ColumnKind::Category`] |
//! | other texts; none at all; the numbers of the rows | [`ColumnKind::Ignored`] |
//!
//! Missing cells are those that are empty or `?`, `-`, `NA`, `<NA>`, `#N/A`, `None`, `N/A`, `NaN` or `null` (the last three in any case),
//! and the words that the user names. `-` next to `+`, `NA` among codes of two capitals and `None` among words are values, and in doubt;
//! so are other words and numbers that often mean a missing value (`.`, `unknown`, -9, 99), which are values until the user says otherwise.
//! Words among numbers are neither missing nor learned from: they are left as they are.

mod cells;
mod encode;
mod fill;
mod header;
mod kinds;
mod parse;
mod separator;
mod survey;
mod table;
#[cfg(test)]
mod tests;
mod understand;

pub use encode::{Matching, Unseen};
pub use fill::{Filled, FilledCell};
pub(crate) use parse::Cut;
pub use parse::MAX_COLUMNS;
pub(crate) use separator::Separator;
pub use table::Table;
pub(crate) use understand::Framed;

pub use crate::visible::{Column, ColumnKind, Columns};
