//! A binary data set: rows of visible bits, packed eight to a byte.

use crate::{DbmError, Units};

/// Binary examples of one width, packed: 70 000 x 784 bits take 6.9 MB.
///
/// ```
/// use dbm_core::Examples;
/// let examples = Examples::from_bits(3, &[1, 0, 1, 0, 0, 1])?;
/// assert_eq!((examples.len(), examples.width()), (2, 3));
/// assert!(examples.bit(0, 2) && !examples.bit(1, 0));
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examples {
    width: usize,
    len: usize,
    stride: usize,
    packed: Vec<u8>,
}

impl Examples {
    /// From bytes, row after row; zero is a low bit and anything else a high one.
    ///
    /// # Errors
    /// [`DbmError::EmptyLayer`] for a width of zero, [`DbmError::NoExamples`] for no rows,
    /// [`DbmError::Shape`] where the bytes are no whole number of rows.
    pub fn from_bits(width: usize, bits: &[u8]) -> Result<Self, DbmError> {
        if width == 0 {
            return Err(DbmError::EmptyLayer { layer: 0 });
        }
        if bits.is_empty() {
            return Err(DbmError::NoExamples);
        }
        let len = bits.len() / width;
        if len * width != bits.len() {
            return Err(DbmError::Shape { what: "the data set".into(), expected: (len + 1) * width, got: bits.len() });
        }
        let stride = width.div_ceil(8);
        let mut packed = vec![0; len * stride];
        for (row, target) in bits.chunks_exact(width).zip(packed.chunks_exact_mut(stride)) {
            for (column, &bit) in row.iter().enumerate() {
                target[column / 8] |= u8::from(bit != 0) << (column % 8);
            }
        }
        Ok(Self { width, len, stride, packed })
    }

    /// From rows packed as [`Examples::packed`] gives them.
    ///
    /// # Errors
    /// [`DbmError::EmptyLayer`] for a width of zero, [`DbmError::NoExamples`] for no rows,
    /// [`DbmError::Shape`] where the bytes are no whole number of rows.
    pub fn from_packed(width: usize, packed: Vec<u8>) -> Result<Self, DbmError> {
        if width == 0 {
            return Err(DbmError::EmptyLayer { layer: 0 });
        }
        if packed.is_empty() {
            return Err(DbmError::NoExamples);
        }
        let stride = width.div_ceil(8);
        let len = packed.len() / stride;
        if len * stride != packed.len() {
            return Err(DbmError::Shape { what: "the packed data set".into(), expected: (len + 1) * stride, got: packed.len() });
        }
        Ok(Self { width, len, stride, packed })
    }

    /// All rows, each in whole bytes, the lowest bit first.
    pub fn packed(&self) -> &[u8] {
        &self.packed
    }

    /// Number of rows, at least one.
    #[allow(clippy::len_without_is_empty)] // never empty: refused at construction
    pub fn len(&self) -> usize {
        self.len
    }

    /// Bits in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// One bit.
    ///
    /// # Panics
    /// If `row` or `column` is out of range.
    pub fn bit(&self, row: usize, column: usize) -> bool {
        assert!(row < self.len && column < self.width, "row or column out of range");
        self.packed[row * self.stride + column / 8] >> (column % 8) & 1 == 1
    }

    /// One row as bytes 0 and 1.
    ///
    /// # Panics
    /// If `row` is out of range.
    pub fn row(&self, row: usize) -> Vec<u8> {
        (0..self.width).map(|column| u8::from(self.bit(row, column))).collect()
    }

    /// Writes one row as unit values.
    ///
    /// # Panics
    /// If `row` is out of range or `into` is not one row wide.
    pub fn write_row(&self, row: usize, units: Units, into: &mut [f32]) {
        assert_eq!(into.len(), self.width);
        let bytes = &self.packed[row * self.stride..(row + 1) * self.stride];
        for (eight, byte) in into.chunks_mut(8).zip(bytes) {
            for (place, value) in eight.iter_mut().enumerate() {
                *value = units.value(byte >> place & 1 == 1);
            }
        }
    }

    /// Share of high bits, in `0.0..=1.0`.
    pub fn share_of_ones(&self) -> f64 {
        let ones: u64 = self.packed.iter().map(|byte| u64::from(byte.count_ones())).sum();
        ones as f64 / (self.len * self.width) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_went_in() {
        let bits: Vec<u8> = (0..5 * 13).map(|i| u8::from(i % 3 == 0 || i % 7 == 2)).collect();
        let examples = Examples::from_bits(13, &bits).unwrap();
        for row in 0..5 {
            assert_eq!(examples.row(row), bits[row * 13..(row + 1) * 13]);
            let mut values = vec![0.0; 13];
            examples.write_row(row, Units::Signs, &mut values);
            assert!(values.iter().zip(&bits[row * 13..]).all(|(&v, &b)| v == Units::Signs.value(b == 1)));
        }
        assert_eq!(Examples::from_packed(13, examples.packed().to_vec()), Ok(examples.clone()));
        let ones: f64 = bits.iter().map(|&bit| f64::from(bit)).sum();
        assert_eq!(examples.share_of_ones(), ones / bits.len() as f64);
    }

    #[test]
    fn refuses_what_is_no_table() {
        assert_eq!(Examples::from_bits(0, &[1]), Err(DbmError::EmptyLayer { layer: 0 }));
        assert_eq!(Examples::from_bits(3, &[]), Err(DbmError::NoExamples));
        assert!(matches!(Examples::from_bits(3, &[1, 0, 1, 1]), Err(DbmError::Shape { expected: 6, got: 4, .. })));
        assert!(matches!(Examples::from_packed(9, vec![1, 0, 1]), Err(DbmError::Shape { expected: 4, got: 3, .. })));
    }
}
