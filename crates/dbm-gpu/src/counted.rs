//! States that an estimate counts.

use dbm_core::linalg::Matrix;

/// States that a phase's estimate counts besides those of its chains, or in place of them.
#[derive(Default)]
pub(crate) struct Counted {
    /// How often each counts.
    pub times: Vec<f32>,
    /// `[states, n_l]` a layer.
    pub layers: Vec<Matrix>,
}

impl Counted {
    /// Adds states, `[rows, n_l]` a layer, of which each counts so often.
    pub fn push(&mut self, times: f32, layers: &[Matrix]) {
        if self.layers.is_empty() {
            self.layers = layers.to_vec();
        } else {
            self.layers.iter_mut().zip(layers).for_each(|(all, layer)| all.push_rows(layer));
        }
        self.times.resize(self.layers[0].rows(), times);
    }
}
