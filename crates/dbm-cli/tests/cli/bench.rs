//! `dbm bench`: what it prints must be there and be consistent. Nothing here depends on how fast anything is.

use crate::folder::{Folder, number};
use serde_json::{Value, json};

const TOY: &str = "bench --data bars --hidden 12,6 --batch 40 --warm-up 1 --steps 3";

#[test]
fn the_parts_of_a_step_sum_to_it_for_any_number_of_threads() {
    let folder = Folder::new("bench");
    for threads in [1, 3] {
        let printed = folder.json(&format!("{TOY} --runs 4 --threads {threads}"));
        let number = |name: &str| number(&printed, name);
        let [fastest, median, slowest] = ["_min", "", "_max"].map(|which| number(&format!("milliseconds_per_step{which}")));
        assert!(0.0 < fastest && fastest <= median && median <= slowest, "{printed}");
        assert!((number("steps_per_second") * median - 1e3).abs() < 1e-6, "{printed}");
        assert!((number("steps_per_second_min") * slowest - 1e3).abs() < 1e-6, "{printed}");
        let parts = printed["wall_milliseconds"].as_object().unwrap();
        let sum: f64 = parts.keys().map(|part| number(&format!("wall_milliseconds.{part}"))).sum();
        assert!((sum - median).abs() < 1e-9 * median.max(1.0), "{printed}");
        for part in ["positive_search", "negative_search", "coupling", "gradient", "optimizer", "transposition"] {
            assert!(number(&format!("wall_milliseconds.{part}")) > 0.0, "{part}: {printed}");
        }
        if threads == 1 {
            let thread = |part: &str| number(&format!("thread_milliseconds.{part}_coupling"));
            let couplings = thread("positive") + thread("negative");
            assert!(number("wall_milliseconds.coupling") >= couplings * (1.0 - 1e-9), "{printed}");
        }
        let expected = json!({
            "threads": threads, "runs": 4, "steps": 3, "sizes": [16, 12, 6], "estimator": "ucd-lmi",
            "parameter_bytes": 4 * (16 * 12 + 12 * 6 + 16 + 12 + 6), "preset": null, // these are not the preset's layers
        });
        expected.as_object().unwrap().iter().for_each(|(name, value)| assert_eq!(&printed[name], value, "{name}: {printed}"));
        if cfg!(target_os = "linux") {
            assert!(number("peak_memory_bytes") > number("parameter_bytes"));
        }
    }
}

#[test]
fn sweeps_of_many_chains_agree_with_themselves() {
    let folder = Folder::new("bench-sweeps");
    let printed = folder.json("bench --preset sweeps-500 --warm-up 0 --steps 1 --runs 2 --threads 3");
    let number = |name: &str| number(&printed, name);
    assert_eq!((&printed["chains"], &printed["sizes"], &printed["threads"]), (&json!(500), &json!([784, 500]), &json!(3)));
    assert!((number("sweeps_per_second") * number("milliseconds_per_sweep") - 1e3).abs() < 1e-6, "{printed}");
    assert!(number("sweeps_per_second_min") <= number("sweeps_per_second_max"), "{printed}");
    // From noise nearly all units of either layer change: no field is updated incrementally, and both layers' fields are computed by
    // products.
    assert_eq!(
        (number("multiply_adds_in_products"), number("multiply_adds_in_carried_rows")),
        (2.0 * 500.0 * 784.0 * 500.0, 0.0)
    );
    assert!(["AVX-512", "AVX2", "NEON", "none"].contains(&printed["vector_unit"].as_str().unwrap()), "{printed}");
}

#[test]
fn the_work_done_is_counted_and_is_the_same_for_any_number_of_threads() {
    let folder = Folder::new("bench-work");
    let work = |besides: &str| {
        // The median run is whichever took the median time: only with one run is it always the same.
        let printed = folder.json(&format!("{TOY} --runs 1 {besides}"));
        ["positive", "negative"].map(|phase| printed[phase].clone())
    };
    let products = |phase: &Value| number(phase, "multiply_adds_in_products");
    let [positive, negative] = work("--threads 1");
    assert_eq!([positive.clone(), negative.clone()], work("--threads 3"));
    // Every chain's visible layer is multiplied with W_0 once, and every search makes a sweep.
    assert!(products(&positive) >= f64::from(40 * 16 * 12), "{positive}");
    assert!(products(&negative) >= f64::from(40 * 12 * 6), "{negative}");
    assert!(number(&positive, "mean_sweeps") >= 1.0 && number(&negative, "mean_sweeps") > 1.0);
    let [positive, negative] = work("--estimator cd-2");
    assert!(positive["mean_sweeps"].is_null() && negative["mean_sweeps"].is_null());
    assert!(products(&negative) > 0.0);
}

#[test]
fn people_read_the_same() {
    let said = Folder::new("bench-words").ok(&format!("{TOY} --threads 2"));
    for words in
        ["16-12-6, ucd-lmi, batches of 40", "on 2 threads", "steps a second", "negative search", "Thread-ms", "peak memory"]
    {
        assert!(said.contains(words), "no {words}: {said}");
    }
}

/// If there is a GPU, or a driver that computes on the processor.
#[test]
fn steps_on_the_gpu_are_set_beside_the_processors() {
    let folder = Folder::new("bench-gpu");
    let output = folder.command(&format!("--json {TOY} --runs 2 --backend gpu")).output().unwrap();
    if output.status.code() == Some(6) {
        assert!(String::from_utf8_lossy(&output.stderr).contains("no GPU was found"));
        return;
    }
    let said = String::from_utf8(output.stdout).unwrap();
    let printed: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    let of_gpu = |name: &str| number(&printed, &format!("gpu.{name}"));
    let [fastest, median, slowest] = ["_min", "", "_max"].map(|which| of_gpu(&format!("milliseconds_per_step{which}")));
    assert!(0.0 < fastest && fastest <= median && median <= slowest, "{printed}");
    let ratio = number(&printed, "milliseconds_per_step") / median;
    assert!((of_gpu("times_as_fast_as_the_processor") / ratio - 1.0).abs() < 1e-9, "{printed}");
    assert!(!printed["gpu"]["device"].as_str().unwrap().is_empty());
    let parts = printed["gpu"]["footprint_bytes"].as_object().unwrap();
    assert!(
        parts["parameters"] == printed["parameter_bytes"]
            && parts["moments"].as_f64().unwrap() == 2.0 * number(&printed, "parameter_bytes")
    );
    let sum: u64 = parts.iter().filter(|(name, _)| *name != "total").map(|(_, bytes)| bytes.as_u64().unwrap()).sum();
    assert_eq!(parts["total"], sum);
    assert!(folder.fails(2, "bench --preset sweeps-500 --backend gpu").contains("--backend gpu"));
}
