//! The deep Boltzmann machine itself: its shape and its parameters, checked once at construction.

use crate::host::Host;
use crate::linalg::{Backend, Matrix, add_scaled};
use crate::local::LocalFields;
use crate::{DbmError, Group, Units, groups};
use std::sync::Arc;

/// Models with more parameters are refused before anything is allocated: 2^28, one gigabyte of f32.
pub const MAX_PARAMETERS: u128 = 1 << 28;

/// Rows of a transposed copy that are written as one piece.
const TRANSPOSED_ROWS: usize = 256;

/// A deep Boltzmann machine with layers `0..=L`; layer 0 is the visible one.
///
/// `E(s) = - sum_l b_l . s_l - sum_{l<L} s_l^T W_l s_{l+1}`, with `W_l: [n_l, n_{l+1}]` and `p(s)` proportional to
/// `exp(-E(s))`, over all states or, of a table, those in which every group of visible units is at a level. Layers of one parity are independent given those of the other
/// (Taniguchi et al. 2023, equation 2, with the biases the paper omits).
///
/// ```
/// use dbm_core::{Dbm, Units};
/// let model = Dbm::new(Units::Signs, vec![vec![0.5, -1.0]], vec![vec![0.0, 0.0], vec![0.25]])?;
/// assert_eq!(model.sizes(), [2, 1]);
/// assert_eq!(model.energy(&[vec![1.0, -1.0], vec![1.0]]), -1.75);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dbm {
    units: Units,
    backend: Backend,
    sizes: Vec<usize>,
    weights: Vec<Matrix>,
    /// `W_l^T`, so that the row of a flipped upper unit is contiguous too.
    transposed: Vec<Matrix>,
    biases: Vec<Vec<f32>>,
    groups: Arc<[Group]>,
}

/// The number of parameters of a model with these sizes.
///
/// # Errors
/// [`DbmError::TooFewLayers`], [`DbmError::EmptyLayer`] or [`DbmError::TooLarge`].
pub fn check_sizes(sizes: &[usize]) -> Result<usize, DbmError> {
    if sizes.len() < 2 {
        return Err(DbmError::TooFewLayers(sizes.len()));
    }
    if let Some(layer) = sizes.iter().position(|&size| size == 0) {
        return Err(DbmError::EmptyLayer { layer });
    }
    let needed = count_parameters(sizes);
    if needed > MAX_PARAMETERS {
        return Err(DbmError::TooLarge { sizes: sizes.to_vec(), needed, limit: MAX_PARAMETERS });
    }
    Ok(needed as usize)
}

/// Weights and biases of a model with these sizes, saturating.
pub(crate) fn count_parameters(sizes: &[usize]) -> u128 {
    let weights = sizes.windows(2).map(|pair| pair[0] as u128 * pair[1] as u128);
    weights.chain(sizes.iter().map(|&size| size as u128)).fold(0, u128::saturating_add)
}

/// The layer sizes for these parameters.
///
/// # Errors
/// Those of [`Dbm::new`].
pub(crate) fn check_parameters(weights: &[Vec<f32>], biases: &[Vec<f32>]) -> Result<Vec<usize>, DbmError> {
    let sizes: Vec<usize> = biases.iter().map(Vec::len).collect();
    check_sizes(&sizes)?;
    DbmError::check_shape("the list of weight matrices", sizes.len() - 1, weights.len())?;
    for (layer, values) in weights.iter().enumerate() {
        DbmError::check_shape(&format!("weight.{layer}"), sizes[layer] * sizes[layer + 1], values.len())?;
    }
    for (name, tensors) in [("weight", weights), ("bias", biases)] {
        if let Some(layer) = tensors.iter().position(|values| values.iter().any(|x| !x.is_finite())) {
            return Err(DbmError::NotFinite { what: format!("{name}.{layer}") });
        }
    }
    Ok(sizes)
}

