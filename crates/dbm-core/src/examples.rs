//! A binary data set: rows of visible bits, packed eight to a byte; bits may be missing.

use crate::{Clamp, DbmError, GreyLevels, Group, Units, groups};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Binary examples of equal width, packed: 70 000 x 784 bits take 6.9 MB, and the same again if some are missing.
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
    /// Which bits are known, packed likewise; `None` if all are. A missing bit is low in `packed`.
    known: Option<Vec<u8>>,
    /// The class of each row, if there are classes.
    labels: Option<Vec<u8>>,
    /// The bits that stand for one value together.
    groups: Arc<[Group]>,
    /// What a run draws its bits from at every visit, if it draws them.
    greys: Option<GreyLevels>,
}

impl Examples {
    /// From bytes, row by row; zero is a low bit and anything else a high one.
    ///
    /// # Errors
    /// [`DbmError::EmptyLayer`] for a width of zero, [`DbmError::NoExamples`] for no rows, [`DbmError::Shape`] if the bytes are not a whole
    /// number of rows.
    pub fn from_bits(width: usize, bits: &[u8]) -> Result<Self, DbmError> {
        let len = count_rows("the data set", bits.len(), width, width)?;
        Ok(Self {
            width,
            len,
            stride: width.div_ceil(8),
            packed: pack(width, bits),
            known: None,
            labels: None,
            groups: Arc::default(),
            greys: None,
        })
    }

    /// From rows packed as [`Examples::packed`] gives them.
    ///
    /// # Errors
    /// [`DbmError::EmptyLayer`] for a width of zero, [`DbmError::NoExamples`] for no rows, [`DbmError::Shape`] if the bytes are not a whole
    /// number of rows.
    pub fn from_packed(width: usize, packed: Vec<u8>) -> Result<Self, DbmError> {
        let stride = width.div_ceil(8);
        let len = count_rows("the packed data set", packed.len(), stride, width)?;
        Ok(Self { width, len, stride, packed, known: None, labels: None, groups: Arc::default(), greys: None })
    }

    /// The same examples with only the bits marked in `known` known: one byte per bit, row by row, zero for a missing bit.
    ///
    /// ```
    /// use dbm_core::Examples;
    /// let examples = Examples::from_bits(2, &[1, 0, 1, 1])?.with_gaps(&[1, 1, 0, 1])?;
    /// assert_eq!((examples.missing(), examples.is_known(1, 0), examples.bit(1, 0)), (1, false, false));
    /// # Ok::<(), dbm_core::DbmError>(())
    /// ```
    ///
    /// # Errors
    /// [`DbmError::Shape`] if there is not one mark per bit.
    pub fn with_gaps(self, known: &[u8]) -> Result<Self, DbmError> {
        DbmError::check_shape("the marks of known bits", self.len * self.width, known.len())?;
        let packed = pack(self.width, known);
        self.with_packed_gaps(packed)
    }

    /// The same with the marks packed as [`Examples::known_packed`] gives them.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if there is not one mark per bit.
    pub fn with_packed_gaps(mut self, mut known: Vec<u8>) -> Result<Self, DbmError> {
        DbmError::check_shape("the packed marks of known bits", self.packed.len(), known.len())?;
        // Bits beyond the row's width mean nothing, and are made the same in all rows.
        let beyond = if self.width.is_multiple_of(8) { 0 } else { 0xff << (self.width % 8) };
        known.chunks_exact_mut(self.stride).for_each(|row| row[self.stride - 1] |= beyond);
        self.packed.iter_mut().zip(&known).for_each(|(bits, known)| *bits &= known);
        self.known = known.iter().any(|&byte| byte != 0xff).then_some(known);
        Ok(self)
    }

    /// These rows alone.
    ///
    /// # Panics
    /// If the range is empty, or there is no such row.
    #[must_use]
    pub fn rows(&self, rows: Range<usize>) -> Self {
        self.select(&rows.collect::<Vec<_>>())
    }

