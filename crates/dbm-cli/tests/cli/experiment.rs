//! Every `dbm experiment` at toy size: what it writes, and that a stopped run ends with the same bytes when it is run again.

use crate::folder::{Folder, Row, cell, number, table};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

type Files = BTreeMap<String, Vec<u8>>;

/// Files in a folder and its subfolders, by relative path.
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

/// Experiments at toy size in a separate folder, where they run once to the end and once with interruptions.
struct Toy {
    folder: Folder,
    names: &'static str,
}

impl Toy {
    fn new(names: &'static str) -> Self {
        Self { folder: Folder::new(names.split(' ').next().unwrap()), names }
    }

    /// Runs them to the end, in `out` in their folder; returns the files.
    fn run(&self, out: &str) -> Files {
        self.folder.ok(&self.arguments(out));
        files(&self.folder.0.join(out))
    }

    fn arguments(&self, out: &str) -> String {
        format!("--threads 2 experiment {} --toy --docs docs --out {out}", self.names)
    }

    /// Runs them in `stopped`, and kills them as soon as a file whose path begins like this exists.
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

    /// When each cell and each run below `out` was written.
    fn written(&self, out: &str) -> BTreeMap<String, SystemTime> {
        let folder = self.folder.0.join(out);
        let parts = files(&folder).into_keys().filter(|name| name.contains("/cells/") || name.contains("/runs/"));
        parts.map(|name| (name.clone(), fs::metadata(folder.join(name)).unwrap().modified().unwrap())).collect()
    }

    /// Runs them in `out` once more, without a file whose path begins like this; returns the files, and checks that nothing else was
    /// computed again.
    fn without(&self, out: &str, start: &str) -> Files {
        let mut before = self.written(out);
        let gone = before.keys().find(|name| name.starts_with(start)).unwrap_or_else(|| panic!("no {start}")).clone();
        fs::remove_file(self.folder.0.join(out).join(&gone)).unwrap();
        let files = self.run(out);
        let mut after = self.written(out);
        assert_ne!(before.remove(&gone), after.remove(&gone));
        assert_eq!(before, after);
        files
    }

    /// Checks that the results and the figures are the same.
    fn same(&self, these: &Files, those: &Files) {
        for name in self.names.split(' ') {
            for ending in ["csv", "svg", "png"] {
                let file = format!("{name}-toy/{name}.{ending}");
                assert!(these.contains_key(&file) && these[&file] == those[&file], "{file}");
            }
        }
    }

    /// The rows of an experiment's results.
    fn rows(name: &str, files: &Files) -> Vec<Row> {
        table(&files[&format!("{name}-toy/{name}.csv")])
    }

    /// The page of the documentation, with all of them, their figures and their data.
    fn page(&self) -> String {
        let page = self.folder.text("docs/reproduction.md");
        for name in self.names.split(' ') {
            for part in [format!("(reproduction/{name}.png)"), format!("(reproduction/{name}.csv)")] {
                assert!(page.contains(&part), "{part}: {page}");
            }
            assert!(page.contains(&format!("Made by `dbm experiment {name}")) && page.contains("*The paper:*"), "{page}");
            assert!(self.folder.0.join(format!("docs/reproduction/{name}.svg")).exists());
        }
        page
    }
}

/// The rows with this value in this column.
fn of<'a>(rows: &'a [Row], column: &str, value: &str) -> Vec<&'a Row> {
    rows.iter().filter(|row| row[column] == value).collect()
}

