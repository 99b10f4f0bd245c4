//! How a model is to be trained: a value that determines the model.

use crate::{Error, Workbench};
use dbm_core::settings::{Initialization, RunPlan, Setting};
use dbm_core::{NEW_WEIGHT_GAIN, Settings, Trainer, Units};
use dbm_data::{Checkpoint, Dataset};
use dbm_engine::Begun;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Display;

/// What an author of a recipe has to correct.
pub fn mistake(what: impl Display) -> Error {
    Error::Input(format!("{what}; this is a mistake in the experiment's recipe"))
}

/// Everything that determines a run except its data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainingPlan {
    /// Sizes of the hidden layers, first to last.
    pub hidden: Vec<usize>,
    pub units: Units,
    /// Standard deviation of Gaussian initial weights; if absent, the weights begin as suits the estimator.
    pub gaussian: Option<f64>,
    pub settings: Settings,
    pub steps: u64,
    /// The run whose last weights this one begins with; units are then those of that run, and no layer is narrower.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Box<Self>>,
    /// If this one has more hidden units, the factor of the weights that they begin with, as in `dbm train --gain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<f32>,
}

/// Replacement values, each addressed in a [`TrainingPlan`] by a JSON pointer such as `/settings/batch`.
pub type Changes = BTreeMap<String, Value>;

/// A training that differs from another in the given values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    pub name: String,
    pub words: String,
    /// The paper's score for it, an Inception FID at 6272-6272-6272 with 8 bits per pixel.
    pub paper: Option<f64>,
    #[serde(default)]
    pub change: Changes,
}

impl TrainingPlan {
    /// The same with replaced values.
    ///
    /// # Errors
    /// [`Error::Input`] for an address that does not exist, or a value that does not fit.
    pub fn with(&self, changes: &Changes) -> Result<Self, Error> {
        let mut values = serde_json::to_value(self).map_err(mistake)?;
        for (place, value) in changes {
            *values.pointer_mut(place).ok_or_else(|| mistake(format!("a training has no {place}")))? = value.clone();
        }
        serde_json::from_value(values).map_err(|error| mistake(format!("{changes:?}: {error}")))
    }

    /// A run that has taken no step yet, if it comes after no other.
    ///
    /// # Errors
    /// Settings out of range, or a run that takes more memory than there is.
    pub fn begin(&self, data: &Dataset, session: &Workbench) -> Result<Trainer, Error> {
        let hidden = self.hidden.iter().map(|&size| size as u32).collect();
        let start = match self.gaussian {
            Some(deviation) => Initialization::Gaussian { deviation },
            None if self.settings.estimator.kind.descriptor().has_ladder => Initialization::Independent,
            None => Initialization::Orthogonal,
        };
        let plan = RunPlan { hidden, units: self.units, start, settings: self.settings_for(data) };
        match dbm_engine::begin(&plan, &data.examples, session, |footprint| session.memory.check(footprint))? {
            Begun::Training(run) => Ok(*run),
            Begun::Pretraining(_) => unreachable!("no start of a training plan is pretrained"),
        }
    }

    /// A run that has taken no step yet, after the one with this checkpoint.
    ///
    /// # Errors
    /// Settings out of range, or sizes that do not follow those of the run before.
    pub fn begin_at(&self, before: Checkpoint, data: &Dataset) -> Result<Trainer, Error> {
        let sizes: Vec<usize> = std::iter::once(data.examples.width()).chain(self.hidden.iter().copied()).collect();
        let start = before.into_start(self.settings_for(data));
        Ok(Trainer::begin_at(start.grown(&sizes, self.gain.unwrap_or(NEW_WEIGHT_GAIN), self.settings.seed)?)?)
    }

    fn settings_for(&self, data: &Dataset) -> Settings {
        Settings { image: data.image, ..self.settings.clone() }
    }

    /// The command that trains the same model on data read with these options, after that of the run before, if there is one.
    pub fn command(&self, data: &str) -> String {
        self.command_to("model.safetensors", data)
    }

    fn command_to(&self, file: &str, data: &str) -> String {
        const FIRST: &str = "first.safetensors";
        let hidden = format!("--hidden {}", self.hidden.iter().map(usize::to_string).collect::<Vec<_>>().join(","));
        match &self.after {
            None => self.one_command(&hidden, file, data),
            Some(first) => {
                let gain = self.gain.map_or(String::new(), |gain| format!(" --gain {gain}"));
                let more = if first.hidden == self.hidden { String::new() } else { format!(" {hidden}{gain}") };
                let then = self.one_command(&format!("--begin-at {FIRST}{more}"), file, data);
                format!("{} && {then}", first.command_to(FIRST, data))
            }
        }
    }

    /// From a start, which are sizes or a run.
    fn one_command(&self, start: &str, file: &str, data: &str) -> String {
        // Published commands have these in this order; all others follow.
        const FIRST: [Setting; 10] = [
            Setting::ModeSweeps,
            Setting::Optimizer,
            Setting::LearningRate,
            Setting::RateDecay,
            Setting::Momentum,
            Setting::WeightDecay,
            Setting::Average,
            Setting::Batch,
            Setting::Conditional,
            Setting::Masks,
        ];
        let (settings, usual) = (&self.settings, RunPlan::default());
        let plan = RunPlan { units: self.units, settings: settings.clone(), ..RunPlan::default() };
        let option = |setting: Setting| {
            let ((name, _), value) = (setting.option()?, setting.text(&plan));
            (setting == Setting::LearningRate || value != setting.text(&usual)).then(|| format!(" --{name} {value}"))
        };
        let estimator = settings.estimator.to_string();
        let others = Setting::ALL.into_iter().filter(|setting| *setting != Setting::Units && !FIRST.contains(setting));
        let parts = [
            Some(format!("dbm train --data {data} {start}")),
            (settings.classes > 0).then(|| " --labels".into()),
            option(Setting::Units),
            self.gaussian.filter(|_| self.after.is_none()).map(|deviation| format!(" --gaussian {deviation}")),
            (estimator != usual.settings.estimator.to_string()).then(|| format!(" --estimator {estimator}")),
        ];
        let ends = [
            (!settings.marginalize).then(|| " --no-marginalize".into()),
            Some(format!(" --steps {} --seed {} --out {file}", self.steps, settings.seed)),
        ];
        parts.into_iter().chain(FIRST.into_iter().chain(others).map(option)).chain(ends).flatten().collect()
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

    #[test]
    fn a_run_after_another_has_both_commands() {
        let first = TrainingPlan { hidden: vec![4], steps: 5, gaussian: Some(0.1), ..TrainingPlan::default() };
        let plan = TrainingPlan { after: Some(Box::new(first.clone())), steps: 7, ..first };
        let (one, other) = plan.command("bars").split_once(" && ").map(|(a, b)| (a.to_string(), b.to_string())).unwrap();
        assert!(
            one.starts_with("dbm train --data bars --hidden 4 --gaussian 0.1 ") && one.ends_with("--out first.safetensors"),
            "{one}"
        );
        assert!(other.starts_with("dbm train --data bars --begin-at first.safetensors --lr "), "{other}");
        assert!(other.ends_with("--steps 7 --seed 0 --out model.safetensors"), "{other}");
        let deeper = TrainingPlan { hidden: vec![4, 3], gain: Some(0.25), ..plan };
        let command = deeper.command("bars");
        assert!(command.contains(" --begin-at first.safetensors --hidden 4,3 --gain 0.25 --lr "), "{command}");
    }
}
