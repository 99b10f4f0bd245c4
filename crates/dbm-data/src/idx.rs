//! IDX, the format of MNIST: a magic number, the sizes, the bytes; plain or in gzip.

use crate::DataError;
use crate::gzip::{MAX_DATA, Source};
use crate::numbers::Element;

/// The element code of unsigned bytes, the only one MNIST uses and the only one written.
const U8: u8 = 0x08;

/// An array of bytes; the first of its sizes counts examples, the others are the shape of one.
///
/// ```
/// use dbm_data::idx::Idx;
/// let labels = Idx { shape: vec![3], data: vec![7, 2, 1] };
/// assert_eq!(Idx::read("labels", &labels.to_bytes())?, labels);
/// # Ok::<(), dbm_data::DataError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idx {
    /// Sizes, slowest first.
    pub shape: Vec<usize>,
    /// Row-major values, as many as the product of the sizes.
    pub data: Vec<u8>,
}

/// Bytes that hold any header.
pub(crate) const HEAD: usize = 4 + 4 * 255;

/// Whether these bytes begin as an IDX file does, of whatever element type.
pub(crate) fn is_idx(bytes: &[u8]) -> bool {
    matches!(bytes, [0, 0, 0x08..=0x0e, 1..=255, ..])
}

impl Idx {
    /// Reads a file of unsigned bytes, plain or in gzip, of one dimension or more.
    ///
    /// # Errors
    /// [`DataError::Format`] for another magic number or element type, [`DataError::Truncated`] and
    /// [`DataError::Trailing`] where the header lies about the size, [`DataError::TooLarge`] beyond
    /// [`MAX_DATA`], [`DataError::Gzip`] for broken gzip, [`DataError::Empty`] for no values.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, DataError> {
        let mut source = Source::new(bytes);
        let (element, shape) = parts(name, &mut source)?;
        if !element.is_byte() {
            return Err(DataError::Format {
                name: name.into(),
                expected: "IDX elements of type 08, unsigned bytes".into(),
                got: "they are of another type".into(),
                advice: "convert the values to unsigned bytes first",
            });
        }
        let wide = shape.iter().try_fold(1_u128, |product, &size| product.checked_mul(u128::from(size)));
        let expected = wide.unwrap_or(u128::MAX);
        if expected == 0 {
            return Err(DataError::Empty { name: name.into() });
        }
        if expected > MAX_DATA as u128 {
            return Err(DataError::TooLarge { name: name.into(), needed: expected, limit: MAX_DATA as u128 });
        }
        let data = source.take(name, expected as usize)?;
        if (data.len() as u128) < expected {
            let got = data.len() as u128;
            return Err(DataError::Truncated { name: name.into(), what: "the data its header announces", expected, got });
        }
        if !source.take(name, 1)?.is_empty() {
            return Err(DataError::Trailing { name: name.into(), expected });
        }
        Ok(Self { shape: shape.into_iter().map(|size| size as usize).collect(), data })
    }

    /// Writes the file, not in gzip.
    ///
    /// # Panics
    /// Where the data is not of the shape, or the shape has no or more than 255 dimensions, or one of 2^32 or more.
    pub fn to_bytes(&self) -> Vec<u8> {
        assert_eq!(self.shape.iter().product::<usize>(), self.data.len(), "data of another shape");
        let dimensions = u8::try_from(self.shape.len()).expect("at most 255 dimensions");
        assert!(dimensions > 0, "at least one dimension");
        let mut bytes = vec![0, 0, U8, dimensions];
        for &size in &self.shape {
            bytes.extend(u32::try_from(size).expect("sizes below 2^32").to_be_bytes());
        }
        bytes.extend(&self.data);
        bytes
    }
}

/// Type and sizes that the first bytes of a file announce, [`HEAD`] of them where there are so many.
///
/// # Errors
/// [`DataError::Format`] for another magic number or type, [`DataError::Truncated`] where it ends early.
pub(crate) fn header(name: &str, head: &[u8]) -> Result<(Element, Vec<usize>), DataError> {
    let (element, sizes) = parts(name, &mut Source::Plain(head))?;
    Ok((element, sizes.into_iter().map(|size| size as usize).collect()))
}

