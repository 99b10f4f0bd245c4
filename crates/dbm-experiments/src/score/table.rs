//! A report as a table for people, and as CSV.

use super::Report;
use crate::{columns, template};
use serde_json::json;

/// Columns of numbers beside their names.
pub fn text(report: &Report) -> String {
    template::text("scores.txt", include_str!("scores.txt"), report)
}

/// `of,score,value`: every number of a report, lists with their place after the name.
pub fn csv(report: &Report) -> String {
    let report = serde_json::to_value(report).unwrap_or_default();
    let rows = report.as_object().into_iter().flatten().flat_map(|(part, value)| {
        let (of, name) = if value.is_object() { (part.as_str(), "") } else { ("samples", part.as_str()) };
        let numbers = columns::flat(name, value).into_iter().filter(|(_, value)| !value.is_null());
        numbers.map(|(name, value)| json!([of, name, value.to_string()])).collect::<Vec<_>>()
    });
    columns::csv("of,score,value", rows)
}