impl Dbm {
    /// From `weights[l]`, row-major `[n_l, n_{l+1}]`, and `biases[l]` of size `n_l`, which also fix the layer sizes.
    ///
    /// # Errors
    /// Those of [`check_sizes`]; [`DbmError::Shape`] if a weight matrix does not fit its layers; [`DbmError::NotFinite`] if a parameter is
    /// NaN or infinite.
    pub fn new(units: Units, weights: Vec<Vec<f32>>, biases: Vec<Vec<f32>>) -> Result<Self, DbmError> {
        let sizes = check_parameters(&weights, &biases)?;
        let weights = weights.into_iter().zip(sizes.windows(2));
        let weights: Vec<Matrix> = weights.map(|(values, pair)| Matrix::from_vec(pair[0], pair[1], values)).collect();
        let transposed = weights.iter().map(Matrix::transposed).collect();
        let mut model = Self { units, backend: Backend::default(), sizes, weights, transposed, biases, groups: Arc::default() };
        model.find_spans();
        Ok(model)
    }

    /// The same model over fewer states: those in which each of these groups of visible units is at a level, as in the rows of a table.
    ///
    /// ```
    /// use dbm_core::{Dbm, Group, Units, exact};
    /// // Three visible units of which exactly one is high: three states with each hidden one.
    /// let model = Dbm::new(Units::Bits, vec![vec![0.0; 6]], vec![vec![0.0; 3], vec![0.0; 2]])?;
    /// let category = model.with_groups(&[Group::one_hot(0..3)])?;
    /// assert!((exact::log_z(&category)? - 12_f64.ln()).abs() < 1e-12);
    /// # Ok::<(), dbm_core::DbmError>(())
    /// ```
    ///
    /// # Errors
    /// [`DbmError::Setting`] if the groups are not in order, overlap, or are not within the visible layer.
    pub fn with_groups(mut self, groups: &[Group]) -> Result<Self, DbmError> {
        groups::check(groups, self.n_visible())?;
        self.groups = groups.into();
        Ok(self)
    }

    /// The same with groups that are known to fit.
    pub(crate) fn with_checked_groups(mut self, groups: &Arc<[Group]>) -> Self {
        self.groups = Arc::clone(groups);
        self
    }

    /// The visible units that stand for one value together.
    pub fn groups(&self) -> &Arc<[Group]> {
        &self.groups
    }

    /// The same model with other kernels.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// A model of this shape with these biases and no weights: independent units.
    pub(crate) fn without_weights(&self, biases: Vec<Vec<f32>>) -> Self {
        let zeros = |matrices: &[Matrix]| matrices.iter().map(|m| Matrix::zeros(m.rows(), m.columns())).collect();
        let (weights, transposed) = (zeros(&self.weights), zeros(&self.transposed));
        let (units, backend, sizes, groups) = (self.units, self.backend, self.sizes.clone(), self.groups.clone());
        Self { units, backend, sizes, weights, transposed, biases, groups }
    }

    /// The model halfway between this one and another of its shape: the means of their parameters.
    pub(crate) fn half_way_to(&self, other: &Self) -> Self {
        let mut between = self.clone();
        let mean = |values: &mut [f32], others: &[f32]| values.iter_mut().zip(others).for_each(|(x, y)| *x = 0.5 * (*x + y));
        let matrices = between.weights.iter_mut().zip(&other.weights).chain(between.transposed.iter_mut().zip(&other.transposed));
        matrices.for_each(|(matrix, other)| mean(matrix.data_mut(), other.data()));
        between.biases.iter_mut().zip(&other.biases).for_each(|(biases, others)| mean(biases, others));
        between
    }

    /// The values its units take.
    pub fn units(&self) -> Units {
        self.units
    }

    /// The same model without the weights outside of these fields.
    pub(crate) fn within(mut self, local: &LocalFields) -> Self {
        local.clear_outside(0, self.weights[0].data_mut());
        self.transposed[0] = self.weights[0].transposed();
        self.find_spans();
        self
    }

    /// Finds what products can skip.
    fn find_spans(&mut self) {
        self.weights.iter_mut().chain(&mut self.transposed).for_each(Matrix::find_spans);
    }

