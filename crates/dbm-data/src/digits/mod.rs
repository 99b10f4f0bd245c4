//! Generated digits: handwriting of no one's, 28 x 28, as many as wanted, from a seed.

mod glyphs;
mod hand;
mod pen;

use hand::Chance;
use pen::Pen;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// Rows, and columns, of a digit.
pub const SIDE: usize = 28;
/// Pixels of a digit.
pub const PIXELS: usize = SIDE * SIDE;

/// Digit number `index` of the endless series of `seed`, and its class, which is `index % 10`.
pub fn image(seed: u64, index: u64) -> ([u8; PIXELS], u8) {
    let class = (index % 10) as u8;
    let series = SplitMix64::seed_from_u64(seed).next_u64();
    let mut chance = Chance(Xoshiro256PlusPlus::seed_from_u64(series ^ index));
    let strokes = hand::write(class, &mut chance);
    (Pen::new(&mut chance).draw(&strokes), class)
}
