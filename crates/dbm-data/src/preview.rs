//! What the visitor's files contain, before anything is trained.

use crate::DataError;
use crate::content::{Content, Raw};
use crate::pictures::Pictures;
use crate::visible::Encoding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The share of ones is estimated from this many examples, if there are more.
const SAMPLE: usize = 1000;

/// Numbers that do not depend on the encoding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of examples.
    pub count: usize,
    /// Rows and columns of each; for a table, 1 and its number of columns.
    pub shape: (usize, usize),
    /// Lowest and highest value of pictures; `None` for a table.
    pub range: Option<(f64, f64)>,
    /// Share of the values that are missing, 0 to 1; for a table, share of its bits.
    pub missing_share: f64,
    /// Number of classes; 0 if there are no labels.
    pub classes: usize,
}

/// The result of an encoding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    /// Visible units per example.
    pub units: usize,
    /// Bytes that the encoded examples take.
    pub bytes: u64,
    /// Share of ones among the known bits, 0 to 1: over all rows of a table, over at most 1000 pictures.
    pub share_of_ones: f64,
    /// Some pictures as the model will see them, each of [`Summary::shape`]: 0 and 255 or, with several bits per value, that many greys.
    /// Empty for a table.
    pub pictures: Vec<Vec<u8>>,
}

impl Raw {
    /// Summarizes the data.
    ///
    /// # Errors
    /// Those of [`Raw::encode`].
    pub fn summary(&self) -> Result<Summary, DataError> {
        let (shape, range, missing_share, labels) = match &self.content {
            Content::Pictures(pictures) => {
                let missing_share = pictures.missing() as f64 / pictures.values.len().max(1) as f64;
                let shape = pictures.image().unwrap_or(pictures.shape);
                (shape, Some(pictures.values.range()), missing_share, &pictures.labels)
            }
            Content::Table(table) => {
                let examples = table.encode(&self.name, &Encoding::default())?.examples;
                let missing_share = examples.missing() as f64 / (examples.len() * examples.width()) as f64;
                ((1, table.n_columns()), None, missing_share, &None)
            }
        };
        let classes = labels.iter().flatten().collect::<BTreeSet<_>>().len();
        Ok(Summary { count: self.count(), shape, range, missing_share, classes })
    }

    /// The result of an encoding, with at most `count` pictures. Only some pictures are encoded, so that it can follow a slider.
    ///
    /// # Errors
    /// Those of [`Raw::encode`].
    pub fn preview(&self, encoding: &Encoding, count: usize) -> Result<Preview, DataError> {
        match &self.content {
            Content::Pictures(pictures) => {
                let some = |count| pictures.encode_some(&self.name, encoding, &spread(pictures.count, count));
                let shown = some(count)?;
                let grey = |row: usize| shown.visible.as_ref().map(|visible| visible.grey(&shown.examples.row(row)));
                let (units, bytes) = pictures.encoded_size(encoding);
                let share_of_ones = some(SAMPLE)?.examples.share_of_ones();
                Ok(Preview { units, bytes, share_of_ones, pictures: (0..shown.examples.len()).filter_map(grey).collect() })
            }
            Content::Table(table) => {
                let examples = table.encode(&self.name, encoding)?.examples;
                let bytes = examples.packed().len() + examples.known_packed().map_or(0, <[u8]>::len);
                let (units, share_of_ones) = (examples.width(), examples.share_of_ones());
                Ok(Preview { units, bytes: bytes as u64, share_of_ones, pictures: Vec::new() })
            }
        }
    }

    fn count(&self) -> usize {
        match &self.content {
            Content::Pictures(Pictures { count, .. }) => *count,
            Content::Table(table) => table.n_rows(),
        }
    }
}

/// At most `most` of `0..count`, evenly spaced, including the first.
fn spread(count: usize, most: usize) -> Vec<usize> {
    let some = count.min(most.max(1));
    (0..some).map(|at| (at as u128 * count as u128 / some as u128) as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpretation::Reading;
    use crate::pictures::Values;

    fn raw(count: usize, values: Values) -> Raw {
        let labels = Some((0..count).map(|at| (at % 3) as u8).collect());
        Raw {
            name: "x".into(),
            content: Content::Pictures(Pictures { count, shape: (1, 4), values, labels }),
            reading: Reading::default(),
            notes: vec![],
            doubts: vec![],
        }
    }

    #[test]
    fn numbers_of_what_was_understood() {
        let raw = raw(3000, Values::Bytes((0..12_000).map(|at| if at % 4 == 0 { 200 } else { 5 }).collect()));
        let summary = raw.summary().unwrap();
        assert_eq!((summary.count, summary.shape, summary.range), (3000, (2, 2), Some((5.0, 200.0))));
        assert_eq!((summary.missing_share, summary.classes), (0.0, 3));
        let preview = raw.preview(&raw.suggest(), 2).unwrap();
        assert_eq!((preview.units, preview.bytes, preview.share_of_ones), (4, 3000, 0.25));
        let data = raw.encode(&raw.suggest()).unwrap();
        assert_eq!((data.examples.packed().len() as u64, data.labels.unwrap().len()), (preview.bytes, 3000));
    }

    #[test]
    fn pictures_are_shown_as_the_model_sees_them() {
        let raw = raw(2, Values::Floats(vec![-1.0, 1.0, f32::NAN, 0.0, 0.5, 0.5, 1.0, -1.0]));
        let preview = raw.preview(&raw.suggest(), 10).unwrap();
        assert_eq!(preview.pictures, [[0, 255, 0, 0], [255, 255, 255, 0]]);
        let preview = raw.preview(&Encoding { bits: 8, ..raw.suggest() }, 1).unwrap();
        assert_eq!(preview.pictures, [[0, 255, 0, 128]]);
        assert!((raw.summary().unwrap().missing_share - 0.125).abs() < 1e-12);
    }

    #[test]
    fn examples_are_spread() {
        assert_eq!((spread(10, 3), spread(2, 5), spread(0, 5)), (vec![0, 3, 6], vec![0, 1], vec![]));
    }
}
