//! Generated digits: synthetic handwriting, 28 x 28, as many as requested, from a seed.
//!
//! Each digit is one of a few glyphs, interpolated between (or slightly beyond) two drawings of it. Its points are shaken, the plane is
//! bent, slanted and turned, and a random pen inks it. It is then fitted and centred like MNIST: the longer side 20 pixels, the centre of
//! mass in the middle of 28 x 28. All arithmetic is portable, so every machine produces the same bits.

mod glyphs;
mod hand;
mod pen;

use crate::pictures::{Pictures, Values};
use crate::raw::{PictureReading, Visible};
use crate::{DataError, Dataset, THRESHOLD};
use hand::StrokeRandom;
use pen::Pen;
pub use pen::{PIXELS, SIDE};
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// Maximum number of digits in one data set.
const MAX_COUNT: usize = 200_000;

/// Digit number `index` of the endless series of `seed`, and its class, which is `index % 10`. Row-major grey values, 0 paper and 255 ink;
/// they depend only on `seed` and `index`.
///
/// ```
/// let (pixels, class) = dbm_data::digits::image(0, 1007);
/// assert_eq!(class, 7);
/// assert!(pixels.iter().any(|&grey| grey > 127));
/// ```
pub fn image(seed: u64, index: u64) -> ([u8; PIXELS], u8) {
    let class = (index % 10) as u8;
    let series = SplitMix64::seed_from_u64(seed).next_u64();
    let mut random = StrokeRandom(Xoshiro256PlusPlus::seed_from_u64(series ^ index));
    let strokes = hand::write(class, &mut random);
    (Pen::new(&mut random).draw(&strokes), class)
}

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

    /// FNV-1a over the pixels of the first hundred digits of seed 0. If the digits are changed on purpose, this changes too.
    #[test]
    fn values_are_stable() {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for index in 0..100 {
            for byte in image(0, index).0 {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        assert_eq!(hash, 0xe96a_d809_6e8d_d6c8, "{hash:#018x}");
    }

    #[test]
    fn no_two_are_alike_and_all_are_framed() {
        let data = dataset(3000, 7).unwrap();
        let rows: BTreeSet<Vec<u8>> = (0..3000).map(|row| data.examples.row(row)).collect();
        assert_eq!(rows.len(), 3000);
        let share = data.examples.share_of_ones();
        assert!((0.125..0.145).contains(&share), "MNIST has 0.13 ones, these {share}");
        for index in 0..1000 {
            let (pixels, _) = image(7, index);
            let inked = |line: usize, step: usize, along: usize| (0..SIDE).any(|i| pixels[line * step + i * along] > 0);
            let rows = (0..SIDE).filter(|&row| inked(row, SIDE, 1)).count();
            let columns = (0..SIDE).filter(|&column| inked(column, 1, SIDE)).count();
            assert!((19..=22).contains(&rows.max(columns)), "digit {index} is {rows} x {columns}");
        }
    }

    #[test]
    fn classes_take_turns_and_series_differ() {
        let labels = dataset(25, 1).unwrap().labels.unwrap();
        assert!(labels.iter().enumerate().all(|(i, &label)| usize::from(label) == i % 10));
        assert_ne!(image(1, 0), image(2, 0));
        assert_eq!(dataset(10, 1).unwrap().examples.row(9), dataset(25, 1).unwrap().examples.row(9));
    }
}
