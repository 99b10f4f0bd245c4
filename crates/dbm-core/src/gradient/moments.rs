//! A gradient as a sum of weighted outer products of layer states, which estimators produce and optimizers consume in blocks.
//!
//! `-dE/dW_l = s_l s_{l+1}^T` and `-dE/db_l = s_l`, so `r` states are `r` rows of two matrices, and their gradient is one product. A row
//! costs `n_l + n_{l+1}` numbers, the gradient itself `n_l n_{l+1}`: it need never be stored in full.

use crate::linalg::{Backend, Matrix, add_scaled};
use crate::rng::Purpose;
use crate::{Dbm, Parameters};
use serde::{Deserialize, Serialize};

/// The most rows kept before they are multiplied out: a long coupling visits more states than are worth keeping.
pub(crate) const MAX_ROWS: usize = 4096;

/// The two halves of every gradient, `E[f | data] - E[f]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Data clamped; counts as +1.
    Positive,
    /// Free, or known units clamped; counts as -1.
    Negative,
}

impl Phase {
    fn sign(self) -> f32 {
        match self {
            Self::Positive => 1.0,
            Self::Negative => -1.0,
        }
    }

    /// The purpose of its chains' streams.
    pub fn purpose(self) -> Purpose {
        match self {
            Self::Positive => Purpose::Positive,
            Self::Negative => Purpose::Negative,
        }
    }
}

/// `sum_r w_r f(s^r)` for `f = -dE/dtheta`, with the terms of the negative phase subtracted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    backend: Backend,
    /// For each `W_l`: left rows, which carry the weights, and right rows.
    pub(crate) pairs: Vec<(Matrix, Matrix)>,
    /// For each `W_l`: rows already multiplied out, `[n_l, n_{l+1}]`, if there were more than [`MAX_ROWS`].
    pub(crate) dense: Vec<Option<Matrix>>,
    biases: Vec<Vec<f32>>,
    /// The sum of each layer's states over the positive phase alone.
    positive: Vec<Vec<f32>>,
}

impl Moments {
    /// An empty sum for a model's shape.
    pub fn new(model: &Dbm) -> Self {
        let sizes = model.sizes();
        let zeros: Vec<Vec<f32>> = sizes.iter().map(|&size| vec![0.0; size]).collect();
        Self {
            backend: model.backend(),
            pairs: sizes.windows(2).map(|pair| (Matrix::zeros(0, pair[0]), Matrix::zeros(0, pair[1]))).collect(),
            dense: vec![None; sizes.len() - 1],
            biases: zeros.clone(),
            positive: zeros,
        }
    }

    /// Whether this is a sum for models of these sizes.
    pub fn fits(&self, sizes: &[usize]) -> bool {
        let layers = |sums: &[Vec<f32>]| sums.iter().map(Vec::len).eq(sizes.iter().copied());
        let shapes = || sizes.windows(2).map(|pair| (pair[0], pair[1]));
        layers(&self.biases)
            && layers(&self.positive)
            && self.pairs.iter().map(|(left, right)| (left.columns(), right.columns())).eq(shapes())
            && self.pairs.iter().all(|(left, right)| left.rows() == right.rows())
            && self.dense.len() == self.pairs.len()
            && self
                .dense
                .iter()
                .zip(shapes())
                .all(|(dense, shape)| dense.as_ref().is_none_or(|m| (m.rows(), m.columns()) == shape))
    }

    /// Reserves space for this many more pairs of rows per weight matrix.
    pub(super) fn reserve(&mut self, pairs: usize) {
        for (left, right) in &mut self.pairs {
            let pairs = pairs.min(MAX_ROWS - left.rows());
            left.reserve_rows(pairs);
            right.reserve_rows(pairs);
        }
    }

    /// Adds `weight f(s)` to a phase.
    pub fn push<S: AsRef<[f32]>>(&mut self, phase: Phase, weight: f32, state: &[S]) {
        for (l, pair) in state.windows(2).enumerate() {
            self.push_pair(l, phase.sign() * weight, pair[0].as_ref(), pair[1].as_ref());
        }
        self.push_layers(phase, weight, state);
    }

    /// Adds `weight/2 [f(odd layers replaced by their means) + f(even layers replaced by theirs)]` (paper, section 4.2); a clamped unit's
    /// mean is its value. With a fully clamped visible layer, both terms of `W_0` share one outer product.
    pub fn push_marginal<S: AsRef<[f32]>>(&mut self, phase: Phase, weight: f32, state: &[S], means: &[S], visible_clamped: bool) {
        let half = 0.5 * weight;
        let signed = phase.sign() * half;
        for l in 0..self.pairs.len() {
            let (lower, upper) = (state[l].as_ref(), state[l + 1].as_ref());
            let (lower_mean, upper_mean) = (means[l].as_ref(), means[l + 1].as_ref());
            if l == 0 && visible_clamped {
                let both: Vec<f32> = upper.iter().zip(upper_mean).map(|(&upper, &mean)| upper + mean).collect();
                self.push_pair(l, signed, lower, &both);
            } else {
                self.push_pair(l, signed, lower, upper_mean);
                self.push_pair(l, signed, lower_mean, upper);
            }
        }
        self.push_layers(phase, half, state);
        self.push_layers(phase, half, means);
    }

    fn push_layers<S: AsRef<[f32]>>(&mut self, phase: Phase, weight: f32, state: &[S]) {
        for (l, layer) in state.iter().enumerate() {
            add_scaled(&mut self.biases[l], phase.sign() * weight, layer.as_ref());
            if phase == Phase::Positive {
                add_scaled(&mut self.positive[l], weight, layer.as_ref());
            }
        }
    }

