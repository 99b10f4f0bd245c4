//! The definition of an experiment: a file in `recipes/` that says which models are trained on which data, what is measured, what the paper
//! claims, and what is drawn and written.
//!
//! To add an experiment, add a file there and its line in [`FILES`]. Any object of a recipe may have a `toy` whose values replace its own
//! in a toy run.

use super::density::Density;
use super::figure::Figure;
use super::measure::Measure;
use super::shared::SharedMeasure;
use super::training_plan::{Changes, TrainingPlan, Variant, mistake};
use crate::data::DataOptions;
use crate::{Error, files};
use dbm_core::Settings;
use dbm_core::words::Choose;
use dbm_data::coding::Coding;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// All of them, in the order in which `dbm experiment all` runs them.
const FILES: [&str; 9] = [
    include_str!("recipes/figure-1.json"),
    include_str!("recipes/figure-2.json"),
    include_str!("recipes/table-2.json"),
    include_str!("recipes/best-model.json"),
    include_str!("recipes/figure-3.json"),
    include_str!("recipes/bit-planes.json"),
    include_str!("recipes/depth.json"),
    include_str!("recipes/grey.json"),
    include_str!("recipes/density.json"),
];

/// Lists of variants, by name.
pub type VariantLists = BTreeMap<String, Vec<Variant>>;

/// An experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Its name, as in `dbm experiment NAME` and its file names.
    pub name: String,
    /// Its place on the page, from 1.
    pub place: u32,
    /// Its subject, for the command's help.
    pub summary: String,
    /// Heading of its section.
    pub title: String,
    /// What it asks.
    pub question: String,
    /// What the paper says, in a sentence.
    pub paper: String,
    /// How digits become units; without it, no data are read.
    pub data: Option<Data>,
    /// Every variant of a list changes the training of each group that uses the list.
    #[serde(default)]
    pub variants: VariantLists,
    /// Models, in the order in which they are trained.
    #[serde(default)]
    pub groups: Vec<Group>,
    /// Data sets, and how likely they are under models of them.
    pub density: Option<Density>,
    /// Measurements that need no model.
    #[serde(default)]
    pub shared: BTreeMap<String, SharedMeasure>,
    /// Expected results, the paper's first.
    #[serde(default)]
    pub claims: Vec<Claim>,
    pub figure: Figure,
    /// Our result, and why it agrees or not: lines of a template.
    pub ours: Vec<String>,
    pub why: Vec<String>,
    /// How it was measured: lines of Markdown, a template.
    pub body: Vec<String>,
}

/// How digits become units.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Bits per pixel; 1 if not given.
    pub bits_per_value: Option<u8>,
    #[serde(default)]
    pub coding: Coding,
}

/// Models with the same measures: one, or one per variant.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub name: String,
    pub words: String,
    /// A checkpoint to measure, relative to the project's folder. A toy trains a model instead, or omits the group.
    pub file: Option<PathBuf>,
    /// How models are trained: differences from the default settings.
    pub train: Option<Changes>,
    /// Name of the list of variants.
    pub variants: Option<String>,
    /// Number of variants to train, from the first.
    pub at_most: Option<usize>,
    /// Runs of each model, with consecutive seeds.
    #[serde(default = "one")]
    pub seeds: u64,
    /// This many of the last training digits replace the test digits, and are not used for training.
    pub hold_out: Option<usize>,
    /// Divisor of the number of hidden units, and maximum number of steps: for toys.
    pub shrink: Option<usize>,
    pub most_steps: Option<u64>,
    /// Whether the weights are written too, as `NAME.safetensors` in half precision.
    #[serde(default)]
    pub written: bool,
    pub measures: BTreeMap<String, Measure>,
}

fn one() -> u64 {
    1
}

/// An expected result.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub words: String,
    /// An expression over the results.
    pub holds: String,
    /// The numbers that it concerns: a template.
    pub reached: String,
    /// Whether it is ours; only the paper's decide the verdict.
    #[serde(default)]
    pub ours: bool,
}

impl Recipe {
    /// All existing experiments, in full size or as toys.
    ///
    /// # Errors
    /// [`Error::Input`] for an invalid recipe.
    pub fn all(toy: bool) -> Result<Vec<Self>, Error> {
        FILES.iter().map(|text| Self::read(text, toy)).collect()
    }

    /// One experiment by its name, or from a file that ends in `.json`.
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown name, and those of the file.
    pub fn named(name: &str, toy: bool) -> Result<Self, Error> {
        if Path::new(name).extension().is_some_and(|ending| ending == "json") {
            return Self::read(&String::from_utf8_lossy(&files::read(Path::new(name))?), toy);
        }
        let all = Self::all(toy)?;
        let names = all.iter().map(|recipe| recipe.name.as_str()).collect::<Vec<_>>().join(", ");
        let found = all.into_iter().find(|recipe| recipe.name == name);
        found.ok_or_else(|| Error::Usage(format!("{name}: expected one of {names}, or the file of a recipe (.json)")))
    }

