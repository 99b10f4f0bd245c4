//! NPY, numpy's array files: reading small integers, such as masks, and writing.
//!
//! The reader is our own: the available crate multiplies the sizes in a header unchecked, and allocates whatever it announces.

use crate::DataError;
use crate::error::check_length;
use crate::names::shown;
use crate::numbers::{ArrayHeader, Element};
use std::borrow::Cow;

pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";
/// Advice for a file that is no array of ours.
const SAVE: &str = "save the array with numpy.save";
/// A header longer than this does not belong to a plain array.
const MAX_HEADER: usize = 4096;

/// Writes bytes as an array of numpy's `uint8`.
///
/// ```
/// let bytes = dbm_data::npy::write_u8(&[2, 3], &[0, 1, 0, 1, 1, 0]);
/// assert_eq!(dbm_data::npy::read_u8("x.npy", &bytes)?, (vec![2, 3], vec![0, 1, 0, 1, 1, 0]));
/// # Ok::<(), dbm_data::DataError>(())
/// ```
///
/// # Panics
/// If the data does not have this shape, or the shape has more than numpy's 32 dimensions.
pub fn write_u8(shape: &[usize], data: &[u8]) -> Vec<u8> {
    assert_eq!(shape.iter().product::<usize>(), data.len(), "data of another shape");
    assert!(shape.len() <= 32, "at most 32 dimensions");
    let mut sizes = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    if shape.len() == 1 {
        sizes.push(','); // Python's one-element tuple
    }
    let mut header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({sizes}), }}");
    let before = MAGIC.len() + 4;
    let padded = (before + header.len() + 1).next_multiple_of(64) - before - 1;
    header.extend(std::iter::repeat_n(' ', padded - header.len()));
    header.push('\n');
    [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
}

/// Reads an array whose values are whole numbers in `0..=255`, of any type: bool, integers and floats of any width. Returns its shape and
/// its row-major values.
///
/// # Errors
/// [`DataError::Format`] naming the part of the header, or the first value, that does not fit; also if the data does not have the announced
/// length.
pub fn read_u8(name: &str, bytes: &[u8]) -> Result<(Vec<usize>, Vec<u8>), DataError> {
    let header = header(name, bytes)?;
    if header.fortran {
        let (expected, got) = ("row-major order", "it is in Fortran order");
        let advice = "save numpy.ascontiguousarray of the array";
        return Err(DataError::format(name, expected, got, advice));
    }
    let data = &bytes[header.start..];
    check_length(name, "the array its header announces", header.size(), data.len())?;
    let value = |(at, bytes)| {
        let value = header.element.value(bytes);
        if (0.0..=255.0).contains(&value) && value.fract() == 0.0 {
            Ok(value as u8)
        } else {
            let expected = "whole numbers from 0 to 255";
            let got = format!("value {at} is {value}");
            Err(DataError::format(name, expected, got, "save a mask of zeros and ones"))
        }
    };
    let values = data.chunks_exact(header.element.size).enumerate().map(value).collect::<Result<_, _>>()?;
    Ok((header.shape, values))
}

/// Number of bytes that contain any header that is accepted.
pub(crate) const HEAD: usize = 12 + MAX_HEADER;

/// Parses the header from the first bytes of a file: [`HEAD`] of them, or all if there are fewer.
///
/// # Errors
/// [`DataError::Format`] naming the part that does not fit, or if the header is cut short.
pub(crate) fn header(name: &str, bytes: &[u8]) -> Result<ArrayHeader, DataError> {
    let refuse = |expected: &str, got: String, advice| DataError::format(name, expected, got, advice);
    let (text, start) = header_text(name, bytes)?;
    // Some programs quote as JSON does.
    let part = |key: &str| {
        let quoted = |quote| text.split_once(&format!("{quote}{key}{quote}"));
        let (_, after) = quoted('\'').or_else(|| quoted('"'))?;
        after.trim_start().strip_prefix(':').map(str::trim_start)
    };
    let missing = |key: &str| refuse("descr, fortran_order and shape in its header", format!("{key} is not there"), SAVE);
    let descr = part("descr").ok_or_else(|| missing("descr"))?;
    let quote = descr.chars().next().filter(|first| matches!(first, '\'' | '"'));
    let descr = quote.and_then(|quote| descr[1..].split(quote).next()).unwrap_or("a structure");
    let element = Element::parse(descr).ok_or_else(|| {
        refuse(
            "bool, integer or float values",
            format!("they are {}", shown(descr)),
            "convert them with .astype('u1') or .astype('f4')",
        )
    })?;
    let shape = part("shape").and_then(sizes).ok_or_else(|| missing("shape"))?;
    let order = part("fortran_order").ok_or_else(|| missing("fortran_order"))?;
    let is = |word: &str| order.get(..word.len()).is_some_and(|order| order.eq_ignore_ascii_case(word));
    if !is("true") && !is("false") {
        return Err(refuse("True or False for fortran_order in its header", "it is neither".into(), SAVE));
    }
    Ok(ArrayHeader { element, fortran: is("true") && shape.len() > 1, shape, start })
}

