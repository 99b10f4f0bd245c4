//! The two kinds of binary unit, and every formula that differs between them.

use crate::words::{choices, words};
use serde::{Deserialize, Serialize};

choices! {
    /// The values of a unit; one choice for the whole model.
    ///
    /// With `g = high - low` (2 for signs, 1 for bits) and field `a`, the same formulas hold for both:
    /// `P(high | rest) = sigma(g a)`, `mean = low + g sigma(g a)`, `log sum = low a + log(1 + exp(g a))`,
    /// and the conditional minimum of the energy is high exactly if `a >= 0`.
    ///
    /// ```
    /// use dbm_core::Units;
    /// assert_eq!((Units::Signs.low(), Units::Signs.high(), Units::Signs.gap()), (-1.0, 1.0, 2.0));
    /// assert_eq!((Units::Bits.low(), Units::Bits.high(), Units::Bits.gap()), (0.0, 1.0, 1.0));
    /// ```
    #[derive(Default, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Units = words("units", "Units", "The values a unit takes. Signs are the paper’s choice; bits train worse.");
    /// {-1, +1}: the paper's "simplified centering", and the default.
    #[default]
    Signs = "signs", "signs ±1", "-1 and 1, as in the paper (section 4.1)";
    Bits = "bits", "bits 0, 1", "0 and 1";
}

impl Units {
    /// The lower of the two values.
    pub const fn low(self) -> f32 {
        match self {
            Self::Signs => -1.0,
            Self::Bits => 0.0,
        }
    }

    /// The higher of the two values, which is 1 for both kinds.
    pub const fn high(self) -> f32 {
        1.0
    }

    /// `high - low`: the factor 2 of sign units that is easy to lose.
    pub const fn gap(self) -> f32 {
        self.high() - self.low()
    }

    /// Both values, `(low, high)`.
    pub const fn values(self) -> (f32, f32) {
        (self.low(), self.high())
    }

    /// Values of units as bytes 0 and 1.
    pub(crate) fn bytes<'a>(self, values: impl IntoIterator<Item = &'a f32>) -> Vec<u8> {
        values.into_iter().map(|&value| u8::from(value == self.high())).collect()
    }

    /// The value that represents a bit of data.
    pub const fn value(self, bit: bool) -> f32 {
        if bit { self.high() } else { self.low() }
    }
}
