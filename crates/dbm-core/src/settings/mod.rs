//! The settings of a run, apart from its data: a value that [`Settings::check`] accepts or refuses once; and the table of all settings.

mod check;
pub(crate) mod estimator;
mod plan;
mod plots;
mod table;

pub use plan::{Initialization, RunPlan, StartKind};
pub use table::{Group, Line, Reading, Setting};

use crate::mask::Masks;
use crate::sweep::LocalMode;
use crate::words::{choices, words};
use estimator::{EstimatorKind, EstimatorSettings};
use serde::{Deserialize, Serialize};

choices! {
    /// How the gradient moves the parameters.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum OptimizerMethod = words("optimizer", "Optimizer", "How a gradient becomes a step.");
    /// Adam (Kingma and Ba 2015).
    #[default]
    Adam = "adam", "Adam", "Steps scaled by running means of the gradient and of its square";
    Sgd = "sgd", "SGD", "Stochastic gradient ascent, with optional momentum";
    /// AMSGrad (Reddi et al. 2018): Adam whose second moment never shrinks.
    AmsGrad = "amsgrad", "AMSGrad", "Adam whose scale remembers the largest gradient";
}

/// Optimizer settings. `weight_decay` adds `-weight_decay * W` to the gradient of each weight matrix (not of biases),
/// which is the gradient of the penalty `weight_decay / 2 |W|^2`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OptimizerSettings {
    /// The update rule.
    pub method: OptimizerMethod,
    /// Learning rate at step 0.
    pub learning_rate: f64,
    /// SGD's momentum, in `0..1`; ignored by the others.
    pub momentum: f64,
    /// Adam's decay of the first moment.
    pub beta1: f64,
    /// Adam's decay of the second moment.
    pub beta2: f64,
    /// Adam's guard against division by zero.
    pub epsilon: f64,
    /// L2 penalty on the weights.
    pub weight_decay: f64,
    /// The learning rate falls linearly to zero over this many steps; 0 keeps it constant.
    pub decay_steps: u64,
}

impl Default for OptimizerSettings {
    fn default() -> Self {
        Self {
            method: OptimizerMethod::Adam,
            learning_rate: 1e-3,
            momentum: 0.0,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            weight_decay: 0.0,
            decay_steps: 0,
        }
    }
}

/// Everything that, together with a model and data, determines a run to the last bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The optimizer and its rate.
    pub optimizer: OptimizerSettings,
    /// Examples, and so pairs of chains, per step.
    pub batch: usize,
    /// Seed of every random stream of the run.
    pub seed: u64,
    /// The estimator of the gradient. Files without this setting used the default, UCD-LMI.
    #[serde(default)]
    pub estimator: EstimatorSettings,
    /// Replace half of each state by its conditional means (the paper's marginalization); exact, and less noisy.
    pub marginalize: bool,
    /// Share of the batch whose gradient is that of log p(unknown | known) for a random mask, in `0..=1`. With persistent chains, which
    /// cannot keep units known, it is the gradient of the mean-field prediction of the unknown units ([`crate::gradient::Mp`]). With
    /// labels, a fourth of these examples are known in full, and for another fourth only the units known by the mask are observed: both ask
    /// for the label alone. Masks never count an example's missing units as known.
    pub conditional: f64,
    /// The kind of masks. Files without this setting used the default, mixed masks.
    #[serde(default)]
    pub masks: Masks,
    /// Rows and columns, if the visible layer is an image: masks then include half planes and boxes.
    pub image: Option<(usize, usize)>,
    /// Share of the picture's height and width that each unit of the first hidden layer sees, in `(0, 1)`; `None` if they see everything
    /// ([`crate::local`]).
    #[serde(default)]
    pub local: Option<f64>,
    /// How many units of the top layer (all of it) represent the classes of the examples, one of them high; 0 if the top layer is hidden
    /// like the others. Labels are clamped in the positive phase, and free in the negative one.
    #[serde(default)]
    pub classes: usize,
    /// Decay of the averaged weights, in `0..1`; `None` keeps no average.
    pub average: Option<f64>,
    /// A local search longer than this stops where it is (which leaves the gradient unbiased), and is counted.
    pub max_sweeps: u32,
    /// A coupling longer than this is cut; its estimate is kept, though biased, and counted.
    pub max_meeting: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            optimizer: OptimizerSettings::default(),
            batch: 100,
            seed: 0,
            estimator: EstimatorSettings::default(),
            marginalize: true,
            conditional: 0.0,
            masks: Masks::default(),
            image: None,
            local: None,
            classes: 0,
            average: None,
            max_sweeps: 1000,
            max_meeting: 100_000,
        }
    }
}

impl Settings {
    /// How chains get to their x_0 by a local mode.
    pub(crate) fn local_mode(&self) -> LocalMode {
        LocalMode { max_sweeps: self.max_sweeps, gibbs_sweeps: self.estimator.mode_sweeps }
    }

    /// Rows and columns of the picture that these visible units are; one row if they are none.
    pub(crate) fn picture(&self, visible: usize) -> (usize, usize) {
        self.image.unwrap_or((1, visible))
    }

    /// Share of the batch that is masked: with `mp`, all of it.
    pub(crate) fn masked_share(&self) -> f64 {
        if self.estimator.kind == EstimatorKind::Mp { 1.0 } else { self.conditional }
    }

    /// Whether mean field is trained to predict hidden units, labels included: by `mp`, or by the conditional share with persistent chains.
    pub fn trains_predictions(&self) -> bool {
        let kind = self.estimator.kind;
        kind == EstimatorKind::Mp || self.conditional > 0.0 && kind.descriptor().persistent && !kind.is_unbiased()
    }
}
