//! Every `dbm experiment` at toy size: what it writes, and that it goes on where it was stopped, to the same bytes.

use crate::folder::{Folder, Row, cell, table};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

type Files = BTreeMap<String, Vec<u8>>;

/// Files of a folder and of those in it, by their path below it.
fn files(folder: &Path) -> Files {
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

/// Experiments at toy size, in a folder of their own, where they run once whole and once with interruptions.
struct Toy {
    folder: Folder,
    names: &'static str,
    /// Names of files that do not depend on how long anything took.
    timeless: &'static str,
}

impl Toy {
    fn new(names: &'static str, timeless: &'static str) -> Self {
        Self { folder: Folder::new(names.split(' ').next().unwrap()), names, timeless }
    }

    /// Runs them to their end, in `out` of their folder; what is there then.
    fn run(&self, out: &str) -> Files {
        self.folder.ok(&self.arguments(out));
        files(&self.folder.0.join(out))
    }

    fn arguments(&self, out: &str) -> String {
        format!("--threads 2 experiment {} --toy --docs docs --out {out}", self.names)
    }

    /// Runs them in `stopped`, and kills them as soon as it holds a file whose path begins so.
    fn killed_at(&self, file: &str) {
        let arguments = self.arguments("stopped");
        let mut process = self.folder.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let (above, start) = file.rsplit_once('/').unwrap();
        let there = || {
            let entries = fs::read_dir(self.folder.0.join("stopped").join(above)).into_iter().flatten();
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

    /// Runs them in `out` once more, a file being gone whose path begins so.
    fn without(&self, out: &str, start: &str) -> Files {
        let before = files(&self.folder.0.join(out));
        let gone = before.keys().find(|name| name.starts_with(start)).unwrap_or_else(|| panic!("no {start}"));
        fs::remove_file(self.folder.0.join(out).join(gone)).unwrap();
        self.run(out)
    }

    fn same(&self, these: &Files, those: &Files) {
        for name in self.timeless.split(' ') {
            assert!(these.contains_key(name) && these[name] == those[name], "{name}");
        }
    }

    /// The page of the documentation.
    fn page(&self) -> String {
        self.folder.text("docs/reproduction.md")
    }
}

#[test]
fn completions_are_measured_and_an_interruption_changes_nothing() {
    let toy = Toy::new(
        "figure-3",
        "figure-3-toy/figure-3.csv figure-3-toy/figure-3-answers.npy figure-3-toy/figure-3.svg figure-3-toy/figure-3.png",
    );
    let whole = toy.run("whole");
    let rows = table(&whole["figure-3-toy/figure-3.csv"]);
    assert_eq!(rows.len(), 5 * 11);
    for row in &rows {
        let several = matches!(row["answer"].as_str(), "search" | "gibbs" | "annealed" | "mean-field");
        assert_eq!((cell(row, "digits"), cell(row, "answers")), (40.0, if several { 4.0 } else { 1.0 }), "{row:?}");
        assert_eq!(row["diversity"].is_empty(), !several);
        for share in ["agreement", "read_right", "read_right_once"] {
            assert!((0.0..=1.0).contains(&cell(row, share)), "{row:?}");
        }
        assert!(cell(row, "read_right_once") >= cell(row, "read_right"));
        if row["answer"] == "truth" {
            assert!(cell(row, "agreement") == 1.0 && cell(row, "read_right") > 0.7, "{row:?}");
        } else {
            assert!((0.5..1.0).contains(&cell(row, "agreement")), "{row:?}");
        }
    }
    assert!(rows.iter().any(|row| row["answer"] == "search" && cell(row, "distinct") > 1.5));
    let entry: serde_json::Value = serde_json::from_slice(&whole["figure-3-toy/entry.json"]).unwrap();
    assert_eq!((entry["name"].as_str(), entry["place"].as_u64()), (Some("figure-3"), Some(3)));
    let page = toy.page();
    assert!(page.contains("(reproduction/figure-3.png)") && page.contains("| lower half | search alone"), "{page}");

    // Killed after the first part of the answers; and once more with a cell gone.
    toy.killed_at("figure-3-toy/cells/upper-half-search");
    toy.same(&toy.run("stopped"), &whole);
    toy.same(&toy.without("whole", "figure-3-toy/cells/random-0.5-gibbs"), &whole);
}

#[test]
fn bit_planes_are_trained_timed_and_drawn_and_an_interruption_changes_nothing() {
    let toy = Toy::new(
        "bit-planes",
        "bit-planes-toy/samples-10.npy bit-planes-toy/samples-20.npy bit-planes-toy/samples-40.npy bit-planes-toy/bit-planes-paper-size.npy bit-planes-toy/bit-planes.svg bit-planes-toy/bit-planes.png",
    );
    let whole = toy.run("whole");
    // Its seconds are not the same in any two runs.
    let scores = |files: &Files| -> Vec<Row> {
        let mut rows = table(&files["bit-planes-toy/bit-planes.csv"]);
        rows.iter_mut().for_each(|row| drop(row.remove("seconds")));
        rows
    };
    let rows = scores(&whole);
    assert_eq!(
        rows.iter().map(|row| &row["pictures"]).collect::<Vec<_>>(),
        ["6272-10-10", "6272-20-20", "6272-40-40", "training digits"]
    );
    for row in &rows[..3] {
        assert!(cell(row, "reconstruction_error_after") < cell(row, "reconstruction_error_before"), "{row:?}");
        assert!(cell(row, "digit_frechet_distance") > cell(&rows[3], "digit_frechet_distance"), "{row:?}");
    }
    let steps = "bit-planes-toy/bit-planes-steps.csv";
    let timed = table(&whole[steps]);
    assert!(timed.len() == 12 && timed.iter().all(|step| cell(step, "seconds") > 0.0));
    // Grey levels: 40 samples of 784 bytes behind a header.
    assert!((40 * 784 + 1..40 * 784 + 200).contains(&whole["bit-planes-toy/samples-40.npy"].len()));
    let entry: serde_json::Value = serde_json::from_slice(&whole["bit-planes-toy/entry.json"]).unwrap();
    let body = entry["body"].as_str().unwrap();
    assert!(body.contains("**6272-50-50**") && body.contains("12 steps") && body.contains("--bits-per-value 8"), "{body}");
    assert!(toy.folder.0.join("docs/reproduction/bit-planes.png").exists());

    // Killed between the steps of the paper's size, and after a width was trained.
    toy.killed_at("bit-planes-toy/runs/paper-size");
    toy.killed_at("bit-planes-toy/runs/width-20");
    let stopped = toy.run("stopped");
    toy.same(&stopped, &whole);
    assert_eq!(scores(&stopped), rows);
    // What was timed stays timed: all is the same when nothing is left to do, and when one cell is.
    assert_eq!(toy.run("stopped")[steps], stopped[steps]);
    let again = toy.without("stopped", "bit-planes-toy/cells/paper-size");
    toy.same(&again, &whole);
    assert_eq!(again[steps], stopped[steps]);
}

#[test]
fn the_figure_of_couplings_has_every_kind_at_every_dimension_and_goes_on_after_an_interruption() {
    let toy = Toy::new("figure-1", "figure-1-toy/figure-1.csv figure-1-toy/figure-1.svg figure-1-toy/figure-1.png");
    let whole = toy.run("whole");
    let rows = table(&whole["figure-1-toy/figure-1.csv"]);
    assert_eq!(rows.len(), 12 * 2 * 2 * 2);
    assert!(rows.iter().all(|row| row["runs"] == "10" && row["cap"] == "50"));
    toy.killed_at("figure-1-toy/cells/d0");
    toy.same(&toy.run("stopped"), &whole);
    // The same numbers as the command that times couplings gives.
    toy.folder.ok("couple --dimensions 1..12 --runs 10 --cap 50 --seed 1 --units signs,bits --csv couple.csv");
    assert_eq!(toy.folder.read("couple.csv"), whole["figure-1-toy/figure-1.csv"]);
}

#[test]
fn the_ablation_and_the_samples_are_scored_and_a_run_that_was_stopped_goes_on_to_the_same_bytes() {
    let toy = Toy::new(
        "table-2 figure-2",
        "table-2-toy/table-2.csv table-2-toy/table-2.svg figure-2-toy/figure-2.png figure-2-toy/generated-ucd-lmi.npy",
    );
    let whole = toy.run("whole");
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
    let page = toy.page();
    for part in ["[table-2](#table-2-", "[figure-2](#figure-2-", "reproduction/table-2.svg", "| the whole method | 10.33 |"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    toy.killed_at("table-2-toy/runs/bits-784");
    toy.same(&toy.run("stopped"), &whole);
}

#[test]
fn the_search_for_the_best_model_writes_its_table_and_the_model() {
    let toy = Toy::new("best-model", "");
    let rows = table(&toy.run("whole")["best-model-toy/best-model.csv"]);
    // Four candidates and the chosen one: four schedules, and one more where 50 sweeps from the mode were trained with; the samples as in training; and two ways
    // to answer, each by one answer, the medoid, the majority, and the balanced one.
    assert_eq!(rows.len(), 5 * (4 + 1 + 2 * 4) + 4);
    let page = toy.page();
    assert!(page.contains("| at least 95 % distinct |") && page.contains("**the model chosen, trained long**"), "{page}");
    // The model is one that the other commands take, and draw from as it was trained.
    let sample = |besides: &str, out: &str| {
        let model = "whole/best-model-toy/best-model.safetensors";
        let said = toy.folder.ok(&format!("sample --model {model} --count 4 {besides} --out {out}"));
        assert!(said.contains("4 samples"), "{said}");
        toy.folder.read(out)
    };
    let [a, b, c] = [("", "a.npy"), ("--sampler mode+gibbs:50", "b.npy"), ("--sampler mode", "c.npy")]
        .map(|(besides, out)| sample(besides, out));
    assert_eq!(a, b);
    assert_ne!(a, c);
}

#[test]
fn depth_and_greys_are_measured_and_an_interruption_changes_nothing() {
    let toy = Toy::new("depth grey", "depth-toy/depth.png grey-toy/grey.csv grey-toy/grey-planes.csv grey-toy/grey.png");
    let whole = toy.run("whole");
    // Its seconds are not the same in any two runs.
    let scores = |files: &Files| -> Vec<Row> {
        let mut rows = table(&files["depth-toy/depth.csv"]);
        rows.iter_mut().for_each(|row| drop(row.remove("seconds")));
        rows
    };
    let rows = scores(&whole);
    assert_eq!(rows.len(), 2 * 5 + 1);
    for row in &rows[..10] {
        let wrong = cell(row, "wrong_prediction");
        assert!(cell(row, "log_p_low") < 0.0 && (0.0..=1.0).contains(&wrong) && cell(row, "distance_300") > 0.0, "{row:?}");
    }
    assert_eq!(rows.iter().filter(|row| row["model"] == "784-500-500-10").count(), 5);
    let page = toy.page();
    for part in
        ["[depth](#depth-two-", "| deep better by a nat", "[grey](#grey-digits)", "### What the eight planes leave to learn"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    toy.killed_at("depth-toy/runs/layers-2-2");
    let stopped = toy.run("stopped");
    toy.same(&stopped, &whole);
    assert_eq!(scores(&stopped), rows);
}
