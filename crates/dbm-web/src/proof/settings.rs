//! All settings of the view, as one value: the model and its data, the estimators, and how they are shown.

use super::estimator_table::{COUNT, ESTIMATORS};
use super::parameters;
use dbm_core::gradient::EstimatorSettings;
use dbm_core::words::{choices, words};
use dbm_core::{Settings, Units};
use dbm_protocol::{ModelSource, SmallModel, proof_preset};
use std::collections::BTreeMap;

/// Most units of a model, in all, for which the gradient can be enumerated.
pub const MAX_UNITS: u32 = 24;
/// Most units, in all, for which the expectation of an estimator can be computed exactly.
pub const MAX_EXPECTATION_UNITS: u32 = 10;
/// Most visible patterns.
pub const MAX_PATTERNS: usize = 12;
/// The largest absolute value of a weight or bias set by hand.
pub const LARGEST: f32 = 5.0;
/// Confidence level of the intervals.
pub const LEVEL: f64 = 0.99;
/// Numbers of samples to choose from.
pub const TARGETS: [u32; 4] = [1_000, 10_000, 100_000, 1_000_000];
choices! {
    /// Where the parameters come from, before they are edited.
    #[derive(Default)]
    pub enum Origin = words("model", "Model", "Where the parameters come from.");
    /// The model that the view opens with.
    #[default]
    Preset = "preset", "the preset", "The model that the view opens with";
    Random = "random", "random", "Gaussian weights, drawn by a seed";
    Run = "run", "of the lab’s run", "The model in training under Train";
}

/// The model and its data.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelAndData {
    /// Where the parameters come from.
    pub origin: Origin,
    /// Layer sizes, the visible one first.
    pub sizes: Vec<u32>,
    /// Kind of units.
    pub units: Units,
    /// Seed of random parameters.
    pub seed: u64,
    /// Standard deviation of random weights.
    pub deviation: f64,
    /// Edited parameters, by their index in the gradient.
    pub edits: BTreeMap<usize, f32>,
    /// The visible patterns; one byte per bit.
    pub data: Vec<Vec<u8>>,
}

/// All settings of the view; the rows say what each is.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "switches of the view, each with its own key in the address")]
pub struct ProofSettings {
    /// The model and its data.
    pub model: ModelAndData,
    /// Which of [`ESTIMATORS`] are chosen.
    pub chosen: [bool; COUNT],
    pub marginalize: bool,
    /// Caps on local searches, in sweeps; on couplings, in steps; and on one draw of a Gibbs coupling, in tries.
    pub caps: [u32; 3],
    pub seed: u64,
    pub alone: bool,
    pub differences: bool,
    /// Samples to draw from each estimator.
    pub target: u32,
    /// Whether samples are drawn.
    pub go: bool,
    /// The chosen parameter; `None` shows all of them.
    pub show: Option<usize>,
    /// The chosen pattern.
    pub pattern: usize,
    /// Whether to compute how likely a correction is as the model grows.
    pub corrections: bool,
}

impl Default for ModelAndData {
    fn default() -> Self {
        let preset = proof_preset();
        let (sizes, units) = match preset.source {
            ModelSource::Given(model) => (model.sizes, model.units),
            ModelSource::Orthogonal { sizes, units, .. } | ModelSource::Gaussian { sizes, units, .. } => (sizes, units),
            // The preset is never a checkpoint.
            ModelSource::Checkpoint { .. } => (vec![1, 1], Units::Signs),
        };
        let data = preset.data.chunks(sizes[0] as usize).map(<[u8]>::to_vec).collect();
        Self { origin: Origin::Preset, sizes, units, seed: 1, deviation: 0.5, edits: BTreeMap::new(), data }
    }
}

impl Default for ProofSettings {
    fn default() -> Self {
        let (settings, preset) = (Settings::default(), proof_preset());
        let is_usual = |name| preset.unbiased.contains(&name) || preset.biased.contains(&name);
        Self {
            model: ModelAndData::default(),
            chosen: std::array::from_fn(|at| is_usual(&*ESTIMATORS[at].name)),
            marginalize: settings.marginalize,
            caps: [settings.max_sweeps, settings.max_meeting, settings.estimator.max_tries],
            seed: preset.seed,
            alone: false,
            differences: false,
            target: preset.samples,
            go: false,
            show: None,
            pattern: 0,
            corrections: false,
        }
    }
}

impl ModelAndData {
    /// A random model with these sizes, and patterns that fit it.
    pub fn random(sizes: Vec<u32>, units: Units) -> Self {
        let data = patterns(sizes[0] as usize);
        Self { origin: Origin::Random, sizes, units, data, ..Self::default() }
    }

    /// The parameters of the lab's run, rounded to three decimals so that they fit into the address.
    pub fn of_run(model: &SmallModel) -> Self {
        let edits = parameters::values(model).into_iter().map(rounded).enumerate().collect();
        let data = patterns(model.sizes[0] as usize);
        Self { origin: Origin::Run, sizes: model.sizes.clone(), units: model.units, edits, data, ..Self::default() }
    }

