//! Scores of pictures of digits: a model's samples and completions compared with real digits.

mod reference;

use crate::columns::{csv, flat};
use crate::{Error, Report, Workbench, likelihood, log_z, template};
use dbm_core::Dbm;
use dbm_core::ais::AisSettings;
use dbm_core::math::mean_and_error;
use dbm_engine::MAX_SWEEPS;
use dbm_score::{Completions, Scores};
use minijinja::context;
pub use reference::{GREY, Reference, are_digits, digits, levels};
use serde::Serialize;
use serde_json::{Value, json};

/// All scores.
#[derive(Clone, Debug, Serialize)]
pub struct ScoreReport {
    /// Scores of the pictures.
    pub samples: Scores,
    /// The first 10 000 training digits, scored in the same way.
    pub floor: Scores,
    /// The model's answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completions: Option<Completions>,
    /// The same for the nearest training digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Completions>,
    /// The mean lower bound on log p(v).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Searches cut off at the cap; `None` for pictures from a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searches_capped: Option<usize>,
}

impl ScoreReport {
    /// Scores of pictures, compared with the first training digits.
    ///
    /// # Errors
    /// Those of scores.
    pub fn of(reference: &Reference, levels: &[u8], session: &Workbench) -> Result<Self, Error> {
        let (samples, floor) = (reference.scorer.scores(session, levels)?, reference.floor(session)?);
        Ok(Self { samples, floor, completions: None, nearest: None, bound: None, searches_capped: None })
    }
}

impl Report for ScoreReport {
    fn json(&self) -> Value {
        json!(self)
    }

    /// Columns of numbers next to their names.
    fn text(&self) -> String {
        let values = context! { max_sweeps => MAX_SWEEPS, ..minijinja::Value::from_serialize(self) };
        template::text("scores.txt", include_str!("scores.txt"), &values)
    }

    /// `of,score,value`: every number of a report; for lists, the index follows the name.
    fn csv(&self) -> Result<String, Error> {
        let all = json!(self);
        let rows = all.as_object().into_iter().flatten().flat_map(|(part, value)| {
            let (of, name) = if value.is_object() { (part.as_str(), "") } else { ("samples", part.as_str()) };
            let numbers = flat(name, value).into_iter().filter(|(_, value)| !value.is_null());
            numbers.map(|(name, value)| json!([of, name, value.to_string()])).collect::<Vec<_>>()
        });
        Ok(csv("of,score,value", rows))
    }
}

/// The mean lower bound on log p(v) of test digits, in nats; it is a bound only if log Z is right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bound {
    /// Number of test digits.
    pub count: usize,
    /// Lower bound on their mean log-likelihood, in nats.
    pub log_p: f64,
    /// Its standard error from that of log Z.
    pub error_from_log_z: f64,
    /// Its standard error over the digits.
    pub error_over_examples: f64,
    /// Number of AIS chains.
    pub effective_sample_size: f64,
}

/// AIS and the mean-field bounds of all test digits. The initial independent units of AIS are high as often as in these.
///
/// # Errors
/// Those of annealed importance sampling.
pub fn bound(model: &Dbm, reference: &Reference, ais: &AisSettings, session: &Workbench) -> Result<Bound, Error> {
    let estimate = log_z::estimate_log_z(model, Some(&reference.test), ais, session)?;
    let count = reference.test.examples.len();
    let (mean, error) = mean_and_error(&likelihood::bounds(model, &reference.test, count, session));
    Ok(Bound {
        count,
        log_p: mean - estimate.log_z,
        error_from_log_z: estimate.standard_error,
        error_over_examples: error,
        effective_sample_size: estimate.effective_sample_size,
    })
}
