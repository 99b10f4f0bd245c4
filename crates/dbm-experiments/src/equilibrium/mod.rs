//! Whether a model is what it says: its samples against the number of Gibbs sweeps, from several starts, beside real digits and the exact distribution.

mod exact;
mod figure;
mod run;
mod verdict;

use crate::columns::table;
use crate::{Error, Report, template};
use dbm_core::complete::ChainStart;
use dbm_core::words::Choose;
use dbm_score::Quality;
pub use exact::{Exact, Farthest};
use minijinja::context;
pub use run::{Plan, Seen, Subject};
use serde::Serialize;
use serde_json::{Value, json};
pub use verdict::Verdict;

/// All looks at the chains of some models.
#[derive(Clone, Debug)]
pub struct Looks(pub Vec<Model>);

/// All looks at the chains of one model.
#[derive(Clone, Debug, Serialize)]
pub struct Model {
    /// What a figure calls it.
    pub name: String,
    /// Chains from each start.
    pub chains: usize,
    /// The quality of as many training digits, where the model is one of digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<Quality>,
    /// The mean energy under the model's own distribution, where it is small enough to enumerate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact_energy: Option<f64>,
    /// From each start.
    pub starts: Vec<Run>,
}

/// The chains from one start.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// Where they began.
    pub start: ChainStart,
    /// In the order of their sweeps.
    pub looks: Vec<Look>,
    /// What follows from the looks, of a model of digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Sweeps since which neither the mean energy nor the mean number of high visible units has differed from its last value by more than two standard errors.
    pub unchanged_since: Option<u32>,
}

/// One look at all chains of a start.
#[derive(Clone, Debug, Serialize)]
pub struct Look {
    /// Gibbs sweeps since the start.
    pub sweeps: u32,
    /// Mean energy of the states as they stand, in nats.
    pub energy: f64,
    /// Its standard error; chains are independent.
    pub energy_error: f64,
    /// Mean number of high visible units of the states as they stand.
    pub high: f64,
    /// Its standard error.
    pub high_error: f64,
    /// Searches of this look cut at the cap.
    pub searches_capped: usize,
    /// What the classifier says of the chains as they were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digits: Option<Digits>,
    /// What deviates most from the exact distribution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<Farthest>,
}

/// What the classifier says of a look.
#[derive(Clone, Debug, Serialize)]
pub struct Digits {
    /// Distance, classes, confidence and copies.
    #[serde(flatten)]
    pub quality: Quality,
    /// Share of chains read as another class than at the look before, which of the first is the start.
    pub crossed: f64,
    /// The same against the start: the digit itself, or the mode of the noise.
    pub crossed_since_start: f64,
}

impl Report for Looks {
    fn json(&self) -> Value {
        json!({ "models": self.0 })
    }

    /// A table a model and start, and what follows from it in a line.
    fn text(&self) -> String {
        template::text("looks.txt", include_str!("looks.txt"), &context! { models => self.0 })
    }

    /// A row a look.
    fn csv(&self) -> Result<String, Error> {
        let runs = self.0.iter().flat_map(|model| model.starts.iter().map(move |run| (model, run)));
        let rows = runs.flat_map(|(model, run)| {
            run.looks.iter().map(move |look| {
                let mut row = json!(look);
                row["model"] = json!(model.name);
                row["start"] = run.start.choice().name.into();
                row["exact_energy"] = json!(model.exact_energy);
                row
            })
        });
        let shares: Vec<String> = (0..10).map(|class| format!("share_{class}=digits/shares/{class}")).collect();
        let columns = format!(
            "model,start,sweeps,energy,energy_error,high,high_error,searches_capped,digit_frechet_distance=digits/digit_frechet_distance,\
             {},confidence=digits/confidence,distinct=digits/distinct,crossed=digits/crossed,\
             crossed_since_start=digits/crossed_since_start,exact_unit=exact/unit,exact_deviation=exact/deviation,\
             exact_error=exact/error,exact_energy",
            shares.join(",")
        );
        Ok(table(&columns, rows))
    }

    fn figure(&self) -> Result<String, Error> {
        figure::figure(&self.0)
    }
}
