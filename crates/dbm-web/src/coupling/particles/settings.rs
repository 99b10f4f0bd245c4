//! What pairs of runs are made of: a model, what a run is, how many pairs, and which of them is on view.

use crate::ui::field::{Entry, Texts, number, whole};
use crate::ui::number::sizes;
use dbm_core::Units;
use dbm_core::diagnostics::RunPairs;
use dbm_core::gradient::SmcPath;
use dbm_core::words::{Choice, Choose, Words, choice, words};
use std::sync::LazyLock;

/// Most units of a random model, all layers.
const MOST_UNITS: u32 = 400;
/// Largest deviation of its weights.
const MOST_DEVIATION: f64 = 3.0;
/// Most particles, steps of the path, steps of a coupling.
const MOST: u32 = 1000;
/// Most pairs: each keeps the pictures of all its runs.
pub const MOST_PAIRS: u32 = 1000;

/// The settings, those of the form first.
pub static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut all = Entry::typed(
        include_str!("settings.txt"),
        &[
            |text| {
                let wanted = format!(
                    "Two layer sizes or more are expected, the visible one first, as in 8-6-4: at most {MOST_UNITS} units in all."
                );
                sizes(text, MOST_UNITS).map(drop).ok_or(wanted)
            },
            |text| number(text, &(0.0..=MOST_DEVIATION)).map(drop),
            |text| whole(text, &(2..=MOST)).map(drop),
            |text| whole(text, &(1..=MOST)).map(drop),
            |text| whole(text, &(1..=MOST_PAIRS)).map(drop),
            |text| whole(text, &(1..=MOST)).map(drop),
            |text| whole(text, &(0..=u64::MAX)).map(drop),
        ],
    );
    all.extend([
        Entry::choice("smc-model", ParticleModel::Opened),
        Entry::choice("smc-units", Units::Bits),
        Entry::choice("path", SmcPath::Temperatures),
        // The pair whose steps are on view.
        Entry::plain("pair", "1", |text| whole(text, &(1..=MOST_PAIRS)).map(drop)),
    ]);
    all
});

/// Which model the runs are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParticleModel {
    /// The pretrained model, or the visitor's own that is open in its place.
    #[default]
    Opened,
    /// The one in training, as it is when the pairs are begun.
    Training,
    /// One drawn by a seed.
    Random,
}

impl Choose for ParticleModel {
    const WORDS: Words = words("smc-model", "Model", "The model that Complete has, the one in training, or a small random one.");
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::Opened, "opened", "the pretrained one", "The model that Complete has, or yours that is open in its place"),
        choice(Self::Training, "training", "the one in training", "As it is when the pairs are begun"),
        choice(Self::Random, "random", "a random one", "Small, with Gaussian weights"),
    ];
}

/// All of it, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleSettings {
    /// Which model.
    pub model: ParticleModel,
    /// Layer sizes of a random one,
    pub sizes: Vec<u32>,
    /// the kind of its units,
    pub units: Units,
    /// and the deviation of its weights.
    pub deviation: f64,
    /// The runs, the cap and the seed.
    pub pairs: RunPairs,
    /// How many pairs.
    pub count: u32,
}

impl ParticleSettings {
    /// All of them, if nothing that matters is wrong.
    pub fn of(texts: &Texts) -> Option<Self> {
        let (model, path) = (texts.chosen("smc-model"), texts.chosen("path"));
        let is_random = model == ParticleModel::Random;
        let random =
            (sizes(texts.get("smc-sizes"), MOST_UNITS), number(texts.get("smc-deviation"), &(0.0..=MOST_DEVIATION)).ok());
        let (sizes, deviation) = match random {
            (Some(sizes), Some(deviation)) => (sizes, deviation),
            _ if is_random => return None,
            _ => Default::default(),
        };
        Some(Self {
            model,
            sizes,
            units: texts.chosen("smc-units"),
            deviation,
            pairs: RunPairs {
                particles: texts.number("particles")?,
                // A random model has no past.
                path: if is_random { SmcPath::Temperatures } else { path },
                steps: texts.number("smc-steps")?,
                cap: texts.number("smc-cap")?,
                seed: texts.number("smc-seed")?,
            },
            count: texts.number("smc-pairs")?,
        })
    }

