//! `dbm evaluate` compared with enumeration.

use crate::folder::{Folder, number};

/// Forty rows of six bits with something to learn: the right half repeats the left one, with a few exceptions.
pub fn csv() -> String {
    let row = |i: usize| {
        let left = [i % 2, i / 2 % 2, usize::from(i.is_multiple_of(5))];
        let right = if i.is_multiple_of(7) { [1 - left[0], left[1], left[2]] } else { left };
        [left, right].concat().iter().map(ToString::to_string).collect::<Vec<_>>().join(",") + "\n"
    };
    (0..40).map(row).collect()
}

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("tiny.csv", csv());
    folder
}

/// Two models, seed 3: log Z within 3 standard errors, which one such pair in 190 would miss (alpha = 2 * 2.7e-3).
#[test]
fn a_trained_model_is_measured_as_enumeration_does() {
    let folder = folder("evaluate");
    for units in ["bits", "signs"] {
        folder.ok(&format!(
            "train --data tiny.csv --hidden 5,4 --units {units} --lr 0.01 --steps 300 --seed 1 --out {units}.safetensors"
        ));
        let found = folder.json(&format!("evaluate --model {units}.safetensors --data tiny.csv --ais-betas 1000 --seed 3"));
        let of = |name| number(&found, name);
        let (log_z, exact_log_z) = (of("log_z"), of("exact_log_z"));
        let error = of("log_z_standard_error");
        assert!(error > 0.0 && error < 0.05 && (log_z - exact_log_z).abs() < 3.0 * error, "{found}");
        assert!((1.0..=100.0).contains(&of("effective_sample_size")), "{found}");

        // The same from the other side, at the examples, and from both at once.
        let both = of("bennett_log_z") - exact_log_z;
        assert!(both.abs() < 3.0 * of("bennett_log_z_standard_error").max(0.01), "{found}");
        assert!((of("reverse_log_z") - exact_log_z).abs() < 0.3 && of("bennett_overlap") > 0.8, "{found}");
        assert!((of("bracket") - of("reverse_log_z") + log_z).abs() < 1e-9, "{found}");
        assert!(found["bracket_verdict"].as_str().is_some_and(|said| said.starts_with("closed: ")), "{found}");
        assert!((of("log_p_bound_reverse") + of("reverse_log_z") - of("log_p_bound") - log_z).abs() < 1e-9, "{found}");
        assert!(of("log_p_raise") < of("exact_log_p") + 0.05 && of("log_p_raise") > of("exact_log_p") - 0.5, "{found}");

        // With the same log Z subtracted, the bound is below the exact value. Six coins would be at -6 log 2.
        let (bound, exact) = (of("log_p_bound") + log_z - exact_log_z, of("exact_log_p"));
        assert!(bound <= exact + 1e-5 && bound > exact - 0.5, "{found}");
        // Particles close the gap that the bound leaves.
        let by_particles = of("log_p_particles") + log_z - exact_log_z;
        assert!((by_particles - exact).abs() < 0.03 && exact - bound > 2.0 * (by_particles - exact).abs(), "{found}");
        assert!(exact < 0.0 && exact > -6.0 * std::f64::consts::LN_2, "{found}");
        assert_eq!(of("log_p_bound_error_from_log_z"), error);
        assert!(of("log_p_bound_error_over_examples") > 0.0);
        assert_eq!((of("count"), of("mean_field_capped")), (40.0, 0.0));
        assert!(of("pseudo_log_likelihood") < 0.0 && of("pseudo_log_likelihood_error") > 0.0);
        assert!((0.0..0.25).contains(&of("reconstruction_error")), "{found}");
    }
}

