//! All a run needs to go on exactly.

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
