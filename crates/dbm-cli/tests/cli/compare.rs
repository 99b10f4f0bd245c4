//! `dbm compare`: the curves it writes, and what they must agree with.

use crate::folder::{Folder, Row, cell, number, table};

const TOY: &str = "--data bars --hidden 4,3 --batch 10 --steps 12 --pretrain 2";
const LIST: &str = "ucd-lmi,ucd-gibbs,lmi,centered-cd-2,pcd-1,pretrained-pcd-1";

fn likelihood(rows: &[Row], estimator: &str, seed: &str, step: &str) -> f64 {
    let wanted = |row: &&Row| [&row["estimator"], &row["seed"], &row["step"]] == [estimator, seed, step];
    cell(rows.iter().find(wanted).unwrap_or_else(|| panic!("no row of {estimator}, {seed}, {step}")), "log_likelihood")
}

#[test]
fn curves_have_the_rows_they_should_for_any_number_of_threads() {
    let folder = Folder::new("curves");
    let line = format!("compare {TOY} --estimators {LIST} --seeds 2 --seed 7 --every 5");
    let said = folder.ok(&format!("{line} --threads 1 --out one.csv --plot one.svg"));
    let lines = folder.events(&format!("{line} --threads 3 --out three.csv"));
    assert!(
        folder.text("one.csv").starts_with("estimator,seed,step,log_likelihood,seconds,couplings_capped,mean_meeting_time\n")
    );
    let [mut one, mut three] = ["one.csv", "three.csv"].map(|name| table(&folder.read(name)));
    let expected: Vec<[String; 3]> = LIST
        .split(',')
        .flat_map(|name| ["7", "8"].map(|seed| (name, seed)))
        .flat_map(|(name, seed)| ["0", "5", "10", "12"].map(|step| [name, seed, step].map(str::to_string)))
        .collect();
    let of = |row: &Row| ["estimator", "seed", "step"].map(|name| row[name].clone());
    assert_eq!(one.iter().map(of).collect::<Vec<_>>(), expected);

    for seed in ["7", "8"] {
        // The same start for all except the pretrained ones, and then each differs.
        let start = |name| likelihood(&one, name, seed, "0");
        for name in ["ucd-gibbs", "lmi", "centered-cd-2", "pcd-1"] {
            assert_eq!(start(name), start("ucd-lmi"));
            assert_ne!(likelihood(&one, name, seed, "12"), likelihood(&one, "ucd-lmi", seed, "12"));
        }
        assert_ne!(start("pretrained-pcd-1"), start("pcd-1"));
    }
    // No model has a higher likelihood than the data themselves; couplings are reported if there are any.
    for row in &one {
        assert!(cell(row, "log_likelihood") <= -(30_f64.ln()), "{row:?}");
        let none = !row["estimator"].starts_with("ucd") || row["step"] == "0";
        assert_eq!(["couplings_capped", "mean_meeting_time"].map(|name| row[name].is_empty()), [none; 2], "{row:?}");
    }
    one.iter_mut().chain(&mut three).for_each(|row| drop(row.remove("seconds")));
    assert_eq!(one, three);

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
    let curves = table(&folder.read("c.csv"));
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
    let capped = cell(&table(&folder.read("c.csv"))[1], "couplings_capped");
    assert!(capped > 0.0 && capped < 1.0, "{capped}");

    let wild =
        "compare --data bars --hidden 8 --optimizer sgd --lr 10 --momentum 0.99 --estimators ucd-mh,cd-1 --seeds 2 --batch 10";
    let lines = folder.events(&format!("{wild} --steps 1500 --every 10 --max-meeting 100000 --out d.csv --plot d.svg"));
    let curves = table(&folder.read("d.csv"));
    let mut diverged = 0;
    for line in &lines {
        if let Some(at) = line["diverged_at"].as_u64() {
            diverged += 1;
            // The curve ends at the last point before it.
            let seed = line["seed"].to_string();
            let its = |row: &&Row| row["estimator"] == line["estimator"] && row["seed"] == seed;
            let last: u64 = curves.iter().rfind(its).unwrap()["step"].parse().unwrap();
            assert!(last <= at && at < last + 10 && line["step"].as_u64() == Some(last), "{line}: {last}");
        }
    }
    assert!(diverged > 0, "{lines:?}");
    assert!(folder.ok(&format!("{wild} --steps 1500 --max-meeting 100000 --out d.csv")).contains("diverged after"));
}
