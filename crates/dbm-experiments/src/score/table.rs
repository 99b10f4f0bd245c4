//! A report as a table for people, and as CSV.

use super::Report;
use crate::template;
use serde_json::Value;
use std::fmt::Write;

/// Columns of numbers beside their names.
pub fn text(report: &Report) -> String {
    template::text("scores.txt", include_str!("scores.txt"), report)
}

/// `of,score,value`: every number of a report, lists with their place after the name.
pub fn csv(report: &Report) -> String {
    let mut text = "of,score,value\n".to_string();
    if let Ok(Value::Object(parts)) = serde_json::to_value(report) {
        for (part, value) in &parts {
            match value {
                Value::Object(scores) => scores.iter().for_each(|(name, value)| numbers(&mut text, part, name, value)),
                value => numbers(&mut text, "samples", part, value),
            }
        }
    }
    text
}

fn numbers(text: &mut String, part: &str, name: &str, value: &Value) {
    match value {
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(at, value)| numbers(text, part, &format!("{name}_{at}"), value));
        }
        Value::Null => {}
        value => {
            let _ = writeln!(text, "{part},{name},{value}");
        }
    }
}
