//! `dbm gradients` at toy size: estimators at fixed parameters.

use crate::folder::{Folder, number, table};

#[test]
fn means_of_unbiased_estimators_are_those_of_the_long_run_and_cd_1_is_off() {
    let folder = Folder::new("gradients");
    folder.ok("train --data bars --hidden 6 --estimator ptt-2 --ladder-every 5 --optimizer sgd --lr 0.05 --steps 400 --seed 1 --out m.safetensors");
    let line = "gradients --model m.safetensors --data bars --reference-sweeps 400 --particles 8 --smc-steps 6";
    let run = |more: &str| {
        let mut found = folder.json(&format!("{line} {more}"));
        found["seconds"].take();
        for row in found["gradients"]["rows"].as_array_mut().unwrap() {
            assert!(number(row, "seconds") > 0.0 && number(row, "variance_times_seconds") > 0.0, "{row}");
            for name in ["seconds", "variance_times_seconds"] {
                row[name].take();
            }
        }
        found
    };
    let found = run("--estimators ucd-smc,ptt-2,cd-1 --repeats 100 --csv g.csv");
    let few = "--estimators ucd-smc,ptt-2,cd-1 --repeats 10 --threads";
    assert_eq!(run(&format!("{few} 3")), run(&format!("{few} 1")));
    let gradients = &found["gradients"];
    assert_eq!(gradients["examples"], 30);
    assert!(number(gradients, "reference.difference") < 0.6, "{gradients}");
    let rows = gradients["rows"].as_array().unwrap();
    for row in &rows[..2] {
        assert!(number(row, "comparison.difference") < 0.3 && number(row, "comparison.angle_at_most") < 40.0, "{row}");
    }
    assert!(number(&rows[2], "comparison.difference") > 0.6, "{}", rows[2]);
    let times = rows[0]["meeting_times"].as_object().unwrap();
    assert_eq!(times.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 100);
    assert!(number(&rows[0], "above_one") > 0.5 && rows[2]["above_one"].is_null());
    // Along its past, which the model's file contains.
    let past = &run("--estimators ucd-smc --repeats 100 --path past")["gradients"]["rows"][0];
    assert!(number(past, "comparison.difference") < 0.3 && past["meeting_times"] != rows[0]["meeting_times"], "{past}");

    let written = table(&folder.read("g.csv"));
    assert_eq!((written.len(), written[1]["estimator"].as_str()), (3, "ptt-2"));
    let said = folder.ok(&format!("{line} --estimators ucd-smc,cd-1 --repeats 10"));
    for part in ["exact mean over 30 examples", "degrees", "tau of ucd-smc, how often: 1 ("] {
        assert!(said.contains(part), "{part}: {said}");
    }
}