    /// These rows alone, in this order.
    ///
    /// # Panics
    /// If there are none, or there is no such row.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        assert!(!rows.is_empty(), "a data set has a row");
        let of = |values: &[u8], width: usize| -> Vec<u8> {
            rows.iter().flat_map(|row| &values[row * width..(row + 1) * width]).copied().collect()
        };
        let known = self.known.as_ref().map(|known| of(known, self.stride));
        Self {
            packed: of(&self.packed, self.stride),
            known: known.filter(|known| known.iter().any(|&byte| byte != 0xff)),
            labels: self.labels.as_ref().map(|labels| of(labels, 1)),
            greys: self.greys.as_ref().map(|greys| greys.with(of(greys.levels(), self.width))),
            groups: Arc::clone(&self.groups),
            len: rows.len(),
            ..*self
        }
    }

    /// The same examples with the class of each, counted from 0.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if there is not one class per example.
    pub fn with_labels(mut self, labels: Vec<u8>) -> Result<Self, DbmError> {
        DbmError::check_shape("the classes of the examples", self.len, labels.len())?;
        self.labels = Some(labels);
        Ok(self)
    }

    /// The class of each row, if there are classes.
    pub fn labels(&self) -> Option<&[u8]> {
        self.labels.as_deref()
    }

    /// The same examples, of whose bits those in each of these groups stand for one value together.
    ///
    /// # Errors
    /// [`DbmError::Setting`] for groups that are empty, overlap, are not in rising order, or reach beyond the width.
    pub fn with_groups(mut self, groups: Vec<Group>) -> Result<Self, DbmError> {
        groups::check(&groups, self.width)?;
        self.groups = groups.into();
        Ok(self)
    }

    /// The bits that stand for one value together.
    pub fn groups(&self) -> &Arc<[Group]> {
        &self.groups
    }

    /// The same examples with grey levels, from which a run draws bits at every visit. Everything else sees the bits here.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if there is not one level per bit.
    pub fn with_greys(mut self, greys: GreyLevels) -> Result<Self, DbmError> {
        DbmError::check_shape("the grey levels", self.len * self.width, greys.levels().len())?;
        self.greys = Some(greys);
        Ok(self)
    }

    /// What a run draws its bits from at every visit, if it draws them.
    pub fn greys(&self) -> Option<&GreyLevels> {
        self.greys.as_ref()
    }

    /// All rows, each in whole bytes, the lowest bit first.
    pub fn packed(&self) -> &[u8] {
        &self.packed
    }

    /// Which bits are known, packed like the bits; `None` if all are.
    pub fn known_packed(&self) -> Option<&[u8]> {
        self.known.as_deref()
    }

    /// Whether any bit is missing.
    pub fn has_gaps(&self) -> bool {
        self.known.is_some()
    }

    /// How many bits are missing.
    pub fn missing(&self) -> usize {
        self.known.iter().flatten().map(|byte| byte.count_zeros() as usize).sum()
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

    /// Accepts a model whose visible layer has `n` units.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if a row has more or fewer bits.
    pub fn check_width(&self, n: usize) -> Result<(), DbmError> {
        DbmError::check_shape("a row of the data set", n, self.width)
    }

    /// Each distinct row once, in an order that does not depend on theirs, with its number of occurrences; `None` for a missing bit.
    pub(crate) fn distinct(&self) -> BTreeMap<Vec<Option<bool>>, usize> {
        let mut counts = BTreeMap::new();
        for row in 0..self.len {
            let bits = (0..self.width).map(|i| self.is_known(row, i).then(|| self.bit(row, i)));
            *counts.entry(bits.collect()).or_default() += 1;
        }
        counts
    }

    /// One bit; a missing one is low.
    ///
    /// # Panics
    /// If `row` or `column` is out of range.
    pub fn bit(&self, row: usize, column: usize) -> bool {
        assert!(row < self.len && column < self.width, "row or column out of range");
        self.packed[row * self.stride + column / 8] >> (column % 8) & 1 == 1
    }

    /// Whether a bit is known.
    ///
    /// # Panics
    /// If `row` or `column` is out of range.
    pub fn is_known(&self, row: usize, column: usize) -> bool {
        assert!(row < self.len && column < self.width, "row or column out of range");
        self.known.as_ref().is_none_or(|known| known[row * self.stride + column / 8] >> (column % 8) & 1 == 1)
    }

    /// How many bits of a row are known.
    ///
    /// # Panics
    /// If `row` is out of range.
    pub fn known_in_row(&self, row: usize) -> usize {
        assert!(row < self.len, "row out of range");
        let missing = |known: &Vec<u8>| -> usize {
            known[row * self.stride..(row + 1) * self.stride].iter().map(|byte| byte.count_zeros() as usize).sum()
        };
        self.width - self.known.as_ref().map_or(0, missing)
    }

    /// Which bits of a row are known.
    ///
    /// # Panics
    /// If `row` is out of range.
    pub fn known_row(&self, row: usize) -> Vec<bool> {
        (0..self.width).map(|column| self.is_known(row, column)).collect()
    }

    /// What is known of these rows, [`Clamp::Visible`] if nothing is missing.
    ///
    /// # Panics
    /// If a row is out of range.
    pub fn clamp(&self, rows: &[usize]) -> Clamp {
        if rows.iter().all(|&row| self.known_in_row(row) == self.width) {
            return Clamp::Visible;
        }
        Clamp::Known(rows.iter().flat_map(|&row| self.known_row(row)).collect())
    }

    /// One row as bytes 0 and 1; a missing bit is 0.
    ///
    /// # Panics
    /// If `row` is out of range.
    pub fn row(&self, row: usize) -> Vec<u8> {
        (0..self.width).map(|column| u8::from(self.bit(row, column))).collect()
    }

    /// Writes one row as unit values; a missing bit is low.
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

    /// Share of high bits among the known ones, in `0.0..=1.0`; 0 if none is known.
    pub fn share_of_ones(&self) -> f64 {
        let ones: u64 = self.packed.iter().map(|byte| u64::from(byte.count_ones())).sum();
        let known = self.len * self.width - self.missing();
        ones as f64 / known.max(1) as f64
    }
}

