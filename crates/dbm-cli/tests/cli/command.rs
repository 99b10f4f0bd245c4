//! `dbm train`, `dbm sample` and `dbm complete`: resumed runs, samples and completions.

use crate::folder::{Folder, number};
use dbm_data::{Backends, Checkpoint, Precision};
use serde_json::json;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

const TRAIN: &str = "train --data bars --hidden 20,8 --batch 70 --seed 1 --average 0.9 --conditional 0.5";

#[test]
fn resuming_and_the_number_of_threads_change_no_bit() {
    let folder = Folder::new("resume");
    for (estimator, besides) in [
        ("ucd-lmi", "--average 0.9 --conditional 0.5"),
        ("pcd-1", "--mean-field-sweeps 7"),
        ("pcd-gibbs-2", ""),
        ("centered-pcd-1", "--optimizer sgd --momentum 0.5"),
        ("centered-ucd-lmi", ""),
        ("ucd-gibbs", "--max-tries 50 --max-meeting 40"),
    ] {
        let begin = format!("train --data bars --hidden 20,8 --batch 70 --seed 1 --estimator {estimator} {besides}");
        folder.ok(&format!("{begin} --steps 12 --threads 1 --out whole.safetensors"));
        folder.ok(&format!("{begin} --steps 12 --threads 3 --out threads.safetensors"));
        folder.ok(&format!("{begin} --steps 6 --threads 3 --out half.safetensors"));
        folder.ok("train --data bars --steps 12 --resume half.safetensors --out resumed.safetensors");
        // The same command again, with its initial settings spelled out, works as well.
        folder.ok(&format!("{begin} --steps 12 --resume half.safetensors --out spelled.safetensors"));
        let whole = folder.read("whole.safetensors");
        for other in ["threads", "resumed", "spelled"] {
            assert!(whole == folder.read(&format!("{other}.safetensors")), "{estimator}: {other}");
        }
        let line = "train --data bars --steps 12 --estimator cd-3 --resume half.safetensors --out other.safetensors";
        assert!(folder.fails(2, line).contains("\"cd\""), "{estimator}");
    }
    assert!(!folder.0.join("other.safetensors").exists());
}

#[test]
fn a_run_that_is_killed_is_continued_from_where_it_was_kept() {
    let folder = Folder::new("killed");
    let begin = "train --data bars --hidden 20,8 --batch 70 --seed 1";
    let mut command = folder.command(&format!("{begin} --steps 100000000 --keep-every 0 --out killed.safetensors"));
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !folder.0.join("killed.safetensors").exists() {
        assert!(run.try_wait().unwrap().is_none(), "it ended");
        sleep(Duration::from_millis(5));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let kept = Checkpoint::read("killed", &folder.read("killed.safetensors")).unwrap().step;
    assert!(kept > 0);
    folder.ok(&format!("train --data bars --resume killed.safetensors --steps {} --out resumed.safetensors", kept + 3));
    folder.ok(&format!("{begin} --steps {} --out whole.safetensors", kept + 3));
    assert!(folder.read("resumed.safetensors") == folder.read("whole.safetensors"));
}

#[test]
fn a_run_says_which_backends_computed_it() {
    let folder = Folder::new("backends");
    let notes = |name: &str| Checkpoint::read(name, &folder.read(name)).unwrap().notes;
    let computed = |name: &str| Backends::from_notes(name, &notes(name)).unwrap().to_string();
    folder.ok("train --data bars --hidden 8,4 --batch 10 --steps 3 --out fast.safetensors");
    assert_eq!(computed("fast.safetensors"), "fast");
    let on = "train --data bars --resume fast.safetensors --backend plain --out plain.safetensors --steps";
    let output = folder.command(&format!("{on} 5")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("backend plain continues a run that fast computed until step 3"), "{said}");
    assert_eq!(computed("plain.safetensors"), "fast until step 3, then plain");
    // No further step: nothing was computed.
    assert_eq!(folder.json(&format!("{on} 3"))["backends"], json!([[0, "fast"]]));
    // A file from before the note existed, and one with an invalid note.
    let mut checkpoint = Checkpoint::read("fast", &folder.read("fast.safetensors")).unwrap();
    checkpoint.notes.remove(Backends::NOTE);
    folder.write("older.safetensors", checkpoint.to_bytes(Precision::Full).unwrap());
    folder.ok("train --data bars --resume older.safetensors --steps 4 --out on.safetensors");
    assert_eq!(computed("on.safetensors"), "not known until step 3, then fast");
    checkpoint.notes.insert(Backends::NOTE.into(), "fast".into());
    folder.write("broken.safetensors", checkpoint.to_bytes(Precision::Full).unwrap());
    let said = folder.fails(3, "train --data bars --resume broken.safetensors --steps 4 --out on.safetensors");
    assert!(said.contains("broken.safetensors: metadata entry `backends`"), "{said}");
}

/// If there is a GPU, or a driver that computes on the processor.
#[test]
fn a_run_goes_from_the_gpu_to_the_processor_and_back() {
    let folder = Folder::new("gpu");
    let begin = "train --data bars --hidden 12,6 --batch 20 --backend gpu";
    let output = folder.command(&format!("{begin} --steps 10 --out ten.safetensors")).output().unwrap();
    if output.status.code() == Some(6) {
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("no GPU was found"), "{said}");
        return println!("skipped: {said}");
    }
    folder.ok("train --data bars --resume ten.safetensors --steps 12 --backend plain --out plain.safetensors");
    let checkpoint = Checkpoint::read("plain.safetensors", &folder.read("plain.safetensors")).unwrap();
    let backends = Backends::from_notes("plain.safetensors", &checkpoint.notes).unwrap().to_string();
    assert!(backends.starts_with("gpu: ") && backends.ends_with(" until step 10, then plain"), "{backends}");
    // On one device, an interrupted run has the same bits.
    folder.ok(&format!("{begin} --steps 12 --out whole.safetensors"));
    folder.ok(&format!("{begin} --steps 12 --resume ten.safetensors --out resumed.safetensors"));
    assert!(folder.read("whole.safetensors") == folder.read("resumed.safetensors"));
    // Metrics are those of the processor's runs, as far as the device has them.
    let steps = folder.events(&format!("{begin} --steps 20 --out twenty.safetensors"));
    assert!(number(&steps[0], "negative.mean_sweeps") >= 1.0 && number(&steps[0], "pseudo_log_likelihood") < 0.0, "{steps:?}");
    assert!(folder.fails(6, &format!("{begin} --average 0.9 --steps 1 --out o")).contains("averaged weights"));
}

