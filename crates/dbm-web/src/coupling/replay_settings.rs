//! What the replay is set to: a small model, a kernel, a start, which run, and which moment of it is on view.

use crate::ui::field::{Entry, Texts, whole};
use crate::ui::number::sizes;
use dbm_core::Units;
use dbm_core::diagnostics::{CouplingKernel, CouplingStart};
use std::sync::LazyLock;

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

/// The settings, those of the form first.
pub static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut all = Entry::typed(
        include_str!("replay.txt"),
        &[
            |text| {
                let wanted = format!(
                    "Two layer sizes or more are expected, the visible one first, as in 4-3-2: at most {MOST_UNITS} units in all."
                );
                sizes(text, MOST_UNITS).map(drop).ok_or(wanted)
            },
            |text| whole(text, &(0..=u64::MAX)).map(drop),
            |text| whole(text, &(0..=LAST_RUN)).map(drop),
        ],
    );
    all.extend([
        Entry::choice("model-units", MODELS[0].1),
        Entry::choice("kernel", CouplingKernel::Metropolis),
        Entry::choice("start", CouplingStart::LocalMode),
        // The moment on view, 0 being the first state of the search.
        Entry::plain("at", "0", |text| whole(text, &(0..=usize::MAX)).map(drop)),
    ]);
    all
});

/// What the replay is set to, checked, but for the moment on view.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaySettings {
    /// Layer sizes, the visible one first.
    pub sizes: Vec<u32>,
    /// Kind of units.
    pub units: Units,
    /// Seed of the model and its runs.
    pub seed: u64,
    /// How the chains move.
    pub kernel: CouplingKernel,
    /// Where they begin.
    pub start: CouplingStart,
    /// Number of the run.
    pub run: u32,
}

impl ReplaySettings {
    /// All of them, if nothing is wrong.
    pub fn of(texts: &Texts) -> Option<Self> {
        Some(Self {
            sizes: sizes(texts.get("model"), MOST_UNITS)?,
            units: texts.chosen("model-units"),
            seed: texts.number("model-seed")?,
            kernel: texts.chosen("kernel"),
            start: texts.chosen("start"),
            run: texts.number("run")?,
        })
    }

    /// Whether the pair moves by proposals.
    pub fn proposes(&self) -> bool {
        self.kernel == CouplingKernel::Metropolis
    }

    /// Whether the other settings are of the same model.
    pub fn same_model(&self, other: &Self) -> bool {
        (&self.sizes, self.units, self.seed) == (&other.sizes, other.units, other.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::binding::Keys;

    #[test]
    fn what_is_not_by_default_travels_and_comes_back() {
        let given = [("model", "4-3-2"), ("model-seed", "7"), ("run", "12"), ("model-units", "bits"), ("kernel", "gibbs")];
        let given: Keys = given.into_iter().chain([("start", "uniform"), ("at", "5")]).collect();
        let (texts, mut written) = (Texts::read(&ENTRIES, &given), Keys::default());
        texts.write(&mut written);
        assert_eq!(written, given);
        let expected = ReplaySettings {
            sizes: vec![4, 3, 2],
            units: Units::Bits,
            seed: 7,
            kernel: CouplingKernel::Gibbs,
            start: CouplingStart::Uniform,
            run: 12,
        };
        assert_eq!((ReplaySettings::of(&texts), texts.number("at")), (Some(expected), Some(5)));
        let (usual, mut none) = (Texts::read(&ENTRIES, &Keys::default()), Keys::default());
        usual.write(&mut none);
        assert!(none.is_empty() && usual.get("model") == MODELS[0].0);
        assert!(MODELS.iter().all(|(text, _)| sizes(text, MOST_UNITS).is_some()));
    }

    #[test]
    fn nonsense_is_passed_over_or_refused_with_words() {
        let keys = ["model", "model-seed", "run", "model-units", "kernel", "start", "at"];
        let texts = Texts::read(&ENTRIES, &keys.into_iter().map(|key| (key, "💥")).collect());
        assert_eq!((texts.get("model-units"), texts.get("kernel"), texts.get("start")), ("signs", "metropolis", "local-mode"));
        assert!(texts.get("at") == "0" && ReplaySettings::of(&texts).is_none());
        assert!(keys[..3].iter().all(|key| texts.problem(key).is_some()));
    }
}