    fn read(text: &str, toy: bool) -> Result<Self, Error> {
        let recipe = serde_json::from_str(text).and_then(|value| serde_json::from_value(sized(value, toy)));
        recipe.map_err(|error| {
            Error::Input(format!("a recipe of an experiment was expected, but {error}; this is a mistake in its file"))
        })
    }
}

/// A value without its `toy`, or with its replacements.
fn sized(value: Value, toy: bool) -> Value {
    match value {
        Value::Object(mut values) => {
            if let (Some(Value::Object(of_toy)), true) = (values.remove("toy"), toy) {
                values.extend(of_toy);
            }
            values.into_iter().map(|(name, value)| (name, sized(value, toy))).collect::<serde_json::Map<_, _>>().into()
        }
        Value::Array(values) => values.into_iter().map(|value| sized(value, toy)).collect(),
        other => other,
    }
}

impl Group {
    /// The models trained with this seed: none for a group that has only a file.
    ///
    /// # Errors
    /// [`Error::Input`] for an invalid recipe.
    pub fn trainings<'a>(&self, lists: &'a VariantLists, seed: u64) -> Result<Vec<(Option<&'a Variant>, TrainingPlan)>, Error> {
        let Some(train) = &self.train else { return Ok(Vec::new()) };
        let variants: Vec<Option<&Variant>> = match &self.variants {
            None => vec![None],
            Some(name) => {
                let missing = || mistake(format!("{}: there are no variants {name}", self.name));
                let list = lists.get(name).ok_or_else(missing)?;
                list.iter().take(self.at_most.unwrap_or(list.len())).map(Some).collect()
            }
        };
        let settings = Settings { seed, ..Settings::default() };
        let training = TrainingPlan { settings, ..TrainingPlan::default() }.with(train)?;
        let of = |variant: Option<&'a Variant>| {
            let mut training = variant.map_or_else(|| Ok(training.clone()), |variant| training.with(&variant.change))?;
            training.hidden.iter_mut().for_each(|n| *n = (*n / self.shrink.unwrap_or(1)).max(1));
            training.steps = self.most_steps.map_or(training.steps, |most| most.min(training.steps));
            Ok((variant, training))
        };
        variants.into_iter().map(of).collect()
    }
}

impl Data {
    /// As in `dbm train --data`.
    pub fn options(&self) -> String {
        let bits = self.bits_per_value.map_or(String::new(), |bits| format!(" --bits-per-value {bits}"));
        let usual = self.coding == Coding::default();
        let coding = if usual { String::new() } else { format!(" --coding {}", self.coding.choice().name) };
        format!("MNIST{bits}{coding}")
    }

    /// How they are read, or the number of digits to generate; some of them held out.
    pub fn reading(&self, digits: usize, hold_out: Option<usize>) -> DataOptions {
        DataOptions { bits_per_value: self.bits_per_value, coding: self.coding, hold_out, ..DataOptions::of_digits(digits) }
    }

    /// Units per pixel.
    pub fn units_a_pixel(&self) -> usize {
        self.bits_per_value.map_or(1, usize::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::complete::SamplingSchedule;

    #[test]
    fn every_recipe_is_in_the_list_and_its_models_can_be_trained_and_measured() {
        let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/experiment/recipes")).unwrap();
        assert_eq!(files.count(), FILES.len());
        for recipe in Recipe::all(false).unwrap() {
            for (set, training) in recipe.density.iter().flat_map(|density| density.trainings(1).unwrap()) {
                for run in std::iter::once(&training).chain(training.after.as_deref()) {
                    assert!(run.settings.check(16).is_ok() && run.steps > 0 && !run.hidden.is_empty(), "{set}");
                }
            }
            for group in &recipe.groups {
                let trainings = group.trainings(&recipe.variants, 1).unwrap();
                for (at, (_, training)) in trainings.iter().enumerate() {
                    Settings { image: Some((28, 28)), ..training.settings.clone() }.check(784).unwrap();
                    assert!(trainings[..at].iter().all(|(_, other)| other != training), "{} {at}", group.name);
                }
                for measure in group.measures.values() {
                    if let Measure::Samples { schedule: Some(schedule), .. } = measure {
                        assert!(schedule.parse::<SamplingSchedule>().is_ok(), "{schedule}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_toy_has_its_own_values_and_what_is_misspelt_is_refused() {
        let value = serde_json::json!({ "a": 1, "b": [{ "c": 2, "toy": { "c": 3 } }], "toy": { "a": 4 } });
        assert_eq!(sized(value.clone(), false), serde_json::json!({ "a": 1, "b": [{ "c": 2 }] }));
        assert_eq!(sized(value, true), serde_json::json!({ "a": 4, "b": [{ "c": 3 }] }));
        let said = Recipe::read(&FILES[1].replace("\"groups\"", "\"group\""), false).unwrap_err().to_string();
        assert!(said.contains("group") && said.contains("mistake"), "{said}");
    }
}
