//! Weighted states in an estimate.

use dbm_core::linalg::Matrix;

/// States that enter a phase's estimate in addition to those of its chains, or instead of them.
#[derive(Default)]
pub(crate) struct Counted {
    /// The weight of each.
    pub times: Vec<f32>,
    /// `[states, n_l]` per layer.
    pub layers: Vec<Matrix>,
}

impl Counted {
    /// Adds states, `[rows, n_l]` per layer, each with its weight.
    pub fn push(&mut self, times: f32, layers: &[Matrix]) {
        if self.layers.is_empty() {
            self.layers = layers.to_vec();
        } else {
            self.layers.iter_mut().zip(layers).for_each(|(all, layer)| all.push_rows(layer));
        }
        self.times.resize(self.layers[0].rows(), times);
    }
}
