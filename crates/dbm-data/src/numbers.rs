//! Numbers as array files store them.

use half::f16;

/// Type, width and byte order of the numbers in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    /// `b`ool, `u`nsigned, `i`nteger or `f`loat, as numpy calls them.
    kind: char,
    /// Width in bytes: 1, 2, 4 or 8.
    pub size: usize,
    big_endian: bool,
}

impl Element {
    /// Parses numpy's name, such as `|b1` or `<f4`; also without its byte order, which is little-endian then, and in full: `float64`.
    pub fn parse(descr: &str) -> Option<Self> {
        let name = descr.strip_prefix(['<', '>', '|', '=']).unwrap_or(descr);
        let (kind, size) = match name {
            "b1" | "bool" | "?" => ('b', 1),
            "u1" | "uint8" => ('u', 1),
            "u2" | "uint16" => ('u', 2),
            "u4" | "uint32" => ('u', 4),
            "u8" | "uint64" => ('u', 8),
            "i1" | "int8" => ('i', 1),
            "i2" | "int16" => ('i', 2),
            "i4" | "int32" => ('i', 4),
            "i8" | "int64" | "int" => ('i', 8),
            "f2" | "float16" => ('f', 2),
            "f4" | "float32" => ('f', 4),
            "f8" | "float64" | "float" => ('f', 8),
            _ => return None,
        };
        Some(Self { kind, size, big_endian: descr.starts_with('>') })
    }

    /// Parses the third byte of an IDX file.
    pub fn of_idx(code: u8) -> Option<Self> {
        let (kind, size) = match code {
            0x08 => ('u', 1),
            0x09 => ('i', 1),
            0x0b => ('i', 2),
            0x0c => ('i', 4),
            0x0d => ('f', 4),
            0x0e => ('f', 8),
            _ => return None,
        };
        Some(Self { kind, size, big_endian: true })
    }

    /// Whether it is an unsigned byte or a bool, so that the file's bytes are the values.
    pub fn is_byte(self) -> bool {
        self.size == 1 && self.kind != 'i'
    }

    /// Whether it is a whole-number type.
    pub fn is_whole(self) -> bool {
        self.kind != 'f'
    }

    /// The value of `size` bytes; integers beyond 2^53 are rounded.
    pub fn value(self, bytes: &[u8]) -> f64 {
        let join = |bits: u64, &byte: &u8| bits << 8 | u64::from(byte);
        let bits = if self.big_endian { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) };
        match (self.kind, self.size) {
            ('f', 2) => f16::from_bits(bits as u16).to_f64(),
            ('f', 4) => f64::from(f32::from_bits(bits as u32)),
            ('f', _) => f64::from_bits(bits),
            ('i', size) => {
                let unused = 64 - 8 * size;
                ((bits << unused).cast_signed() >> unused) as f64
            }
            _ => bits as f64,
        }
    }
}

/// The header before the values in an array file.
pub(crate) struct ArrayHeader {
    pub element: Element,
    /// Sizes, slowest first.
    pub shape: Vec<usize>,
    /// Whether the first size varies fastest instead of the last.
    pub fortran: bool,
    /// Offset of the values.
    pub start: usize,
}

impl ArrayHeader {
    /// How many values the header announces, which can be any number.
    pub fn count(&self) -> u128 {
        self.shape.iter().try_fold(1_u128, |product, &size| product.checked_mul(size as u128)).unwrap_or(u128::MAX)
    }

    /// The number of bytes they take.
    pub fn size(&self) -> u128 {
        self.count().saturating_mul(self.element.size as u128)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_several_names() {
        for (names, bytes, value) in [
            (&["|u1", "u1", "uint8", "<u1"][..], &[200][..], 200.0),
            (&["|i1", "i1", "int8"], &[200], -56.0),
            (&["|b1", "b1", "bool", "?"], &[1], 1.0),
            (&["<i8", "i8", "int64", "=i8", "int"], &[2, 1, 0, 0, 0, 0, 0, 0], 258.0),
            (&[">u2", ">uint16"], &[1, 2], 258.0),
            (&["<f4", "f4", "float32"], &[0, 0, 0x80, 0x3f], 1.0),
            (&["<f8", "f8", "float64", "float"], &[0, 0, 0, 0, 0, 0, 0xf0, 0x3f], 1.0),
        ] {
            for name in names {
                let element = Element::parse(name).unwrap_or_else(|| panic!("{name}"));
                assert_eq!((element.size, element.value(bytes)), (bytes.len(), value), "{name}");
            }
        }
        for name in ["", "<", "O", "|S3", "<U3", "c8", "complex64", "<c16", "f16", "i3", "u", "M8[ns]", "é1", "+u1", "u+1"] {
            assert_eq!(Element::parse(name), None, "{name}");
        }
    }
}
