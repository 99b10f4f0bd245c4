//! Grey levels as bit planes, and what a model knows of each plane.

use crate::Error;
use dbm_core::math::sigma_each;
use dbm_core::mean_field::{self, MeanFieldSettings};
use dbm_core::{Dbm, Examples};
use dbm_data::Dataset;
use dbm_data::raw::Visible;
use serde::{Deserialize, Serialize};

/// Cap and tolerance of the mean-field iterations, as of the signals of training.
const MEAN_FIELD: MeanFieldSettings = MeanFieldSettings { max_sweeps: 30, tolerance: 1e-3 };
/// Training digits that the shares of high bits are counted over, at most.
const COUNTED: usize = 10_000;

/// A bit plane of all pixels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plane {
    /// Mean squared error of the probability that a unit is high, by mean field given all of the picture: 0 where the model holds what it was shown.
    pub error: f64,
    /// The same of each unit's share of high bits in the training data, which knows nothing of the picture.
    pub without: f64,
}

impl Plane {
    /// The share of the plane's variance that passes through the hidden units.
    pub fn held(self) -> f64 {
        if self.without > 0.0 { 1.0 - self.error / self.without } else { 0.0 }
    }
}

/// What the units of these digits stand for.
///
/// # Errors
/// [`Error::Input`] where they are not bit planes.
pub fn visible(data: &Dataset) -> Result<&Visible, Error> {
    match &data.visible {
        Some(visible @ Visible::Planes { .. }) => Ok(visible),
        _ => Err(Error::Input(format!(
            "{}: grey pictures were expected, 8 bits a pixel, but a pixel is one bit here; give MNIST",
            data.name
        ))),
    }
}

/// What the model holds of each plane of the first so many test digits, the most significant plane first.
pub fn held(model: &Dbm, depth: usize, (training, test): (&Examples, &Examples), count: usize) -> Vec<Plane> {
    let rows: Vec<usize> = (0..count.min(test.len())).collect();
    let posterior = mean_field::posterior_of(model, test, &rows, MEAN_FIELD);
    let n = model.n_visible();
    let mut fields = model.biases()[0].repeat(rows.len());
    model.backend().add_product(&mut fields, posterior.means[1].data(), &model.transposed()[0]);
    let shares = shares(training);
    let mut sums = vec![(0.0, 0.0); depth];
    let mut high = vec![0.0; n];
    for (&row, fields) in rows.iter().zip(fields.chunks_exact(n)) {
        sigma_each(fields, model.units().gap(), 0.0, 1.0, &mut high);
        for (unit, bit) in test.row(row).into_iter().map(f64::from).enumerate() {
            let square = |guess: f64| (bit - guess) * (bit - guess);
            let sum = &mut sums[unit % depth];
            sum.0 += square(f64::from(high[unit]));
            sum.1 += square(shares[unit]);
        }
    }
    let count = (rows.len() * (n / depth)) as f64;
    sums.into_iter().map(|(error, without)| Plane { error: error / count, without: without / count }).collect()
}

/// The share of examples in which each unit is high.
fn shares(data: &Examples) -> Vec<f64> {
    let count = data.len().min(COUNTED);
    let mut highs = vec![0_u32; data.width()];
    for row in 0..count {
        highs.iter_mut().zip(data.row(row)).for_each(|(high, bit)| *high += u32::from(bit));
    }
    highs.into_iter().map(|high| f64::from(high) / count as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::Units;

    #[test]
    fn what_a_model_holds_is_measured_plane_by_plane() {
        // Two pixels of two planes: a hidden unit copies each upper bit, and nothing knows of the lower ones.
        let mut weights = vec![0.0; 4 * 2];
        (weights[0], weights[2 * 2 + 1]) = (9.0, 9.0);
        let model = Dbm::new(Units::Signs, vec![weights], vec![vec![0.0; 4], vec![0.0; 2]]).unwrap();
        let bits: Vec<u8> = (0..16_u8).flat_map(|row| (0..4).map(move |bit| row >> bit & 1)).collect();
        let all = Examples::from_bits(4, &bits).unwrap();
        let planes = held(&model, 2, (&all, &all), 16);
        assert!(planes[0].error < 1e-6 && (planes[0].without - 0.25).abs() < 1e-12, "{planes:?}");
        assert!((planes[1].error - 0.25).abs() < 1e-6 && planes[1].held().abs() < 1e-6 && planes[0].held() > 0.99, "{planes:?}");
    }
}
