//! IDX, the format of MNIST: a magic number, the sizes, the values.

use crate::DataError;
use crate::numbers::{ArrayHeader, Element};

/// Number of bytes that contain any header.
pub(crate) const HEAD: usize = 4 + 4 * 255;

/// Whether these bytes begin like an IDX file, of any element type.
pub(crate) fn is_idx(bytes: &[u8]) -> bool {
    matches!(bytes, [0, 0, 0x08..=0x0e, 1..=255, ..])
}

/// Parses the header from the first bytes of an IDX file: [`HEAD`] of them, or all if there are fewer.
///
/// # Errors
/// [`DataError::Format`] for an unknown type, or if the header is cut short.
pub(crate) fn header(name: &str, head: &[u8]) -> Result<ArrayHeader, DataError> {
    let short = |what, expected: usize, got| DataError::truncated(name, what, expected as u128, got);
    let [_, _, code, dimensions, rest @ ..] = head else {
        return Err(short("an IDX file's magic number", 4, head.len()));
    };
    let element = Element::of_idx(*code).ok_or_else(|| {
        let got = format!("the type is {code:02x}, which is unknown");
        let advice = "convert the values to unsigned bytes (08) first";
        DataError::format(name, "IDX elements of type 08, 09, 0b, 0c, 0d or 0e", got, advice)
    })?;
    let expected = 4 * usize::from(*dimensions);
    let sizes = rest.get(..expected).ok_or_else(|| short("the sizes in its header", expected, rest.len()))?;
    let shape = sizes.as_chunks().0.iter().map(|&size| u32::from_be_bytes(size) as usize).collect();
    Ok(ArrayHeader { element, shape, fortran: false, start: 4 + expected })
}

#[cfg(test)]
mod tests {
    use crate::raw::{Content, File, Raw, Reading, read};
    use crate::test_support::{gzip, idx};
    use crate::{DataError, pictures::Values};
    use proptest::prelude::*;

    fn read_one(bytes: Vec<u8>) -> Result<Raw, DataError> {
        read(&[File { name: "x".into(), bytes }], &Reading::default(), &mut |_, _, _| {})
    }

    proptest! {
        #[test]
        fn what_is_written_is_read((count, rows, columns) in (1_usize..6, 1_usize..6, 2_usize..6), packed: bool, value: u8) {
            let values: Vec<u8> = (0..count * rows * columns).map(|at| value.wrapping_mul(at as u8)).collect();
            let bytes = idx(8, &[count, rows, columns].map(|size| size as u32), &values);
            let raw = read_one(if packed { gzip(&bytes) } else { bytes }).unwrap();
            let Content::Pictures(pictures) = raw.content else { panic!("an array") };
            prop_assert_eq!((pictures.count, pictures.shape, pictures.values), (count, (rows, columns), Values::Bytes(values)));
        }
    }
}