/// The text of the header, and the offset of the values.
fn header_text<'b>(name: &str, bytes: &'b [u8]) -> Result<(Cow<'b, str>, usize), DataError> {
    let refuse = |expected: &str, got: String| DataError::format(name, expected, got, SAVE);
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        let head: Vec<String> = bytes.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        return Err(refuse("an NPY file, beginning with 93 4e 55 4d 50 59", format!("it begins with {}", head.join(" "))));
    };
    let short = |expected: usize| DataError::truncated(name, "its header", expected as u128, bytes.len());
    let (length, rest) = match rest {
        [1, _, low, high, rest @ ..] => (u32::from(u16::from_le_bytes([*low, *high])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]), rest),
        [1..=3, ..] | [] => return Err(short(12)),
        [version, ..] => return Err(refuse("NPY version 1, 2 or 3", format!("it is {version}"))),
    };
    let length = length as usize;
    if length > MAX_HEADER {
        return Err(refuse("a header of at most 4096 bytes", format!("it announces {length}")));
    }
    let start = bytes.len() - rest.len() + length;
    let text = rest.get(..length).ok_or_else(|| short(start))?;
    Ok((String::from_utf8_lossy(text), start))
}

/// The letters and digits of an array that holds one short word, of bytes or of wide letters.
///
/// # Errors
/// [`DataError::Format`] if the header cannot be found.
pub(crate) fn word(name: &str, bytes: &[u8]) -> Result<String, DataError> {
    let (_, start) = header_text(name, bytes)?;
    Ok(bytes[start..].iter().filter(|byte| byte.is_ascii_alphanumeric()).take(16).map(|&byte| char::from(byte)).collect())
}

/// Whether these bytes begin an array.
pub(crate) fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// `(2, 3)` as sizes; Python 2 wrote long ones as `2L`.
fn sizes(text: &str) -> Option<Vec<usize>> {
    let (inside, _) = text.strip_prefix('(')?.split_once(')')?;
    let sizes = inside.split(',').map(str::trim).filter(|size| !size.is_empty());
    sizes.map(|size| size.strip_suffix('L').unwrap_or(size).parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(descr: &str, order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
        [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
    }

    #[test]
    fn written_as_numpy_writes() {
        let bytes = write_u8(&[3], &[7, 8, 9]);
        let mut expected = b"\x93NUMPY\x01\x00\x76\x00{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }".to_vec();
        expected.resize(127, b' ');
        expected.extend([b'\n', 7, 8, 9]);
        assert_eq!(bytes, expected);
        assert_eq!(read_u8("x", &write_u8(&[], &[5])).unwrap(), (vec![], vec![5]));
    }

    #[test]
    fn many_types_hold_bits() {
        let expected = (vec![1, 2], vec![1, 0]);
        let one_and_zero: [(&str, Vec<u8>); 9] = [
            ("'|b1'", vec![1, 0]),
            ("'|u1'", vec![1, 0]),
            ("'|i1'", vec![1, 0]),
            ("'<i8'", [1_i64.to_le_bytes(), [0; 8]].concat()),
            ("'>i4'", [1_i32.to_be_bytes(), [0; 4]].concat()),
            ("'<u2'", vec![1, 0, 0, 0]),
            ("'<f2'", vec![0, 0x3c, 0, 0]),
            ("'<f4'", [1_f32.to_le_bytes(), [0; 4]].concat()),
            ("'>f8'", [1_f64.to_be_bytes(), (-0.0_f64).to_be_bytes()].concat()),
        ];
        for (descr, data) in one_and_zero {
            assert_eq!(read_u8("x", &file(descr, "False", "(1, 2)", &data)).unwrap(), expected, "{descr}");
        }
        let mut second = file("'|u1'", "True", "(2,)", &[1, 0]);
        second[6] = 2;
        second.splice(10..10, [0, 0]);
        assert_eq!(read_u8("x", &second).unwrap(), (vec![2], vec![1, 0]));
    }

    #[test]
    fn headers_of_other_makers_are_read() {
        let expected = (vec![1, 2], vec![1, 0]);
        assert_eq!(read_u8("x", &file("'|u1'", "False", "(1L, 2L)", &[1, 0])).unwrap(), expected);
        assert_eq!(read_u8("x", &file("'uint8'", "False", "(1,2)", &[1, 0])).unwrap(), expected);
        let text = r#"{"descr": "u1", "fortran_order": false, "shape": (1, 2)}"#;
        let bytes = [MAGIC, &[1, 0], &(text.len() as u16).to_le_bytes(), text.as_bytes(), &[1, 0]].concat();
        assert_eq!(read_u8("x", &bytes).unwrap(), expected);
        for (descr, order, shape) in [("'|u1'", "7", "(1, 2)"), ("'|u1'", "False", "(1x, 2)"), ("'|u1'", "False", "(LL,)")] {
            assert!(read_u8("x", &file(descr, order, shape, &[1, 0])).is_err(), "{order} {shape}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(shape in prop::collection::vec(0_usize..5, 0..5), value: u8) {
            let data: Vec<u8> = (0..shape.iter().product()).map(|i: usize| value.wrapping_add(i as u8)).collect();
            prop_assert_eq!(read_u8("x", &write_u8(&shape, &data)).unwrap(), (shape, data));
        }
    }
}
