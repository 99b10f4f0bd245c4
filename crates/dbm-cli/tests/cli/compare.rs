//! `dbm compare`: the curves it writes, and what they must agree with.

use crate::folder::{Folder, number};

const TOY: &str = "--data bars --hidden 4,3 --batch 10 --steps 12 --pretrain 2";
const LIST: &str = "ucd-lmi,ucd-gibbs,lmi,centered-cd-2,pcd-1,pretrained-pcd-1";

/// The rows below the header, field by field.
fn rows(folder: &Folder, name: &str) -> Vec<Vec<String>> {
    let text = folder.text(name);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("estimator,seed,step,log_likelihood,seconds,couplings_capped,mean_meeting_time"), "{text}");
    lines.map(|line| line.split(',').map(str::to_string).collect()).collect()
}

fn likelihood(rows: &[Vec<String>], estimator: &str, seed: &str, step: &str) -> f64 {
    let row = rows.iter().find(|row| row[..3] == [estimator, seed, step]);
    row.unwrap_or_else(|| panic!("no row of {estimator}, {seed}, {step}"))[3].parse().unwrap()
}

#[test]
fn curves_have_the_rows_they_should_for_any_number_of_threads() {
    let folder = Folder::new("curves");
    let line = format!("compare {TOY} --estimators {LIST} --seeds 2 --seed 7 --every 5");
    let said = folder.ok(&format!("{line} --threads 1 --out one.csv --plot one.svg"));
    let lines = folder.events(&format!("{line} --threads 3 --out three.csv"));
    let (one, three) = (rows(&folder, "one.csv"), rows(&folder, "three.csv"));
    let expected: Vec<[String; 3]> = LIST
        .split(',')
        .flat_map(|name| ["7", "8"].map(|seed| (name, seed)))
        .flat_map(|(name, seed)| ["0", "5", "10", "12"].map(|step| [name, seed, step].map(str::to_string)))
        .collect();
    assert_eq!(one.iter().map(|row| &row[..3]).collect::<Vec<_>>(), expected.iter().map(|row| &row[..]).collect::<Vec<_>>());
    let but_for_seconds =
        |rows: Vec<Vec<String>>| -> Vec<Vec<String>> { rows.into_iter().map(|row| [&row[..4], &row[5..]].concat()).collect() };

    for seed in ["7", "8"] {
        // The same start for all but the pretrained, and then each its own way.
        let start = |name| likelihood(&one, name, seed, "0");
        for name in ["ucd-gibbs", "lmi", "centered-cd-2", "pcd-1"] {
            assert_eq!(start(name), start("ucd-lmi"));
            assert_ne!(likelihood(&one, name, seed, "12"), likelihood(&one, "ucd-lmi", seed, "12"));
        }
        assert_ne!(start("pretrained-pcd-1"), start("pcd-1"));
    }
    // No model is likelier than the data themselves; couplings are reported where there are some.
    for row in &one {
        assert!(row[3].parse::<f64>().unwrap() <= -(30_f64.ln()), "{row:?}");
        assert_eq!(row[6].is_empty(), !row[0].starts_with("ucd") || row[2] == "0", "{row:?}");
        assert_eq!(row[5].is_empty(), row[6].is_empty(), "{row:?}");
    }
    assert_eq!(but_for_seconds(one), but_for_seconds(three));

    let svg = folder.text("one.svg");
    assert!(svg.starts_with("<svg") && svg.contains("16-4-3, 2 seeds") && svg.contains("pretrained-pcd-1"));
    assert!(said.contains("-3.401 is the most"), "{said}");
    assert_eq!(lines.len(), 13);
    assert!(lines[..12].iter().all(|line| line["event"] == "run" && line["step"] == 12 && line["diverged_at"].is_null()));
    assert_eq!((lines[12]["event"].as_str(), lines[12]["pretraining_steps"].as_u64()), (Some("done"), Some(4)));
}

#[test]
fn a_run_is_the_run_that_train_would_make() {
    let folder = Folder::new("as-train");
    folder.ok(&format!("compare {TOY} --estimators centered-ucd-lmi,pretrained-pcd-1 --seeds 2 --out c.csv"));
    let curves = rows(&folder, "c.csv");
    for (estimator, train) in [
        ("centered-ucd-lmi", "--estimator centered-ucd-lmi --steps 12"),
        // Of its 12 steps, 2 for each of two weight matrices are pretraining.
        ("pretrained-pcd-1", "--estimator pcd-1 --pretrain 2 --pretrain-lr 0.2 --steps 8"),
    ] {
        folder.ok(&format!(
            "train --data bars --hidden 4,3 --batch 10 --seed 2 --max-meeting 1000 --backend plain {train} --out m.safetensors"
        ));
        let said = folder.json("evaluate --model m.safetensors --data bars --ais-betas 10 --ais-chains 2");
        let (exact, here) = (number(&said, "exact_log_p"), likelihood(&curves, estimator, "2", "12"));
        assert!((exact - here).abs() < 1e-6, "{estimator}: {here}, but {exact} from train and evaluate");
    }
}

#[test]
fn what_is_cut_and_what_diverges_is_said() {
    let folder = Folder::new("cut");
    let said =
        folder.ok(&format!("compare {TOY} --estimators ucd-gibbs,pcd-1 --max-meeting 2 --mean-field-sweeps 1 --out c.csv"));
    assert!(said.contains("couplings (") && said.contains("mean-field iterations"), "{said}");
    let capped: f64 = rows(&folder, "c.csv")[1][5].parse().unwrap();
    assert!(capped > 0.0 && capped < 1.0, "{capped}");

    let wild =
        "compare --data bars --hidden 8 --optimizer sgd --lr 10 --momentum 0.99 --estimators ucd-mh,cd-1 --seeds 2 --batch 10";
    let lines = folder.events(&format!("{wild} --steps 1500 --every 10 --max-meeting 100000 --out d.csv --plot d.svg"));
    let curves = rows(&folder, "d.csv");
    let mut diverged = 0;
    for line in &lines {
        if let Some(at) = line["diverged_at"].as_u64() {
            diverged += 1;
            // The curve ends at its last point before.
            let seed = line["seed"].to_string();
            let its = |row: &&Vec<String>| row[0] == line["estimator"] && row[1] == seed;
            let last: u64 = curves.iter().rfind(its).unwrap()[2].parse().unwrap();
            assert!(last <= at && at < last + 10 && line["step"].as_u64() == Some(last), "{line}: {last}");
        }
    }
    assert!(diverged > 0, "{lines:?}");
    assert!(folder.ok(&format!("{wild} --steps 1500 --max-meeting 100000 --out d.csv")).contains("diverged after"));
}
