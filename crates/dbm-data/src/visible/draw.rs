//! How a grey value becomes one bit.

use dbm_core::words::{choices, words};
use serde::{Deserialize, Serialize};

choices! {
    /// How a grey value becomes one bit.
    ///
    /// ```
    /// use dbm_data::pictures::{Pictures, Values};
    /// use dbm_data::raw::{Binarization, Encoding};
    /// let pictures = Pictures { count: 1000, shape: (1, 3), values: Values::Bytes([0, 51, 255].repeat(1000)), labels: None };
    /// let data = pictures.encode("x", &Encoding { binarization: Binarization::Stochastic, ..pictures.suggest() })?;
    /// let ones = |unit| (0..1000).filter(|&row| data.examples.bit(row, unit)).count();
    /// assert_eq!((ones(0), ones(2)), (0, 1000));
    /// assert!((150..250).contains(&ones(1))); // a fifth, and 4 standard deviations
    /// # Ok::<(), dbm_data::DataError>(())
    /// ```
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Binarization = words("binarize", "Bits are", "How a grey value becomes one bit.");
    #[default]
    Threshold = "threshold", "above a value", "High above a threshold";
    Stochastic = "stochastic", "drawn once", "Drawn once, at reading, with the grey as probability";
    /// The draw at reading is what everything but training sees ([`dbm_core::GreyLevels`]).
    Redraw = "redraw", "drawn per visit", "Drawn at every visit of training, with the grey as probability";
}

/// Selects the draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draw {
    /// Seed of the streams, one per example.
    pub seed: u64,
    /// Distinguishes the draws of several data sets with one seed; 0 for training examples.
    pub series: u64,
}
