//! The looks in words, as a table and as a picture.

use super::figure::figure;
use super::looks::Model;
use crate::columns::table;
use crate::{Error, Report, template};
use dbm_core::words::Choose;
use minijinja::context;
use serde_json::{Value, json};

/// All looks at the chains of several models.
#[derive(Clone, Debug)]
pub struct Looks(pub Vec<Model>);

impl Report for Looks {
    fn json(&self) -> Value {
        json!({ "models": self.0 })
    }

    /// One table per model and start, and a line with the conclusion.
    fn text(&self) -> String {
        template::text("looks.txt", include_str!("looks.txt"), &context! { models => self.0 })
    }

    /// One row per look.
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
        figure(&self.0)
    }
}