#[test]
fn a_run_begins_where_another_stands_with_settings_of_its_own() {
    let folder = Folder::new("begin-at");
    folder.ok("train --data bars --hidden 10,5 --batch 20 --estimator ptt-1 --lr 0.02 --steps 30 --out ptt.safetensors");
    let next = "train --data bars --batch 30 --begin-at ptt.safetensors --steps 4";
    for estimator in ["ptt-2", "pcd-gibbs-1", "ucd-smc", "cd-1"] {
        let line = format!("{next} --estimator {estimator} --conditional 0 --backend plain --particles 20 --smc-steps 5");
        folder.ok(&format!("{line} --threads 1 --out one.safetensors"));
        folder.ok(&format!("{line} --threads 2 --out two.safetensors"));
        assert!(folder.read("one.safetensors") == folder.read("two.safetensors"), "{estimator}");
    }
    let begun = folder.ok("train --data bars --begin-at ptt.safetensors --estimator cd-1 --steps 0 --out start.safetensors");
    assert!(begun.contains("at step 0"), "{begun}");
    assert!(folder.fails(2, &format!("{next} --hidden 10,4 --out o")).contains("[16, 10, 5]"));
    assert!(folder.fails(2, &format!("{next} --resume ptt.safetensors --out o")).contains("--resume"));
    folder.fails(2, "train --data digits --digits 20 --begin-at ptt.safetensors --steps 1 --out o");
    folder.ok(&format!("{next} --hidden 12,5,4 --estimator ptt-1 --gain 0.3 --out deeper.safetensors"));
    folder.fails(2, &format!("{next} --hidden 2 --out o"));
}

#[test]
fn a_step_shows_what_its_estimator_has() {
    let folder = Folder::new("shows");
    let train = |estimator: &str, besides: &str| {
        let line = format!(
            "train --data bars --hidden 12,6 --batch 30 --steps 20 --estimator {estimator} {besides} --out m.safetensors"
        );
        (folder.ok(&line), folder.events(&line).swap_remove(0))
    };
    let (words, step) = train("pcd-1", "--mean-field-sweeps 1");
    assert!(words.contains("mean field 1.0 sweeps") && words.contains("30 mean-field iterations cut at the cap"), "{words}");
    assert!(!words.contains("tau") && !words.contains("T -"), "{words}");
    assert_eq!((step["event"].as_str(), number(&step, "positive.mean_field_capped")), (Some("step"), 30.0));
    assert_eq!(number(&step, "positive.mean_field_sweeps"), 1.0);
    assert!(step["negative"]["mean_meeting_time"].is_null() && step["negative"]["mean_energy"].is_f64());

    let (words, step) = train("ucd-gibbs", "--max-meeting 2 --max-tries 1");
    assert!(words.contains("tau") && words.contains("couplings cut at the cap") && words.contains("rejections cut"), "{words}");
    assert!(number(&step, "negative.couplings_capped") > 0.0 && number(&step, "negative.tries_capped") > 0.0);

    let (words, step) = train("lmi", "--max-sweeps 1");
    assert!(words.contains("T 1.0 / 1.0") && words.contains("searches cut at the cap"), "{words}");
    assert!(number(&step, "positive.searches_capped") > 0.0 && step["positive"]["acceptance"].is_null());
    assert!(train("cd-2", "").0.starts_with("energy "));
}