#[test]
fn one_hidden_layer_has_no_gap_and_no_data_means_log_z_alone() {
    let folder = folder("evaluate-rbm");
    folder.ok("train --data tiny.csv --hidden 5 --lr 0.01 --steps 100 --seed 1 --out m.safetensors");
    let found = folder.json("evaluate --model m.safetensors --data tiny.csv --count 17 --ais-chains 40 --ais-betas 100");
    let of = |name| number(&found, name);
    let bound = of("log_p_bound") + of("log_z") - of("exact_log_z");
    assert!((bound - of("exact_log_p")).abs() < 1e-5, "{found}");
    assert_eq!((of("count"), of("ais_chains")), (17.0, 40.0));
    assert!(found.get("log_p_particles").is_none() && found.get("classification_error").is_none(), "{found}");

    let alone = folder.json("evaluate --model m.safetensors --ais-betas 100");
    assert!(alone.get("log_p_bound").is_none() && number(&alone, "log_z").is_finite(), "{alone}");
    assert_eq!(alone["exact_log_z"], found["exact_log_z"]);
    let text = folder.ok("evaluate --model m.safetensors --data tiny.csv --ais-betas 100");
    for said in ["log Z ", "exact log Z ", "lower bound ", "over 40 examples", "all converged"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    // A model too large to enumerate is reported, without an error.
    folder.ok("train --data tiny.csv --hidden 40,40 --steps 2 --out wide.safetensors");
    let wide = folder.json("evaluate --model wide.safetensors --data tiny.csv --ais-betas 50");
    assert!(wide["exact_log_z"].is_null() && wide["exact_log_p"].is_null() && number(&wide, "log_p_bound").is_finite());
    assert!(folder.ok("evaluate --model wide.safetensors --ais-betas 50").contains("not feasible"));
}

/// The same rows with columns, rows and levels in another order; then every row that there can be if three columns exclude one another.
#[test]
fn a_table_is_measured_by_the_columns_of_its_model() {
    let folder = Folder::new("evaluate-table");
    let rows: Vec<(usize, bool)> = (0..60).map(|i| (i * i % 7 % 3, i % 4 == 1)).collect();
    let (colours, words) = (["red", "green", "blue"], |old: bool| if old { "yes" } else { "no" });
    let one = rows.iter().map(|&(colour, old)| format!("{},{}\n", colours[colour], words(old)));
    let other = rows.iter().rev().map(|&(colour, old)| format!("{},{}\n", words(old), colours[colour]));
    folder.write("one.csv", format!("colour,old\n{}", one.collect::<String>()));
    folder.write("other.csv", format!("old,colour\n{}", other.collect::<String>()));
    let train = |data: &str, model: &str| {
        folder.ok(&format!("train --data {data} --hidden 3 --estimator pl --lr 0.02 --steps 100 --seed 1 --out {model}"));
    };
    let log_p = |model: &str, data: &str| {
        number(&folder.json(&format!("evaluate --model {model} --data {data} --ais-betas 20 --reverse-from none")), "exact_log_p")
    };
    train("one.csv", "m.safetensors");
    let (of_one, of_other) = (log_p("m.safetensors", "one.csv"), log_p("m.safetensors", "other.csv"));
    assert!((of_one - of_other).abs() < 1e-9, "{of_one} {of_other}");

    let line = |colour: usize, old: bool| {
        format!("{},{},{},{}\n", u8::from(colour == 0), u8::from(old), u8::from(colour == 1), u8::from(colour == 2))
    };
    folder.write("bits.csv", rows.iter().map(|&(colour, old)| line(colour, old)).collect::<String>());
    train("bits.csv --exclusive", "bits.safetensors");
    let of_row = |line: String| {
        folder.write("row.csv", line);
        log_p("bits.safetensors", "row.csv").exp()
    };
    let all: f64 = (0..8).map(|code| of_row(line(code / 2, code % 2 == 1))).sum();
    assert!((all - 1.0).abs() < 1e-6, "{all}");
    folder.write("row.csv", "1,0,0,1\n");
    let error = folder.fails(3, "evaluate --model bits.safetensors --data row.csv");
    assert!(error.contains("\"column 1\" and \"column 4\" to exclude one another") && error.contains("row 1"), "{error}");
}

#[test]
fn the_number_of_threads_changes_no_number() {
    let folder = folder("evaluate-threads");
    folder.ok("train --data bars --hidden 20,8 --steps 20 --seed 1 --average 0.9 --out m.safetensors");
    let run = |more: &str| {
        let arguments = "--model m.safetensors --data bars --ais-chains 70 --ais-betas 60";
        let mut found = folder.json(&format!("evaluate {arguments} {more}"));
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
fn an_open_bracket_is_called_so_and_starts_are_chosen() {
    let folder = folder("evaluate-open");
    folder.ok("train --data tiny.csv --hidden 30,20 --lr 0.02 --steps 600 --seed 1 --out m.safetensors");
    let few = "evaluate --model m.safetensors --ais-chains 20 --ais-betas";
    let open = folder.json(&format!("{few} 1 --data tiny.csv"));
    assert!(open["bracket_verdict"].as_str().is_some_and(|said| said.starts_with("open: ")), "{open}");
    assert!(folder.ok(&format!("{few} 1 --data tiny.csv")).contains("open: log Z may be anywhere in "));
    // From samples there is no conservative log p(v), nor after sweeps.
    for from in ["--data tiny.csv --reverse-from samples", "--data tiny.csv --reverse-sweeps 3"] {
        let found = folder.json(&format!("{few} 1000 {from}"));
        assert!(number(&found, "bracket").abs() < 1.0 && found.get("log_p_raise").is_none(), "{found}");
        assert!(number(&found, "log_p_bound_bennett").is_finite());
    }
    let alone = folder.json(&format!("{few} 500 --reverse-from samples"));
    assert_eq!((&alone["reverse_from"], &alone["reverse_sweeps"]), (&"samples".into(), &0.into()));
    for none in ["", "--data tiny.csv --reverse-from none"] {
        assert!(folder.json(&format!("{few} 10 {none}")).get("bracket").is_none());
    }
    let said = folder.fails(2, &format!("{few} 10 --reverse-from data"));
    assert!(said.contains("--data"), "{said}");
}

/// A layer of labels on top is trained, continued, and read.
#[test]
fn a_model_with_labels_reads_classes() {
    let folder = folder("labels");
    folder.ok("train --data bars --hidden 20,10 --labels --lr 0.01 --steps 300 --out m.safetensors");
    let found = folder.json("evaluate --model m.safetensors --data bars --ais-betas 50 --ais-chains 10");
    assert!(number(&found, "classification_error") < 0.1, "{found}");
    assert!(folder.ok("evaluate --model m.safetensors --data bars --ais-betas 50").contains("classes read wrong"));
    folder.ok("train --data bars --resume m.safetensors --steps 301 --out on.safetensors");
    folder.ok("train --data bars --begin-at m.safetensors --labels --hidden 20,12 --steps 3 --out wider.safetensors");
    folder.ok("sample --model m.safetensors --count 8 --sampler gibbs:20 --class 1 --out ones.npy");
    assert!(folder.fails(2, "sample --model m.safetensors --count 8 --class 2 --out o.npy").contains("classes 0 to 1"));
    let complete = "complete --data bars --split train --mask lower-half --count 4 --answers 2 --class-first";
    folder.ok(&format!("{complete} --model m.safetensors --threads 1 --out one.npy"));
    folder.ok(&format!("{complete} --model m.safetensors --threads 2 --out two.npy"));
    assert!(folder.read("one.npy") == folder.read("two.npy"));
    // A model that only gains labels keeps what it has learned.
    folder.ok("train --data bars --hidden 20 --lr 0.01 --steps 20 --out plain.safetensors");
    assert!(folder.fails(2, &format!("{complete} --model plain.safetensors --out o.npy")).contains("--labels"));
    folder.ok("train --data bars --begin-at plain.safetensors --hidden 20 --labels --steps 3 --out labelled.safetensors");
    assert!(
        folder.fails(2, "train --data tiny.csv --hidden 4 --labels --steps 1 --out o").contains("has none; leave --labels out")
    );
}

/// What layers do: the complete model's log p(v) is that of `evaluate`, and a model without its first layer is one of independent units.
#[test]
fn layers_are_looked_at_one_by_one() {
    let folder = folder("layers");
    folder.ok("train --data bars --hidden 12,6 --labels --estimator pcd-gibbs-5 --lr 0.005 --steps 1000 --out m.safetensors");
    let layers = "layers --model m.safetensors --data bars --count 30 --ais-betas 500 --csv l.csv --plot l.svg";
    let found = folder.json(&format!("{layers} --threads 1"));
    let evaluated =
        folder.json("evaluate --model m.safetensors --data bars --count 30 --ais-betas 500 --reverse-from none --threads 2");
    let log_p = number(&found["layers"], "log_p");
    assert!((log_p - number(&evaluated, "log_p_particles")).abs() < 1e-9, "{found}");
    let of: Vec<f64> = found["layers"]["layers"].as_array().unwrap().iter().map(|layer| number(layer, "log_p_without")).collect();
    // Without its first layer it is worst.
    assert!(of.len() == 3 && of[0] < log_p - 1.0 && of[0] < of[1], "{log_p} {of:?}");
    let positive = &found["layers"]["positive"];
    assert_eq!(positive["examples"], 30);
    let errors = |name: &str| -> Vec<f64> {
        let phase = positive["phases"].as_array().unwrap().iter().find(|phase| phase["name"] == name).unwrap();
        phase["errors"].as_array().unwrap().iter().map(|error| error.as_f64().unwrap()).collect()
    };
    // Of the matrix below the topmost.
    let [one, five, long] = ["1 Gibbs sweep", "5 Gibbs sweeps", "second long run"].map(|name| errors(name)[1]);
    assert!(long < five && five < one && one < 1.0, "{positive}");
    let csv = String::from_utf8(folder.read("l.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 12 + 6 + 2);
    assert!(String::from_utf8(folder.read("l.svg")).unwrap().contains("layer 3"));
    assert_eq!(folder.json(&format!("{layers} --threads 2"))["layers"], found["layers"], "on more threads");
    assert_eq!(String::from_utf8(folder.read("l.csv")).unwrap(), csv, "on more threads");
    let text = folder.ok(&format!("{layers} --threads 2"));
    assert!(text.contains("bits on the class") && text.contains("second long run"), "{text}");
}
