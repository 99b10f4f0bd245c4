//! What was understood of the visitor's files, before anything is trained.

use crate::raw::{Content, Encoding, Raw, Visible};
use crate::{DataError, Dataset};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Examples that the share of ones is estimated from, where there are more.
const SAMPLE: usize = 1000;

/// What there is, in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// Examples.
    pub count: usize,
    /// Rows and columns of each; of a table, 1 and its columns.
    pub shape: (usize, usize),
    /// Lowest and highest value of pictures.
    pub range: Option<(f64, f64)>,
    /// Values that are missing, in all, of pictures; of a table, of its bits.
    pub missing: usize,
    /// The same as a share of all.
    pub missing_share: f64,
    /// Share of ones among the known bits, under the encoding,
    pub ones: f64,
    /// as found in so many examples.
    pub sampled: usize,
    /// How many classes there are; 0 where no labels came.
    pub classes: usize,
    /// Visible units that the encoding makes.
    pub units: usize,
    /// Bytes that the encoded examples take.
    pub bytes: u64,
}

/// Some examples, spread evenly over all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Preview {
    /// Pictures as they came and as the model will see them.
    Pictures {
        /// Which of the examples these are.
        rows: Vec<usize>,
        /// Rows and columns of each; a square where one row has a square number of values.
        shape: (usize, usize),
        /// One after another, scaled so that the lowest value is black and the highest white; bytes as they are.
        before: Vec<u8>,
        /// The same made binary: 0 and 255, or with more bits a value that many greys.
        after: Vec<u8>,
        /// 0 where a value is missing, 1 elsewhere.
        known: Vec<u8>,
        /// Their classes, where known.
        labels: Option<Vec<u8>>,
    },
    /// Rows of a table as it writes them.
    Table {
        /// Which of the rows these are.
        rows: Vec<usize>,
        /// Names of the columns.
        names: Vec<String>,
        /// Row after row.
        cells: Vec<String>,
    },
}

impl Raw {
    /// What there is, under an encoding. Ones are counted in at most 1000 examples of pictures, spread evenly; [`About::sampled`] says in how many.
    ///
    /// # Errors
    /// Those of [`Raw::encode`].
    pub fn about(&self, encoding: &Encoding) -> Result<About, DataError> {
        match &self.content {
            Content::Pictures(pictures) => {
                let rows = spread(pictures.count, SAMPLE);
                let data = pictures.encode_some(&self.name, pictures.visible(encoding)?, &rows)?;
                let missing = pictures.missing();
                let classes = pictures.labels.iter().flatten().collect::<BTreeSet<_>>().len();
                let (units, bytes) = pictures.encoded_size(encoding);
                Ok(About {
                    count: pictures.count,
                    shape: pictures.image().unwrap_or(pictures.shape),
                    range: Some(pictures.values.range()),
                    missing,
                    missing_share: missing as f64 / pictures.values.len().max(1) as f64,
                    ones: data.examples.share_of_ones(),
                    sampled: rows.len(),
                    classes,
                    units,
                    bytes,
                })
            }
            Content::Table(table) => {
                let data = table.encode(&self.name, encoding)?;
                let Dataset { examples, labels, .. } = &data;
                let packed = examples.packed().len() as u64;
                let missing = examples.missing();
                Ok(About {
                    count: table.n_rows(),
                    shape: (1, table.n_columns()),
                    range: None,
                    missing,
                    missing_share: missing as f64 / (examples.len() * examples.width()) as f64,
                    ones: examples.share_of_ones(),
                    sampled: examples.len(),
                    classes: labels.iter().flatten().collect::<BTreeSet<_>>().len(),
                    units: examples.width(),
                    bytes: if missing > 0 { 2 * packed } else { packed },
                })
            }
        }
    }

