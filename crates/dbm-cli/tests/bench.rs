//! `dbm bench`: what it prints must be there and agree with itself. Nothing here depends on how fast anything is.

mod support;

use serde_json::Value;
use support::Folder;

const TOY: &str = "bench --data bars --hidden 12,6 --batch 40 --warm-up 1 --steps 3";

fn bench(folder: &Folder, besides: &str) -> Value {
    serde_json::from_str(&folder.ok(&format!("--json {TOY} {besides}"))).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn sum(named: &Value) -> f64 {
    named.as_object().unwrap().values().map(number).sum()
}

#[test]
fn the_parts_of_a_step_sum_to_it_for_any_number_of_threads() {
    let folder = Folder::new("bench");
    for threads in [1, 3] {
        let printed = bench(&folder, &format!("--runs 4 --threads {threads}"));
        let [fastest, median, slowest] =
            ["_min", "", "_max"].map(|which| number(&printed[format!("milliseconds_per_step{which}")]));
        assert!(0.0 < fastest && fastest <= median && median <= slowest, "{printed}");
        assert!((number(&printed["steps_per_second"]) * median - 1e3).abs() < 1e-6, "{printed}");
        assert!((number(&printed["steps_per_second_min"]) * slowest - 1e3).abs() < 1e-6, "{printed}");
        let wall = &printed["wall_milliseconds"];
        assert!((sum(wall) - median).abs() < 1e-9 * median.max(1.0), "{printed}");
        for part in ["positive_search", "negative_search", "coupling", "gradient", "optimizer", "transposition"] {
            assert!(number(&wall[part]) > 0.0, "{part}: {printed}");
        }
        let thread = &printed["thread_milliseconds"];
        if threads == 1 {
            let couplings = number(&thread["positive_coupling"]) + number(&thread["negative_coupling"]);
            assert!(number(&wall["coupling"]) >= couplings * (1.0 - 1e-9), "{printed}");
        }
        assert_eq!(
            (printed["threads"].as_u64(), printed["runs"].as_u64(), printed["steps"].as_u64()),
            (Some(threads), Some(4), Some(3))
        );
        assert_eq!((&printed["sizes"], &printed["estimator"]), (&serde_json::json!([16, 12, 6]), &"ucd-lmi".into()));
        assert_eq!(printed["parameter_bytes"], 4 * (16 * 12 + 12 * 6 + 16 + 12 + 6));
        assert!(printed["preset"].is_null(), "these are not the preset's layers: {printed}");
        if cfg!(target_os = "linux") {
            assert!(number(&printed["peak_memory_bytes"]) > number(&printed["parameter_bytes"]));
        }
    }
}

#[test]
fn the_work_done_is_counted_and_is_the_same_for_any_number_of_threads() {
    let folder = Folder::new("bench-work");
    let work = |besides: &str| {
        // The median run is whichever took the median time: only with one run is it always the same.
        let printed = bench(&folder, &format!("--runs 1 {besides}"));
        ["positive", "negative"].map(|phase| printed[phase].clone())
    };
    let [positive, negative] = work("--threads 1");
    assert_eq!([positive.clone(), negative.clone()], work("--threads 3"));
    // Every chain's visible layer is multiplied with W_0 once, and every search makes a sweep.
    assert!(number(&positive["multiply_adds_in_products"]) >= f64::from(40 * 16 * 12), "{positive}");
    assert!(number(&negative["multiply_adds_in_products"]) >= f64::from(40 * 12 * 6), "{negative}");
    assert!(number(&positive["mean_sweeps"]) >= 1.0 && number(&negative["mean_sweeps"]) > 1.0);
    let [positive, negative] = work("--estimator cd-2");
    assert!(positive["mean_sweeps"].is_null() && negative["mean_sweeps"].is_null());
    assert!(number(&negative["multiply_adds_in_products"]) > 0.0);
}

#[test]
fn people_read_the_same_and_nonsense_is_refused() {
    let folder = Folder::new("bench-words");
    let said = folder.ok(&format!("{TOY} --threads 2"));
    for words in
        ["16-12-6, ucd-lmi, batches of 40", "on 2 threads", "steps a second", "negative search", "Thread-ms", "peak memory"]
    {
        assert!(said.contains(words), "no {words}: {said}");
    }
    folder.fails(2, "bench --preset mnist-9");
    folder.fails(2, "bench --steps 0");
    assert!(folder.fails(2, "bench --data bars --batch 0").contains("batch"));
    assert!(folder.fails(3, "bench --data nowhere").contains("nowhere"));
}
