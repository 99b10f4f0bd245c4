//! Tables: named columns, what each holds, and which visible units stand for it.
//!
//! A [`Table`] keeps every cell as it came. What a column holds is found from its known cells:
//!
//! | Known cells | ColumnKind |
//! | --- | --- |
//! | two numbers, or one of 0, 1, -1 (`1.0` is `1`) | [`ColumnKind::Binary`], the lesser is low |
//! | more numbers | [`ColumnKind::Number`], high above the median |
//! | false/true, no/yes, n/y, f/t, off/on, -/+, in any case; or one word of a pair | [`ColumnKind::Binary`] |
//! | any two texts | [`ColumnKind::Binary`], low is the first in alphabetical order |
//! | up to 8 texts, or up to 32 where each comes more than twice on average | [`ColumnKind::Category`] |
//! | other texts; none at all; the numbers of the rows | [`ColumnKind::Ignored`] |
//!
//! Missing are cells that are empty or `?`, `NA`, `<NA>`, `#N/A`, `None`, `N/A`, `NaN` or `null` (the last three in any case), and `-` where
//! it is not the other of `+`.

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