/// The number of rows in this many bytes, at `stride` bytes per row.
fn count_rows(what: &str, bytes: usize, stride: usize, width: usize) -> Result<usize, DbmError> {
    if width == 0 {
        return Err(DbmError::EmptyLayer { layer: 0 });
    }
    if bytes == 0 {
        return Err(DbmError::NoExamples);
    }
    let rows = bytes.div_ceil(stride);
    DbmError::check_shape(what, rows * stride, bytes)?;
    Ok(rows)
}

/// Packs rows of bytes into bits, each row into whole bytes, the lowest bit first.
fn pack(width: usize, bits: &[u8]) -> Vec<u8> {
    let stride = width.div_ceil(8);
    let mut packed = vec![0; bits.len() / width * stride];
    for (row, target) in bits.chunks_exact(width).zip(packed.chunks_exact_mut(stride)) {
        for (column, &bit) in row.iter().enumerate() {
            target[column / 8] |= u8::from(bit != 0) << (column % 8);
        }
    }
    packed
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
    fn gaps_are_kept_apart_from_bits() {
        let bits: Vec<u8> = (0..4 * 11).map(|i| u8::from(i % 3 != 0)).collect();
        let known: Vec<u8> = (0..4 * 11).map(|i| u8::from(i % 5 != 1)).collect();
        let whole = Examples::from_bits(11, &bits).unwrap();
        let examples = whole.clone().with_gaps(&known).unwrap();
        assert_eq!((whole.missing(), whole.has_gaps(), examples.has_gaps()), (0, false, true));
        let message = |marks: &[u8]| marks.iter().map(|&mark| usize::from(mark)).sum::<usize>();
        assert_eq!(examples.missing(), 44 - message(&known));
        for row in 0..4 {
            let at = row * 11..(row + 1) * 11;
            assert!(examples.known_row(row).iter().zip(&known[at.clone()]).all(|(&seen, &known)| seen == (known == 1)));
            assert_eq!(examples.known_in_row(row), message(&known[at.clone()]));
            let seen: Vec<u8> = bits[at.clone()].iter().zip(&known[at]).map(|(bit, known)| bit & known).collect();
            assert_eq!(examples.row(row), seen);
        }
        let ones = bits.iter().zip(&known).filter(|(bit, known)| **bit == 1 && **known == 1).count();
        assert_eq!(examples.share_of_ones(), ones as f64 / (44 - examples.missing()) as f64);
        let again = whole.clone().with_packed_gaps(examples.known_packed().unwrap().to_vec()).unwrap();
        assert_eq!(again, examples);
        assert_eq!(whole.clone().with_gaps(&[1; 44]).unwrap(), whole);
        assert!(matches!(whole.clone().with_gaps(&[1; 43]), Err(DbmError::Shape { expected: 44, got: 43, .. })));
        assert!(matches!(whole.with_packed_gaps(vec![0; 7]), Err(DbmError::Shape { expected: 8, got: 7, .. })));
    }

    #[test]
    fn refuses_what_is_no_table() {
        assert_eq!(Examples::from_bits(0, &[1]), Err(DbmError::EmptyLayer { layer: 0 }));
        assert_eq!(Examples::from_bits(3, &[]), Err(DbmError::NoExamples));
        assert!(matches!(Examples::from_bits(3, &[1, 0, 1, 1]), Err(DbmError::Shape { expected: 6, got: 4, .. })));
        assert!(matches!(Examples::from_packed(9, vec![1, 0, 1]), Err(DbmError::Shape { expected: 4, got: 3, .. })));
    }
}
