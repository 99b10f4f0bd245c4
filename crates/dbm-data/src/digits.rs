//! Generated digits as data sets.

use crate::pictures::{Pictures, Values};
use crate::raw::{PictureReading, Visible};
use crate::{DataError, Dataset, THRESHOLD};
pub use dbm_digits::{PIXELS, SIDE, image};

/// Maximum number of digits in one data set.
const MAX_COUNT: usize = 200_000;

/// The first `count` digits of a series, grey, with their classes as labels.
///
/// # Errors
/// [`DataError::OutOfRange`] for a count outside `1..=200000`.
pub fn pictures(count: usize, seed: u64) -> Result<Pictures, DataError> {
    if !(1..=MAX_COUNT).contains(&count) {
        return Err(DataError::out_of_range("the number of digits", "1 to 200000", &count));
    }
    let mut greys = Vec::with_capacity(count * PIXELS);
    let mut labels = Vec::with_capacity(count);
    for index in 0..count as u64 {
        let (pixels, class) = image(seed, index);
        greys.extend(pixels);
        labels.push(class);
    }
    Ok(Pictures { count, shape: (SIDE, SIDE), values: Values::Bytes(greys), labels: Some(labels) })
}

/// The name of a data set of the first digits of a series.
pub fn name(seed: u64) -> String {
    format!("generated digits, seed {seed}")
}

/// The same digits in binary: high if the grey is above [`THRESHOLD`].
///
/// # Errors
/// [`DataError::OutOfRange`] for a count outside `1..=200000`.
pub fn dataset(count: usize, seed: u64) -> Result<Dataset, DataError> {
    let data = pictures(count, seed)?
        .encode_as(&name(seed), &Visible::Bits { threshold: f64::from(THRESHOLD), read: PictureReading::PLAIN })?;
    Ok(Dataset { visible: None, ..data })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_are_alike() {
        let data = dataset(3000, 7).unwrap();
        let rows: BTreeSet<Vec<u8>> = (0..3000).map(|row| data.examples.row(row)).collect();
        assert_eq!(rows.len(), 3000);
        let share = data.examples.share_of_ones();
        assert!((0.125..0.145).contains(&share), "MNIST has 0.13 ones, these {share}");
    }

    #[test]
    fn classes_take_turns_and_series_differ() {
        let labels = dataset(25, 1).unwrap().labels.unwrap();
        assert!(labels.iter().enumerate().all(|(i, &label)| usize::from(label) == i % 10));
        assert_ne!(image(1, 0), image(2, 0));
        assert_eq!(dataset(10, 1).unwrap().examples.row(9), dataset(25, 1).unwrap().examples.row(9));
    }
}
