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
    let mut rows = Vec::new();
    if let Ok(Value::Object(parts)) = serde_json::to_value(report) {
        for (part, value) in &parts {
            match value {
                Value::Object(scores) => scores.iter().for_each(|(name, value)| numbers(&mut rows, part, name, value)),
                value => numbers(&mut rows, "samples", part, value),
            }
        }
    }
    columns::csv("of,score,value", rows)
}

fn numbers(rows: &mut Vec<Value>, part: &str, name: &str, value: &Value) {
    match value {
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(at, value)| numbers(rows, part, &format!("{name}_{at}"), value));
        }
        Value::Null => {}
        value => rows.push(json!([part, name, value.to_string()])),
    }
}
