//! How a model is to be trained: a value, from which the same model comes every time.

use crate::{Error, Session};
use dbm_core::settings::{Initialization, RunPlan};
use dbm_core::words::Choose;
use dbm_core::{Settings, Trainer, Units};
use dbm_data::Dataset;
use dbm_engine::Begun;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// All that determines a run but its data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainingPlan {
    /// Sizes of the hidden layers, first to last.
    pub hidden: Vec<usize>,
    pub units: Units,
    /// Standard deviation of Gaussian initial weights; orthogonal ones where there is none.
    pub gaussian: Option<f64>,
    pub settings: Settings,
    pub steps: u64,
}

/// Other values, each by its place in a [`TrainingPlan`], a JSON pointer such as `/settings/batch`.
pub type Changes = BTreeMap<String, Value>;

/// A training that differs from another in what it says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    pub name: String,
    pub words: String,
    /// The paper's score of it, an Inception FID at 6272-6272-6272 with 8 bits a pixel.
    pub paper: Option<f64>,
    #[serde(default)]
    pub change: Changes,
}

impl TrainingPlan {
    /// The same with other values.
    ///
    /// # Errors
    /// [`Error::Input`] for a place that is not there, or a value that does not fit.
    pub fn with(&self, changes: &Changes) -> Result<Self, Error> {
        let mistake = |what: String| Error::Input(format!("{what}; this is a mistake in the experiment's recipe"));
        let mut values = serde_json::to_value(self).map_err(|error| mistake(error.to_string()))?;
        for (place, value) in changes {
            *values.pointer_mut(place).ok_or_else(|| mistake(format!("a training has no {place}")))? = value.clone();
        }
        serde_json::from_value(values).map_err(|error| mistake(format!("{changes:?}: {error}")))
    }

    /// A run that has taken no step yet.
    ///
    /// # Errors
    /// Settings out of their range, or a run that takes more memory than there is.
    pub fn begin(&self, data: &Dataset, session: &Session) -> Result<Trainer, Error> {
        let hidden = self.hidden.iter().map(|&size| size as u32).collect();
        let start = self.gaussian.map_or(Initialization::Orthogonal, |deviation| Initialization::Gaussian { deviation });
        let settings = Settings { image: data.image, ..self.settings.clone() };
        let plan = RunPlan { hidden, units: self.units, start, settings };
        match dbm_engine::begin(&plan, &data.examples, session, |footprint| session.memory.check(footprint))? {
            Begun::Training(run) => Ok(*run),
            Begun::Pretraining(_) => unreachable!("no start of a training plan is pretrained"),
        }
    }

    /// The command that makes the same model of data that are read by these options.
    pub fn command(&self, data: &str) -> String {
        let (s, usual) = (&self.settings, Settings::default());
        let sizes: Vec<String> = self.hidden.iter().map(usize::to_string).collect();
        let labels = if s.classes > 0 { " --labels" } else { "" };
        let mut text = format!("dbm train --data {data} --hidden {}{labels}", sizes.join(","));
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn changes_are_made_and_those_that_cannot_be_are_refused() {
        let change = |place: &str, value: Value| TrainingPlan::default().with(&BTreeMap::from([(place.to_string(), value)]));
        let changed = change("/settings/estimator/kind", json!("cd")).unwrap();
        assert!(changed.command("MNIST").contains(" --estimator cd-1 "), "{}", changed.command("MNIST"));
        assert!(change("/settings/estimator/sweep", json!(1)).unwrap_err().to_string().contains("/settings/estimator/sweep"));
        assert!(change("/units", json!("colours")).is_err());
    }
}
