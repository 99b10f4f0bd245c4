//! What one hidden layer alone says about the visible one.

use crate::linalg::Matrix;
use crate::mean_field::{MeanFieldSettings, posterior_with_top};
use crate::{Clamp, Dbm, DbmError};

/// When the mean field of the layers in between stops.
const MEAN_FIELD: MeanFieldSettings = MeanFieldSettings { max_sweeps: 200, tolerance: 1e-4 };

/// The means of the visible layer given only these states of hidden layer `layer`, `[count, n_0]` unit values. For layer 1 they are exact,
/// `low + gap sigma(gap (b_0 + W_0 h_1))`; for a higher layer, the visible layer and those in between are in mean field. The layers above
/// do not matter once the states are known.
///
/// ```
/// use dbm_core::{Dbm, Units, decode, linalg::Matrix};
/// let model = Dbm::new(Units::Signs, vec![vec![1.0, 0.5]], vec![vec![0.0], vec![0.0; 2]])?;
/// let means = decode(&model, 1, &Matrix::from_vec(1, 2, vec![1.0, -1.0]))?;
/// assert!((means.data()[0] - 0.5_f32.tanh()).abs() < 1e-6);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Errors
/// [`DbmError::Setting`] if the model has no such hidden layer (counted from 1); [`DbmError::Shape`] for states of another width.
pub fn decode(model: &Dbm, layer: usize, states: &Matrix) -> Result<Matrix, DbmError> {
    if !(1..=model.depth()).contains(&layer) {
        let expected = "a hidden layer of the model, the lowest being 1";
        return Err(DbmError::Setting { name: "layer", expected, got: layer.to_string() });
    }
    DbmError::check_shape("the states of the layer", model.sizes()[layer], states.columns())?;
    let weights = model.weights()[..layer].iter().map(|weight| weight.data().to_vec()).collect();
    let below = Dbm::new(model.units(), weights, model.biases()[..=layer].to_vec())?.with_backend(model.backend());
    let blank = Matrix::zeros(states.rows(), model.n_visible());
    let mut means = posterior_with_top(&below, &blank, &Clamp::Free, Some(states), MEAN_FIELD).means;
    Ok(means.swap_remove(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Streams};
    use crate::{Units, exact};

    /// Against all states of the layers below: exact for the first layer, and close for the second if its weights are small.
    #[test]
    fn a_layer_says_what_enumeration_says() {
        for units in [Units::Signs, Units::Bits] {
            let sizes = [3, 3, 2, 2];
            let mut stream = Streams::new(3).at(Purpose::Initialization, 1, 1);
            let mut draw = |n: usize| (0..n).map(|_| (0.25 * stream.gaussian()) as f32).collect::<Vec<f32>>();
            let weights = sizes.windows(2).map(|pair| draw(pair[0] * pair[1])).collect();
            let model = Dbm::new(units, weights, sizes.iter().map(|&n| draw(n)).collect()).unwrap();
            for (layer, n) in [(1, sizes[1]), (2, sizes[2])] {
                let bits: Vec<bool> = (0..n).map(|unit| unit % 2 == 0).collect();
                let states = Matrix::from_vec(1, n, bits.iter().map(|&bit| units.value(bit)).collect());
                let means = decode(&model, layer, &states).unwrap();
                // The given layer as the visible one of the model turned upside down: the remaining factor of its probability belongs to
                // the layers below.
                let turned: Vec<Vec<f32>> = (0..layer).rev().map(|l| model.transposed()[l].data().to_vec()).collect();
                let biases: Vec<Vec<f32>> = (0..=layer).rev().map(|l| model.biases()[l].clone()).collect();
                let turned = Dbm::new(units, turned, biases).unwrap();
                let clamped: Vec<Option<bool>> = bits.iter().map(|&bit| Some(bit)).collect();
                let exact = exact::marginals(&turned, &clamped).unwrap().pop().unwrap();
                for (mean, high) in means.data().iter().zip(exact) {
                    let expected = f64::from(units.low()) + f64::from(units.gap()) * high;
                    let tolerance = if layer == 1 { 1e-6 } else { 0.03 };
                    assert!((f64::from(*mean) - expected).abs() < tolerance, "{units:?} layer {layer}: {mean} and {expected}");
                }
            }
            assert!(decode(&model, 4, &Matrix::zeros(1, 2)).is_err() && decode(&model, 1, &Matrix::zeros(1, 2)).is_err());
        }
    }
}
