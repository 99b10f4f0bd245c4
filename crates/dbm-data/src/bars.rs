//! Bars and stripes: images whose rows, or whose columns, each have one colour; small enough for the exact likelihood.

use crate::{DataError, Dataset};
use dbm_core::Examples;

/// The maximum side: 8190 patterns of 144 bits.
const MAX_SIDE: usize = 12;

/// Every distinct pattern of `side` x `side` once: `2^(side + 1) - 2` of them, 30 for side 4. Labels: 0 stripes, 1 bars; the two uniform
/// images count as stripes.
///
/// ```
/// assert_eq!(dbm_data::bars::dataset(4)?.examples.len(), 30);
/// # Ok::<(), dbm_data::DataError>(())
/// ```
///
/// # Errors
/// [`DataError::OutOfRange`] for a side outside `1..=12`.
pub fn dataset(side: usize) -> Result<Dataset, DataError> {
    if !(1..=MAX_SIDE).contains(&side) {
        return Err(DataError::out_of_range("the side of bars and stripes", "1 to 12", &side));
    }
    let width = side * side;
    let lit = |pattern: u32, line: usize| (pattern >> line & 1) as u8;
    let stripes = 0..1_u32 << side;
    // The uniform patterns, first and last, are already among the stripes; with side 1 all patterns are.
    let bars = if side == 1 { 0..0 } else { 1..(1 << side) - 1 };
    let mut bits = Vec::new();
    for pattern in stripes.clone() {
        bits.extend((0..width).map(|pixel| lit(pattern, pixel / side)));
    }
    for pattern in bars.clone() {
        bits.extend((0..width).map(|pixel| lit(pattern, pixel % side)));
    }
    let name = format!("bars and stripes {side} x {side}");
    let examples = Examples::from_bits(width, &bits).map_err(DataError::refused(&name))?;
    let labels = [vec![0; stripes.len()], vec![1; bars.len()]].concat();
    Ok(Dataset { name, examples, image: Some((side, side)), labels: Some(labels), visible: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_pattern_once() {
        for side in 1..=6 {
            let data = dataset(side).unwrap();
            let rows: BTreeSet<Vec<u8>> = (0..data.examples.len()).map(|row| data.examples.row(row)).collect();
            assert_eq!((rows.len(), data.examples.len()), ((2 << side) - 2, (2 << side) - 2));
            assert_eq!(data.labels.unwrap().len(), rows.len());
            for image in rows {
                let rows_uniform = image.chunks(side).all(|row| row.iter().all(|bit| bit == &row[0]));
                let columns_uniform = image.chunks(side).all(|row| row == &image[..side]);
                assert!(rows_uniform || columns_uniform);
            }
        }
    }
}
