//! `dbm evaluate` against enumeration, and what it refuses.

mod support;

use serde_json::Value;
use support::Folder;

/// Forty rows of six bits with something to learn: the right half repeats the left one, but for a few.
fn csv() -> String {
    let row = |i: usize| {
        let left = [i % 2, i / 2 % 2, usize::from(i.is_multiple_of(5))];
        let right = if i.is_multiple_of(7) { [1 - left[0], left[1], left[2]] } else { left };
        [left, right].concat().iter().map(ToString::to_string).collect::<Vec<_>>().join(",") + "\n"
    };
    (0..40).map(row).collect()
}

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    std::fs::write(folder.0.join("tiny.csv"), csv()).unwrap();
    folder
}

fn evaluate(folder: &Folder, arguments: &str) -> Value {
    serde_json::from_str(&folder.ok(&format!("--json evaluate {arguments}"))).unwrap()
}

fn number(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_else(|| panic!("{name} in {value}"))
}

/// Two models, seed 3: log Z within 3 standard errors, which one such pair in 190 would miss (alpha = 2 * 2.7e-3).
#[test]
fn a_trained_model_is_measured_as_enumeration_does() {
    let folder = folder("evaluate");
    for units in ["bits", "signs"] {
        folder.ok(&format!(
            "train --data tiny.csv --hidden 5,4 --units {units} --lr 0.01 --steps 300 --seed 1 --out {units}.safetensors"
        ));
        let found = evaluate(&folder, &format!("--model {units}.safetensors --data tiny.csv --ais-betas 1000 --seed 3"));
        let (log_z, exact_log_z) = (number(&found, "log_z"), number(&found, "exact_log_z"));
        let error = number(&found, "log_z_standard_error");
        assert!(error > 0.0 && error < 0.05 && (log_z - exact_log_z).abs() < 3.0 * error, "{found}");
        assert!((1.0..=100.0).contains(&number(&found, "effective_sample_size")), "{found}");

        // Taken off the same log Z, the bound is below the exact value. Six coins would be at -6 log 2.
        let (bound, exact) = (number(&found, "log_p_bound") + log_z - exact_log_z, number(&found, "exact_log_p"));
        assert!(bound <= exact + 1e-5 && bound > exact - 0.5, "{found}");
        assert!(exact < 0.0 && exact > -6.0 * std::f64::consts::LN_2, "{found}");
        assert_eq!(number(&found, "log_p_bound_error_from_log_z"), error);
        assert!(number(&found, "log_p_bound_error_over_examples") > 0.0);
        assert_eq!((number(&found, "count"), number(&found, "mean_field_capped")), (40.0, 0.0));
        assert!(number(&found, "pseudo_log_likelihood") < 0.0 && number(&found, "pseudo_log_likelihood_error") > 0.0);
        assert!((0.0..0.25).contains(&number(&found, "reconstruction_error")), "{found}");
    }
}

#[test]
fn one_hidden_layer_has_no_gap_and_no_data_means_log_z_alone() {
    let folder = folder("evaluate-rbm");
    folder.ok("train --data tiny.csv --hidden 5 --lr 0.01 --steps 100 --seed 1 --out m.safetensors");
    let found = evaluate(&folder, "--model m.safetensors --data tiny.csv --count 17 --ais-chains 40 --ais-betas 100");
    let bound = number(&found, "log_p_bound") + number(&found, "log_z") - number(&found, "exact_log_z");
    assert!((bound - number(&found, "exact_log_p")).abs() < 1e-5, "{found}");
    assert_eq!((number(&found, "count"), number(&found, "ais_chains")), (17.0, 40.0));

    let alone = evaluate(&folder, "--model m.safetensors --ais-betas 100");
    assert!(alone.get("log_p_bound").is_none() && number(&alone, "log_z").is_finite(), "{alone}");
    assert_eq!(alone["exact_log_z"], found["exact_log_z"]);
    let text = folder.ok("evaluate --model m.safetensors --data tiny.csv --ais-betas 100");
    for said in ["log Z ", "exact log Z ", "lower bound ", "over 40 examples", "all converged"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    // Too large to enumerate is said, and no error.
    folder.ok("train --data tiny.csv --hidden 40,40 --steps 2 --out wide.safetensors");
    let wide = evaluate(&folder, "--model wide.safetensors --data tiny.csv --ais-betas 50");
    assert!(wide["exact_log_z"].is_null() && wide["exact_log_p"].is_null() && number(&wide, "log_p_bound").is_finite());
    assert!(folder.ok("evaluate --model wide.safetensors --ais-betas 50").contains("not feasible"));
}

#[test]
fn the_number_of_threads_changes_no_number() {
    let folder = folder("evaluate-threads");
    folder.ok("train --data bars --hidden 20,8 --steps 20 --seed 1 --average 0.9 --out m.safetensors");
    let run = |more: &str| {
        let arguments = "--model m.safetensors --data bars --ais-chains 70 --ais-betas 60";
        let mut found = evaluate(&folder, &format!("{arguments} {more}"));
        found.as_object_mut().unwrap().remove("seconds").unwrap();
        found
    };
    let one = run("--threads 1");
    assert_eq!(one, run("--threads 3"));
    for other in ["--seed 1", "--last", "--count 9"] {
        assert_ne!(one, run(other), "{other}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = folder("evaluate-refused");
    folder.ok("train --data tiny.csv --hidden 5,4 --steps 2 --out m.safetensors");
    for (code, line, said) in [
        (3, "--data bars", "the model has 6 visible units, but the examples of bars"),
        (3, "--data nowhere", "nowhere"),
        (2, "--data tiny.csv --count 41", "at most the 40 examples"),
        (2, "--count 4", "--data"),
        (2, "--ais-chains 1", "number of AIS chains should be 2 to 100000, but is 1"),
        (2, "--ais-betas 0", "number of AIS betas"),
    ] {
        let message = folder.fails(code, &format!("evaluate --model m.safetensors {line}"));
        assert!(message.contains(said), "{line}: {message}");
    }
}
