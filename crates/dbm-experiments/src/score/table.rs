//! A report as a table for people, and as CSV.

use super::Report;
use crate::{columns, template};
use serde_json::{Value, json};

/// Columns of numbers beside their names.
pub fn text(report: &Report) -> String {
    template::text("scores.txt", include_str!("scores.txt"), report)
}

/// `of,score,value`: every number of a report, lists with their place after the name.
pub fn csv(report: &Report) -> String {
    let report = serde_json::to_value(report).unwrap_or_default();
    let rows = report.as_object().into_iter().flatten().flat_map(|(part, value)| match value {
        Value::Object(scores) => scores.iter().flat_map(|(name, value)| numbers(part, name, value)).collect(),
        value => numbers("samples", part, value),
    });
    columns::csv("of,score,value", rows)
}

/// A row of a number, or of each one of a list.
fn numbers(part: &str, name: &str, value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![],
        Value::Array(values) => {
            (0..).zip(values).map(|(at, value)| json!([part, format!("{name}_{at}"), value.to_string()])).collect()
        }
        value => vec![json!([part, name, value.to_string()])],
    }
}