    /// Whether the other settings give the same pairs, so far as both have them, of a model that stands still.
    pub fn same_pairs(&self, other: &Self) -> bool {
        let random = |settings: &Self| (settings.sizes.clone(), settings.units, settings.deviation);
        let same_model = self.model == other.model && (self.model != ParticleModel::Random || random(self) == random(other));
        // Along the past the number of temperatures is nobody's.
        let runs = |settings: &Self| {
            let steps = if settings.pairs.path == SmcPath::Past { 0 } else { settings.pairs.steps };
            RunPairs { steps, ..settings.pairs }
        };
        same_model && runs(self) == runs(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::binding::Keys;

    fn read(keys: &[(&str, &str)]) -> Texts {
        Texts::read(&ENTRIES, &keys.iter().copied().collect())
    }

    #[test]
    fn what_is_not_by_default_travels_and_comes_back() {
        let given = [("smc-sizes", "4-3"), ("smc-deviation", "0.5"), ("particles", "7"), ("smc-steps", "9"), ("smc-pairs", "12")];
        let more = [("smc-cap", "30"), ("smc-seed", "4"), ("smc-model", "random"), ("smc-units", "signs"), ("pair", "3")];
        let given: Keys = given.into_iter().chain(more).collect();
        let (texts, mut written) = (Texts::read(&ENTRIES, &given), Keys::default());
        texts.write(&mut written);
        assert_eq!(written, given);
        let pairs = RunPairs { particles: 7, steps: 9, path: SmcPath::Temperatures, cap: 30, seed: 4 };
        let (model, sizes, units) = (ParticleModel::Random, vec![4, 3], Units::Signs);
        let expected = ParticleSettings { model, sizes, units, deviation: 0.5, pairs, count: 12 };
        assert_eq!(ParticleSettings::of(&texts), Some(expected));
        let mut none = Keys::default();
        read(&[]).write(&mut none);
        assert!(none.is_empty() && ParticleSettings::of(&read(&[])).is_some());
    }

    #[test]
    fn only_what_changes_the_pairs_counts() {
        let of = |keys: &[(&str, &str)]| ParticleSettings::of(&read(keys)).unwrap();
        let same = |one: &[(&str, &str)], other: &[(&str, &str)]| of(one).same_pairs(&of(other));
        assert!(same(&[], &[("smc-pairs", "3"), ("smc-sizes", "4-3"), ("smc-units", "signs")]));
        assert!(!same(&[], &[("particles", "3")]) && !same(&[], &[("smc-model", "training")]) && !same(&[], &[("path", "past")]));
        assert!(same(&[("path", "past")], &[("path", "past"), ("smc-steps", "7")]));
        let random = ("smc-model", "random");
        assert!(!same(&[random], &[random, ("smc-sizes", "4-3")]) && same(&[random], &[random, ("path", "past")]));
    }

    #[test]
    fn nonsense_is_passed_over_or_refused_with_words() {
        let keys = ["smc-sizes", "smc-deviation", "particles", "smc-steps", "smc-pairs", "smc-cap", "smc-seed"];
        let texts = read(&keys.map(|key| (key, "💥")));
        assert_eq!(ParticleSettings::of(&texts), None);
        assert!(keys.iter().all(|key| texts.problem(key).is_some_and(|words| words.ends_with('.'))));
        // What a random model would be is nobody's problem where there is none.
        assert!(ParticleSettings::of(&read(&[("smc-sizes", "💥")])).is_some());
        assert!(ParticleSettings::of(&read(&[("smc-sizes", "💥"), ("smc-model", "random")])).is_none());
        assert_eq!(read(&[("pair", "💥"), ("smc-model", "💥")]).get("pair"), "1");
    }
}
