//! How an answer is made, as the user chooses it.

use super::SamplingSchedule;
use crate::words::{choices, words};
use serde::{Deserialize, Serialize};

choices! {
    /// How an answer is made; most methods also take a number of Gibbs sweeps.
    ///
    /// ```
    /// use dbm_core::complete::{Method, SamplingSchedule};
    /// assert_eq!(Method::Suited.of_model(true).schedule(100), SamplingSchedule::MeanField(100));
    /// assert_eq!(Method::Search.schedule(100), SamplingSchedule::Mode);
    /// ```
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Method = words("by", "By", "How each answer is made.");
    /// What suits the model.
    #[default]
    Suited = "suited", "what suits the model",
        "Mean field first if the model was trained to predict by it, otherwise annealed Gibbs sweeps; then a local search.";
    MeanField = "mean-field", "mean field, Gibbs, local search",
        "Mean field says how likely each hidden unit is high; a state is drawn from that, then come Gibbs sweeps and a local search.";
    Annealed = "annealed", "annealed Gibbs, then local search",
        "Gibbs sweeps begin hot, where chains move easily between modes, and cool down; then a local search. This finds the deepest modes.";
    Gibbs = "gibbs", "Gibbs sweeps, then local search",
        "Gibbs sweeps move between modes, and a local search ends in the nearest one.";
    /// A local search from noise (the paper's section 4.4).
    Search = "search", "Local mode (the paper)", "One local search downhill from noise, as the paper samples (section 4.4).";
    ModeGibbs = "mode-gibbs", "search, Gibbs, local search",
        "A local search from noise, Gibbs sweeps from its mode, and another search.";
    Sample = "sample", "Gibbs sample, no search", "Gibbs sweeps alone: a draw from the model, not a mode.";
}

impl Method {
    /// What [`Self::Suited`] means for a model that was trained to predict by mean field ([`crate::Settings::trains_predictions`]), or was
    /// not.
    pub fn of_model(self, predicts: bool) -> Self {
        match self {
            Self::Suited if predicts => Self::MeanField,
            Self::Suited => Self::Annealed,
            other => other,
        }
    }

    /// The schedule of a chain, with this many Gibbs sweeps if it has any. What suits a model is decided by [`Self::of_model`]; before
    /// that, it counts as annealed.
    pub fn schedule(self, sweeps: u32) -> SamplingSchedule {
        match self {
            Self::Search => SamplingSchedule::Mode,
            Self::Gibbs | Self::Sample => SamplingSchedule::Gibbs(sweeps),
            Self::ModeGibbs => SamplingSchedule::ModeGibbs(sweeps),
            Self::MeanField => SamplingSchedule::MeanField(sweeps),
            Self::Suited | Self::Annealed => SamplingSchedule::Annealed(sweeps),
        }
    }

    /// Whether a local search ends it.
    pub fn is_searched(self) -> bool {
        self != Self::Sample
    }
}