#[test]
fn pretraining_is_a_start_and_says_how_it_goes() {
    let folder = Folder::new("pretrain");
    let begin = "train --data bars --hidden 10,5 --batch 40 --seed 3 --pretrain 30";
    let lines = folder.events(&format!("{begin} --steps 0 --threads 1 --out start.safetensors"));
    let steps = |line| (number(line, "step"), number(line, "weight_matrix"));
    let pretraining = lines.iter().filter(|line| line["event"] == "pretrain");
    assert_eq!(pretraining.map(steps).collect::<Vec<_>>(), [(20.0, 0.0), (40.0, 1.0), (60.0, 1.0)]);
    let error = number(&lines[0], "reconstruction_error");
    assert!(error > 0.0 && error < 1.0);
    assert_eq!((lines[3]["event"].as_str(), lines[3]["step"].as_u64()), (Some("done"), Some(0)));
    assert!(folder.ok(&format!("{begin} --steps 8 --threads 3 --out whole.safetensors")).contains("60 steps of pretraining"));
    folder.ok("train --data bars --steps 8 --resume start.safetensors --out resumed.safetensors");
    assert!(folder.read("whole.safetensors") == folder.read("resumed.safetensors"));
    folder.ok("train --data bars --hidden 10,5 --batch 40 --seed 3 --steps 8 --out other.safetensors");
    assert!(folder.read("whole.safetensors") != folder.read("other.safetensors"));
}

#[test]
fn samples_completions_and_exports_have_the_promised_shapes() {
    let folder = Folder::new("shapes");
    folder.ok(&format!("{TRAIN} --steps 30 --out m.safetensors"));
    folder.ok("sample --model m.safetensors --count 50 --seed 3 --out s.npy");
    assert!(folder.npy_header("s.npy").contains("'shape': (50, 16)"));
    folder.ok("sample --model m.safetensors --count 9 --seed 3 --out s.png");
    assert!(folder.read("s.png").starts_with(b"\x89PNG"));
    folder.ok("complete --model m.safetensors --data bars --count 6 --mask lower-half --answers 5 --out c.npy");
    assert!(folder.npy_header("c.npy").contains("'shape': (6, 5, 16)"));
    for mask in ["upper-half", "left-half", "right-half", "box", "random:0.5"] {
        folder.ok(&format!("complete --model m.safetensors --data bars --count 4 --mask {mask} --method search --out c.png"));
    }
    // Known units are never changed: with nothing unknown, the answers are the examples.
    folder.ok("complete --model m.safetensors --data bars --count 6 --mask random:0 --answers 1 --out known.npy");
    let done = folder.json("complete --model m.safetensors --data bars --count 6 --mask s.npy --answers 2 --out c2.npy");
    assert_eq!(done["event"], "done");
    folder.ok("export --model m.safetensors --half --out small.safetensors");
    // The header, with all settings in words, has the same size in both.
    assert!(folder.read("small.safetensors").len() < folder.read("m.safetensors").len() / 4);
    folder.ok("sample --model small.safetensors --count 5 --out s5.npy");
}

#[test]
fn the_random_target_is_data_even_beside_a_folder_of_its_name() {
    let folder = Folder::new("target");
    std::fs::create_dir(folder.0.join("target")).unwrap();
    folder.ok("train --data target --hidden 6,3 --steps 3 --batch 20 --out m.safetensors");
    for split in ["train", "test"] {
        let line =
            format!("complete --model m.safetensors --data target --split {split} --mask random:0 --answers 1 --count 1000");
        folder.ok(&format!("{line} --out {split}.npy"));
        assert!(folder.npy_header(&format!("{split}.npy")).contains("'shape': (1000, 1, 12)"));
    }
    // With nothing unknown the answers are the examples: other ones to test on.
    assert_ne!(folder.read("train.npy"), folder.read("test.npy"));
    assert!(folder.fails(3, "train --data ./target --steps 1 --out o").contains("train-images"));
}

#[test]
fn the_same_seed_gives_the_same_samples_and_another_others() {
    let folder = Folder::new("seeds");
    folder.ok(&format!("{TRAIN} --steps 5 --out m.safetensors"));
    for (seed, threads, out) in [(1, 1, "a"), (1, 3, "b"), (2, 1, "c")] {
        folder.ok(&format!("sample --model m.safetensors --count 100 --seed {seed} --threads {threads} --out {out}.npy"));
    }
    assert_eq!(folder.read("a.npy"), folder.read("b.npy"));
    assert_ne!(folder.read("a.npy"), folder.read("c.npy"));
    // A longer series begins with the shorter one.
    folder.ok("sample --model m.safetensors --count 40 --seed 1 --out short.npy");
    assert_eq!(folder.read("short.npy")[128..], folder.read("a.npy")[128..128 + 40 * 16]);
}
