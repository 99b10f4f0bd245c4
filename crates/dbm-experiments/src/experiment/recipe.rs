//! How a model is trained: a value, from which the same model comes every time.

use crate::{Error, Session};
use dbm_core::words::Choose;
use dbm_core::{Dbm, Footprint, Settings, Trainer, Units, init};
use dbm_data::Dataset;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// All that determines a run but its data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Sizes of the hidden layers, first to last.
    pub hidden: Vec<usize>,
    pub units: Units,
    /// Standard deviation of Gaussian initial weights, in place of orthogonal ones.
    pub gaussian: Option<f64>,
    pub settings: Settings,
    pub steps: u64,
}

impl Recipe {
    /// Of signs, from orthogonal weights.
    pub fn new(hidden: Vec<usize>, settings: Settings, steps: u64) -> Self {
        Self { hidden, units: Units::Signs, gaussian: None, settings, steps }
    }

    /// Sizes of all layers of a model of so many visible units: the labels, where there are such, are on top.
    pub fn sizes(&self, visible: usize) -> Vec<usize> {
        let classes = Some(self.settings.classes).filter(|&classes| classes > 0);
        std::iter::once(visible).chain(self.hidden.iter().copied()).chain(classes).collect()
    }

    /// A run that has taken no step yet.
    ///
    /// # Errors
    /// Settings out of their range, or a run that takes more memory than there is.
    pub fn begin(&self, data: &Dataset, session: &Session) -> Result<Trainer, Error> {
        let sizes = self.sizes(data.examples.width());
        let settings = Settings { image: data.image, ..self.settings.clone() };
        settings.check(data.examples.width())?;
        session.memory.check(&Footprint::of_data(&sizes, &settings, &data.examples, session.threads()))?;
        let model: Dbm = match self.gaussian {
            Some(deviation) => init::gaussian(&sizes, self.units, deviation, settings.seed)?,
            None => init::orthogonal_on(session, &sizes, self.units, settings.seed)?,
        };
        Ok(Trainer::new(model, settings)?)
    }

    /// The command that makes the same model.
    pub fn command(&self) -> String {
        let (s, usual) = (&self.settings, Settings::default());
        let sizes: Vec<String> = self.hidden.iter().map(usize::to_string).collect();
        let labels = if s.classes > 0 { " --labels" } else { "" };
        let mut text = format!("dbm train --data MNIST --hidden {}{labels}", sizes.join(","));
        let mut add = |option: &str, value: &dyn std::fmt::Display, wanted: bool| {
            if wanted {
                let _ = write!(text, " --{option} {value}");
            }
        };
        add("units", &self.units.choice().name, self.units != Units::default());
        add("gaussian", &self.gaussian.unwrap_or_default(), self.gaussian.is_some());
        add("estimator", &s.estimator, s.estimator.to_string() != usual.estimator.to_string());
        add("mode-sweeps", &s.estimator.mode_sweeps, s.estimator.mode_sweeps != usual.estimator.mode_sweeps);
        add("optimizer", &s.optimizer.method.choice().name, s.optimizer.method != usual.optimizer.method);
        add("lr", &s.optimizer.learning_rate, true);
        add("lr-decay", &s.optimizer.decay_steps, s.optimizer.decay_steps > 0);
        add("momentum", &s.optimizer.momentum, s.optimizer.momentum > 0.0);
        add("weight-decay", &s.optimizer.weight_decay, s.optimizer.weight_decay > 0.0);
        add("average", &s.average.unwrap_or_default(), s.average.is_some());
        add("batch", &s.batch, s.batch != usual.batch);
        add("conditional", &s.conditional, s.conditional > 0.0);
        add("masks", &s.masks.name(), s.masks != usual.masks);
        if !s.marginalize {
            text.push_str(" --no-marginalize");
        }
        let _ = write!(text, " --steps {} --seed {} --out model.safetensors", self.steps, s.seed);
        text
    }
}

/// A model's sizes, such as `784-500`.
pub fn named(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join("-")
}

/// A recipe that differs from another in what it says.
#[derive(Clone, Debug, Deserialize)]
pub struct Variant {
    pub name: String,
    pub words: String,
    /// The paper's score of it, an Inception FID at 6272-6272-6272 with 8 bits a pixel.
    pub paper: Option<f64>,
    /// Other values, each by its place in the recipe, a JSON pointer.
    #[serde(default)]
    change: BTreeMap<String, Value>,
}

impl Variant {
    /// A list of them, as it is written in a file of the experiment.
    ///
    /// # Errors
    /// [`Error::Input`] for what is no such list.
    pub fn list(json: &str) -> Result<Vec<Self>, Error> {
        serde_json::from_str(json).map_err(|error| mistake("the recipes", &error))
    }

    /// The other recipe, changed.
    ///
    /// # Errors
    /// [`Error::Input`] for a change that no recipe can take.
    pub fn of(&self, other: &Recipe) -> Result<Recipe, Error> {
        let mut recipe = serde_json::to_value(other).map_err(|error| mistake(&self.name, &error))?;
        for (place, value) in &self.change {
            let old = recipe.pointer_mut(place).ok_or_else(|| mistake(&self.name, &format!("a recipe has no {place}")))?;
            *old = value.clone();
        }
        serde_json::from_value(recipe).map_err(|error| mistake(&self.name, &error))
    }
}

fn mistake(what: &str, error: &dyn std::fmt::Display) -> Error {
    Error::Input(format!("{what}: {error}; this is a mistake in the experiment"))
}
