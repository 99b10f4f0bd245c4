//! From a file's bytes to a data set or a table in one call.

use crate::columns::Table;
use crate::content::{Content, Raw};
use crate::file::File;
use crate::interpretation::Reading;
use crate::pictures::Values;
use crate::reading::read;
use crate::{DataError, Dataset};

/// Reads a data set from a file's bytes, in any format that [`read`] takes, and encodes it as [`Raw::suggest`] says. Exception: bytes of
/// which any exceeds 1 are high above `threshold` ([`THRESHOLD`](crate::THRESHOLD) is the usual one).
///
/// A row of a square number of bits, four or more, without a shape is taken for a square image.
///
/// ```
/// let data = dbm_data::load("tiny.csv", b"0,1,1,0\n1,0,0,1\n", dbm_data::THRESHOLD)?;
/// assert_eq!((data.examples.len(), data.image), (2, Some((2, 2))));
/// # Ok::<(), dbm_data::DataError>(())
/// ```
///
/// # Errors
/// Those of [`read`] and [`Raw::encode`].
///
/// [`Raw::suggest`]: crate::raw::Raw::suggest
/// [`Raw::encode`]: crate::raw::Raw::encode
pub fn load(name: &str, bytes: &[u8], threshold: u8) -> Result<Dataset, DataError> {
    let file = File { name: name.into(), bytes: bytes.to_vec() };
    let raw = read(&[file], &Reading::default(), &mut |_, _, _| {})?;
    let mut encoding = raw.suggest();
    if let Content::Pictures(pictures) = &raw.content
        && matches!(&pictures.values, Values::Bytes(values) if values.iter().any(|&value| value > 1))
    {
        encoding.threshold = threshold.into();
    }
    raw.encode(&encoding)
}

/// Reads a table from a file's bytes: text, plain or packed, as names and cells even if every column is a pixel; and what the user should
/// know of how it was read, one sentence each.
///
/// # Errors
/// [`DataError::Format`] for anything else that [`read`] takes, and those of [`read`].
pub fn load_table(name: &str, bytes: &[u8], asked: &Reading) -> Result<(Table, Vec<String>), DataError> {
    let file = File { name: name.into(), bytes: bytes.to_vec() };
    let asked = Reading { table: Some(true), ..asked.clone() };
    let Raw { content, mut notes, doubts, .. } = read(&[file], &asked, &mut |_, _, _| {})?;
    notes.extend(doubts.into_iter().map(|doubt| doubt.text));
    match content {
        Content::Table(table) => Ok((table, notes)),
        Content::Pictures(pictures) => Err(DataError::format(
            name,
            "a table of named columns (CSV)",
            format!("this is an array of {} x {} x {} numbers", pictures.count, pictures.shape.0, pictures.shape.1),
            "give a table",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::THRESHOLD;
    use crate::test_support::{gzip, idx};

    #[test]
    fn content_decides_and_not_the_name() {
        let images = idx(8, &[2, 1, 3], &[0, 127, 128, 255, 1, 200]);
        for bytes in [images.clone(), gzip(&images)] {
            let data = load("x.csv", &bytes, THRESHOLD).unwrap();
            assert_eq!((data.image, data.labels), (None, None));
            assert_eq!([data.examples.row(0), data.examples.row(1)], [[0, 0, 1], [1, 0, 1]]);
        }
        let csv = b"1,0,1\n0,1,1\n";
        for bytes in [csv.to_vec(), gzip(csv)] {
            let data = load("x.idx", &bytes, THRESHOLD).unwrap();
            assert_eq!((data.image, data.examples.row(1)), (None, vec![0, 1, 1]));
        }
    }

    #[test]
    fn bits_stay_bits_and_squares_become_images() {
        let data = load("x", &idx(8, &[2, 4], &[0, 1, 1, 0, 1, 0, 0, 0]), THRESHOLD).unwrap();
        assert_eq!((data.image, data.examples.row(0)), (Some((2, 2)), vec![0, 1, 1, 0]));
        let row = vec!["0"; 64].join(",");
        assert_eq!(load("x", row.as_bytes(), THRESHOLD).unwrap().image, Some((8, 8)));
        assert_eq!(load("x", b"0\n1\n", THRESHOLD).unwrap().image, None);
        let data = load("x", &idx(8, &[1, 2, 2, 1], &[9, 200, 0, 8]), 8).unwrap();
        assert_eq!((data.image, data.examples.row(0)), (Some((2, 2)), vec![1, 1, 0, 0]));
    }
}
