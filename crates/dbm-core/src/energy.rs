//! Energies and fields of a single state, straight from their definitions: the reference for everything faster.

use crate::linalg::dot;
use crate::math::softplus;
use crate::{Dbm, parity::Parity};

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
        (0..self.sizes()[layer])
            .map(|unit| {
                let below = if layer == 0 { 0.0 } else { dot(self.transposed()[layer - 1].row(unit), state[layer - 1].as_ref()) };
                let above =
                    if layer == self.depth() { 0.0 } else { dot(self.weights()[layer].row(unit), state[layer + 1].as_ref()) };
                f64::from(self.biases()[layer][unit]) + below + above
            })
            .collect()
    }

    /// `E_p(s_p) = - sum_{l in p} b_l . s_l - sum_{l not in p} sum_j (low a_j + log(1 + exp(gap a_j)))`: the energy of the
    /// layers of parity `p` with the others summed out (the paper's E_even and E_odd, with biases).
    ///
    /// # Panics
    /// If the state does not have the model's shape.
    pub fn marginal_energy<S: AsRef<[f32]>>(&self, parity: Parity, state: &[S]) -> f64 {
        let (low, gap) = (f64::from(self.units().low()), f64::from(self.units().gap()));
        let kept: f64 = parity.layers(self.depth()).map(|l| dot(&self.biases()[l], state[l].as_ref())).sum();
        let summed_out: f64 = parity
            .other()
            .layers(self.depth())
            .flat_map(|l| self.field(l, state))
            .map(|a| low * f64::from(a) + softplus(gap * f64::from(a)))
            .sum();
        -kept - summed_out
    }
}
