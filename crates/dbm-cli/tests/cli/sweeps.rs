//! `dbm score --sweeps` at toy size: quality against sweeps.

use crate::folder::{Folder, number, table};

#[test]
fn chains_of_a_model_of_digits_go_on_and_are_scored_on_the_way() {
    let folder = Folder::new("sweeps");
    folder.ok("train --data digits --digits 60 --hidden 12,6 --batch 30 --steps 3 --seed 1 --out m.safetensors");
    let line = "score --model m.safetensors --data digits --digits 60 --samples 50 --seed 3";
    let found = folder.json(&format!("{line} --sweeps 0,2,7 --csv s.csv --plot s.svg --threads 1"));
    let model = &found["models"][0];
    let starts = model["starts"].as_array().unwrap();
    assert_eq!((&model["name"], starts.len()), (&"m".into(), 3));
    for (run, start) in starts.iter().zip(["noise", "mode", "data"]) {
        assert_eq!(run["start"], start);
        let looks = run["looks"].as_array().unwrap();
        assert_eq!(looks.iter().map(|look| number(look, "sweeps")).collect::<Vec<_>>(), [0.0, 2.0, 7.0]);
        for look in looks {
            for name in ["confidence", "distinct", "crossed", "crossed_since_start"] {
                assert!((0.0..=1.0).contains(&number(look, &format!("digits.{name}"))), "{name}: {look}");
            }
            let shares = look["digits"]["shares"].as_array().unwrap();
            assert!((shares.iter().map(|share| share.as_f64().unwrap()).sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(number(look, "energy_error") > 0.0 && number(look, "digits.digit_frechet_distance") > 0.0);
        }
        let distances = looks.iter().map(|look| number(look, "digits.digit_frechet_distance"));
        assert_eq!(number(run, "verdict.best"), distances.fold(f64::INFINITY, f64::min));
    }
    // The samples of `gibbs:K` and `mode+gibbs:K`, observed along the way.
    for (start, sampler) in [(0, "gibbs:7"), (1, "mode+gibbs:7")] {
        let samples = &folder.json(&format!("{line} --sampler {sampler}"))["samples"];
        let look = &starts[start]["looks"][2]["digits"];
        for name in ["digit_frechet_distance", "shares", "confidence", "distinct"] {
            assert_eq!(look[name], samples[name], "{sampler}: {name}");
        }
    }
    // The same with other threads, and with fewer looks along the way.
    let mut again = folder.json(&format!("{line} --sweeps 0,2,7 --threads 3"));
    again["seconds"] = found["seconds"].clone();
    assert_eq!(again, found);
    let straight = folder.json(&format!("{line} --sweeps 7 --starts data"));
    let (last, straight) = (&starts[2]["looks"][2], &straight["models"][0]["starts"][0]["looks"][0]);
    assert_eq!((&last["energy"], &last["digits"]["shares"]), (&straight["energy"], &straight["digits"]["shares"]));
    assert_eq!(last["digits"]["crossed_since_start"], straight["digits"]["crossed"]);

    let rows = table(&folder.read("s.csv"));
    assert_eq!((rows.len(), rows[8]["start"].as_str(), rows[8]["sweeps"].as_str()), (9, "data", "7"));
    assert_eq!(rows[8]["digit_frechet_distance"], last["digits"]["digit_frechet_distance"].to_string());
    let picture = folder.text("s.svg");
    assert!(picture.contains("Gibbs sweeps") && picture.contains("as many real digits") && picture.contains("from modes"));
    let said = folder.ok(&format!("{line} --sweeps 1,2 --look bits"));
    for part in ["as many training digits", "from data", "read as 0, 1", "within 20 % of it", "5 to 15 %"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // Several models on the same axes, distinguished by their names.
    std::fs::create_dir(folder.0.join("other")).unwrap();
    folder.write("other/m.safetensors", folder.read("m.safetensors"));
    folder.ok(&format!("{line} --model other/m.safetensors --sweeps 1,2 --plot both.svg"));
    let both = folder.text("both.svg");
    assert!(both.contains(">other&#x2f;m.safetensors<") && both.contains(">from data<"), "{both}");
}

#[test]
fn a_model_that_can_be_enumerated_is_held_against_its_exact_distribution() {
    let folder = Folder::new("sweeps-exact");
    folder.ok("train --data bars --hidden 10,6 --steps 400 --seed 1 --out m.safetensors");
    let line = "score --model m.safetensors --data bars --samples 1000 --sweeps 1,200";
    let model = &folder.json(line)["models"][0];
    let energy = number(model, "exact_energy");
    assert!(model.get("floor").is_none());
    for run in model["starts"].as_array().unwrap() {
        assert!(run.get("verdict").is_none());
        let look = &run["looks"][1];
        // 4 standard errors; slightly more for the farthest of 16 units.
        assert!((number(look, "energy") - energy).abs() < 4.0 * number(look, "energy_error"), "{energy}: {run}");
        assert!(number(look, "exact.deviation").abs() < 4.5 * number(look, "exact.error"), "{run}");
    }
    let first = &model["starts"][0]["looks"][0];
    assert!((number(first, "energy") - energy).abs() > 8.0 * number(first, "energy_error"), "from noise: {first}");
    let said = folder.ok(&format!("{line} --plot s.svg"));
    assert!(said.contains("exactly") && said.contains("farthest from exact") && !said.contains("read as"), "{said}");
    assert!(folder.text("s.svg").contains("the model&#x27;s own mean"));
}