fn parts(name: &str, source: &mut Source) -> Result<(Element, Vec<u32>), DataError> {
    let short = |what, expected, got: &[u8]| DataError::Truncated { name: name.into(), what, expected, got: got.len() as u128 };
    let magic = source.take(name, 4)?;
    let &[zero, nought, code, dimensions] = &magic[..] else {
        return Err(short("an IDX file's magic number", 4, &magic));
    };
    if [zero, nought] != [0, 0] || dimensions == 0 {
        return Err(DataError::Format {
            name: name.into(),
            expected: "an IDX file, beginning with bytes 00 00 08 and the number of dimensions".into(),
            got: format!("it begins with {zero:02x} {nought:02x} {code:02x} {dimensions:02x}"),
            advice: "choose an IDX file such as MNIST's train-images-idx3-ubyte.gz",
        });
    }
    let element = Element::of_idx(code).ok_or_else(|| DataError::Format {
        name: name.into(),
        expected: "IDX elements of type 08, 09, 0b, 0c, 0d or 0e".into(),
        got: format!("the type is {code:02x}, which is unknown"),
        advice: "convert the values to unsigned bytes (08) first",
    })?;
    let expected = 4 * usize::from(dimensions);
    let sizes = source.take(name, expected)?;
    if sizes.len() < expected {
        return Err(short("the sizes in its header", expected as u128, &sizes));
    }
    Ok((element, sizes.as_chunks().0.iter().map(|&size| u32::from_be_bytes(size)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{gzip, refusal};
    use proptest::prelude::*;

    fn file() -> Vec<u8> {
        Idx { shape: vec![2, 2, 3], data: (0..12).collect() }.to_bytes()
    }

    #[test]
    fn a_lying_header_is_refused() {
        let mut large = file();
        large[7] = 9;
        let message = refusal(Idx::read("x", &large));
        assert!(message.contains("should take 54 bytes, but only 12"), "{message}");
        let mut small = file();
        small[7] = 1;
        for bytes in [small.clone(), gzip(&small)] {
            let message = refusal(Idx::read("x", &bytes));
            assert!(message.contains("announces 6 bytes of data, but more follow"), "{message}");
        }
        let mut endless = vec![0, 0, 8, 5];
        endless.extend([0xff; 20]);
        for bytes in [endless.clone(), gzip(&endless)] {
            let message = refusal(Idx::read("x", &bytes));
            assert!(message.contains("more than the 1073741824"), "{message}");
        }
        assert!(refusal(Idx::read("x", &[0, 0, 8, 1, 0, 0, 0, 0])).contains("at least one example"));
        assert!(refusal(Idx::read("x", &[0, 0, 8, 2, 0, 0, 0])).contains("sizes in its header should take 8 bytes, but only 3"));
    }

    #[test]
    fn another_magic_number_or_type_is_refused() {
        assert!(refusal(Idx::read("x", b"PK\x03\x04")).contains("begins with 50 4b 03 04"));
        assert!(refusal(Idx::read("x", &[0, 0, 13, 1, 0, 0, 0, 1])).contains("another type"));
        assert!(refusal(Idx::read("x", &[0, 0, 10, 1, 0, 0, 0, 1])).contains("0a, which is unknown"));
        assert!(refusal(Idx::read("x", &[0, 0])).contains("magic number should take 4 bytes, but only 2"));
    }

    #[test]
    fn broken_gzip_is_refused() {
        let packed = gzip(&file());
        let message = refusal(Idx::read("x", &packed[..packed.len() - 9]));
        assert!(message.contains("intact gzip data"), "{message}");
        let mut wrong_sum = packed.clone();
        let at = packed.len() - 6;
        wrong_sum[at] ^= 1;
        assert!(refusal(Idx::read("x", &wrong_sum)).contains("intact gzip data"));
    }

    #[test]
    fn a_bomb_is_unpacked_no_further_than_its_header_says() {
        let mut bomb = vec![0, 0, 8, 1, 0, 0, 0, 10];
        bomb.resize(50_000_000, 0);
        assert!(refusal(Idx::read("x", &gzip(&bomb))).contains("announces 10 bytes"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(shape in prop::collection::vec(1_usize..6, 1..5), packed: bool, value: u8) {
            let size = shape.iter().product::<usize>();
            let idx = Idx { shape, data: (0..size).map(|i| value.wrapping_mul(i as u8)).collect() };
            let bytes = if packed { gzip(&idx.to_bytes()) } else { idx.to_bytes() };
            prop_assert_eq!(Idx::read("x", &bytes).unwrap(), idx);
        }

        #[test]
        fn no_bytes_panic(mut bytes: Vec<u8>, begins_well: bool) {
            if begins_well {
                bytes.splice(..0, [0, 0, 8]);
            }
            let _ = Idx::read("x", &bytes);
            let _ = Idx::read("x", &gzip(&bytes));
        }

        #[test]
        fn no_damage_panics(at in 0..24_usize, flip in 1..=255_u8, keep in 0..60_usize, packed: bool) {
            let mut bytes = if packed { gzip(&file()) } else { file() };
            bytes[at] ^= flip;
            bytes.truncate(keep);
            let _ = Idx::read("x", &bytes);
        }
    }
}
