//! One RBM of the stack that greedy pretraining builds: the two conditionals needed for a part of a deeper model.

use crate::linalg::{Backend, Matrix};
use crate::math::sigma_each;
use crate::rng::Stream;
use crate::{DbmError, Units};

/// The RBM between layers l and l + 1 of a model with L weight matrices.
///
/// In the deep model a layer with neighbours on both sides receives input from both; its RBM provides only one. So each RBM counts its
/// input to such a layer twice (Salakhutdinov and Hinton 2009, section 3.1):
///
/// `P(upper = high | lower) = sigma(gap (c + u W^T lower))`, with `u = 2` if layer l + 1 has a layer above it (l < L - 1), else 1;
/// `P(lower = high | upper) = sigma(gap (b + d W upper))`, with `d = 2` if layer l has a layer below it (l > 0), else 1.
///
/// These are the conditionals of an RBM with `u` copies of its lower layer and `d` copies of its upper one, with all weights and biases
/// tied between the copies: the first RBM doubles its visible layer, the last its top layer, one in between doubles both (which is the same
/// as doubling its weights), and the only RBM of a model with one hidden layer is an ordinary one.
///
/// Shapes: `W: [n_l, n_{l+1}]`, `b: [n_l]`, `c: [n_{l+1}]`; batches are `[chains, n]`.
#[derive(Clone, Copy, Debug)]
pub struct Rbm<'a> {
    pub(super) units: Units,
    pub(super) backend: Backend,
    /// The weights `W: [n_l, n_{l+1}]`.
    pub weight: &'a Matrix,
    pub(super) transposed: &'a Matrix,
    /// The bias `b: [n_l]` of the lower layer.
    pub lower_bias: &'a [f32],
    /// The bias `c: [n_{l+1}]` of the upper layer.
    pub upper_bias: &'a [f32],
    pub(super) up: f32,
    pub(super) down: f32,
}

impl Rbm<'_> {
    /// `c + u W^T lower` for each row of `lower: [chains, n_l]`.
    ///
    /// # Errors
    /// [`DbmError::Shape`] for rows of another width.
    pub fn upper_fields(&self, lower: &Matrix) -> Result<Matrix, DbmError> {
        self.fields(lower, self.weight, self.up, self.upper_bias)
    }

    /// `b + d W upper` for each row of `upper: [chains, n_{l+1}]`.
    ///
    /// # Errors
    /// [`DbmError::Shape`] for rows of another width.
    pub fn lower_fields(&self, upper: &Matrix) -> Result<Matrix, DbmError> {
        self.fields(upper, self.transposed, self.down, self.lower_bias)
    }

    #[inline(never)]
    fn fields(&self, states: &Matrix, weight: &Matrix, factor: f32, bias: &[f32]) -> Result<Matrix, DbmError> {
        DbmError::check_shape("a state of one of the RBM's layers", weight.rows(), states.columns())?;
        let mut fields = Matrix::zeros(states.rows(), bias.len());
        self.backend.add_product(fields.data_mut(), states.data(), weight);
        for row in fields.data_mut().chunks_exact_mut(bias.len()) {
            row.iter_mut().zip(bias).for_each(|(field, &bias)| *field = bias + factor * *field);
        }
        Ok(fields)
    }

    /// The conditional mean `low + gap sigma(gap a)` of each unit with field `a`.
    pub fn means(&self, fields: &Matrix) -> Matrix {
        let (low, gap) = (self.units.low(), self.units.gap());
        let mut means = Matrix::zeros(fields.rows(), fields.columns());
        sigma_each(fields.data(), gap, low, gap, means.data_mut());
        means
    }

    /// Draws each unit high with probability `sigma(gap a)`, row by row, each row from its own stream.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if the streams are not one per row.
    #[inline(never)] // called in many places, and the page's worker has to be fetched
    pub fn draw(&self, fields: &Matrix, streams: &mut [Stream]) -> Result<Matrix, DbmError> {
        DbmError::check_shape("the list of random streams", fields.rows(), streams.len())?;
        let mut states = Matrix::zeros(fields.rows(), fields.columns());
        sigma_each(fields.data(), self.units.gap(), 0.0, 1.0, states.data_mut());
        let mut uniforms = vec![0.0; fields.columns()];
        for (row, stream) in streams.iter_mut().enumerate() {
            stream.fill_uniform(&mut uniforms);
            // The uniforms are in (0, 1], so a probability of 0 is never met and one of 1 always.
            states.row_mut(row).iter_mut().zip(&uniforms).for_each(|(p, &u)| *p = self.units.value(*p >= u));
        }
        Ok(states)
    }
}
