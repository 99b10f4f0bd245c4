//! All a run needs to go on exactly.

use crate::linalg::Matrix;
use crate::{Settings, Units};

/// Weights and biases as plain values: `weights[l]` row-major `[n_l, n_{l+1}]`, `biases[l]` of size `n_l`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// One a pair of layers.
    pub weights: Vec<Vec<f32>>,
    /// One a layer.
    pub biases: Vec<Vec<f32>>,
}

/// A run between two steps. Its random streams are addressed by seed and step, so these two are the random state.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Kind of units.
    pub units: Units,
    /// What the run was begun with.
    pub settings: Settings,
    /// Gradient steps taken.
    pub step: u64,
    /// The model's.
    pub parameters: Parameters,
    /// The optimizer's: none for plain SGD, the velocity for SGD with momentum, first and second moment for Adam, and the
    /// largest second moment so far besides for AMSGrad.
    pub moments: Vec<Parameters>,
    /// The averaged weights, where the run keeps them.
    pub average: Option<Parameters>,
    /// States of persistent chains, `[batch, n_l]` a layer, where the run's estimator has such and has taken a step.
    pub persistent: Option<Vec<Vec<f32>>>,
    /// Offsets `mu_l` of the centered parametrization, where the run trains in it.
    pub offsets: Option<Vec<Vec<f32>>>,
}

/// [`Parameters`] where they lie.
#[derive(Clone, Debug, PartialEq)]
pub struct ParametersView<'a> {
    /// One a pair of layers.
    pub weights: Vec<&'a [f32]>,
    /// One a layer.
    pub biases: Vec<&'a [f32]>,
}

impl<'a> ParametersView<'a> {
    pub(crate) fn of(weights: &'a [Matrix], biases: &'a [Vec<f32>]) -> Self {
        Self { weights: weights.iter().map(Matrix::data).collect(), biases: views(biases) }
    }

    /// A copy.
    pub fn to_owned(&self) -> Parameters {
        Parameters { weights: copies(&self.weights), biases: copies(&self.biases) }
    }
}

impl<'a> From<&'a Parameters> for ParametersView<'a> {
    fn from(parameters: &'a Parameters) -> Self {
        Self { weights: views(&parameters.weights), biases: views(&parameters.biases) }
    }
}

/// [`Snapshot`] without a copy of the run: what can be written to a file while the run holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotView<'a> {
    /// Kind of units.
    pub units: Units,
    /// What the run was begun with.
    pub settings: &'a Settings,
    /// Gradient steps taken.
    pub step: u64,
    /// The model's.
    pub parameters: ParametersView<'a>,
    /// The optimizer's.
    pub moments: Vec<ParametersView<'a>>,
    /// The averaged weights.
    pub average: Option<ParametersView<'a>>,
    /// States of persistent chains.
    pub persistent: Option<Vec<&'a [f32]>>,
    /// Offsets of the centered parametrization.
    pub offsets: Option<Vec<&'a [f32]>>,
}

impl SnapshotView<'_> {
    /// A copy.
    pub fn to_owned(&self) -> Snapshot {
        Snapshot {
            units: self.units,
            settings: self.settings.clone(),
            step: self.step,
            parameters: self.parameters.to_owned(),
            moments: self.moments.iter().map(ParametersView::to_owned).collect(),
            average: self.average.as_ref().map(ParametersView::to_owned),
            persistent: self.persistent.as_deref().map(copies),
            offsets: self.offsets.as_deref().map(copies),
        }
    }
}

fn views(vectors: &[Vec<f32>]) -> Vec<&[f32]> {
    vectors.iter().map(Vec::as_slice).collect()
}

fn copies(slices: &[&[f32]]) -> Vec<Vec<f32>> {
    slices.iter().map(|values| values.to_vec()).collect()
}
