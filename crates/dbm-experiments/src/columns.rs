//! Tables as CSV.

use serde_json::Value;
use std::collections::BTreeMap;

/// Rows below the names of their columns. Nested values are flattened in order, and a missing value is an empty cell.
pub fn csv(columns: &str, rows: impl IntoIterator<Item = Value>) -> String {
    let mut text = format!("{columns}\n");
    for row in rows {
        let mut cells = Vec::new();
        append(&mut cells, &row);
        text += &cells.join(",");
        text.push('\n');
    }
    text
}

/// The same for rows that name their values. A column is `name`, if its cells have that name in the rows, or `name=place`, where the place
/// is a path such as `digits/shares/0`; a suffix such as `:4` writes numbers with that many decimals.
pub fn table(columns: &str, rows: impl IntoIterator<Item = Value>) -> String {
    let column = |column: &str| {
        let (column, decimals) = column.split_once(':').unwrap_or((column, ""));
        let (name, place) = column.split_once('=').unwrap_or((column, column));
        (name.to_string(), format!("/{place}"), decimals.parse::<usize>().ok())
    };
    let columns: Vec<_> = columns.split(',').map(column).collect();
    let cell = |row: &Value, place: &str, decimals: Option<usize>| match (row.pointer(place), decimals) {
        (Some(Value::Number(number)), Some(decimals)) => format!("{:.decimals$}", number.as_f64().unwrap_or(f64::NAN)).into(),
        (value, _) => value.cloned().unwrap_or_default(),
    };
    let names: Vec<&str> = columns.iter().map(|(name, ..)| name.as_str()).collect();
    let cells = |row: Value| columns.iter().map(|(_, place, decimals)| cell(&row, place, *decimals)).collect();
    csv(&names.join(","), rows.into_iter().map(cells))
}

fn append(cells: &mut Vec<String>, value: &Value) {
    match value {
        Value::Null => cells.push(String::new()),
        Value::Array(values) => values.iter().for_each(|value| append(cells, value)),
        Value::Object(values) => values.values().for_each(|value| append(cells, value)),
        Value::String(text) if text.contains([',', '"', '\n']) => cells.push(format!("\"{}\"", text.replace('"', "\"\""))),
        Value::String(text) => cells.push(text.clone()),
        // As short as possible: 1, and not 1.0.
        Value::Number(number) if number.is_f64() => cells.push(number.as_f64().unwrap_or(f64::NAN).to_string()),
        other => cells.push(other.to_string()),
    }
}

/// Nested values, by their paths, which are joined and begin with `name`; elements of a list are named by their index.
pub fn flat(name: &str, value: &Value) -> BTreeMap<String, Value> {
    let inner = |part: &str, value: &Value| flat(&if name.is_empty() { part.into() } else { format!("{name}_{part}") }, value);
    match value {
        Value::Object(values) => values.iter().flat_map(|(part, value)| inner(part, value)).collect(),
        Value::Array(values) => values.iter().enumerate().flat_map(|(at, value)| inner(&at.to_string(), value)).collect(),
        value => BTreeMap::from([(name.to_string(), value.clone())]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_short_gaps_are_empty_and_commas_are_quoted() {
        let row = json!(["a, \"b\"", 1.0, 0.1, 7, [null, [true, "c"]]]);
        assert_eq!(csv("x,y", [row, json!([0.0])]), "x,y\n\"a, \"\"b\"\"\",1,0.1,7,,true,c\n0\n");
        let rows = [json!({ "a": 1.0, "b": { "c": [2, 0.25] } }), json!({ "a": null })];
        assert_eq!(table("a,first=b/c/0,second=b/c/1:3", rows), "a,first,second\n1,2,0.250\n,,\n");
    }
}
