//! Ready-made masks: the cells of a picture that each of them hides.

use dbm_core::words::{choices, words};

choices! {
    /// A mask at one press; the table below says what each hides.
    pub enum Mask = words("mask", "Hide", "Which part of the picture is unknown.");
    Upper = "upper", "Upper half", "Rows above the middle.";
    Lower = "lower", "Lower half", "Rows below the middle.";
    Left = "left", "Left half", "Columns left of the middle.";
    Right = "right", "Right half", "Columns right of the middle.";
    Centre = "centre", "Centre", "The middle half of the rows and columns.";
    Frame = "frame", "Outer frame", "An eighth of the rows and columns from each side.";
    Stripes = "stripes", "Stripes", "Every other band of rows.";
    Random30 = "random30", "Random pixels, 30 %", "Each pixel with probability 0.3.";
    Random60 = "random60", "Random pixels, 60 %", "Each pixel with probability 0.6.";
    All = "all", "Hide everything (invent a digit)", "Nothing is known: the answers are samples.";
}

impl Mask {
    /// Whether a cell of a picture with these rows and columns is hidden; `seed` draws the random pixels.
    pub fn hides(self, (row, column): (usize, usize), (rows, columns): (usize, usize), seed: u32) -> bool {
        let middle = |at: usize, of: usize| 4 * at + 2 > of && 4 * at + 2 < 3 * of;
        let inner = |at: usize, of: usize| 8 * at + 4 > of && 8 * at + 4 < 7 * of;
        match self {
            Self::Upper => 2 * row < rows && (rows > 1 || 2 * column < columns),
            Self::Lower => 2 * row >= rows.max(2) || (rows == 1 && 2 * column >= columns),
            Self::Left => 2 * column < columns,
            Self::Right => 2 * column >= columns,
            Self::Centre => middle(row, rows) && middle(column, columns),
            Self::Frame => !(inner(row, rows) && inner(column, columns)),
            Self::Stripes => row / rows.div_ceil(14) % 2 == 1,
            Self::Random30 => percentile(seed, row * columns + column) < 30,
            Self::Random60 => percentile(seed, row * columns + column) < 60,
            Self::All => true,
        }
    }
}

/// A number from 0 to 99 for each cell, fixed by the seed (the final steps of MurmurHash3).
fn percentile(seed: u32, cell: usize) -> u32 {
    let mut x = seed.wrapping_mul(0x9e37_79b9) ^ (cell as u32).wrapping_add(1).wrapping_mul(0x85eb_ca6b);
    for factor in [0x85eb_ca6b, 0xc2b2_ae35] {
        x = (x ^ (x >> 15)).wrapping_mul(factor);
    }
    (x ^ (x >> 16)) % 100
}