    /// Units in all.
    pub fn n_units(&self) -> u32 {
        self.sizes.iter().sum()
    }

    /// Where the parameters come from before they are edited.
    pub fn source(&self) -> ModelSource {
        match self.origin {
            Origin::Preset => proof_preset().source,
            Origin::Random => {
                ModelSource::Gaussian { sizes: self.sizes.clone(), units: self.units, deviation: self.deviation, seed: self.seed }
            }
            Origin::Run => ModelSource::Given(self.zeros()),
        }
    }

    /// All parameters zero.
    pub fn zeros(&self) -> SmallModel {
        let zeros = |n: u32| vec![0.0; n as usize];
        SmallModel {
            sizes: self.sizes.clone(),
            units: self.units,
            weights: self.sizes.windows(2).map(|pair| zeros(pair[0] * pair[1])).collect(),
            biases: self.sizes.iter().map(|&n| zeros(n)).collect(),
        }
    }

    /// The model with the edits applied.
    pub fn edited(&self, mut model: SmallModel) -> SmallModel {
        for (&place, &value) in &self.edits {
            if let Some(parameter) = parameters::value_mut(&mut model, place) {
                *parameter = value;
            }
        }
        model
    }

    /// The patterns one after another.
    pub fn bits(&self) -> Vec<u8> {
        self.data.concat()
    }
}

impl ProofSettings {
    /// The settings that an estimator runs with.
    pub fn of_estimator(&self, estimator: usize) -> Settings {
        let [max_sweeps, max_meeting, max_tries] = self.caps;
        let estimator = EstimatorSettings { max_tries, ..ESTIMATORS[estimator].settings };
        Settings { seed: self.seed, estimator, marginalize: self.marginalize, max_sweeps, max_meeting, ..Settings::default() }
    }

    /// Whether both settings draw the same samples, whatever their estimators and number.
    pub fn samples_alike(&self, other: &Self) -> bool {
        let key = |settings: &Self| (settings.marginalize, settings.caps, settings.seed);
        self.model == other.model && key(self) == key(other)
    }
}

/// An edited value, rounded to a few characters and limited so that the sums stay finite.
pub fn rounded(value: f32) -> f32 {
    let held = if value.is_finite() { value.clamp(-LARGEST, LARGEST) } else { 0.0 };
    // The nearest number with three decimals; never negative zero.
    ((f64::from(held) * 1000.0).round_ties_even() / 1000.0) as f32 + 0.0
}

/// The data of a model until others are chosen.
pub fn usual_data(model: &ModelAndData) -> Vec<Vec<u8>> {
    if model.origin == Origin::Preset { ModelAndData::default().data } else { patterns(model.sizes[0] as usize) }
}

/// Three patterns of this width: the upper half, the lower half, and every other cell.
fn patterns(width: usize) -> Vec<Vec<u8>> {
    let of = |high: &dyn Fn(usize) -> bool| (0..width).map(|unit| u8::from(high(unit))).collect::<Vec<u8>>();
    let half = width.div_ceil(2);
    let mut all = vec![of(&|unit| unit < half), of(&|unit| unit >= half), of(&|unit| unit % 2 == 0)];
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_view_opens_with_the_proof() {
        let (settings, preset) = (ProofSettings::default(), proof_preset());
        assert_eq!((settings.target, settings.seed, settings.model.bits()), (preset.samples, preset.seed, preset.data));
        assert_eq!((settings.model.sizes.as_slice(), LEVEL), (&[4, 3, 2][..], preset.level));
        assert_eq!(settings.chosen.iter().filter(|chosen| **chosen).count(), preset.unbiased.len() + preset.biased.len());
        assert_eq!(ESTIMATORS.len(), COUNT);
        for (at, row) in ESTIMATORS.iter().enumerate() {
            let is_told = |names: &[&str]| names.contains(&&*row.name);
            assert!(if row.settings.kind.is_unbiased() { !is_told(&preset.biased) } else { !is_told(&preset.unbiased) });
            assert_eq!(row.help.contains("Unbiased"), row.settings.kind.is_unbiased());
            assert_eq!(settings.of_estimator(at).estimator.to_string(), row.name);
        }
        assert_eq!([0, 4].map(|at| ESTIMATORS[at].dash.len()), [0, 4]);
    }

    #[test]
    fn edited_values_are_short() {
        assert_eq!([0.123_456, -7.0, f32::NAN, -0.000_1, 0.0625].map(rounded), [0.123, -5.0, 0.0, 0.0, 0.062]);
        assert_eq!(rounded(-0.000_1).to_string(), "0");
        for thousandth in -5000..=5000_i16 {
            let text = format!("{:.3}", f32::from(thousandth) / 1000.0);
            assert_eq!(rounded(f32::from(thousandth) / 1000.0), text.parse::<f32>().unwrap(), "{text}");
        }
    }
}
