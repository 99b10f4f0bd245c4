//! A data set ready for training, from any kind of file.

use crate::visible::Visible;
use dbm_core::Examples;
use sha2::{Digest, Sha256};
use std::ops::Range;

/// Binary examples, and what is known about them.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// Its name: a file's name, or what generated it.
    pub name: String,
    /// The examples, at least one.
    pub examples: Examples,
    /// Rows and columns, if an example is an image.
    pub image: Option<(usize, usize)>,
    /// The class of each example, if known.
    pub labels: Option<Vec<u8>>,
    /// What the bits stand for, if they encode values.
    pub visible: Option<Visible>,
}

impl Dataset {
    /// SHA-256 of the examples as bytes 0 and 1, row by row; of the marks of known ones, if some are missing; of the grey levels and their
    /// top, if bits are drawn at every visit; of the groups of columns that exclude one another: shows whether two data sets are the same.
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        for row in 0..self.examples.len() {
            hash.update(self.examples.row(row));
        }
        if let Some(known) = self.examples.known_packed() {
            hash.update(known);
        }
        if let Some(greys) = self.examples.greys() {
            hash.update(greys.levels());
            hash.update([greys.top()]);
        }
        if let Some(Visible::Table(columns)) = &self.visible {
            columns.exclusive.iter().for_each(|group| hash.update(format!("{group:?}")));
        }
        hash.finalize().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    }

    /// Only these examples.
    ///
    /// # Panics
    /// If an index is out of range.
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
