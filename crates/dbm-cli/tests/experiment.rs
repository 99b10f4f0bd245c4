//! Every `dbm experiment` at toy size: what it writes, and that it goes on where it was stopped, to the same bytes.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use support::Folder;

/// Files of a folder and of those in it, by their path below it.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        } else {
            found.insert(name, fs::read(path).unwrap());
        }
    }
    found
}

/// Runs `arguments`, and kills it as soon as the folder holds a file whose path begins so.
fn killed_at(folder: &Folder, arguments: &str, file: &str) {
    let command = Command::new(env!("CARGO_BIN_EXE_dbm"))
        .args(arguments.split_whitespace())
        .current_dir(&folder.0)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut process = command.unwrap();
    let (above, start) = file.rsplit_once('/').unwrap();
    let there = || {
        let entries = fs::read_dir(folder.0.join(above)).into_iter().flatten();
        entries.flatten().any(|entry| {
            let path = entry.path();
            let begins = entry.file_name().to_string_lossy().starts_with(start);
            begins && path.extension().is_some_and(|ending| ending != "part")
        })
    };
    while !there() && process.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(2));
    }
    assert!(there(), "dbm {arguments} ended without {file}");
    let _ = process.kill();
    process.wait().unwrap();
}

/// What does not depend on how long anything took.
fn timeless(files: &BTreeMap<String, Vec<u8>>, names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|&name| files.get(name).unwrap_or_else(|| panic!("no {name}")).clone()).collect()
}

/// The rows of a CSV file as fields by column.
fn table(bytes: &[u8]) -> Vec<BTreeMap<String, String>> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>());
    let head = lines.next().unwrap();
    lines
        .map(|line| {
            assert_eq!(line.len(), head.len(), "{line:?}");
            head.iter().cloned().zip(line).collect()
        })
        .collect()
}

#[test]
fn completions_are_measured_and_an_interruption_changes_nothing() {
    let folder = Folder::new("figure-3");
    let toy = "--threads 2 experiment figure-3 --toy --out";
    folder.ok(&format!("{toy} whole --docs docs"));
    let whole = files(&folder.0.join("whole/figure-3-toy"));
    let names = ["figure-3.csv", "figure-3-answers.npy", "figure-3.svg", "figure-3.png"];

    let rows = table(&whole["figure-3.csv"]);
    assert_eq!(rows.len(), 5 * 9);
    for row in &rows {
        let number = |name: &str| row[name].parse::<f64>().unwrap_or_else(|_| panic!("{name}: {row:?}"));
        let several = matches!(row["answer"].as_str(), "search" | "gibbs" | "annealed");
        assert_eq!((number("digits"), number("answers")), (40.0, if several { 4.0 } else { 1.0 }), "{row:?}");
        assert_eq!(row["diversity"].is_empty(), !several);
        for share in ["agreement", "read_right", "read_right_once"] {
            assert!((0.0..=1.0).contains(&number(share)), "{row:?}");
        }
        assert!(number("read_right_once") >= number("read_right"));
        if row["answer"] == "truth" {
            assert!(number("agreement") == 1.0 && number("read_right") > 0.7, "{row:?}");
        } else {
            assert!((0.5..1.0).contains(&number("agreement")), "{row:?}");
        }
    }
    assert!(rows.iter().any(|row| row["answer"] == "search" && row["distinct"].parse::<f64>().unwrap() > 1.5));
    let entry: serde_json::Value = serde_json::from_slice(&whole["entry.json"]).unwrap();
    assert_eq!((entry["name"].as_str(), entry["place"].as_u64()), (Some("figure-3"), Some(3)));
    let page = String::from_utf8(folder.read("docs/reproduction.md")).unwrap();
    assert!(page.contains("(reproduction/figure-3.png)") && page.contains("| lower half | search alone"), "{page}");

    // Killed after the first part of the answers; and once more with a cell gone.
    killed_at(&folder, &format!("{toy} stopped"), "stopped/figure-3-toy/cells/upper-half-search");
    folder.ok(&format!("{toy} stopped"));
    let stopped = files(&folder.0.join("stopped/figure-3-toy"));
    assert_eq!(timeless(&stopped, &names), timeless(&whole, &names));
    let cell = whole.keys().find(|name| name.starts_with("cells/random-0.5-gibbs")).unwrap();
    fs::remove_file(folder.0.join("whole/figure-3-toy").join(cell)).unwrap();
    folder.ok(&format!("{toy} whole"));
    assert_eq!(timeless(&files(&folder.0.join("whole/figure-3-toy")), &names), timeless(&whole, &names));
}

