//! Generated digits: synthetic handwriting, 28 x 28, as many as requested, from a seed.
//!
//! Each digit is one of a few glyphs, interpolated between (or slightly beyond) two drawings of it. Its points are shaken, the plane is
//! bent, slanted and turned, and a random pen inks it. It is then fitted and centred like MNIST: the longer side 20 pixels, the centre of
//! mass in the middle of 28 x 28. All arithmetic is portable, so every machine produces the same bits.

mod glyphs;
mod hand;
mod pen;

use hand::StrokeRandom;
use pen::Pen;
pub use pen::{PIXELS, SIDE};
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// Digit number `index` of the endless series of `seed`, and its class, which is `index % 10`. Row-major grey values, 0 paper and 255 ink;
/// they depend only on `seed` and `index`.
///
/// ```
/// let (pixels, class) = dbm_digits::image(0, 1007);
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn all_are_framed() {
        for index in 0..1000 {
            let (pixels, _) = image(7, index);
            let inked = |line: usize, step: usize, along: usize| (0..SIDE).any(|i| pixels[line * step + i * along] > 0);
            let rows = (0..SIDE).filter(|&row| inked(row, SIDE, 1)).count();
            let columns = (0..SIDE).filter(|&column| inked(column, 1, SIDE)).count();
            assert!((19..=22).contains(&rows.max(columns)), "digit {index} is {rows} x {columns}");
        }
    }
}
