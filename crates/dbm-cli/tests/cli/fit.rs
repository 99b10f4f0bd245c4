//! `dbm fit`, and `dbm impute` with the model it finds.

use crate::folder::{Folder, number};
use crate::impute::PETS;

/// Forty rows of four columns, of which the last three copy the first but for a few cells; some cells are missing, unless `whole`.
fn copies(whole: bool) -> String {
    let mut text = "a,b,c,d\n".to_string();
    for row in 0..40_u32 {
        let bit = row % 2;
        let cell = |column: u32| match (row * 7 + column * 5) % 11 {
            0 if !whole => String::new(),
            1 => (1 - bit).to_string(),
            _ => bit.to_string(),
        };
        text.extend([(0..4).map(cell).collect::<Vec<_>>().join(","), "\n".into()]);
    }
    text
}

#[test]
fn the_same_steps_give_the_same_bits_and_the_model_fills_the_table() {
    let folder = Folder::new("fit");
    folder.write("gaps.csv", copies(false));
    folder.write("whole.csv", copies(true));
    let fit = "fit --data gaps.csv --steps 320 --seed 3";
    let done = folder.json(&format!("{fit} --threads 1 --out one.safetensors"));
    folder.ok(&format!("{fit} --threads 3 --out three.safetensors"));
    assert!(folder.read("one.safetensors") == folder.read("three.safetensors"));
    let best = number(&done, "chosen.score.log_loss");
    let looks = done["chosen"]["tried"].as_array().unwrap().iter().flat_map(|tried| tried["looks"].as_array().unwrap());
    let losses: Vec<f64> = looks.map(|look| number(look, "score.log_loss")).collect();
    assert!(losses.len() > 24 && losses.iter().all(|&loss| loss >= best), "{losses:?}");
    assert!(number(&done, "chosen.score.log_loss_error") > 0.0 && number(&done, "chosen.steps") > 0.0);

    let filled = folder.events("impute --data gaps.csv --model one.safetensors --out f.csv --no-evaluate --truth whole.csv");
    let truth = filled.iter().find(|event| event["event"] == "truth").unwrap();
    let done = filled.iter().find(|event| event["event"] == "done").unwrap();
    assert_eq!(number(truth, "cells"), number(done, "filled"));
    assert!(number(truth, "accuracy") > 0.7 && number(truth, "calibration.error") < 0.5, "{truth}");
    // A run like any other.
    folder.ok("train --data gaps.csv --resume one.safetensors --steps 1000 --out on.safetensors");
}

#[test]
fn a_timing_sets_the_steps_and_says_them() {
    let folder = Folder::new("fit-minutes");
    folder.write("gaps.csv", copies(false));
    let events = folder.events("fit --data gaps.csv --minutes 0.0001 --out m.safetensors");
    let (timed, done) = (&events[0], events.last().unwrap());
    assert_eq!((timed["event"].as_str(), &timed["steps"]), (Some("timed"), &done["steps"]));
    folder.ok(&format!("fit --data gaps.csv --steps {} --out again.safetensors", done["steps"]));
    assert!(folder.read("m.safetensors") == folder.read("again.safetensors"));
    let said = folder.ok("fit --data gaps.csv --valid gaps.csv --steps 160 --out v.safetensors");
    assert!(said.contains("Best of 12 recipes: --hidden") && said.contains("held-out cells"), "{said}");
}

#[test]
fn impute_searches_once_and_on_cells_that_its_check_does_not_use() {
    let folder = Folder::new("fit-impute");
    folder.write("pets.csv", PETS);
    let said = folder.ok("impute --data pets.csv --out f.csv --evaluate 0.3");
    for part in [
        "Best of 12 recipes",
        "without the cells hidden for the check",
        "points on average",
        "Trained by the best recipe on all known",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let events = folder.events("impute --data pets.csv --out g.csv --evaluate 0.3 --threads 1");
    assert!(folder.read("f.csv") == folder.read("g.csv"));
    let of = |name: &str| events.iter().filter(|event| event["event"] == name).collect::<Vec<_>>();
    assert_eq!((of("fit").len(), of("evaluation").len()), (1, 1));
    assert_eq!(of("evaluation")[0]["model_may_have_seen_them"], false);
    let bins = of("evaluation")[0]["calibration"]["bins"].as_array().unwrap();
    let cells: f64 = bins.iter().map(|bin| number(bin, "cells")).sum();
    assert_eq!(cells, number(of("evaluation")[0], "cells"));
    // Any option of training asks for that training.
    let events = folder.events("impute --data pets.csv --out h.csv --no-evaluate --hidden 5");
    assert!(events.iter().all(|event| event["event"] != "fit"));
}
