//! Files written by numpy, Pillow, pandas and Python's csv, read and compared with what these programs say they contain.
//!
//! `tests/fixtures/make.py` in the repository wrote both.

use dbm_data::raw::{Content, File, Raw, Reading, read};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Deserialize)]
struct Expected {
    files: Vec<String>,
    pictures: Option<Seen>,
    table: Option<Table>,
    #[serde(default)]
    tolerance: f64,
    #[serde(default)]
    notes: String,
}

#[derive(Deserialize)]
struct Seen {
    shape: (usize, usize, usize),
    every: usize,
    values: Vec<Option<f64>>,
    sum: f64,
    labels: Option<Vec<u8>>,
}

#[derive(Deserialize)]
struct Table {
    names: Option<Vec<String>>,
    rows: Vec<Vec<Option<String>>>,
}

fn fixture(name: &str) -> Vec<u8> {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../tests/fixtures"].iter().collect();
    std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn read_fixtures(names: &[String]) -> Raw {
    // Names do not matter: each file gets a false one.
    let file = |name: &String| File { name: format!("{name}.docx"), bytes: fixture(name) };
    let files: Vec<File> = names.iter().map(file).collect();
    read(&files, &Reading::default(), &mut |_, _, _| {}).unwrap_or_else(|error| panic!("{names:?}: {error}"))
}

#[test]
fn every_file_is_read_as_those_who_wrote_it_see_it() {
    let expected: BTreeMap<String, Expected> = serde_json::from_slice(&fixture("expected.json")).unwrap();
    assert!(expected.len() >= 39, "only {} sets", expected.len());
    for (what, expected) in expected {
        let raw = read_fixtures(&expected.files);
        let notes = raw.notes.join(" ");
        assert!(notes.contains(&expected.notes), "{what}: {:?} is not in {notes:?}", expected.notes);
        match (&raw.content, expected.pictures, expected.table) {
            (Content::Pictures(pictures), Some(seen), None) => {
                assert_eq!((pictures.count, pictures.shape.0, pictures.shape.1), seen.shape, "{what}");
                assert_eq!(pictures.labels, seen.labels, "{what}");
                let values: Vec<f64> = (0..pictures.values.len()).map(|at| pictures.values.at(at)).collect();
                assert_eq!(seen.values.len(), values.len().div_ceil(seen.every), "{what}");
                for (at, (value, seen)) in values.iter().step_by(seen.every).zip(&seen.values).enumerate() {
                    let alike = seen.map_or(value.is_nan(), |seen| (value - seen).abs() <= expected.tolerance);
                    assert!(alike, "{what}: value {at} x {} is {value} and not {seen:?}", seen.unwrap_or(0.0));
                }
                let sum: f64 = values.iter().filter(|value| !value.is_nan()).sum();
                assert!((sum - seen.sum).abs() <= 1e-9 + expected.tolerance * values.len() as f64, "{what}: {sum}");
            }
            (Content::Table(table), None, Some(seen)) => {
                let names: Vec<String> = (0..table.n_columns()).map(|column| table.name(column).to_owned()).collect();
                assert!(seen.names.is_none_or(|seen| seen == names), "{what}: {names:?}");
                assert_eq!(table.n_rows(), seen.rows.len(), "{what}");
                for (row, cells) in seen.rows.iter().enumerate() {
                    assert_eq!(cells.len(), table.n_columns(), "{what}");
                    for (column, cell) in cells.iter().enumerate() {
                        let found = (!table.is_missing(row, column)).then(|| table.cell(row, column).to_owned());
                        assert_eq!(&found, cell, "{what}: row {row}, column {column}");
                    }
                }
            }
            (content, ..) => panic!("{what} is {content:?}"),
        }
        // Whatever was read can be shown and encoded.
        let encoding = raw.suggest();
        let data = raw.encode(&encoding).unwrap();
        let (summary, preview) = (raw.summary().unwrap(), raw.preview(&encoding, 5).unwrap());
        assert_eq!((summary.count, preview.units), (data.examples.len(), data.examples.width()), "{what}");
        let known = data.examples.known_packed().map_or(0, <[u8]>::len);
        assert_eq!(preview.bytes as usize, data.examples.packed().len() + known, "{what}");
    }
}