#[test]
#[ignore = "takes long: ./run test slow"]
fn completions_are_measured_and_an_interruption_changes_nothing() {
    let toy = Toy::new("figure-3");
    let whole = toy.run("whole");
    let rows = Toy::rows("figure-3", &whole);
    // Five masks, with four methods each, and the baselines for the hidden part.
    assert_eq!((rows.len(), of(&rows, "model", "deep").len()), (5 * 5, 5 * 4));
    for row in of(&rows, "model", "deep") {
        assert_eq!([cell(row, "one_count"), cell(row, "answers"), cell(row, "medoid_answers")], [40.0, 4.0, 1.0], "{row:?}");
        assert!((0.5..1.0).contains(&cell(row, "one_agreement")), "{row:?}");
        assert!(cell(row, "one_read_right_once") >= cell(row, "one_read_right"));
    }
    for row in of(&rows, "model", "") {
        assert!(cell(row, "truth_agreement") == 1.0 && cell(row, "truth_read_right") > 0.7, "{row:?}");
        assert!((0.5..1.0).contains(&cell(row, "blank_agreement")) && cell(row, "nearest_agreement") < 1.0, "{row:?}");
    }
    assert!(rows.iter().any(|row| row["measure"] == "lower_search" && cell(row, "one_distinct") > 1.5));
    assert!(toy.page().contains("lower halves by search alone are closer"));

    // Killed after the first answers; and once more without one cell.
    toy.killed_at("figure-3-toy/cells/deep-1-left_annealed");
    toy.same(&toy.run("stopped"), &whole);
    toy.same(&toy.without("whole", "figure-3-toy/cells/deep-1-random_gibbs"), &whole);
}

#[test]
fn the_figure_of_couplings_has_every_kind_at_every_dimension_and_can_be_interrupted() {
    let toy = Toy::new("figure-1");
    let whole = toy.run("whole");
    let rows = Toy::rows("figure-1", &whole);
    assert_eq!(rows.len(), 12 * 2 * 2 * 2);
    assert!(rows.iter().all(|row| row["runs"] == "10" && row["cap"] == "50"));
    toy.killed_at("figure-1-toy/cells/d0");
    toy.same(&toy.run("stopped"), &whole);
    toy.page();
    // The same numbers as the command that times couplings.
    toy.folder.ok("couple --dimensions 1..12 --runs 10 --cap 50 --seed 1 --units signs,bits --csv couple.csv");
    let timed = table(&toy.folder.read("couple.csv"));
    for (row, timed) in rows.iter().zip(&timed) {
        for name in
            ["units", "kernel", "start", "dimension", "runs", "tau_max", "T_max", "tau_plus_T_max", "capped", "tries_capped"]
        {
            assert_eq!(row[name], timed[name], "{name}: {row:?}");
        }
        assert!((cell(row, "tau_mean") - cell(timed, "tau_mean")).abs() < 1e-4, "{row:?}");
    }
}

#[test]
#[ignore = "takes long: ./run test slow"]
fn the_ablation_and_the_samples_are_scored_and_a_run_that_was_stopped_gives_the_same_bytes() {
    let toy = Toy::new("table-2 figure-2");
    let whole = toy.run("whole");
    let rows = Toy::rows("table-2", &whole);
    assert_eq!(rows.len(), 6 * 2 * 3);
    assert!(rows.iter().all(|row| cell(row, "digit_frechet_distance") > 0.0 && row["schedule"] == "mode"));
    // Omitting any part changes the model, except for the coupling, which was never seen to do anything.
    let scores = |model: &str| of(&rows, "model", model).into_iter().map(|row| row["confidence"].clone()).collect::<Vec<_>>();
    for row in ["cd-1", "bits", "no-marginalization", "gaussian"] {
        assert_ne!(scores(&format!("784-500-500-{row}")), scores("784-500-500-whole"), "{row}");
    }
    assert_eq!(Toy::rows("figure-2", &whole).len(), 3 * 2);
    assert!(toy.page().contains("784-500-500 is worse without the coupling: "));
    toy.killed_at("table-2-toy/runs/784-784-784-bits");
    toy.same(&toy.run("stopped"), &whole);
}

