//! What the replay is set to: a small model, a kernel, a start, which run, and which moment of it is on view.

use crate::ui::binding::Keys;
use crate::ui::field::{Texts, Typed, whole};
use dbm_core::Units;
use dbm_core::diagnostics::{CouplingKernel, CouplingStart};
use dbm_core::words::Words;

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

/// A setting that is typed; its place in [`SETTINGS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayField {
    /// Layer sizes.
    Sizes,
    /// Seed of the model and its runs.
    Seed,
    /// Number of the run.
    Run,
}

const SETTINGS: [Typed; 3] = [
    Typed::new(
        "model",
        "Layer sizes",
        MODELS[0].0,
        "Units of each layer, the visible one first, as in 4-3-2; at most 64 in all. Weights are random and semi-orthogonal.",
    ),
    Typed::new("model-seed", "Model seed", "1", "Of the model and of its runs: the same seed gives the same replay."),
    Typed::new("run", "Run", "1", "Each run of the same model has its own random numbers."),
];

impl ReplayField {
    /// What it is called.
    pub const fn words(self) -> Words {
        SETTINGS[self as usize].words
    }
}

/// What the replay is set to, as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayDraft {
    texts: Texts<3>,
    /// Kind of units.
    pub units: Units,
    /// How the chains move.
    pub kernel: CouplingKernel,
    /// Where they begin.
    pub start: CouplingStart,
    /// The moment on view, 0 being the first state of the search.
    pub at: usize,
}

impl Default for ReplayDraft {
    fn default() -> Self {
        Self::read(&Keys::default())
    }
}

/// What the replay is set to, checked, but for the moment on view.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaySettings {
    /// Layer sizes.
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
    /// Whether the other settings are of the same model.
    pub fn same_model(&self, other: &Self) -> bool {
        (&self.sizes, self.units, self.seed) == (&other.sizes, other.units, other.seed)
    }
}

impl ReplayDraft {
    /// A field as typed.
    pub fn text(&self, field: ReplayField) -> &str {
        self.texts.get(field as usize)
    }

    /// Types in a field; another coupling begins at its first moment.
    pub fn set(&mut self, field: ReplayField, text: impl Into<String>) {
        self.texts.set(field as usize, text);
        self.at = 0;
    }

    /// What is wrong with a field, for the visitor.
    pub fn problem(&self, field: ReplayField) -> Option<String> {
        let text = self.text(field);
        match field {
            ReplayField::Sizes => sizes(text).err(),
            ReplayField::Seed => whole(text, &(0..=u64::MAX)).err(),
            ReplayField::Run => whole(text, &(0..=LAST_RUN)).err(),
        }
    }

    /// All of it, if nothing is wrong.
    pub fn check(&self) -> Option<ReplaySettings> {
        Some(ReplaySettings {
            sizes: sizes(self.text(ReplayField::Sizes)).ok()?,
            units: self.units,
            seed: whole(self.text(ReplayField::Seed), &(0..=u64::MAX)).ok()?,
            kernel: self.kernel,
            start: self.start,
            run: whole(self.text(ReplayField::Run), &(0..=LAST_RUN)).ok()?,
        })
    }

    /// Writes what is not as by default.
    pub fn write(&self, keys: &mut Keys) {
        self.texts.write(keys);
        keys.put_choice_under("model-units", self.units, MODELS[0].1);
        keys.put_choice(self.kernel, CouplingKernel::Metropolis);
        keys.put_choice(self.start, CouplingStart::LocalMode);
        keys.put_unless("at", &self.at, &0);
    }

    /// What an address asks for.
    pub fn read(keys: &Keys) -> Self {
        Self {
            texts: Texts::read(&SETTINGS, keys),
            units: keys.choice_under("model-units").unwrap_or(MODELS[0].1),
            kernel: keys.choice().unwrap_or(CouplingKernel::Metropolis),
            start: keys.choice().unwrap_or(CouplingStart::LocalMode),
            at: keys.parse("at").unwrap_or_default(),
        }
    }
}

/// `"4-3-2"` as layer sizes.
fn sizes(text: &str) -> Result<Vec<u32>, String> {
    let wanted = || {
        format!("Two layer sizes or more are expected, the visible one first, as in 4-3-2: at most {MOST_UNITS} units in all.")
    };
    let parts = text.split(['-', '–', ',', ' ']).filter(|part| !part.is_empty());
    let sizes: Option<Vec<u32>> = parts.map(|part| part.parse().ok().filter(|size| (1..=MOST_UNITS).contains(size))).collect();
    sizes.filter(|sizes| sizes.len() >= 2 && sizes.iter().sum::<u32>() <= MOST_UNITS).ok_or_else(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layer_sizes_are_read_and_bounded() {
        assert_eq!(sizes("4-3-2"), Ok(vec![4, 3, 2]));
        assert_eq!(sizes(" 4, 3 "), Ok(vec![4, 3]));
        for text in ["", "4", "0-3", "40-25", "4-x", "-", "4294967295-4294967295"] {
            assert!(sizes(text).is_err(), "{text}");
        }
        assert!(MODELS.iter().all(|(text, _)| sizes(text).is_ok()));
    }

    #[test]
    fn what_is_not_by_default_travels_and_comes_back() {
        let written = |draft: &ReplayDraft| {
            let mut keys = Keys::default();
            draft.write(&mut keys);
            keys
        };
        assert!(written(&ReplayDraft::default()).is_empty());
        let mut draft = ReplayDraft {
            units: Units::Bits,
            kernel: CouplingKernel::Gibbs,
            start: CouplingStart::Uniform,
            ..ReplayDraft::default()
        };
        draft.set(ReplayField::Sizes, "4-3-2");
        draft.set(ReplayField::Seed, "7");
        draft.set(ReplayField::Run, "12");
        draft.at = 5;
        assert_eq!(written(&draft).prefixed("m.").len(), 7);
        assert_eq!(ReplayDraft::read(&written(&draft)), draft);
        assert_eq!(draft.check().map(|settings| (settings.sizes, settings.seed, settings.run)), Some((vec![4, 3, 2], 7, 12)));
    }

    #[test]
    fn nonsense_is_passed_over_or_refused_with_words() {
        use ReplayField::{Run, Seed, Sizes};
        let keys = ["model", "model-seed", "run", "model-units", "kernel", "start", "at"];
        let draft = ReplayDraft::read(&keys.into_iter().map(|key| (key, "💥")).collect());
        assert_eq!(
            (draft.units, draft.kernel, draft.start, draft.at),
            (Units::Signs, CouplingKernel::Metropolis, CouplingStart::LocalMode, 0)
        );
        assert_eq!(draft.check(), None);
        assert!([Sizes, Seed, Run].into_iter().all(|field| draft.problem(field).is_some()));
    }
}
