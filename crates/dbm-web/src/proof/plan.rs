//! Everything the view can be set to, as a value: the model and its data, who estimates, and how it is shown.

use super::{parameters, preset};
use dbm_core::gradient::EstimatorSettings;
use dbm_core::{Settings, Units};
use dbm_protocol::{ModelSource, SmallModel};
use std::collections::BTreeMap;

/// Units of a model, in all, up to which the gradient can be enumerated.
pub const MAX_UNITS: u32 = 24;
/// Units, in all, up to which the mean of an estimator can be told without sampling.
pub const MAX_LAW_UNITS: u32 = 10;
/// Visible patterns there may be.
pub const MAX_PATTERNS: usize = 12;
/// How large a weight or a bias may be made by hand.
pub const LARGEST: f32 = 5.0;
/// Of the intervals.
pub const LEVEL: f64 = 0.99;
/// Where the number of samples is set.
pub const TARGETS: [u32; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// The estimators that can be chosen, as `dbm` names them, in the order of the plots.
pub const ESTIMATORS: [&str; 7] = ["ucd-lmi", "ucd-mh", "ucd-gibbs", "lmi", "cd-1", "cd-5", "pcd-1"];
/// Those that are chosen at first.
const CHOSEN: [bool; 7] = [true, true, true, false, true, false, true];

/// Where the parameters come from, before they are edited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Base {
    /// The preset.
    #[default]
    Preset,
    /// Drawn by a seed.
    Random,
    /// Zero: a model of the lab's run, whose every parameter is an edit.
    Run,
}

/// The model and its data.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Where the parameters come from.
    pub base: Base,
    /// Layer sizes, the visible one first.
    pub sizes: Vec<u32>,
    /// Kind of units.
    pub units: Units,
    /// Of random parameters.
    pub seed: u64,
    /// Standard deviation of random weights.
    pub deviation: f64,
    /// Parameters that were edited, by their place in the gradient.
    pub edits: BTreeMap<usize, f32>,
    /// The visible patterns; one byte a bit.
    pub data: Vec<Vec<u8>>,
}

/// All of it.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "switches of the view, each with its own key in the address")]
pub struct Plan {
    /// The model and its data.
    pub question: Question,
    /// Which of [`ESTIMATORS`].
    pub chosen: [bool; 7],
    /// Whether they replace half of each state by its conditional means.
    pub marginalize: bool,
    /// Cap of local searches, in sweeps.
    pub max_sweeps: u32,
    /// Cap of couplings.
    pub max_meeting: u32,
    /// Cap of the draws of Gibbs couplings.
    pub max_tries: u32,
    /// Of the samples.
    pub seed: u64,
    /// Whether each interval holds its level alone, and not all of an estimator's together.
    pub alone: bool,
    /// Whether the bars show what differs from the exact value, and not the value.
    pub differences: bool,
    /// Samples of each estimator.
    pub target: u32,
    /// Whether samples are drawn.
    pub go: bool,
    /// The parameter that is shown; all of them where there is none.
    pub show: Option<usize>,
    /// The pattern that is shown.
    pub pattern: usize,
    /// Whether models that grow are looked at.
    pub grow: bool,
}

impl Default for Question {
    fn default() -> Self {
        let (sizes, units) = preset::shape();
        let (edits, data) = (BTreeMap::new(), preset::patterns());
        Self { base: Base::Preset, sizes, units, seed: 1, deviation: 0.5, edits, data }
    }
}

impl Default for Plan {
    fn default() -> Self {
        let settings = Settings::default();
        Self {
            question: Question::default(),
            chosen: CHOSEN,
            marginalize: settings.marginalize,
            max_sweeps: settings.max_sweeps,
            max_meeting: settings.max_meeting,
            max_tries: EstimatorSettings::default().max_tries,
            seed: dbm_protocol::proof_preset().seed,
            alone: false,
            differences: false,
            target: 100_000,
            go: false,
            show: None,
            pattern: 0,
            grow: false,
        }
    }
}

impl Question {
    /// A random model of such sizes, with the patterns that fit it.
    pub fn random(sizes: Vec<u32>, units: Units) -> Self {
        let data = patterns(sizes[0] as usize);
        Self { base: Base::Random, sizes, units, data, ..Self::default() }
    }

