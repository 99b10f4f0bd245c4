//! A gradient as a sum of weighted outer products of layer states: what estimators make, and optimizers consume in blocks.
//!
//! `-dE/dW_l = s_l s_{l+1}^T` and `-dE/db_l = s_l`, so `r` states are `r` rows of two matrices, and their gradient is one product.
//! A row costs `n_l + n_{l+1}` numbers, the gradient itself `n_l n_{l+1}`: it need never be stored whole.

use crate::Dbm;
use crate::linalg::{Backend, Matrix, add_scaled};

/// A dense gradient in the direction of ascent, shaped as the model's parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient {
    /// `[n_l, n_{l+1}]`, one a pair of layers.
    pub weights: Vec<Matrix>,
    /// `[n_l]`, one a layer.
    pub biases: Vec<Vec<f32>>,
}

/// `sum_r w_r f(s^r)` for `f = -dE/dtheta`.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// For each `W_l`: left rows, which carry the weights, and right rows.
    pairs: Vec<(Matrix, Matrix)>,
    biases: Vec<Vec<f32>>,
}

impl Moments {
    /// An empty sum for a model's shape.
    pub fn new(model: &Dbm) -> Self {
        let sizes = model.sizes();
        Self {
            pairs: sizes.windows(2).map(|pair| (Matrix::zeros(0, pair[0]), Matrix::zeros(0, pair[1]))).collect(),
            biases: sizes.iter().map(|&size| vec![0.0; size]).collect(),
        }
    }

    /// Adds `weight f(s)`.
    pub fn push<S: AsRef<[f32]>>(&mut self, weight: f32, state: &[S]) {
        for (l, pair) in state.windows(2).enumerate() {
            self.push_pair(l, weight, pair[0].as_ref(), pair[1].as_ref());
        }
        for (bias, layer) in self.biases.iter_mut().zip(state) {
            add_scaled(bias, weight, layer.as_ref());
        }
    }

    /// Adds `weight/2 [f(odd layers replaced by their means) + f(even layers replaced by theirs)]` (paper, section 4.2), where a
    /// clamped unit's mean is its value. A wholly clamped visible layer lets both terms of `W_0` share one outer product.
    pub fn push_marginal<S: AsRef<[f32]>>(&mut self, weight: f32, state: &[S], means: &[S], visible_clamped: bool) {
        let half = 0.5 * weight;
        for l in 0..self.pairs.len() {
            let (lower, upper) = (state[l].as_ref(), state[l + 1].as_ref());
            let (lower_mean, upper_mean) = (means[l].as_ref(), means[l + 1].as_ref());
            if l == 0 && visible_clamped {
                self.push_pair(l, half, lower, upper);
                add_scaled(self.pairs[l].1.last_row_mut(), 1.0, upper_mean);
            } else {
                self.push_pair(l, half, lower, upper_mean);
                self.push_pair(l, half, lower_mean, upper);
            }
        }
        for (bias, (layer, mean)) in self.biases.iter_mut().zip(state.iter().zip(means)) {
            add_scaled(bias, half, layer.as_ref());
            add_scaled(bias, half, mean.as_ref());
        }
    }

    fn push_pair(&mut self, l: usize, weight: f32, lower: &[f32], upper: &[f32]) {
        let (left, right) = &mut self.pairs[l];
        left.push_row(lower);
        left.last_row_mut().iter_mut().for_each(|x| *x *= weight);
        right.push_row(upper);
    }

    /// How many weight matrices.
    pub fn depth(&self) -> usize {
        self.pairs.len()
    }

    /// Columns of `W_l`.
    pub fn columns(&self, l: usize) -> usize {
        self.pairs[l].1.columns()
    }

    /// Rows held for `W_l`.
    pub fn rows(&self, l: usize) -> usize {
        self.pairs[l].0.rows()
    }

    /// `out += alpha` times rows `from..` of the gradient of `W_l`, as many as `out` holds.
    pub fn add_weight_rows(&self, backend: Backend, l: usize, from: usize, alpha: f32, out: &mut [f32]) {
        let (left, right) = &self.pairs[l];
        backend.add_outer_products(out, alpha, left, from, right);
    }

    /// `out += alpha` times the gradient of `b_l`.
    pub fn add_bias(&self, l: usize, alpha: f32, out: &mut [f32]) {
        add_scaled(out, alpha, &self.biases[l]);
    }

    /// `alpha` times the whole sum, dense.
    pub fn gradient(&self, backend: Backend, alpha: f32) -> Gradient {
        let weights = self.pairs.iter().enumerate().map(|(l, (left, right))| {
            let mut out = Matrix::zeros(left.columns(), right.columns());
            self.add_weight_rows(backend, l, 0, alpha, out.data_mut());
            out
        });
        let biases = self.biases.iter().map(|bias| bias.iter().map(|x| alpha * x).collect());
        Gradient { weights: weights.collect(), biases: biases.collect() }
    }
}