#[test]
fn a_model_that_is_not_there_or_of_another_shape_is_named() {
    let folder = Folder::new("figure-3-model");
    let said = folder.fails(3, "experiment figure-3 --data digits --out x");
    assert!(said.contains("www/models/mnist.safetensors") && said.contains("--model"), "{said}");
    folder.ok("train --data bars --hidden 4 --steps 1 --batch 4 --out small.safetensors");
    let said = folder.fails(3, "experiment figure-3 --data digits --model small.safetensors --out x");
    assert!(said.contains("784") && said.contains("16"), "{said}");
}

#[test]
fn bit_planes_are_trained_timed_and_drawn_and_an_interruption_changes_nothing() {
    let folder = Folder::new("bit-planes");
    let toy = "--threads 2 experiment bit-planes --toy --out";
    folder.ok(&format!("{toy} whole --docs docs"));
    let whole = files(&folder.0.join("whole/bit-planes-toy"));
    let names =
        ["samples-10.npy", "samples-20.npy", "samples-40.npy", "bit-planes-paper-size.npy", "bit-planes.svg", "bit-planes.png"];
    // Its seconds are not the same in any two runs.
    let scores = |files: &BTreeMap<String, Vec<u8>>| -> Vec<_> {
        let mut rows = table(&files["bit-planes.csv"]);
        rows.iter_mut().for_each(|row| drop(row.remove("seconds")));
        rows
    };
    let rows = scores(&whole);
    assert_eq!(
        rows.iter().map(|row| &row["pictures"]).collect::<Vec<_>>(),
        ["6272-10-10", "6272-20-20", "6272-40-40", "training digits"]
    );
    for row in &rows[..3] {
        let number = |name: &str| row[name].parse::<f64>().unwrap_or_else(|_| panic!("{name}: {row:?}"));
        assert!(number("reconstruction_error_after") < number("reconstruction_error_before"), "{row:?}");
        assert!(number("digit_frechet_distance") > rows[3]["digit_frechet_distance"].parse().unwrap(), "{row:?}");
    }
    let steps = table(&whole["bit-planes-steps.csv"]);
    assert_eq!(steps.len(), 12);
    assert!(steps.iter().all(|step| step["seconds"].parse::<f64>().unwrap() > 0.0));
    // Grey levels: 40 samples of 784 bytes behind a header.
    assert!(whole["samples-40.npy"].len() > 40 * 784 && whole["samples-40.npy"].len() < 40 * 784 + 200);
    let entry: serde_json::Value = serde_json::from_slice(&whole["entry.json"]).unwrap();
    let body = entry["body"].as_str().unwrap();
    assert!(body.contains("**6272-50-50**") && body.contains("12 steps") && body.contains("--bits-per-value 8"), "{body}");
    assert!(folder.0.join("docs/reproduction/bit-planes.png").exists());

    // Killed between the steps of the paper's size, and after a width was trained.
    killed_at(&folder, &format!("{toy} stopped"), "stopped/bit-planes-toy/runs/paper-size");
    killed_at(&folder, &format!("{toy} stopped"), "stopped/bit-planes-toy/runs/width-20");
    folder.ok(&format!("{toy} stopped"));
    let stopped = files(&folder.0.join("stopped/bit-planes-toy"));
    assert_eq!(timeless(&stopped, &names), timeless(&whole, &names));
    assert_eq!(scores(&stopped), rows);
    // What was timed stays timed: all is the same when nothing is left to do, and when one cell is.
    folder.ok(&format!("{toy} stopped"));
    assert_eq!(files(&folder.0.join("stopped/bit-planes-toy"))["bit-planes-steps.csv"], stopped["bit-planes-steps.csv"]);
    let cell = stopped.keys().find(|name| name.starts_with("cells/paper-size")).unwrap();
    fs::remove_file(folder.0.join("stopped/bit-planes-toy").join(cell)).unwrap();
    folder.ok(&format!("{toy} stopped"));
    let again = files(&folder.0.join("stopped/bit-planes-toy"));
    assert_eq!(timeless(&again, &names), timeless(&whole, &names));
    assert_eq!(again["bit-planes-steps.csv"], stopped["bit-planes-steps.csv"]);
}

