//! A data set ready for training, from whatever file it came.

use crate::DataError;
use crate::columns::Table;
use crate::gzip::{MAX_DATA, Source, is_gzip};
use crate::idx::{Idx, is_idx};
use crate::raw::{Encoding, Visible};
use dbm_core::Examples;

/// Grey values above this are high, where nothing else is asked for.
pub const THRESHOLD: u8 = 127;

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

/// Reads a data set from a file's bytes: IDX or CSV, either of them plain or in gzip, told apart by content.
///
/// Grey values are high above `threshold` ([`THRESHOLD`] being the custom), but where all are 0 or 1 they are taken as they
/// are. A row of a square number of bits, four or more, that has no shape of its own is taken for a square image.
///
/// ```
/// let data = dbm_data::load("tiny.csv", b"0,1,1,0\n1,0,0,1\n", dbm_data::THRESHOLD)?;
/// assert_eq!((data.examples.len(), data.image), (2, Some((2, 2))));
/// # Ok::<(), dbm_data::DataError>(())
/// ```
///
/// # Errors
/// [`DataError::Unrecognized`] saying what the bytes look like, [`DataError::LabelsAlone`] for a file of labels, and those
/// of [`Idx::read`] and [`Table::read`].
pub fn load(name: &str, bytes: &[u8], threshold: u8) -> Result<Dataset, DataError> {
    match contents(name, bytes)? {
        Contents::Idx(idx) => Dataset::from_idx(name, idx, None, threshold),
        Contents::Table(table) => table.encode(name, &Encoding::default()),
    }
}

/// Reads a table from a file's bytes: text, plain or in gzip.
///
/// # Errors
/// [`DataError::Format`] for an IDX file, and those of [`load`].
pub fn load_table(name: &str, bytes: &[u8]) -> Result<Table, DataError> {
    match contents(name, bytes)? {
        Contents::Table(table) => Ok(table),
        Contents::Idx(idx) => Err(DataError::Format {
            name: name.into(),
            expected: "a table of named columns (CSV)".into(),
            got: format!("this is an IDX file of shape {:?}", idx.shape),
            advice: "give a table",
        }),
    }
}

enum Contents {
    Idx(Idx),
    Table(Table),
}

fn contents(name: &str, bytes: &[u8]) -> Result<Contents, DataError> {
    const PEEK: usize = 1024;
    if bytes.is_empty() {
        return Err(DataError::Empty { name: name.into() });
    }
    let unpacked;
    let mut content = bytes;
    if is_gzip(bytes) {
        let mut source = Source::new(bytes);
        let head = source.take(name, PEEK)?;
        if is_idx(&head) {
            return Idx::read(name, bytes).map(Contents::Idx);
        }
        recognize_text(name, &head)?;
        let rest = source.take(name, MAX_DATA - PEEK)?;
        if !source.take(name, 1)?.is_empty() {
            return Err(DataError::TooLarge { name: name.into(), needed: MAX_DATA as u128 + 1, limit: MAX_DATA as u128 });
        }
        unpacked = [head, rest].concat();
        content = &unpacked;
    }
    if is_idx(content) {
        return Idx::read(name, content).map(Contents::Idx);
    }
    recognize_text(name, content)?;
    let text = std::str::from_utf8(content).map_err(|error| unrecognized(name, not_text(error.valid_up_to())))?;
    Table::read(name, text).map(Contents::Table)
}

impl Dataset {
    /// From images and, where there are, their labels; made binary as [`load`] does.
    ///
    /// # Errors
    /// [`DataError::LabelsAlone`] for images of one dimension, [`DataError::LabelCount`] where the labels are not one an
    /// image, [`DataError::Refused`] for a shape that does not hold the data.
    pub fn from_idx(name: &str, images: Idx, labels: Option<Idx>, threshold: u8) -> Result<Self, DataError> {
        let (count, shape) = match &images.shape[..] {
            [count, shape @ ..] if !shape.is_empty() => (*count, shape),
            _ => return Err(DataError::LabelsAlone { name: name.into(), count: images.data.len() }),
        };
        let width = shape.iter().product();
        let image = if let [rows, columns] = *shape { Some((rows, columns)) } else { square(width) };
        let labels = labels.map(|labels| labels.data);
        if let Some(labels) = &labels
            && labels.len() != count
        {
            return Err(DataError::LabelCount { name: name.into(), images: count, labels: labels.len() });
        }
        let mut bits = images.data;
        let threshold = if bits.iter().all(|&value| value <= 1) { 0 } else { threshold };
        for value in &mut bits {
            *value = u8::from(*value > threshold);
        }
        let examples = Examples::from_bits(width, &bits).map_err(DataError::refused(name))?;
        Ok(Self { name: name.into(), examples, image, labels, visible: None })
    }
}

pub(crate) fn square(width: usize) -> Option<(usize, usize)> {
    let side = width.isqrt();
    (width >= 4 && side * side == width).then_some((side, side))
}

fn unrecognized(name: &str, looks_like: String) -> DataError {
    DataError::Unrecognized { name: name.into(), looks_like }
}

fn not_text(at: usize) -> String {
    format!("the bytes look like no format known here, and are not text from byte {at} on")
}