    /// At most `count` examples. Only these are encoded, so that it can follow a slider.
    ///
    /// # Errors
    /// Those of [`Raw::encode`].
    pub fn preview(&self, encoding: &Encoding, count: usize) -> Result<Preview, DataError> {
        match &self.content {
            Content::Pictures(pictures) => {
                let rows = spread(pictures.count, count.max(1));
                let data = pictures.encode_some(&self.name, pictures.visible(encoding)?, &rows)?;
                let depth = data.visible.as_ref().map_or(1, Visible::depth);
                let (low, high) = match &pictures.values {
                    crate::pictures::Values::Bytes(_) => (0.0, 255.0),
                    crate::pictures::Values::Floats(_) => pictures.values.range(),
                };
                let size = pictures.size();
                let values = rows.iter().flat_map(|&row| row * size..(row + 1) * size).map(|at| pictures.values.at(at));
                let scale = if high > low { 255.0 / (high - low) } else { 0.0 };
                let before = values.map(|value| ((value - low) * scale + 0.5) as u8).collect();
                let greys =
                    |row: usize| data.visible.as_ref().map_or_else(Vec::new, |visible| visible.grey(&data.examples.row(row)));
                let after = (0..rows.len()).flat_map(greys).collect();
                let known = (0..rows.len()).flat_map(|row| data.examples.known_row(row)).step_by(depth).map(u8::from).collect();
                let labels = pictures.labels.as_ref().map(|labels| rows.iter().map(|&row| labels[row]).collect());
                Ok(Preview::Pictures { rows, shape: pictures.image().unwrap_or(pictures.shape), before, after, known, labels })
            }
            Content::Table(table) => {
                let rows = spread(table.n_rows(), count.max(1));
                let names = (0..table.n_columns()).map(|column| table.name(column).to_owned()).collect();
                let cell = |row: usize| (0..table.n_columns()).map(move |column| table.cell(row, column).to_owned());
                let cells = rows.iter().flat_map(|&row| cell(row)).collect();
                Ok(Preview::Table { rows, names, cells })
            }
        }
    }
}

/// At most `most` of `0..count`, evenly spread, the first among them.
fn spread(count: usize, most: usize) -> Vec<usize> {
    let some = count.min(most);
    (0..some).map(|at| (at as u128 * count as u128 / some as u128) as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pictures::{Pictures, Values};

    fn raw(count: usize, values: Values) -> Raw {
        let labels = Some((0..count).map(|at| (at % 3) as u8).collect());
        Raw { name: "x".into(), content: Content::Pictures(Pictures { count, shape: (1, 4), values, labels }), notes: vec![] }
    }

    #[test]
    fn numbers_of_what_was_understood() {
        let raw = raw(3000, Values::Bytes((0..12_000).map(|at| if at % 4 == 0 { 200 } else { 5 }).collect()));
        let about = raw.about(&raw.suggest()).unwrap();
        assert_eq!((about.count, about.shape, about.range, about.missing), (3000, (2, 2), Some((5.0, 200.0)), 0));
        assert_eq!((about.ones, about.sampled, about.classes), (0.25, 1000, 3));
        assert_eq!((about.units, about.bytes), (4, 3000));
        let data = raw.encode(&raw.suggest()).unwrap();
        assert_eq!((data.examples.packed().len() as u64, data.labels.unwrap().len()), (about.bytes, 3000));
    }

    #[test]
    fn a_preview_shows_before_and_after() {
        let raw = raw(2, Values::Floats(vec![-1.0, 1.0, f32::NAN, 0.0, 0.5, 0.5, 1.0, -1.0]));
        let preview = raw.preview(&raw.suggest(), 10).unwrap();
        let expected = Preview::Pictures {
            rows: vec![0, 1],
            shape: (2, 2),
            before: vec![0, 255, 0, 128, 191, 191, 255, 0],
            after: vec![0, 255, 0, 0, 255, 255, 255, 0],
            known: vec![1, 1, 0, 1, 1, 1, 1, 1],
            labels: Some(vec![0, 1]),
        };
        assert_eq!(preview, expected);
        let Preview::Pictures { rows, after, known, .. } = raw.preview(&Encoding { bits: 8, ..raw.suggest() }, 1).unwrap() else {
            panic!()
        };
        assert_eq!((rows, after, known), (vec![0], vec![0, 255, 0, 128], vec![1, 1, 0, 1]));
        assert!((raw.about(&raw.suggest()).unwrap().missing_share - 0.125).abs() < 1e-12);
    }

    #[test]
    fn examples_are_spread() {
        assert_eq!((spread(10, 3), spread(2, 5), spread(0, 5)), (vec![0, 3, 6], vec![0, 1], vec![]));
    }
}
