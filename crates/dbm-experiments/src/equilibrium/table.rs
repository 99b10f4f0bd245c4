//! The looks in words and as CSV.

use super::{Look, Model};
use crate::columns;
use crate::template;
use dbm_core::words::Choose;
use minijinja::context;
use serde_json::json;

/// A table a model and start, and what follows from it in a line.
pub fn text(models: &[Model]) -> String {
    template::text("looks.txt", include_str!("looks.txt"), &context! { models })
}

/// A row a look.
pub fn csv(models: &[Model]) -> String {
    let row = |look: &Look| {
        let digits = look.digits.as_ref().map(|digits| {
            let quality = &digits.quality;
            json!([
                quality.digit_frechet_distance,
                quality.classes.shares,
                quality.confidence,
                quality.distinct,
                digits.crossed,
                digits.crossed_since_start
            ])
        });
        let exact = look.exact.map(|exact| json!([exact.unit, exact.deviation, exact.error]));
        json!([
            look.energy,
            look.energy_error,
            look.high,
            look.high_error,
            look.searches_capped,
            digits.unwrap_or_else(|| json!(vec![(); 15])),
            exact.unwrap_or_else(|| json!(vec![(); 3]))
        ])
    };
    let rows = models.iter().flat_map(|model| {
        let looks = model.starts.iter().flat_map(|run| run.looks.iter().map(move |look| (run.start, look)));
        looks.map(|(start, look)| json!([model.name, start.choice().name, look.sweeps, row(look), model.exact_energy]))
    });
    let shares: Vec<String> = (0..10).map(|class| format!("share_{class}")).collect();
    let names = format!(
        "model,start,sweeps,energy,energy_error,high,high_error,searches_capped,digit_frechet_distance,{},confidence,distinct,crossed,\
         crossed_since_start,exact_unit,exact_deviation,exact_error,exact_energy",
        shares.join(",")
    );
    columns::csv(&names, rows)
}
