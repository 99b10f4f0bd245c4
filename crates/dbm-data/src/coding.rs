//! How units encode a grey value.

use dbm_core::words::{choices, words};
use serde::{Deserialize, Serialize};

choices! {
    /// How 2 to 8 adjacent units encode a grey `g` from 0 to 255. The first unit is the most significant bit of the numbers below.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Coding = words("coding", "Coding", "What the bits of a grey value stand for.");
    /// The `n` most significant bits of `g`: `b = floor(g / 2^(8 - n))`.
    #[default]
    Binary = "binary", "Binary", "The most significant bits of the value";
    /// The Gray code of the same number (Gray 1953), `b XOR floor(b / 2)`: neighbouring numbers differ in one unit.
    Gray = "gray", "Gray code", "The same numbers in an order in which neighbours differ in one bit";
    /// The first `round(g n / 255)` units are high: unit `k`, from 0, says whether `g` is above `255 (k + 1/2) / n`.
    Thermometer = "thermometer", "Thermometer", "Each bit says whether the value is above its own threshold";
}

impl Coding {
    /// The units of a grey, as a number of `n` bits, 2 to 8.
    ///
    /// ```
    /// use dbm_data::coding::Coding;
    /// assert_eq!(Coding::Binary.number(200, 4), 0b1100);
    /// assert_eq!(Coding::Gray.number(200, 4), 0b1010);
    /// assert_eq!(Coding::Thermometer.number(200, 4), 0b1110);
    /// ```
    pub fn number(self, grey: u8, n: u8) -> u8 {
        let n = n.clamp(1, 8);
        let most_significant = grey >> (8 - n);
        match self {
            Self::Binary => most_significant,
            Self::Gray => most_significant ^ (most_significant >> 1),
            Self::Thermometer => {
                let level = (u32::from(grey) * u32::from(n) + 127) / 255;
                (((1 << level) - 1) << (u32::from(n) - level)) as u8
            }
        }
    }

    /// The grey that units encode in the sense of [`Self::number`]. The lowest and the highest number of `n` bits are 0 and 255. For a
    /// thermometer only the number of high units counts, not their positions.
    pub fn grey(self, number: u8, n: u8) -> u8 {
        let n = u32::from(n.clamp(1, 8));
        let (number, most) = match self {
            Self::Binary => (number, (1_u32 << n) - 1),
            Self::Gray => ((0..8).fold(0, |bits, shift| bits ^ (number >> shift)), (1 << n) - 1),
            Self::Thermometer => (number.count_ones() as u8, n),
        };
        ((u32::from(number) * 255 + most / 2) / most).min(255) as u8
    }
}

/// The units of a grey value: how many, and their code. A single one is a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greys {
    /// Units per value, 1 to 8, side by side.
    pub bits: u8,
    /// Their code, if there is more than one.
    pub coding: Coding,
}

impl Greys {
    /// This many bits of a binary number.
    pub const fn binary(bits: u8) -> Self {
        Self { bits, coding: Coding::Binary }
    }

    /// The mean value, 0 to 1, if units are independently high with these probabilities: the mean of the encoded greys, over 255.
    ///
    /// ```
    /// use dbm_data::coding::{Coding, Greys};
    /// let of = |coding| Greys { bits: 2, coding }.level(&[1.0, 0.5]);
    /// assert_eq!([of(Coding::Binary), of(Coding::Gray), of(Coding::Thermometer)], [2.5 / 3.0, 2.5 / 3.0, 0.75]);
    /// ```
    pub fn level(self, shares: &[f64]) -> f64 {
        if self.coding == Coding::Thermometer {
            return shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        }
        let (mut value, mut bit) = (0.0, 0.0);
        for high in shares {
            // A bit of the Gray code says whether the number's bit differs from the previous one.
            bit = if self.coding == Coding::Gray { bit + high - 2.0 * bit * high } else { *high };
            value = 2.0 * value + bit;
        }
        value / f64::from((1_u32 << shares.len().min(31)) - 1)
    }

    /// The units of a value that is all ink, 255.
    pub fn full(self) -> Vec<u8> {
        // In the Gray code of the largest number only the first bit is high.
        (0..self.bits).map(|place| u8::from(place == 0 || self.coding != Coding::Gray)).collect()
    }

    /// The units of a grey, one byte per unit.
    pub fn units(self, grey: u8) -> impl Iterator<Item = u8> {
        let number = self.coding.number(grey, self.bits);
        (0..self.bits).rev().map(move |bit| number >> bit & 1)
    }
}

impl Default for Greys {
    fn default() -> Self {
        Self::binary(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Coding; 3] = [Coding::Binary, Coding::Gray, Coding::Thermometer];

    #[test]
    fn a_grey_comes_back_as_nearly_as_its_levels_allow() {
        for coding in ALL {
            for n in 2..=8 {
                let levels = if coding == Coding::Thermometer { i32::from(n) } else { (1 << n) - 1 };
                for grey in 0..=255_u8 {
                    let back = coding.grey(coding.number(grey, n), n);
                    assert!((i32::from(back) - i32::from(grey)).abs() <= 256 / levels, "{coding:?} {n}: {grey} {back}");
                    // Decoding and encoding again gives the same units.
                    assert_eq!(coding.number(back, n), coding.number(grey, n), "{coding:?} {n}: {grey} {back}");
                }
                assert_eq!((coding.grey(coding.number(0, n), n), coding.grey(coding.number(255, n), n)), (0, 255));
            }
        }
    }

    #[test]
    fn neighbours_differ_in_one_unit_but_in_binary() {
        for n in 2..=8 {
            for coding in [Coding::Gray, Coding::Thermometer] {
                let differ = |grey: u8| (coding.number(grey, n) ^ coding.number(grey + 1, n)).count_ones();
                assert!((0..255).all(|grey| differ(grey) <= 1), "{coding:?} {n}");
            }
        }
        assert_eq!((Coding::Binary.number(127, 8) ^ Coding::Binary.number(128, 8)).count_ones(), 8);
    }
    #[test]
    fn values_are_as_high_as_their_code_says() {
        for coding in ALL {
            for bits in 2..=8 {
                let greys = Greys { bits, coding };
                for grey in 0..=255 {
                    let units: Vec<u8> = greys.units(grey).collect();
                    let level = greys.level(&units.iter().map(|&unit| f64::from(unit)).collect::<Vec<_>>());
                    assert_eq!(
                        (255.0 * level).round(),
                        f64::from(coding.grey(coding.number(grey, bits), bits)),
                        "{greys:?} {grey}"
                    );
                }
                assert_eq!(greys.full(), greys.units(255).collect::<Vec<_>>(), "{greys:?}");
            }
        }
    }
}