    /// `p(v_free, h | v_rest)` as a machine over these visible units alone: the others' fields become biases of the first hidden layer.
    pub(crate) fn given(&self, free: &[usize], is_high: impl Fn(usize) -> bool) -> Self {
        let (mut weights, mut biases) = (self.weights.clone(), self.biases.clone());
        let mut is_free = vec![false; self.n_visible()];
        free.iter().for_each(|&unit| is_free[unit] = true);
        for unit in (0..self.n_visible()).filter(|&unit| !is_free[unit]) {
            add_scaled(&mut biases[1], self.units.value(is_high(unit)), weights[0].row(unit));
        }
        weights[0] = weights[0].select(free);
        biases[0] = free.iter().map(|&unit| self.biases[0][unit]).collect();
        let sizes = std::iter::once(free.len()).chain(self.sizes[1..].iter().copied()).collect();
        let mut transposed = self.transposed.clone();
        transposed[0] = weights[0].transposed();
        Self { units: self.units, backend: self.backend, sizes, weights, transposed, biases, groups: Arc::default() }
    }

    /// The kernels used with it.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Units in each layer, the visible one first.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Number of visible units.
    pub fn n_visible(&self) -> usize {
        self.sizes[0]
    }

    /// `L`: the number of hidden layers.
    pub fn depth(&self) -> usize {
        self.weights.len()
    }

    /// `W_l: [n_l, n_{l+1}]`.
    pub fn weights(&self) -> &[Matrix] {
        &self.weights
    }

    /// `W_l^T: [n_{l+1}, n_l]`.
    pub fn transposed(&self) -> &[Matrix] {
        &self.transposed
    }

    /// The biases `b_l: [n_l]`.
    pub fn biases(&self) -> &[Vec<f32>] {
        &self.biases
    }

    /// The neighbours of a layer, each with the weights that multiply its states to give this layer's fields.
    pub(crate) fn neighbours(&self, layer: usize) -> impl Iterator<Item = (usize, &Matrix)> {
        let below = layer.checked_sub(1).map(|below| (below, &self.weights[below]));
        below.into_iter().chain(self.transposed.get(layer).map(|weight| (layer + 1, weight)))
    }

    /// The neighbours of a layer, each with the weights whose rows are what this layer's units add to its fields.
    pub(crate) fn rows_to_neighbours(&self, layer: usize) -> impl Iterator<Item = (usize, &Matrix)> {
        let below = layer.checked_sub(1).map(|below| (below, &self.transposed[below]));
        below.into_iter().chain(self.weights.get(layer).map(|weight| (layer + 1, weight)))
    }

    /// Number of weights and biases.
    pub fn n_parameters(&self) -> usize {
        self.weights.iter().map(|w| w.data().len()).sum::<usize>() + self.sizes.iter().sum::<usize>()
    }

    /// FNV-1a over the bits of all parameters, weights first: equal for models that are identical to the last bit, and hardly ever for
    /// others.
    pub fn checksum(&self) -> u64 {
        let values = self.weights.iter().flat_map(Matrix::data).chain(self.biases.iter().flatten());
        values.fold(0xcbf2_9ce4_8422_2325, |hash, x| (hash ^ u64::from(x.to_bits())).wrapping_mul(0x100_0000_01b3))
    }

    /// The parameters, mutable; [`Dbm::transpose`] must follow before the model is used again.
    pub(crate) fn parameters_mut(&mut self) -> (&mut [Matrix], &mut [Vec<f32>]) {
        (&mut self.weights, &mut self.biases)
    }

    /// Updates the transposed copies, in pieces that `host` may run in parallel.
    pub(crate) fn transpose(&mut self, host: &impl Host) {
        let mut pieces = Vec::new();
        for (weight, transposed) in self.weights.iter().zip(&mut self.transposed) {
            let rows = transposed.data_mut().chunks_mut(TRANSPOSED_ROWS * weight.rows());
            pieces.extend(rows.enumerate().map(|(piece, rows)| (weight, piece * TRANSPOSED_ROWS, rows)));
        }
        host.map(pieces, |(weight, from, rows)| weight.transpose_rows_into(from, rows));
        self.find_spans();
    }
}
