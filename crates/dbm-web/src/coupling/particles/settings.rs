//! The settings of the pairs of runs: a model, the kind of run, the number of pairs, and the pair on view.

use crate::ui::field::layers;
use crate::ui::form::{Input, Row, Table, choice, typed};
use crate::ui::number::listed;
use dbm_core::Units;
use dbm_core::diagnostics::RunPairs;
use dbm_core::gradient::SmcPath;
use dbm_core::words::{Choose, choices, words};

/// Most units of a random model, all layers.
const MOST_UNITS: u32 = 400;
/// Largest standard deviation of its weights.
const MOST_DEVIATION: f64 = 3.0;
/// Most particles, steps of the path, and steps of a coupling.
const MOST: u32 = 1000;
/// Most pairs: each keeps the pictures of all its runs.
pub const MOST_PAIRS: u32 = 1000;

choices! {
    /// Which model the runs are of.
    #[derive(Default)]
    pub enum ParticleModel = words(
        "smc-model",
        "Model",
        "Complete’s model, the one in training, or a small random one.",
    );
    /// The pretrained model, or the visitor's own that is open in its place.
    #[default]
    Opened = "opened", "the pretrained one", "Complete’s model, or the one that you opened instead";
    Training = "training", "the one in training", "As it is when the pairs start";
    Random = "random", "a random one", "Small, with Gaussian weights";
}

/// All settings; the rows say what each is.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleSettings {
    pub model: ParticleModel,
    pub sizes: Vec<u32>,
    pub units: Units,
    pub deviation: f64,
    pub pairs: RunPairs,
    pub count: u32,
    /// The pair whose steps are on view, from 1 on.
    pub pair: u32,
}

impl Default for ParticleSettings {
    fn default() -> Self {
        Self {
            model: ParticleModel::Opened,
            sizes: vec![8, 6, 4],
            units: Units::Bits,
            deviation: 1.0,
            pairs: RunPairs { particles: 20, path: SmcPath::Temperatures, steps: 50, cap: 100, seed: 1 },
            count: 100,
            pair: 1,
        }
    }
}

impl Table for ParticleSettings {
    const ROWS: &'static [Row<Self>] = &[
        Row::new(Input::Text, |settings: &Self| listed(&settings.sizes, "-"), Self::set_sizes)
            .called(words("smc-sizes", "Layer sizes", "Units of each layer of a random model, the visible one first; at most 400 in all."))
            .wide()
            .when(Self::is_random),
        typed!(number, 0.0..=MOST_DEVIATION, deviation)
            .called(words("smc-deviation", "Weight deviation", "Standard deviation of the random weights, 0 to 3. The larger, the further apart the model’s modes."))
            .when(Self::is_random),
        typed!(whole, 2..=MOST, pairs.particles)
            .called(words("particles", "Particles", "Weighted states of a run, 2 to 1000. With more, runs agree better on Z, and chains meet sooner; each run takes longer.")),
        typed!(whole, 1..=MOST, pairs.steps)
            .called(words("smc-steps", "Steps of the path", "Temperatures from independent units to the model, 1 to 1000, each a sweep of all particles."))
            .when(|settings| settings.path() == SmcPath::Temperatures),
        typed!(whole, 1..=MOST_PAIRS, count)
            .called(words("smc-pairs", "Pairs", "Pairs of chains. With more, only the missing ones are run.")),
        typed!(whole, 1..=MOST, pairs.cap)
            .called(words("smc-cap", "Step cap", "A pair that has not met after so many steps, each a separate run, is cut and counted.")),
        typed!(whole, 0..=u64::MAX, pairs.seed).called(words("smc-seed", "Seed", "For all pairs, and for a random model.")).wide(),
        choice!(ParticleModel, model),
        choice!(Units, units).key("smc-units").when(Self::is_random),
        choice!(SmcPath, pairs.path).wide().when(|settings| !settings.is_random()),
        typed!(whole, 1..=MOST_PAIRS, pair).key("pair"),
    ];
}

impl ParticleSettings {
    fn set_sizes(&mut self, text: &str) -> Result<(), String> {
        self.sizes = layers(text, MOST_UNITS, "8-6-4")?;
        Ok(())
    }

    /// Whether the model is a random one.
    pub fn is_random(&self) -> bool {
        self.model == ParticleModel::Random
    }

    /// The path of the particles: a random model has no past.
    fn path(&self) -> SmcPath {
        if self.is_random() { SmcPath::Temperatures } else { self.pairs.path }
    }

    /// The request to the workers.
    pub fn runs(&self) -> RunPairs {
        RunPairs { path: self.path(), ..self.pairs }
    }

    /// Whether the other settings give the same pairs, as far as both have them, if the model does not change.
    pub fn same_pairs(&self, other: &Self) -> bool {
        let random = |settings: &Self| (settings.sizes.clone(), settings.units, settings.deviation);
        let same_model = self.model == other.model && (!self.is_random() || random(self) == random(other));
        // Along the past, the number of temperatures has no effect.
        let runs = |settings: &Self| {
            let runs = settings.runs();
            RunPairs { steps: if runs.path == SmcPath::Past { 0 } else { runs.steps }, ..runs }
        };
        same_model && runs(self) == runs(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::form::{Texts, travels};

    fn read(keys: &[(&str, &str)]) -> Texts<ParticleSettings> {
        Texts::read(&keys.iter().copied().collect())
    }

    #[test]
    fn what_is_not_by_default_travels_and_comes_back() {
        let model =
            [("smc-model", "random"), ("smc-sizes", "4-3"), ("smc-units", "signs"), ("smc-deviation", "0.5"), ("path", "past")];
        let runs =
            [("particles", "7"), ("smc-steps", "9"), ("smc-pairs", "12"), ("smc-cap", "30"), ("smc-seed", "4"), ("pair", "3")];
        travels::<ParticleSettings>(&[&model[..], &runs].concat());
    }

    #[test]
    fn only_what_changes_the_pairs_counts() {
        let of = |keys: &[(&str, &str)]| read(keys).checked().cloned().unwrap();
        let same = |one: &[(&str, &str)], other: &[(&str, &str)]| of(one).same_pairs(&of(other));
        assert!(same(&[], &[("smc-pairs", "3"), ("smc-sizes", "4-3"), ("smc-units", "signs")]));
        assert!(!same(&[], &[("particles", "3")]) && !same(&[], &[("smc-model", "training")]) && !same(&[], &[("path", "past")]));
        assert!(same(&[("path", "past")], &[("path", "past"), ("smc-steps", "7")]));
        let random = ("smc-model", "random");
        assert!(!same(&[random], &[random, ("smc-sizes", "4-3")]) && same(&[random], &[random, ("path", "past")]));
    }

    #[test]
    fn nonsense_matters_where_it_has_an_effect() {
        for key in ["particles", "smc-steps", "smc-pairs", "smc-cap", "smc-seed"] {
            assert!(read(&[(key, "💥")]).checked().is_none(), "{key}");
        }
        // Invalid settings of a random model do not matter if there is none.
        assert!(read(&[("smc-sizes", "💥"), ("smc-deviation", "💥")]).checked().is_some());
        assert!(read(&[("smc-sizes", "💥"), ("smc-model", "random")]).checked().is_none());
        assert!(read(&[("smc-steps", "💥"), ("path", "past")]).checked().is_some());
    }
}