/// Refuses what is surely no table.
fn recognize_text(name: &str, head: &[u8]) -> Result<(), DataError> {
    const KNOWN: [(&[u8], &str); 14] = [
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"BM", "a BMP image"),
        (b"PK\x03\x04", "a ZIP archive (or NPZ, or a spreadsheet)"),
        (b"\x93NUMPY", "an NPY array"),
        (b"\x89HDF", "an HDF5 file"),
        (b"%PDF", "a PDF document"),
        (b"PAR1", "a Parquet table"),
        (b"\x28\xb5\x2f\xfd", "Zstandard data"),
        (b"BZh", "bzip2 data"),
        (b"\xfd7zXZ", "xz data"),
        (b"{", "JSON"),
        (b"<", "a web page or XML"),
    ];
    if is_gzip(head) {
        return Err(unrecognized(name, "it is gzip inside gzip".into()));
    }
    if let Some((_, kind)) = KNOWN.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(unrecognized(name, format!("it looks like {kind}")));
    }
    if head.get(8..10) == Some(b"{\"") {
        return Err(unrecognized(name, "it looks like a safetensors file, which holds a model and no data".into()));
    }
    match head.iter().position(|&byte| byte == 0) {
        Some(at) => Err(unrecognized(name, not_text(at))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{gzip, refusal};
    use proptest::prelude::*;

    fn images(shape: &[usize], data: &[u8]) -> Idx {
        Idx { shape: shape.to_vec(), data: data.to_vec() }
    }

    #[test]
    fn content_decides_and_not_the_name() {
        let idx = images(&[2, 1, 3], &[0, 127, 128, 255, 1, 200]).to_bytes();
        for bytes in [idx.clone(), gzip(&idx)] {
            let data = load("x.csv", &bytes, THRESHOLD).unwrap();
            assert_eq!((data.image, data.labels), (Some((1, 3)), None));
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
        let data = load("x", &images(&[2, 4], &[0, 1, 1, 0, 1, 0, 0, 0]).to_bytes(), THRESHOLD).unwrap();
        assert_eq!((data.image, data.examples.row(0)), (Some((2, 2)), vec![0, 1, 1, 0]));
        let row = vec!["0"; 64].join(",");
        assert_eq!(load("x", row.as_bytes(), THRESHOLD).unwrap().image, Some((8, 8)));
        assert_eq!(load("x", b"0\n1\n", THRESHOLD).unwrap().image, None);
        let data = load("x", &images(&[1, 1, 2, 2], &[9, 200, 0, 8]).to_bytes(), 8).unwrap();
        assert_eq!((data.image, data.examples.row(0)), (Some((2, 2)), vec![1, 1, 0, 0]));
    }

    #[test]
    fn labels_belong_to_images() {
        let message = refusal(load("t10k-labels", &images(&[3], &[7, 2, 1]).to_bytes(), THRESHOLD));
        assert!(message.contains("each of 3: labels; load the images"), "{message}");
        let two = images(&[2, 1, 2], &[0, 255, 255, 0]);
        let data = Dataset::from_idx("x", two.clone(), Some(images(&[2], &[4, 9])), THRESHOLD).unwrap();
        assert_eq!(data.labels, Some(vec![4, 9]));
        let message = refusal(Dataset::from_idx("x", two, Some(images(&[3], &[4, 9, 1])), THRESHOLD));
        assert!(message.contains("each of 2 examples, but 3 came"), "{message}");
        assert!(matches!(Dataset::from_idx("x", images(&[], &[]), None, 1), Err(DataError::LabelsAlone { .. })));
        assert!(matches!(Dataset::from_idx("x", images(&[2, 2], &[1, 2, 3]), None, 1), Err(DataError::Refused { .. })));
    }

    #[test]
    fn what_is_not_data_is_named() {
        for (bytes, kind) in [
            (&b"\x89PNG\r\n\x1a\n"[..], "PNG"),
            (b"PK\x03\x04rest", "ZIP"),
            (b"\x93NUMPY\x01\x00", "NPY"),
            (b"\x89HDF\r\n\x1a\n", "HDF5"),
            (b"<!doctype html>", "web page"),
            (b"\x40\0\0\0\0\0\0\0{\"a\":1}", "safetensors"),
            (b"0,1\n\xff\xfe", "not text from byte 4"),
            (b"ab\0", "not text from byte 2"),
        ] {
            for bytes in [bytes.to_vec(), gzip(bytes)] {
                let message = refusal(load("thing", &bytes, THRESHOLD));
                assert!(message.contains(kind) && message.contains("accepted are IDX"), "{message}");
            }
        }
        assert!(refusal(load("x", &gzip(&gzip(b"0,1")), THRESHOLD)).contains("gzip inside gzip"));
        assert!(refusal(load("x", b"", THRESHOLD)).contains("holds none"));
        assert!(refusal(load("x", b"\x1f\x8b", THRESHOLD)).contains("intact gzip"));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes: Vec<u8>, threshold: u8) {
            let _ = load("x", &bytes, threshold);
            let _ = load("x", &gzip(&bytes), threshold);
        }

        #[test]
        fn no_damage_panics(at in 0_usize..40, flip in 1..=255_u8, packed: bool) {
            let idx = images(&[2, 2, 3], &[200; 12]).to_bytes();
            let mut bytes = if packed { gzip(&idx) } else { idx };
            let at = at % bytes.len();
            bytes[at] ^= flip;
            let _ = load("x", &bytes, THRESHOLD);
            let _ = load("x", &bytes[..at], THRESHOLD);
        }
    }
}
