//! The settings of the replay: a small model, a kernel, a start, the run, and the moment of it on view.

use crate::ui::field::layers;
use crate::ui::form::{Input, Row, Table, choice, typed};
use crate::ui::number::listed;
use dbm_core::Units;
use dbm_core::diagnostics::{CouplingKernel, CouplingStart};
use dbm_core::words::{Choose, words};

/// Most units of a model, all layers.
pub const MOST_UNITS: u32 = 64;
/// Steps after which a replayed coupling is cut.
pub const CAP: u32 = 200;
/// Highest number of a run.
pub const LAST_RUN: u32 = 1_000_000;

/// Ready-made models: layer sizes and units.
pub const MODELS: [(&str, Units); 8] = [
    ("3-2", Units::Signs),
    ("4-3-2", Units::Signs),
    ("1-1", Units::Signs),
    ("6-6", Units::Signs),
    ("10-10", Units::Signs),
    ("2-2", Units::Bits),
    ("4-3-2", Units::Bits),
    ("10-10", Units::Bits),
];

/// The settings of the replay; the rows say what each is.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaySettings {
    /// Layer sizes, the visible one first.
    pub sizes: Vec<u32>,
    pub units: Units,
    pub seed: u64,
    pub kernel: CouplingKernel,
    pub start: CouplingStart,
    pub run: u32,
    /// The moment on view; 0 is the first state of the search.
    pub at: u32,
}

impl Default for ReplaySettings {
    fn default() -> Self {
        let (kernel, start) = (CouplingKernel::Metropolis, CouplingStart::LocalMode);
        Self { sizes: vec![3, 2], units: MODELS[0].1, seed: 1, kernel, start, run: 1, at: 0 }
    }
}

impl Table for ReplaySettings {
    const ROWS: &'static [Row<Self>] = &[
        Row::new(Input::Text, |settings: &Self| listed(&settings.sizes, "-"), Self::set_sizes).called(words(
            "model",
            "Layer sizes",
            "Units of each layer, the visible one first, as in 4-3-2; at most 64 in all. Weights are random and semi-orthogonal.",
        )),
        typed!(whole, 0..=u64::MAX, seed).called(words(
            "model-seed",
            "Model seed",
            "For the model and its runs: the same seed gives the same replay.",
        )),
        typed!(whole, 0..=LAST_RUN, run).called(words("run", "Run", "Each run of the same model has its own random numbers.")),
        choice!(Units, units).key("model-units"),
        choice!(CouplingKernel, kernel),
        choice!(CouplingStart, start),
        typed!(whole, 0..=u32::MAX, at).key("at"),
    ];
}

impl ReplaySettings {
    fn set_sizes(&mut self, text: &str) -> Result<(), String> {
        self.sizes = layers(text, MOST_UNITS, "4-3-2")?;
        Ok(())
    }

    /// Whether the pair moves by proposals.
    pub fn proposes(&self) -> bool {
        self.kernel == CouplingKernel::Metropolis
    }

    /// Whether the other settings describe the same model.
    pub fn same_model(&self, other: &Self) -> bool {
        (&self.sizes, self.units, self.seed) == (&other.sizes, other.units, other.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::form::travels;

    #[test]
    fn what_is_not_by_default_travels_and_comes_back() {
        let model = [("model", "4-3-2"), ("model-seed", "7"), ("model-units", "bits")];
        let run = [("run", "12"), ("kernel", "gibbs"), ("start", "uniform"), ("at", "5")];
        travels::<ReplaySettings>(&[&model[..], &run].concat());
        assert_eq!(listed(&ReplaySettings::default().sizes, "-"), MODELS[0].0);
        assert!(MODELS.iter().all(|(text, _)| layers(text, MOST_UNITS, "").is_ok()));
    }
}
