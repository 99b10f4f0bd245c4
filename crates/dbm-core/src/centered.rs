//! The centered parametrization (Montavon and Mueller 2012), in which any estimator can train.
//!
//! `E(s) = - sum_l c_l . (s_l - mu_l) - sum_l (s_l - mu_l)^T W_l (s_{l+1} - mu_{l+1})` is the same family of models, with
//! `c_l = b_l + W_{l-1}^T mu_{l-1} + W_l mu_{l+1}`; what changes is the direction of a step. In these coordinates the gradient of `c_l` is that of
//! `b_l`, `d_l = E_data[s_l] - E[s_l]`, and that of `W_l` is `G_l - d_l mu_{l+1}^T - mu_l d_{l+1}^T`, `G_l` being the plain one.

use crate::linalg::{Matrix, add_scaled, dot};

/// The offsets `mu_l`, which follow the data-dependent means of the units.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Centering {
    rate: f64,
    offsets: Vec<Vec<f32>>,
}

impl Centering {
    /// With the offsets of a run, or zero before its first step.
    pub fn new(rate: f64, offsets: Vec<Vec<f32>>) -> Self {
        Self { rate, offsets }
    }

    /// One vector a layer.
    pub fn offsets(&self) -> &[Vec<f32>] {
        &self.offsets
    }

    /// Moves the offsets towards the data-dependent means of the step after `steps_before` others: by the running mean at first, so that where they began
    /// does not matter, then by an exponential one.
    pub fn follow(&mut self, means: &[Vec<f32>], steps_before: u64) {
        let rate = self.rate.max(1.0 / (steps_before as f64 + 1.0)) as f32;
        for (offset, mean) in self.offsets.iter_mut().zip(means) {
            offset.iter_mut().zip(mean).for_each(|(o, &m)| *o += rate * (m - *o));
        }
    }

    /// Adds `sign` times `W_{l-1}^T mu_{l-1} + W_l mu_{l+1}` to every bias: +1 from `b` to `c`, -1 back.
    pub fn shift(&self, sign: f32, weights: &[Matrix], biases: &mut [Vec<f32>]) {
        for (l, weight) in weights.iter().enumerate() {
            let (lower, upper) = (&self.offsets[l], &self.offsets[l + 1]);
            for (i, &offset) in lower.iter().enumerate() {
                biases[l][i] += sign * dot(weight.row(i), upper) as f32;
                add_scaled(&mut biases[l + 1], sign * offset, weight.row(i));
            }
        }
    }

    /// Turns rows `from..` of the plain gradient of `W_l` into those of the centered one; `bias_gradients` are the `d_l`.
    pub fn correct(&self, l: usize, from: usize, bias_gradients: &[Vec<f32>], rows: &mut [f32]) {
        let (offset, next_offset) = (&self.offsets[l], &self.offsets[l + 1]);
        let (change, next_change) = (&bias_gradients[l], &bias_gradients[l + 1]);
        for (row, i) in rows.chunks_exact_mut(next_offset.len()).zip(from..) {
            add_scaled(row, -change[i], next_offset);
            add_scaled(row, -offset[i], next_change);
        }
    }
}