    fn push_pair(&mut self, l: usize, weight: f32, lower: &[f32], upper: &[f32]) {
        let (left, right) = &mut self.pairs[l];
        if left.rows() == MAX_ROWS {
            let dense = self.dense[l].get_or_insert_with(|| Matrix::zeros(left.columns(), right.columns()));
            self.backend.add_outer_products(dense.data_mut(), 1.0, left, 0, right);
            (*left, *right) = (Matrix::zeros(0, left.columns()), Matrix::zeros(0, right.columns()));
        }
        left.push_row(lower);
        left.last_row_mut().iter_mut().for_each(|x| *x *= weight);
        right.push_row(upper);
    }

    /// Adds the outer products of the rows of two matrices, `[rows, n_l]` and `[rows, n_{l+1}]`, to the gradient of `W_l`.
    pub(super) fn add_outer_rows(&mut self, l: usize, left: &Matrix, right: &Matrix) {
        (0..left.rows()).for_each(|row| self.push_pair(l, 1.0, left.row(row), right.row(row)));
    }

    /// Adds `scale` times `upper`, `[n_1]`, to the gradients of the weights of a visible unit, and `bias` to that of its bias.
    pub(super) fn add_visible_unit(&mut self, unit: usize, scale: f32, upper: &[f32], bias: f32) {
        let (left, right) = &self.pairs[0];
        let dense = self.dense[0].get_or_insert_with(|| Matrix::zeros(left.columns(), right.columns()));
        add_scaled(dense.row_mut(unit), scale, upper);
        self.biases[0][unit] += bias;
    }

    /// Adds `weight` times the outer product of a visible layer and `upper`, `[n_1]`, to the gradient of `W_0`, and `weight` times `upper`
    /// to that of `b_1`.
    pub(super) fn add_hidden(&mut self, weight: f32, visible: &[f32], upper: &[f32]) {
        self.push_pair(0, weight, visible, upper);
        add_scaled(&mut self.biases[1], weight, upper);
    }

    /// Adds the rows of a matrix, `[rows, n_l]`, to the gradient of `b_l`.
    pub(super) fn add_bias_rows(&mut self, l: usize, rows: &Matrix) {
        (0..rows.rows()).for_each(|row| add_scaled(&mut self.biases[l], 1.0, rows.row(row)));
    }

    /// Adds the rows of a matrix to the sum that [`Moments::add_positive`] reads for layer `l`, but to no gradient.
    pub(super) fn note_positive(&mut self, l: usize, rows: &Matrix) {
        (0..rows.rows()).for_each(|row| add_scaled(&mut self.positive[l], 1.0, rows.row(row)));
    }

    /// `out += alpha` times rows `from..` of the gradient of `W_l`, as many as `out` holds.
    pub fn add_weight_rows(&self, backend: Backend, l: usize, from: usize, alpha: f32, out: &mut [f32]) {
        let (left, right) = &self.pairs[l];
        backend.add_outer_products(out, alpha, left, from, right);
        if let Some(dense) = &self.dense[l] {
            add_scaled(out, alpha, &dense.data()[from * right.columns()..][..out.len()]);
        }
    }

    /// `out += alpha` times the gradient of `b_l`.
    pub fn add_bias(&self, l: usize, alpha: f32, out: &mut [f32]) {
        add_scaled(out, alpha, &self.biases[l]);
    }

    /// `out += alpha` times the sum over the positive phase of the states of layer `l`: the data-dependent means.
    pub fn add_positive(&self, l: usize, alpha: f32, out: &mut [f32]) {
        add_scaled(out, alpha, &self.positive[l]);
    }

    /// `alpha` times the full sum, dense: a gradient in the direction of ascent.
    pub fn gradient(&self, backend: Backend, alpha: f32) -> Parameters {
        let weights = self.pairs.iter().enumerate().map(|(l, (left, right))| {
            let mut out = vec![0.0; left.columns() * right.columns()];
            self.add_weight_rows(backend, l, 0, alpha, &mut out);
            out
        });
        let biases = self.biases.iter().map(|bias| bias.iter().map(|x| alpha * x).collect());
        Parameters { weights: weights.collect(), biases: biases.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Units, init};

    #[test]
    fn many_rows_are_multiplied_out_and_lose_nothing() {
        let model = init::gaussian(&[5, 4, 3], Units::Signs, 0.1, 1).unwrap().with_backend(Backend::Plain);
        let state = |i: usize| -> Vec<Vec<f32>> {
            [5, 4, 3]
                .iter()
                .map(|&n| (0..n).map(|j| if (i * 7 + j * j + i / 3) % 5 < 2 { 1.0 } else { -1.0 }).collect())
                .collect()
        };
        let mut moments = Moments::new(&model);
        let mut direct = vec![0.0; 20];
        let count = 2 * MAX_ROWS + 17;
        for i in 0..count {
            let (s, phase) = (state(i), if i % 2 == 0 { Phase::Positive } else { Phase::Negative });
            moments.push(phase, 0.5, &s);
            for (place, sum) in direct.iter_mut().enumerate() {
                *sum += phase.sign() * 0.5 * s[0][place / 4] * s[1][place % 4];
            }
        }
        let gradient = moments.gradient(Backend::Plain, 2.0);
        assert!(moments.dense.iter().all(Option::is_some));
        assert!(gradient.weights[0].iter().zip(&direct).all(|(a, b)| (a - 2.0 * b).abs() < 1e-3));
        let mut rows = vec![0.0; 8];
        moments.add_weight_rows(Backend::Plain, 0, 3, 1.0, &mut rows);
        assert!(rows.iter().zip(&direct[12..]).all(|(a, b)| (a - b).abs() < 1e-3));
    }
}
