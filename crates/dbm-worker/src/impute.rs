//! The gaps of the data, filled in by the model in training, and an evaluation of these answers.

use crate::job::{LongJob, Sliced};
use crate::run::Run;
use crate::sources::TrainingData;
use dbm_core::impute::{Evaluation, EvaluationSettings, HiddenCells, ImputeSettings, Imputer, hide};
use dbm_engine::{Filling, RowByRow};
use dbm_protocol::{Evaluated, Event};
use std::sync::Arc;

/// Share of the known cells that an evaluation hides if none were held back.
const HIDDEN_SHARE: f64 = 0.1;

/// The work of filling the gaps of the data; the held-back cells count as known.
pub fn imputation(run: &Run, settings: ImputeSettings) -> Result<Box<dyn LongJob>, String> {
    let imputer = Imputer::new(run.model(), &run.material.one_hot(), settings).map_err(|error| error.to_string())?;
    let data = run.material.whole().clone();
    let job = RowByRow::new(Filling { imputer, rows: (0..data.len()).collect(), data });
    Ok(Sliced::work(job, |rows: Vec<Vec<f32>>| Event::Imputed(rows.concat())))
}

/// The work of comparing answers on held-back cells or, if there are none, on known cells hidden now.
pub fn comparison(run: &Run, impute: ImputeSettings) -> Result<Box<dyn LongJob>, String> {
    let TrainingData { data, whole } = &run.material;
    let groups = run.material.one_hot();
    let hidden = match whole {
        Some(whole) => HiddenCells::between(whole, data.examples.clone(), &groups),
        None => hide(&data.examples, &groups, HIDDEN_SHARE, impute.seed),
    };
    let settings = EvaluationSettings { impute, ..EvaluationSettings::default() };
    let evaluation = hidden.and_then(|hidden| Evaluation::new(run.model(), Arc::new(hidden), &groups, settings));
    let evaluation = Arc::new(evaluation.map_err(|error| error.to_string())?);
    let (job, held_back) = (RowByRow::new(Arc::clone(&evaluation)), whole.is_some());
    Ok(Sliced::work(job, move |rows: Vec<Vec<_>>| {
        Event::Evaluated(Evaluated { held_back, report: evaluation.report(&rows.concat()) })
    }))
}
