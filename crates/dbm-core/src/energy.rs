//! Energies and fields of a single state, straight from their definitions: the reference for all faster code.

use crate::Dbm;
use crate::linalg::dot;

impl Dbm {
    /// `E(s) = - sum_l b_l . s_l - sum_l s_l^T W_l s_{l+1}`, for `state[l]` of size `n_l`.
    ///
    /// # Panics
    /// If the state does not have the model's shape.
    pub fn energy<S: AsRef<[f32]>>(&self, state: &[S]) -> f64 {
        assert_eq!(state.len(), self.sizes().len());
        let biases: f64 = self.biases().iter().zip(state).map(|(b, s)| dot(b, s.as_ref())).sum();
        let pairs: f64 = self
            .weights()
            .iter()
            .zip(state.windows(2))
            .map(|(w, pair)| {
                let (lower, upper) = (pair[0].as_ref(), pair[1].as_ref());
                (0..w.rows()).map(|i| f64::from(lower[i]) * dot(w.row(i), upper)).sum::<f64>()
            })
            .sum();
        -biases - pairs
    }

    /// `a_l = b_l + W_{l-1}^T s_{l-1} + W_l s_{l+1}`.
    ///
    /// # Panics
    /// If the state does not have the model's shape.
    pub fn field<S: AsRef<[f32]>>(&self, layer: usize, state: &[S]) -> Vec<f32> {
        self.exact_field(layer, state).into_iter().map(|a| a as f32).collect()
    }

    /// The same, not rounded.
    ///
    /// # Panics
    /// If the state does not have the model's shape.
    pub fn exact_field<S: AsRef<[f32]>>(&self, layer: usize, state: &[S]) -> Vec<f64> {
        assert_eq!(state.len(), self.sizes().len());
        let fields = self.biases()[layer].iter().enumerate().map(|(unit, &bias)| {
            let beside = self.rows_to_neighbours(layer).map(|(l, rows)| dot(rows.row(unit), state[l].as_ref()));
            beside.fold(f64::from(bias), |field, share| field + share)
        });
        fields.collect()
    }
}
