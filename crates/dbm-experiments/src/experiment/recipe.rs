//! How a model is trained: a value, from which the same model comes every time.

use crate::{Error, Session};
use dbm_core::words::Choose;
use dbm_core::{Dbm, Footprint, Settings, Trainer, Units, init};
use dbm_data::Dataset;
use serde::Serialize;
use std::fmt::Write;

/// All that determines a run but its data.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// A run that has taken no step yet.
    ///
    /// # Errors
    /// Settings out of their range, or a run that takes more memory than there is.
    pub fn begin(&self, data: &Dataset, session: &Session) -> Result<Trainer, Error> {
        let sizes: Vec<usize> = std::iter::once(data.examples.width()).chain(self.hidden.iter().copied()).collect();
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
        let mut text = format!("dbm train --data MNIST --hidden {}", sizes.join(","));
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