#[test]
fn the_figure_of_couplings_has_every_kind_at_every_dimension_and_goes_on_after_an_interruption() {
    let folder = Folder::new("figure-1");
    let toy = "--threads 2 experiment figure-1 --toy --out";
    folder.ok(&format!("{toy} whole"));
    let whole = files(&folder.0.join("whole/figure-1-toy"));
    let rows = table(&whole["figure-1.csv"]);
    assert_eq!(rows.len(), 12 * 2 * 2 * 2);
    assert!(rows.iter().all(|row| row["runs"] == "10" && row["cap"] == "50"));
    killed_at(&folder, &format!("{toy} stopped"), "stopped/figure-1-toy/cells/d0");
    folder.ok(&format!("{toy} stopped"));
    let names = ["figure-1.csv", "figure-1.svg", "figure-1.png"];
    assert_eq!(timeless(&files(&folder.0.join("stopped/figure-1-toy")), &names), timeless(&whole, &names));
    // The same numbers as the command that times couplings gives.
    folder.ok("couple --dimensions 1..12 --runs 10 --cap 50 --seed 1 --units signs,bits --csv couple.csv");
    assert_eq!(folder.read("couple.csv"), whole["figure-1.csv"]);
}

#[test]
fn the_ablation_and_the_samples_are_scored_and_a_run_that_was_stopped_goes_on_to_the_same_bytes() {
    let folder = Folder::new("table-2");
    let toy = "--threads 2 experiment table-2 figure-2 --toy --docs docs --out";
    folder.ok(&format!("{toy} whole"));
    let whole = files(&folder.0.join("whole"));
    let rows = table(&whole["table-2-toy/table-2.csv"]);
    assert_eq!(rows.len(), 6 * 2 * 3);
    let of = |name: &str| rows.iter().filter(|row| row["row"] == name).collect::<Vec<_>>();
    // Each part that is left out makes another model; but for the coupling, where none was seen to do anything.
    for row in ["cd-1", "bits", "no-marginalization", "gaussian"] {
        for (without, whole) in of(row).iter().zip(of("whole")) {
            assert_ne!(without["parameters"], whole["parameters"], "{row}");
        }
    }
    let samples = table(&whole["figure-2-toy/figure-2.csv"]);
    assert_eq!(samples.iter().map(|row| &row["estimator"]).collect::<Vec<_>>(), ["PCD", "centered PCD", "UCD-LMI"]);
    let page = String::from_utf8(folder.read("docs/reproduction.md")).unwrap();
    for part in ["[table-2](#table-2-", "[figure-2](#figure-2-", "reproduction/table-2.svg", "| the whole method | 10.33 |"] {
        assert!(page.contains(part), "{part}: {page}");
    }

    killed_at(&folder, &format!("{toy} stopped"), "stopped/table-2-toy/runs/bits-784");
    folder.ok(&format!("{toy} stopped"));
    let names =
        ["table-2-toy/table-2.csv", "table-2-toy/table-2.svg", "figure-2-toy/figure-2.png", "figure-2-toy/generated-ucd-lmi.npy"];
    assert_eq!(timeless(&files(&folder.0.join("stopped")), &names), timeless(&whole, &names));
}

#[test]
fn the_search_for_the_best_model_writes_its_table_and_the_model() {
    let folder = Folder::new("best-model");
    folder.ok("--threads 2 experiment best-model --toy --out whole --docs docs");
    let whole = files(&folder.0.join("whole/best-model-toy"));
    let rows = table(&whole["best-model.csv"]);
    // Four candidates and the chosen one: four schedules, and one more where 50 sweeps from the mode were trained with; the samples as in training; and two ways
    // to answer, each by one answer, the medoid, the majority, and the balanced one.
    assert_eq!(rows.len(), 5 * (4 + 1 + 2 * 4) + 4);
    let page = String::from_utf8(folder.read("docs/reproduction.md")).unwrap();
    assert!(page.contains("| at least 95 % distinct |") && page.contains("**the model chosen, trained long**"), "{page}");
    // The model is one that the other commands take, and draw from as it was trained.
    let said = folder.ok("sample --model whole/best-model-toy/best-model.safetensors --count 4 --out a.npy");
    assert!(said.contains("4 samples"), "{said}");
    folder.ok("sample --model whole/best-model-toy/best-model.safetensors --count 4 --sampler mode+gibbs:50 --out b.npy");
    folder.ok("sample --model whole/best-model-toy/best-model.safetensors --count 4 --sampler mode --out c.npy");
    assert_eq!(folder.read("a.npy"), folder.read("b.npy"));
    assert_ne!(folder.read("a.npy"), folder.read("c.npy"));
}

#[test]
fn what_cannot_be_run_is_refused_with_words() {
    let folder = Folder::new("experiment-refusals");
    let said = folder.fails(2, "experiment table-2 --out x");
    assert!(said.contains("--data") && said.contains("--toy"), "{said}");
    folder.fails(2, "experiment figure-4 --out x");
    folder.fails(2, "experiment --out x");
    fs::write(folder.0.join("taken"), "a file").unwrap();
    let said = folder.fails(4, "experiment figure-1 --toy --out taken");
    assert!(said.contains("taken"), "{said}");
}
