//! The distributions along which particles move, from independent units to a model.

use super::{Ladder, Temperatures};
use crate::chains::Chains;
use crate::linalg::{Matrix, dot};
use crate::marginal::log_sum_of_layer;
use crate::mean_field::{self, MeanFieldSettings};
use crate::{Clamp, Dbm, Parity};

/// Settings of the mean field in [`Base::of_mean_field`].
const MEAN_FIELD: MeanFieldSettings = MeanFieldSettings { max_sweeps: 10, tolerance: 1e-2 };
/// The largest bias in a base: a unit that is certain to be high could never be drawn low.
const SUREST: f32 = 4.0;

/// One distribution: `p(s)` proportional to `exp((1 - beta) sum_l a_l . s_l - beta E(s))`, where `a` are the biases of the path's [`Base`].
#[derive(Clone, Copy, Debug)]
pub struct PathPoint<'a> {
    /// The model with the energy E.
    pub model: &'a Dbm,
    /// From 0, the independent units, to 1, the model.
    pub beta: f64,
}

/// The independent units at the beginning of a path: their biases, `[1, n_l]` per layer, or `[runs, n_l]` if every run has its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Base(pub Vec<Matrix>);

impl Base {
    /// The biases of a model; its weights do not matter.
    pub fn of(model: &Dbm) -> Self {
        Self(model.biases().iter().map(|biases| Matrix::from_vec(1, biases.len(), biases.clone())).collect())
    }

    /// Independent units, each high as often as in the mean field given the clamped units, for one run per row of `visible`, `[runs, n_0]`;
    /// no unit is so certain that it could hardly change.
    pub fn of_mean_field(model: &Dbm, visible: &Matrix, clamp: &Clamp) -> Self {
        let (low, gap) = (model.units().low(), model.units().gap());
        let bias = |mean: f32| {
            let p = (mean - low) / gap;
            (libm::logf(p / (1.0 - p)) / gap).clamp(-SUREST / gap, SUREST / gap)
        };
        let means = mean_field::posterior(model, visible, clamp, MEAN_FIELD).means;
        let biases = |layer: &Matrix| layer.data().iter().map(|&mean| bias(mean)).collect();
        Self(means.iter().map(|layer| Matrix::from_vec(layer.rows(), layer.columns(), biases(layer))).collect())
    }

    /// The biases of a layer, for one run.
    pub fn biases(&self, layer: usize, run: usize) -> &[f32] {
        let Self(layers) = self;
        layers[layer].row(if layers[layer].rows() == 1 { 0 } else { run })
    }
}

/// A path of particles: where they start, and the distributions that follow. The last one is the model to be sampled.
#[derive(Clone, Debug)]
pub struct Path<'a> {
    /// The independent units at its start.
    pub base: Base,
    /// The distributions after them.
    pub points: Vec<PathPoint<'a>>,
}

impl<'a> Path<'a> {
    /// The same path for these of its runs, each of which may have its own base.
    pub fn of_runs(&self, runs: &[usize]) -> Self {
        let Base(layers) = &self.base;
        let layers = layers.iter().map(|layer| if layer.rows() == 1 { layer.clone() } else { layer.select(runs) });
        Self { base: Base(layers.collect()), points: self.points.clone() }
    }

    /// A path along temperatures.
    pub fn of_temperatures(base: Base, model: &'a Dbm, temperatures: &Temperatures) -> Self {
        let points = temperatures.betas().iter().map(|&beta| PathPoint { model, beta });
        Self { base, points: points.collect() }
    }

    /// A path along the rungs of a ladder, up to the model.
    pub fn of_ladder(ladder: &'a Ladder, model: &'a Dbm) -> Self {
        let models = ladder.rungs()[1..].iter().map(|rung| &**rung).chain([model]);
        Self { base: Base::of(&ladder.rungs()[0]), points: models.map(|model| PathPoint { model, beta: 1.0 }).collect() }
    }
}

/// The log of the sum of `exp((1 - beta) a . s - beta E(s))` over the free units outside the parity held: the unnormalized log probability
/// of a state of that parity. The fields of the other parity must be up to date.
pub(super) fn log_weight(point: PathPoint, base: &Base, run: usize, chains: &Chains, chain: usize, held: Parity) -> f64 {
    let PathPoint { model, beta } = point;
    let (gap, depth) = (f64::from(model.units().gap()), model.depth());
    let of_held = held.layers(depth).map(|l| {
        let state = chains.layer(l).row(chain);
        (1.0 - beta) * dot(base.biases(l, run), state) + beta * dot(&model.biases()[l], state)
    });
    let of_other = held.other().layers(depth).map(|l| {
        let fields = chains.field(l, chain).expect("refreshed by the caller");
        let both = base.biases(l, run).iter().zip(fields);
        let mut x: Vec<f64> = both.map(|(&a, &field)| gap * ((1.0 - beta) * f64::from(a) + beta * f64::from(field))).collect();
        log_sum_of_layer(model, l, &mut x, |unit| chains.clamped(chain, unit))
    });
    of_held.sum::<f64>() + of_other.sum::<f64>()
}

/// The log of the sum over the free units of the base, with which a path begins.
pub(super) fn log_sum_of_base(model: &Dbm, base: &Base, run: usize, visible: &[f32], clamp: &Clamp) -> f64 {
    let gap = f64::from(model.units().gap());
    let of_layer = |l: usize| {
        let mut x: Vec<f64> = base.biases(l, run).iter().map(|&a| gap * f64::from(a)).collect();
        log_sum_of_layer(model, l, &mut x, |unit| clamp.holds(unit).then(|| visible[unit] > 0.5))
    };
    (0..model.sizes().len()).map(of_layer).sum()
}
