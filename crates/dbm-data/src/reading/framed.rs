//! Text that holds a table in a frame: ARFF, whose heading names and describes the columns, and rows in JSON.

use crate::DataError;
use crate::columns::{Cut, Framed, Separator};
use crate::interpretation::KindChoice;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::{HashMap, HashSet};
use std::fmt;

/// The frame of an ARFF file (Weka); `None` for other texts.
///
/// # Errors
/// [`DataError::Format`] for rows of `{place value}`, and if no line says `@data`.
pub(super) fn arff(name: &str, text: &str) -> Result<Option<Framed>, DataError> {
    let (mut names, mut kinds) = (Vec::new(), Vec::new());
    let mut start = 0;
    let mut begun = false;
    for (at, whole) in text.split_inclusive('\n').enumerate() {
        let line = whole.trim();
        start += whole.len();
        let keyword = |word: &str| {
            let head = line.get(..word.len())?;
            head.eq_ignore_ascii_case(word).then(|| line[word.len()..].trim())
        };
        if line.is_empty() || line.starts_with('%') {
            continue;
        }
        if keyword("@relation").is_some() {
            begun = true;
        } else if let Some(rest) = keyword("@attribute").filter(|_| begun) {
            let (name, kind) = attribute(rest);
            names.push(name);
            kinds.push(kind);
        } else if keyword("@data").is_some() && begun {
            if text[start..].trim_start().starts_with('{') {
                let got = "its rows list only the values that are not zero";
                return Err(DataError::format(
                    name,
                    "ARFF with a value for each attribute",
                    got,
                    "save it by Weka's SparseToNonSparse",
                ));
            }
            let quote = if text[start..].contains('"') { b'"' } else { b'\'' };
            let cut = Cut { quote, comment: b'%', start: (start, at as u32 + 2), ..Cut::whole(Separator::Byte(b',')) };
            return Ok(Some(Framed { cut, names, kinds }));
        } else {
            break;
        }
    }
    if begun {
        return Err(DataError::format(
            name,
            "a line @data after the attributes",
            "there is none",
            "the file is cut short, fetch it again",
        ));
    }
    Ok(None)
}

/// An attribute's name, and the kind that its type states.
fn attribute(rest: &str) -> (String, Option<KindChoice>) {
    let quoted = rest.chars().next().filter(|&c| c == '\'' || c == '"');
    let (name, kind) = match quoted.and_then(|quote| rest[1..].split_once(quote)) {
        Some(parts) => parts,
        None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
    };
    let kind = kind.trim();
    let levels = kind.strip_prefix('{').map_or(0, |levels| levels.split(',').count());
    // Two levels are read by what they are.
    (name.to_string(), (levels > 2).then_some(KindChoice::Category))
}

