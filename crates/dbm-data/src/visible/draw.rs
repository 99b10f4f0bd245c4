//! How the bits of grey values are drawn.

use serde::{Deserialize, Serialize};

/// Selects the draw.
///
/// ```
/// use dbm_data::pictures::{Pictures, Values};
/// use dbm_data::raw::{Draw, Encoding};
/// let pictures = Pictures { count: 1000, shape: (1, 3), values: Values::Bytes([0, 51, 255].repeat(1000)), labels: None };
/// let data = pictures.encode("x", &Encoding { drawn: Some(Draw::of_training(1)), ..pictures.suggest() })?;
/// let ones = |unit| (0..1000).filter(|&row| data.examples.bit(row, unit)).count();
/// assert_eq!((ones(0), ones(2)), (0, 1000));
/// assert!((150..250).contains(&ones(1))); // a fifth, and 4 standard deviations
/// # Ok::<(), dbm_data::DataError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draw {
    /// Seed of the streams, one per example.
    pub seed: u64,
    /// Distinguishes the draws of several data sets with one seed.
    pub series: u64,
    /// Whether a run draws others at each of its visits ([`dbm_core::GreyLevels`]). These are then what everything but training sees.
    pub again: bool,
}

impl Draw {
    /// The draw of training examples.
    pub fn of_training(seed: u64) -> Self {
        Self { seed, series: 0, again: false }
    }
}
