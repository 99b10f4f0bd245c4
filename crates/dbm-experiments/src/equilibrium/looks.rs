//! Observations of the chains of a model.

use super::exact::Farthest;
use dbm_core::complete::ChainStart;
use dbm_score::Quality;
use serde::Serialize;

/// All looks at the chains of one model.
#[derive(Clone, Debug, Serialize)]
pub struct Model {
    /// Its label in figures.
    pub name: String,
    /// Chains from each start.
    pub chains: usize,
    /// The quality of as many training digits, if it is a model of digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<Quality>,
    /// The mean energy under the model's own distribution, if it is small enough to enumerate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact_energy: Option<f64>,
    /// One entry per start.
    pub starts: Vec<ChainRun>,
}

/// The chains from one start.
#[derive(Clone, Debug, Serialize)]
pub struct ChainRun {
    /// The start.
    pub start: ChainStart,
    /// Looks, in the order of their sweeps.
    pub looks: Vec<Look>,
    /// The conclusion from the looks, for a model of digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<StartVerdict>,
    /// The number of sweeps after which neither the mean energy nor the mean number of high visible units differs from its last value by
    /// more than two standard errors.
    pub unchanged_since: Option<u32>,
}

/// One look at all chains from a start.
#[derive(Clone, Debug, Serialize)]
pub struct Look {
    /// Gibbs sweeps since the start.
    pub sweeps: u32,
    /// Mean energy of the chains' states, in nats.
    pub energy: f64,
    /// Its standard error; the chains are independent.
    pub energy_error: f64,
    /// Mean number of high visible units in the chains' states.
    pub high: f64,
    /// Its standard error.
    pub high_error: f64,
    /// Searches in this look that were cut off at the cap.
    pub searches_capped: usize,
    /// The classifier's view of the chains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digits: Option<Digits>,
    /// The largest deviation from the exact distribution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<Farthest>,
}

/// The classifier's view of a look.
#[derive(Clone, Debug, Serialize)]
pub struct Digits {
    /// Distance, classes, confidence and copies.
    #[serde(flatten)]
    pub quality: Quality,
    /// Share of chains whose class differs from the previous look; for the first look, from the start.
    pub crossed: f64,
    /// The same compared with the start: the digit itself, or the mode of the noise.
    pub crossed_since_start: f64,
}

/// From one start: the best quality, how long it lasts, and whether all classes remain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StartVerdict {
    /// The smallest digit Frechet distance in any look.
    pub best: f64,
    /// The sweeps of that look.
    pub best_sweeps: u32,
    /// Neighbouring looks with at most 1.2 times its distance: sweeps of the first.
    pub good_from: u32,
    /// Sweeps of the last one.
    pub good_to: u32,
    /// Whether that is the last look: the quality lasts to the end of the measurement.
    pub kept: bool,
    /// Whether each class has a share of 5 to 15 % in all of these looks.
    pub classes_kept: bool,
    /// Sweeps of all looks, good or not, in which some class is outside that range.
    pub classes_lost: Vec<u32>,
}