/// A value of JSON whose objects keep the order of their members.
#[derive(Clone, Debug)]
enum Json {
    Null,
    /// A text, a number, true or false, as it is written in a cell.
    Cell(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Json;

            fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
                out.write_str("a value of JSON")
            }
            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
                Ok(Json::Cell(value.to_string()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
                Ok(Json::Cell(value.to_string()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
                Ok(Json::Cell(value.to_string()))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
                Ok(Json::Cell(value.to_string()))
            }
            fn visit_str<E>(self, value: &str) -> Result<Json, E> {
                Ok(Json::Cell(value.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(Json::List(values))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Json::Object(members))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl Json {
    fn is_row(&self) -> bool {
        matches!(self, Self::List(_) | Self::Object(_))
    }

    /// The rows in one value: the list itself, the only list of rows in an object, or columns of equal length.
    fn rows(self) -> Option<Vec<Self>> {
        match self {
            Self::List(rows) => rows.iter().all(Self::is_row).then_some(rows),
            Self::Object(members) => {
                let member = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, value)| value);
                // As pandas writes `orient="split"`.
                if let (Some(Self::List(names)), Some(Self::List(rows))) = (member("columns"), member("data")) {
                    let name = |name: &Self| if let Self::Cell(text) = name { Some(text.clone()) } else { None };
                    let named = |row: &Self| {
                        let Self::List(cells) = row else { return None };
                        Some(Self::Object(
                            names.iter().map(name).collect::<Option<Vec<_>>>()?.into_iter().zip(cells.clone()).collect(),
                        ))
                    };
                    return rows.iter().map(named).collect();
                }
                let is_rows =
                    |value: &Self| matches!(value, Self::List(rows) if !rows.is_empty() && rows.iter().all(Self::is_row));
                let mut found = members.iter().filter(|(_, value)| is_rows(value));
                match (found.next(), found.next()) {
                    (Some((_, rows)), None) => rows.clone().rows(),
                    _ => columns(members),
                }
            }
            Self::Null | Self::Cell(_) => None,
        }
    }
}

/// Columns of equal length: lists, or objects with the same keys, as pandas writes them.
fn columns(members: Vec<(String, Json)>) -> Option<Vec<Json>> {
    let mut columns: Vec<(String, Vec<Json>)> = Vec::new();
    for (name, value) in members {
        let values = match value {
            Json::List(values) => values,
            Json::Object(values) => values.into_iter().map(|(_, value)| value).collect(),
            Json::Null | Json::Cell(_) => return None,
        };
        columns.push((name, values));
    }
    let count = columns.first()?.1.len();
    if count == 0 || columns.iter().any(|(_, values)| values.len() != count) {
        return None;
    }
    let row = |at: usize| Json::Object(columns.iter().map(|(name, values)| (name.clone(), values[at].clone())).collect());
    Some((0..count).map(row).collect())
}

/// The rows of a JSON text as CSV: a list of lists or of objects, one object a line, or an object of columns; `None` for other texts.
///
/// # Errors
/// [`DataError::Format`] if it is JSON and holds no rows.
pub(super) fn json(name: &str, text: &str) -> Result<Option<String>, DataError> {
    if !text.trim_start().starts_with(['[', '{']) {
        return Ok(None);
    }
    let values: Result<Vec<Json>, _> = serde_json::Deserializer::from_str(text).into_iter().collect();
    let Ok(mut values) = values else { return Ok(None) };
    if values.len() == 1 {
        let rows = values.pop().and_then(Json::rows);
        values = rows.ok_or_else(|| {
            let expected = "rows in JSON: a list of lists, or of objects with the columns' names";
            DataError::format(name, expected, "it holds something else", "save the table as CSV")
        })?;
    }
    if values.is_empty() {
        return Err(DataError::empty(name));
    }
    let mut names: Vec<&str> = Vec::new();
    let mut seen = HashSet::new();
    for value in &values {
        if let Json::Object(row) = value {
            names.extend(row.iter().map(|(key, _)| key.as_str()).filter(|key| seen.insert(*key)));
        }
    }
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    // Writing to a vector never fails.
    if !names.is_empty() {
        let _ = writer.write_record(&names);
    }
    for (at, value) in values.iter().enumerate() {
        let cells: Vec<&Json> = match value {
            Json::Object(row) if !names.is_empty() => {
                let row: HashMap<&str, &Json> = row.iter().map(|(key, value)| (key.as_str(), value)).collect();
                names.iter().map(|name| row.get(name).copied().unwrap_or(&Json::Null)).collect()
            }
            Json::List(row) if names.is_empty() => row.iter().collect(),
            _ => return Err(refuse(name, at, "it is of another kind than the first")),
        };
        let texts: Option<Vec<&str>> = cells
            .into_iter()
            .map(|cell| match cell {
                Json::Null => Some(""),
                Json::Cell(text) => Some(text.as_str()),
                Json::List(_) | Json::Object(_) => None,
            })
            .collect();
        let _ = writer.write_record(texts.ok_or_else(|| refuse(name, at, "it holds a list or an object"))?);
    }
    Ok(String::from_utf8(writer.into_inner().unwrap_or_default()).ok())
}

fn refuse(name: &str, row: usize, got: &str) -> DataError {
    let expected = "rows of one kind, with a text, a number, true, false or null in each place";
    DataError::part(name, &format!("row {}", row + 1), expected, got, "save the table as CSV")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::Table;
    use crate::raw::{Content, File, Reading, read};

    fn table(text: &str) -> Table {
        let file = File { name: "x".into(), bytes: text.as_bytes().to_vec() };
        match read(&[file], &Reading::default(), &mut |_, _, _| {}).unwrap().content {
            Content::Table(table) => table,
            Content::Pictures(_) => panic!("a table"),
        }
    }

    #[test]
    fn arff_keeps_its_heading() {
        let text = "% made up\n@RELATION toy\n@ATTRIBUTE 'is ill' {yes, no}\n@attribute dose {1,2,3}\n@attribute size real\n@DATA\nyes,1,2.5\n% later\n?,2,?\nno,3,7\n";
        let table = table(text);
        assert_eq!((table.n_rows(), table.name(0), table.name(2), table.is_missing(1, 0)), (3, "is ill", "size", true));
        assert_eq!(table.to_csv(), text.as_bytes());
        let columns = table.columns(&crate::raw::Encoding::default());
        assert_eq!(columns.n_units(), 5);
        let filled = table.fill("x", &columns, |_, _| 1.0).unwrap();
        assert_eq!(String::from_utf8(filled.to_csv(&table)).unwrap(), text.replace("?,2,?", "yes,2,7"));
    }

    #[test]
    fn rows_in_json_become_a_table() {
        for text in [
            r#"[{"a": "x", "b": 1}, {"a": null, "b": 2.5}]"#,
            "{\"a\": \"x\", \"b\": 1}\n{\"b\": 2.5}\n",
            r#"{"rows": [{"a": "x", "b": 1}, {"b": 2.5}]}"#,
            r#"{"columns": ["a", "b"], "index": [0, 1], "data": [["x", 1], [null, 2.5]]}"#,
            r#"{"a": {"0": "x", "1": null}, "b": {"0": 1, "1": 2.5}}"#,
        ] {
            let table = table(text);
            assert_eq!(
                (table.n_rows(), table.name(1), table.cell(1, 1), table.is_missing(1, 0)),
                (2, "b", "2.5", true),
                "{text}"
            );
        }
        assert_eq!(table("[[0, 1, 1], [1, 0, null]]").n_columns(), 3);
        assert!(json("x", r#"{"a": 1}"#).unwrap_err().to_string().contains("rows in JSON"));
        assert_eq!(json("x", "[1] = 5\n").unwrap(), None);
    }
}