    /// The parameters of the lab's run, rounded to three places so that the address can hold them.
    pub fn of_run(model: &SmallModel) -> Self {
        let edits = parameters::values(model).into_iter().map(rounded).enumerate().collect();
        let data = patterns(model.sizes[0] as usize);
        Self { base: Base::Run, sizes: model.sizes.clone(), units: model.units, edits, data, ..Self::default() }
    }

    /// Units in all.
    pub fn n_units(&self) -> u32 {
        self.sizes.iter().sum()
    }

    /// What the workers are asked for; nothing where the parameters are known here.
    pub fn source(&self) -> Option<ModelSource> {
        match self.base {
            Base::Preset => Some(preset::source()),
            Base::Random => Some(ModelSource::Gaussian {
                sizes: self.sizes.clone(),
                units: self.units,
                deviation: self.deviation,
                seed: self.seed,
            }),
            Base::Run => None,
        }
    }

    /// The parameters that need no worker.
    pub fn known(&self) -> Option<SmallModel> {
        let zeros = |n: u32| vec![0.0; n as usize];
        (self.base == Base::Run).then(|| SmallModel {
            sizes: self.sizes.clone(),
            units: self.units,
            weights: self.sizes.windows(2).map(|pair| zeros(pair[0] * pair[1])).collect(),
            biases: self.sizes.iter().map(|&n| zeros(n)).collect(),
        })
    }

    /// A model with the edits in it.
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

impl Plan {
    /// What an estimator runs with.
    pub fn settings(&self, estimator: usize) -> Settings {
        // The names are those of this file.
        let kind = ESTIMATORS[estimator].parse().unwrap_or_default();
        Settings {
            seed: self.seed,
            estimator: EstimatorSettings { max_tries: self.max_tries, ..kind },
            marginalize: self.marginalize,
            max_sweeps: self.max_sweeps,
            max_meeting: self.max_meeting,
            ..Settings::default()
        }
    }

    /// Whether the same samples are drawn, of however many estimators.
    pub fn samples_alike(&self, other: &Self) -> bool {
        let key = |plan: &Self| (plan.marginalize, plan.max_sweeps, plan.max_meeting, plan.max_tries, plan.seed);
        self.question == other.question && key(self) == key(other)
    }
}

/// An edited value: in few characters, and of a size that keeps the sums finite.
pub fn rounded(value: f32) -> f32 {
    let held = if value.is_finite() { value.clamp(-LARGEST, LARGEST) } else { 0.0 };
    // Through text: the nearest number that has three places.
    format!("{held:.3}").parse::<f32>().unwrap_or(0.0) + 0.0
}

/// Three patterns of a width: its upper half, its lower half, and every other cell.
pub fn patterns(width: usize) -> Vec<Vec<u8>> {
    let of = |high: &dyn Fn(usize) -> bool| (0..width).map(|unit| u8::from(high(unit))).collect::<Vec<u8>>();
    let half = width.div_ceil(2);
    let mut all = vec![of(&|unit| unit < half), of(&|unit| unit >= half), of(&|unit| unit % 2 == 0)];
    all.dedup();
    all
}

/// The name of an estimator, as it is written in the literature.
pub fn title(estimator: usize) -> &'static str {
    ["UCD-LMI", "UCD-MH", "UCD-Gibbs", "LMI", "CD-1", "CD-5", "PCD-1"][estimator]
}

/// What an estimator is, in a sentence.
pub fn what(estimator: usize) -> &'static str {
    [
        "The paper’s: local mode, one Gibbs sweep, then coupled Metropolis chains. Unbiased.",
        "Coupled Metropolis chains from a uniform start. Unbiased, with more variance.",
        "Coupled Gibbs chains from a uniform start (Qiu et al. 2020). Unbiased.",
        "Local mode and one Gibbs sweep, without the coupling. Biased.",
        "Contrastive divergence: one Gibbs sweep from the data. Biased.",
        "Contrastive divergence with five sweeps. Biased, less so.",
        "Persistent chains, one sweep a step, with a mean-field positive phase. At parameters that stand still the chains forget where they began; what is left is the bias of mean field.",
    ][estimator]
}

/// Whether its mean is the exact gradient as long as no cap is reached.
pub fn unbiased(estimator: usize) -> bool {
    estimator < 3
}
