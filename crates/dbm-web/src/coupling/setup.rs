//! What the replay is set to: a small model, a kernel, a start, which run, and which moment of it is on view.

use super::pairs::{kernel_name, start_name};
use super::settings::{seed, whole};
use dbm_core::Units;
use dbm_core::diagnostics::{CouplingKernel, CouplingStart};

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

/// A text field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Layer sizes.
    Sizes,
    /// Of the model and its runs.
    Seed,
    /// Which run.
    Run,
}

impl Entry {
    /// What it is called.
    pub const fn label(self) -> &'static str {
        ["Layer sizes", "Model seed", "Run"][self as usize]
    }

    /// Hover help.
    pub const fn help(self) -> &'static str {
        [
            "Units of each layer, the visible one first, as in 4-3-2; at most 64 in all. Weights are random and semi-orthogonal.",
            "Of the model and of its runs: the same seed gives the same replay.",
            "Each run of the same model has its own random numbers.",
        ][self as usize]
    }
}

/// What the replay is set to, as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    texts: [String; 3],
    /// Kind of units.
    pub units: Units,
    /// How the chains move.
    pub kernel: CouplingKernel,
    /// Where they begin.
    pub start: CouplingStart,
    /// Which moment is on view, from the first of the search on.
    pub at: usize,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            texts: [MODELS[0].0, "1", "1"].map(String::from),
            units: MODELS[0].1,
            kernel: CouplingKernel::Metropolis,
            start: CouplingStart::LocalMode,
            at: 0,
        }
    }
}

/// The same, checked, but for the moment on view.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Layer sizes.
    pub sizes: Vec<u32>,
    /// Kind of units.
    pub units: Units,
    /// Of the model and its runs.
    pub seed: u64,
    /// How the chains move.
    pub kernel: CouplingKernel,
    /// Where they begin.
    pub start: CouplingStart,
    /// Which run.
    pub run: u32,
}

impl Setup {
    /// A field as typed.
    pub fn text(&self, entry: Entry) -> &str {
        &self.texts[entry as usize]
    }

    /// Types in a field; another coupling begins at its first moment.
    pub fn set(&mut self, entry: Entry, text: String) {
        self.texts[entry as usize] = text;
        self.at = 0;
    }

    /// What is wrong with a field, for the visitor.
    pub fn problem(&self, entry: Entry) -> Option<String> {
        let text = self.text(entry);
        match entry {
            Entry::Sizes => sizes(text).err(),
            Entry::Seed => seed(text).err(),
            Entry::Run => run(text).err(),
        }
    }

    /// All of it, if nothing is wrong.
    pub fn asked(&self) -> Option<Asked> {
        Some(Asked {
            sizes: sizes(self.text(Entry::Sizes)).ok()?,
            units: self.units,
            seed: seed(self.text(Entry::Seed)).ok()?,
            kernel: self.kernel,
            start: self.start,
            run: run(self.text(Entry::Run)).ok()?,
        })
    }

    /// Keys and values of what is not as by default.
    pub fn address(&self) -> Vec<(String, String)> {
        let base = Self::default();
        let mut pairs = Vec::new();
        let mut put = |key: &str, differs: bool, value: &str| {
            if differs {
                pairs.push((format!("m.{key}"), value.to_string()));
            }
        };
        for (entry, key) in [(Entry::Sizes, "model"), (Entry::Seed, "model-seed"), (Entry::Run, "run")] {
            put(key, self.text(entry) != base.text(entry), self.text(entry));
        }
        put("model-units", self.units != base.units, "bits");
        put("kernel", self.kernel != base.kernel, kernel_name(self.kernel));
        put("start", self.start != base.start, start_name(self.start));
        put("at", self.at != base.at, &self.at.to_string());
        pairs
    }

    /// What an address asks for.
    pub fn of(get: impl Fn(&str) -> Option<String>) -> Self {
        let get = |key: &str| get(&format!("m.{key}"));
        let mut setup = Self::default();
        for (entry, key) in [(Entry::Sizes, "model"), (Entry::Seed, "model-seed"), (Entry::Run, "run")] {
            if let Some(text) = get(key) {
                setup.set(entry, text);
            }
        }
        if get("model-units").as_deref() == Some("bits") {
            setup.units = Units::Bits;
        }
        if get("kernel").as_deref() == Some(kernel_name(CouplingKernel::Gibbs)) {
            setup.kernel = CouplingKernel::Gibbs;
        }
        if get("start").as_deref() == Some(start_name(CouplingStart::Uniform)) {
            setup.start = CouplingStart::Uniform;
        }
        setup.at = get("at").and_then(|at| at.parse().ok()).unwrap_or_default();
        setup
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

fn run(text: &str) -> Result<u32, String> {
    if text.trim() == "0" {
        return Ok(0);
    }
    whole(text, LAST_RUN).map_err(|_| format!("A whole number from 0 to {LAST_RUN} is expected."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(String, String)]) -> Setup {
        Setup::of(|key| pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone()))
    }

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
        assert_eq!(Setup::default().address(), []);
        let mut setup =
            Setup { units: Units::Bits, kernel: CouplingKernel::Gibbs, start: CouplingStart::Uniform, ..Setup::default() };
        setup.set(Entry::Sizes, "4-3-2".into());
        setup.set(Entry::Seed, "7".into());
        setup.set(Entry::Run, "12".into());
        setup.at = 5;
        assert_eq!(setup.address().len(), 7);
        assert_eq!(of(&setup.address()), setup);
        assert_eq!(setup.asked().map(|asked| (asked.sizes, asked.seed, asked.run)), Some((vec![4, 3, 2], 7, 12)));
    }

    #[test]
    fn nonsense_is_passed_over_or_refused_with_words() {
        let setup = Setup::of(|_| Some("💥".into()));
        assert_eq!(
            (setup.units, setup.kernel, setup.start, setup.at),
            (Units::Signs, CouplingKernel::Metropolis, CouplingStart::LocalMode, 0)
        );
        assert_eq!(setup.asked(), None);
        assert!([Entry::Sizes, Entry::Seed, Entry::Run].into_iter().all(|entry| setup.problem(entry).is_some()));
    }
}
