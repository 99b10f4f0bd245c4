//! The plan of a new run, apart from its data, as a value.

use super::estimator::{EstimatorKind, EstimatorSettings};
use super::{OptimizerSettings, Settings};
use crate::Units;
use crate::words::{choices, words};
use serde::{Deserialize, Serialize};

/// Standard deviation of the Gaussian start (Hinton 2012).
const DEVIATION: f64 = 0.01;
/// Minibatches for which each layer is pretrained, and the learning rate, unless chosen otherwise.
const PRETRAINING: (u32, f64) = (500, 0.05);

/// A run to start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunPlan {
    /// Sizes of the hidden layers.
    pub hidden: Vec<u32>,
    /// Kind of units.
    pub units: Units,
    /// How the parameters are initialized.
    #[serde(default)]
    pub start: Initialization,
    /// All other settings; `image` is set from the data's shape.
    pub settings: Settings,
}

/// How a run's parameters are initialized, drawn with the seed of its settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Initialization {
    /// Random semi-orthogonal weights.
    #[default]
    Orthogonal,
    /// Independent Gaussian weights of mean 0.
    Gaussian {
        /// Their standard deviation, above 0 and at most 1.
        deviation: f64,
    },
    /// Greedy layer-wise pretraining; the run's step 0 comes after it.
    Pretrained {
        /// Minibatches for each layer.
        steps: u32,
        /// The learning rate, above 0 and at most 10.
        learning_rate: f64,
    },
    /// Nearly independent units, high as often as in the data: where a ladder of tempering begins.
    Independent,
}

choices! {
    /// The kinds of [`Initialization`] among which users choose.
    #[derive(Default)]
    pub enum StartKind = words("start", "Initial weights", "How the weights begin, drawn with the seed.");
    /// Semi-orthogonal weights (the paper's section 4.3).
    #[default]
    Orthogonal = "orthogonal", "orthogonal", "Random orthogonal weights, as in the paper of UCD-LMI.";
    Gaussian = "gaussian", "small Gaussian (0.01)", "Random weights near zero, the usual start of an RBM.";
    Pretrained = "pretrained", "pretrained, layer by layer",
        "Before the first gradient step each layer is trained alone, as an RBM, on what the layers below make of the data.";
    Independent = "independent", "nearly independent units",
        "Random weights of 0.001, and visible units high as often as in the data: where parallel tempering begins.";
}

impl Initialization {
    /// Its kind.
    pub fn kind(self) -> StartKind {
        match self {
            Self::Orthogonal => StartKind::Orthogonal,
            Self::Gaussian { .. } => StartKind::Gaussian,
            Self::Pretrained { .. } => StartKind::Pretrained,
            Self::Independent => StartKind::Independent,
        }
    }

    /// The default of a kind.
    pub fn of_kind(kind: StartKind) -> Self {
        match kind {
            StartKind::Orthogonal => Self::Orthogonal,
            StartKind::Gaussian => Self::Gaussian { deviation: DEVIATION },
            StartKind::Pretrained => Self::Pretrained { steps: PRETRAINING.0, learning_rate: PRETRAINING.1 },
            StartKind::Independent => Self::Independent,
        }
    }

    /// Minibatches per layer and their learning rate; the defaults if nothing is pretrained.
    pub fn pretraining(self) -> (u32, f64) {
        if let Self::Pretrained { steps, learning_rate } = self { (steps, learning_rate) } else { PRETRAINING }
    }
}

impl Default for RunPlan {
    fn default() -> Self {
        let (units, start, settings) = Default::default();
        Self { hidden: vec![1000, 500], units, start, settings }
    }
}

impl RunPlan {
    /// Suits pictures of digits in a browser: a first layer as wide as the picture, and shapes within seconds.
    pub fn of_digits() -> Self {
        let settings = Settings {
            optimizer: OptimizerSettings { weight_decay: 5e-4, ..OptimizerSettings::default() },
            seed: 1,
            conditional: 0.5,
            average: Some(0.99),
            ..Settings::default()
        };
        Self { hidden: vec![800, 200], settings, ..Self::default() }
    }

    /// Suits bars and stripes: 28 units in total, where couplings do make corrections.
    pub fn of_bars() -> Self {
        let settings = Settings {
            optimizer: OptimizerSettings { learning_rate: 0.005, ..OptimizerSettings::default() },
            seed: 1,
            ..Settings::default()
        };
        Self { hidden: vec![8, 4], settings, ..Self::default() }
    }

    /// Suits a table with this many bits. Here, after equally many steps, the low-variance gradient of contrastive divergence fills gaps
    /// better than the unbiased ones.
    pub fn of_table(width: u32) -> Self {
        let settings = Settings {
            optimizer: OptimizerSettings { learning_rate: 0.002, ..OptimizerSettings::default() },
            estimator: EstimatorSettings { k: 5, ..EstimatorSettings::new(EstimatorKind::Cd) },
            seed: 1,
            ..Settings::default()
        };
        Self { hidden: vec![width.saturating_mul(4).clamp(32, 500)], settings, ..Self::default() }
    }

    /// Whether part of each batch is masked.
    pub fn is_masked(&self) -> bool {
        self.settings.masked_share() > 0.0
    }

    /// A cap on meeting for its estimator and a model of its size, with this many visible units.
    pub fn suggested_max_meeting(&self, visible: u32) -> u32 {
        let sizes: Vec<u64> = std::iter::once(visible).chain(self.hidden.iter().copied()).map(u64::from).collect();
        let weights: u64 = sizes.windows(2).map(|pair| pair[0] * pair[1]).sum();
        (self.settings.estimator.kind.descriptor().suggested_max_meeting)(weights)
    }

    /// Whether two plans describe the same run; the image shape comes from the data.
    pub fn same_run(&self, other: &Self) -> bool {
        let without = |plan: &Self| Self { settings: Settings { image: None, ..plan.settings.clone() }, ..plan.clone() };
        without(self) == without(other)
    }
}
