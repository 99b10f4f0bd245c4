//! The gaps of the data, filled in by the model in training, and whether to trust what it fills in. Both go row by row.

use crate::job::{Slice, Work, parts};
use crate::pool::WorkerPool;
use crate::run::Run;
use crate::sources::Material;
use dbm_core::Examples;
use dbm_core::impute::{Evaluation, EvaluationSettings, HiddenCells, ImputeSettings, Imputer, Outcome, hide};
use dbm_protocol::{Evaluated, Event};
use std::sync::Arc;

/// Share of the known cells that an evaluation hides where none were held back.
const HIDDEN_SHARE: f64 = 0.1;

/// Fills the gaps of the data, held-back cells being known to it.
pub struct Imputation {
    imputer: Imputer,
    data: Examples,
    probabilities: Vec<f32>,
    /// Rows that are filled so far.
    done: u32,
}

impl Imputation {
    pub fn new(run: &Run, settings: ImputeSettings) -> Result<Self, String> {
        let imputer = Imputer::new(run.model(), &run.material.one_hot(), settings);
        let imputer = imputer.map_err(|error| error.to_string())?;
        Ok(Self { imputer, data: run.material.whole().clone(), probabilities: Vec::new(), done: 0 })
    }
}

impl Work for Imputation {
    fn work(&mut self, until: f64, _: &mut WorkerPool) -> Result<Slice, String> {
        let Self { imputer, data, probabilities, done } = self;
        let stopped = parts(done, data.len(), until, |row| {
            probabilities.extend_from_slice(imputer.highs(data, row..row + 1)?.data());
            Ok(())
        })?;
        match stopped {
            Some(slice) => Ok(slice),
            None => Slice::ends(Event::Imputed(std::mem::take(probabilities))),
        }
    }
}

/// Compares answers on cells that were held back; where none were, on known cells that are hidden now.
pub struct Comparison {
    evaluation: Evaluation,
    held_back: bool,
    outcomes: Vec<Outcome>,
    /// Rows that are scored so far.
    done: u32,
}

impl Comparison {
    pub fn new(run: &Run, impute: ImputeSettings) -> Result<Self, String> {
        let Material { data, whole } = &run.material;
        let groups = run.material.one_hot();
        let hidden = match whole {
            Some(whole) => HiddenCells::between(whole, data.examples.clone(), &groups),
            None => hide(&data.examples, &groups, HIDDEN_SHARE, impute.seed),
        };
        let settings = EvaluationSettings { impute, ..EvaluationSettings::default() };
        let evaluation = hidden.and_then(|hidden| Evaluation::new(run.model(), Arc::new(hidden), &groups, settings));
        let evaluation = evaluation.map_err(|error| error.to_string())?;
        Ok(Self { evaluation, held_back: whole.is_some(), outcomes: Vec::new(), done: 0 })
    }
}

impl Work for Comparison {
    fn work(&mut self, until: f64, _: &mut WorkerPool) -> Result<Slice, String> {
        let Self { evaluation, held_back, outcomes, done } = self;
        let stopped = parts(done, evaluation.rows(), until, |row| {
            outcomes.extend(evaluation.score(row..row + 1)?);
            Ok(())
        })?;
        match stopped {
            Some(slice) => Ok(slice),
            None => Slice::ends(Event::Evaluated(Evaluated { held_back: *held_back, report: evaluation.report(outcomes) })),
        }
    }
}
