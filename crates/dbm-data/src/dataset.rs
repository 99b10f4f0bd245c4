//! A data set ready for training, from whatever file it came.

use crate::visible::Visible;
use dbm_core::Examples;
use std::ops::Range;

/// Binary examples, and what is known about them.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// What to call it: a file's name, or what generated it.
    pub name: String,
    /// The examples, one or more.
    pub examples: Examples,
    /// Rows and columns, where an example is an image.
    pub image: Option<(usize, usize)>,
    /// The class of each example, where known.
    pub labels: Option<Vec<u8>>,
    /// What the bits stand for, where that is more than themselves.
    pub visible: Option<Visible>,
}

impl Dataset {
    /// These examples alone.
    ///
    /// # Panics
    /// If there is no such one.
    #[must_use]
    pub fn rows(&self, rows: Range<usize>) -> Self {
        let labels = self.labels.as_ref().map(|labels| labels[rows.clone()].to_vec());
        Self { examples: self.examples.rows(rows), labels, ..self.clone() }
    }
}

/// The sides of a square of this many values, 4 or more.
pub(crate) fn square(width: usize) -> Option<(usize, usize)> {
    let side = width.isqrt();
    (width >= 4 && side * side == width).then_some((side, side))
}
