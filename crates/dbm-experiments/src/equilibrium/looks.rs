//! What is seen of the chains of a model.

use super::exact::Farthest;
use dbm_core::complete::ChainStart;
use dbm_score::Quality;
use serde::Serialize;

/// All looks at the chains of one model.
#[derive(Clone, Debug, Serialize)]
pub struct Model {
    /// What a figure calls it.
    pub name: String,
    /// Chains from each start.
    pub chains: usize,
    /// The quality of as many training digits, where the model is one of digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<Quality>,
    /// The mean energy under the model's own distribution, where it is small enough to enumerate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact_energy: Option<f64>,
    /// From each start.
    pub starts: Vec<Run>,
}

/// The chains from one start.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// Where they began.
    pub start: ChainStart,
    /// In the order of their sweeps.
    pub looks: Vec<Look>,
    /// What follows from the looks, of a model of digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Sweeps since which neither the mean energy nor the mean number of high visible units has differed from its last value by more than two standard errors.
    pub unchanged_since: Option<u32>,
}

/// One look at all chains of a start.
#[derive(Clone, Debug, Serialize)]
pub struct Look {
    /// Gibbs sweeps since the start.
    pub sweeps: u32,
    /// Mean energy of the states as they stand, in nats.
    pub energy: f64,
    /// Its standard error; chains are independent.
    pub energy_error: f64,
    /// Mean number of high visible units of the states as they stand.
    pub high: f64,
    /// Its standard error.
    pub high_error: f64,
    /// Searches of this look cut at the cap.
    pub searches_capped: usize,
    /// What the classifier says of the chains as they were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digits: Option<Digits>,
    /// What deviates most from the exact distribution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<Farthest>,
}

/// What the classifier says of a look.
#[derive(Clone, Debug, Serialize)]
pub struct Digits {
    /// Distance, classes, confidence and copies.
    #[serde(flatten)]
    pub quality: Quality,
    /// Share of chains read as another class than at the look before, which of the first is the start.
    pub crossed: f64,
    /// The same against the start: the digit itself, or the mode of the noise.
    pub crossed_since_start: f64,
}

/// From one start: how good, how long, and whether all classes stay.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The least digit Frechet distance at any look.
    pub best: f64,
    /// Sweeps of that look.
    pub best_sweeps: u32,
    /// The looks beside it with at most 1.2 times its distance: sweeps of the first.
    pub good_from: u32,
    /// Sweeps of the last of them.
    pub good_to: u32,
    /// Whether that is the last look: the quality is kept as long as was looked.
    pub kept: bool,
    /// Whether at all these looks each class has a share of 5 to 15 %.
    pub classes_kept: bool,
    /// Sweeps of all looks, good or not, at which a class has not.
    pub classes_lost: Vec<u32>,
}
