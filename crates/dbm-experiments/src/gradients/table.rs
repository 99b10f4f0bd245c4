//! Estimators side by side, in words and as CSV.

use super::Gradients;
use crate::{columns, template};
use minijinja::context;
use serde_json::json;

/// A row an estimator, and the meeting times of those that couple.
pub fn text(gradients: &Gradients) -> String {
    template::text("gradients.txt", include_str!("gradients.txt"), &context! { gradients })
}

/// A row an estimator; meeting times as `tau:count`.
pub fn csv(gradients: &Gradients) -> String {
    let rows = gradients.rows.iter().map(|row| {
        let times: Vec<String> = row.meeting_times.iter().map(|(tau, count)| format!("{tau}:{count}")).collect();
        let to = row.comparison;
        json!([
            row.name,
            row.repeats,
            row.above_one,
            row.longest,
            row.accepted,
            row.capped,
            row.seconds,
            row.variance,
            row.variance_times_seconds,
            to.angle,
            to.angle_at_most,
            to.difference,
            to.difference_at_most,
            times.join(" ")
        ])
    });
    columns::csv(
        "estimator,estimates,above_one,longest,accepted,cut,seconds,variance,variance_times_seconds,angle,angle_at_most,difference,\
         difference_at_most,meeting_times",
        rows,
    )
}