#[test]
#[ignore = "takes long: ./run test slow"]
fn the_search_for_the_best_model_writes_its_table_and_the_model() {
    let toy = Toy::new("best-model");
    let rows = Toy::rows("best-model", &toy.run("whole"));
    // Three candidates and the chosen one, each with five schedules and two ways to answer; the baseline; the rivals, and training digits.
    assert_eq!(rows.len(), 4 * (5 + 2) + 1 + 2);
    let page = toy.page();
    assert!(page.contains("(our goal): at least 95 % distinct: ") && page.contains("The model chosen: `dbm train"), "{page}");
    // The other commands accept the model, and draw from it as in its training.
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
#[ignore = "takes long: ./run test slow"]
fn depth_and_greys_are_measured_and_nothing_is_computed_twice() {
    let toy = Toy::new("depth bit-planes grey");
    let whole = toy.run("whole");
    let rows = Toy::rows("depth", &whole);
    // Two sides with two seeds each, and one candidate of each side, with seven measures; the rivals.
    assert_eq!(rows.len(), (2 * 2 + 2) * 7 + 1);
    for row in of(&rows, "measure", "likelihood") {
        let wrong = cell(row, "prediction_error");
        assert!(cell(row, "log_p_particles") < 0.0 && (0.0..=1.0).contains(&wrong), "{row:?}");
    }
    for row in Toy::rows("bit-planes", &whole).iter().filter(|row| row["model"].starts_with("width")) {
        assert_eq!((cell(row, "count"), row["schedule"].as_str()), (40.0, "mode"));
    }
    let page = toy.page();
    for part in ["[depth](#depth-two-", "two layers better by a nat: ", "[grey](#grey-digits)", "--bits-per-value 8"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let written = toy.written("whole");
    toy.same(&toy.run("whole"), &whole);
    assert_eq!(toy.written("whole"), written);
    toy.same(&toy.without("whole", "grey-toy/cells/grey-"), &whole);
}

#[test]
fn density_is_that_of_the_recipe_that_the_validation_part_finds_likeliest() {
    let toy = Toy::new("density");
    let whole = toy.run("whole");
    let rows = Toy::rows("density", &whole);
    let lows = |model: &str| of(&rows, "model", model).into_iter().map(|row| cell(row, "low")).collect::<Vec<f64>>();
    // Two machines of each set, and their mixture.
    assert_eq!(rows.len(), 2 * (2 + 1));
    for (set, part) in [("bars", "test"), ("target", "validation")] {
        let (machines, mixture) = (lows(set), lows(&format!("{set}-mixture"))[0]);
        assert!(
            mixture >= f64::midpoint(machines[0], machines[1]) && mixture > machines[0].min(machines[1]),
            "{machines:?} {mixture}"
        );
        assert!(of(&rows, "model", set).iter().all(|row| row["part"] == part && row["low"] == row["high"]), "{rows:?}");
    }
    // Of the two recipes for bars, the better one has a run with a second seed.
    let run = |place: usize, seed: u64| {
        let start = format!("density-toy/runs/bars-{place}-{seed}-");
        whole.keys().find(|file| file.starts_with(&start)).cloned()
    };
    let exact = |run: String| {
        let evaluated = toy.folder.json(&format!("evaluate --model whole/{run} --data bars --ais-betas 2"));
        number(&evaluated, "exact_log_p")
    };
    let tried = [0, 1].map(|place| exact(run(place, 1).unwrap()));
    let best = usize::from(tried[1] > tried[0]);
    assert!(run(best, 2).is_some() && run(1 - best, 2).is_none(), "{tried:?}");
    for (seed, low) in (1..).zip(lows("bars")) {
        assert!((exact(run(best, seed).unwrap()) - low).abs() < 1e-9, "{seed}: {low}");
    }
    assert!(toy.page().contains("| target* | 999 | 12-4-2 |"));
    toy.killed_at("density-toy/runs/bars-1");
    toy.same(&toy.run("stopped"), &whole);
    assert!(toy.folder.fails(2, "experiment density --out whole").contains("--sets"));
    assert!(toy.folder.fails(2, "experiment density --sets . --out whole").contains("debd/nltcs.train.data.gz"));
}

#[test]
fn another_recipe_is_given_as_a_file() {
    let toy = Toy::new("own.json");
    let recipe = include_str!("../../../dbm-experiments/src/experiment/recipes/figure-1.json");
    fs::write(toy.folder.0.join("own.json"), recipe.replace("\"name\": \"figure-1\"", "\"name\": \"own\"")).unwrap();
    assert!(toy.run("whole").contains_key("own-toy/own.csv"));
    fs::write(toy.folder.0.join("own.json"), recipe.replace("\"title\"", "\"heading\"")).unwrap();
    let said = toy.folder.fails(2, "experiment own.json --toy --out whole");
    assert!(said.contains("heading"), "{said}");
}
