//! Everything needed to continue a run exactly, either as owned values or as views of the run's values.
//!
//! `T` is the type of a tensor: `Vec<f32>`, or `&[f32]` of a run that continues while it is written to a file.

use crate::linalg::Matrix;
use crate::{Settings, Units};

/// Weights and biases as plain values: `weights[l]` row-major `[n_l, n_{l+1}]`, `biases[l]` of size `n_l`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters<T = Vec<f32>> {
    /// One per pair of neighbouring layers.
    pub weights: Vec<T>,
    /// One per layer, the visible one first.
    pub biases: Vec<T>,
}

/// A run between two steps. Its random streams are addressed by seed and step, so these two are the random state.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot<T = Vec<f32>> {
    /// Kind of units.
    pub units: Units,
    /// The settings of the run.
    pub settings: Settings,
    /// Gradient steps taken.
    pub step: u64,
    /// The model's parameters.
    pub parameters: Parameters<T>,
    /// The optimizer's state: nothing for plain SGD, the velocity for SGD with momentum, the first and second moment for Adam, and for
    /// AMSGrad also the largest second moment so far.
    pub optimizer_state: Vec<Parameters<T>>,
    /// The averaged weights, if the run keeps them.
    pub average: Option<Parameters<T>>,
    /// States of persistent chains, `[batch, n_l]` per layer, if the run's estimator has any and has taken a step; with a ladder, those of
    /// every rung one after another, the model's last.
    pub persistent: Option<Vec<T>>,
    /// The ladder that the run climbs, from its first step on.
    pub ladder: Option<LadderSnapshot<T>>,
    /// Offsets `mu_l` of the centered parametrization, if the run uses it.
    pub offsets: Option<Vec<T>>,
}

/// A [`crate::tempering::Ladder`] as plain values.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderSnapshot<T = Vec<f32>> {
    /// The parameters of each rung, independent units first.
    pub rungs: Vec<Parameters<T>>,
    /// The factor of the run's learning rate.
    pub rate: f64,
    /// Share of exchanges that each rung accepts with the one above it, in the long run.
    pub accepted: Vec<f64>,
    /// Inverse temperatures of a path to the model, as adjusted by the runs along it.
    pub temperatures: Option<Vec<f64>>,
}

/// [`Parameters`] without a copy of them.
pub type ParametersView<'a> = Parameters<&'a [f32]>;

/// [`Snapshot`] without a copy of the run's tensors.
pub type SnapshotView<'a> = Snapshot<&'a [f32]>;

impl<'a> ParametersView<'a> {
    pub(crate) fn of(weights: &'a [Matrix], biases: &'a [Vec<f32>]) -> Self {
        Self { weights: weights.iter().map(Matrix::data).collect(), biases: biases.iter().map(Vec::as_slice).collect() }
    }
}

impl<T: AsRef<[f32]>> Parameters<T> {
    /// These parameters without a copy of them.
    pub fn view(&self) -> ParametersView<'_> {
        Parameters { weights: views(&self.weights), biases: views(&self.biases) }
    }

    /// A copy of every tensor.
    pub fn to_owned(&self) -> Parameters {
        Parameters { weights: copies(&self.weights), biases: copies(&self.biases) }
    }

    /// All values in one vector, in the order of [`crate::exact::gradient`].
    pub fn flat(&self) -> Vec<f64> {
        self.weights.iter().chain(&self.biases).flat_map(AsRef::as_ref).map(|&x| f64::from(x)).collect()
    }
}

impl<T: AsRef<[f32]>> LadderSnapshot<T> {
    /// A copy of every rung.
    pub fn to_owned(&self) -> LadderSnapshot {
        let rungs = self.rungs.iter().map(Parameters::to_owned).collect();
        LadderSnapshot { rungs, rate: self.rate, accepted: self.accepted.clone(), temperatures: self.temperatures.clone() }
    }
}

impl SnapshotView<'_> {
    /// A copy of the run, tensors included.
    pub fn to_owned(&self) -> Snapshot {
        Snapshot {
            units: self.units,
            settings: self.settings.clone(),
            step: self.step,
            parameters: self.parameters.to_owned(),
            optimizer_state: self.optimizer_state.iter().map(Parameters::to_owned).collect(),
            average: self.average.as_ref().map(Parameters::to_owned),
            persistent: self.persistent.as_deref().map(copies),
            ladder: self.ladder.as_ref().map(LadderSnapshot::to_owned),
            offsets: self.offsets.as_deref().map(copies),
        }
    }
}

fn views<T: AsRef<[f32]>>(tensors: &[T]) -> Vec<&[f32]> {
    tensors.iter().map(AsRef::as_ref).collect()
}

fn copies<T: AsRef<[f32]>>(tensors: &[T]) -> Vec<Vec<f32>> {
    tensors.iter().map(|values| values.as_ref().to_vec()).collect()
}
