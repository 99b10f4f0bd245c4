//! The command as a user types it: what it writes, what it says, and how it exits.

mod support;

use std::path::Path;
use support::Folder;

const TRAIN: &str = "train --data bars --hidden 20,8 --batch 70 --seed 1 --average 0.9 --conditional 0.5";

#[test]
fn resuming_and_the_number_of_threads_change_no_bit() {
    let folder = Folder::new("resume");
    folder.ok(&format!("{TRAIN} --steps 20 --threads 1 --out whole.safetensors"));
    folder.ok(&format!("{TRAIN} --steps 20 --threads 3 --out threads.safetensors"));
    folder.ok(&format!("{TRAIN} --steps 10 --out half.safetensors"));
    folder.ok("train --data bars --steps 20 --resume half.safetensors --out resumed.safetensors");
    // The same command again, with what it was begun with spelled out, is as good.
    folder.ok(&format!("{TRAIN} --steps 20 --resume half.safetensors --out spelled.safetensors"));
    let whole = folder.read("whole.safetensors");
    for other in ["threads", "resumed", "spelled"] {
        assert!(whole == folder.read(&format!("{other}.safetensors")), "{other}");
    }
    for (change, said) in
        [("--lr 0.5", "learning_rate 0.5"), ("--hidden 20,9", "[20, 9]"), ("--units bits", "Bits"), ("--seed 2", "seed 2")]
    {
        let line = format!("train --data bars --steps 20 {change} --resume half.safetensors --out other.safetensors");
        assert!(folder.fails(2, &line).contains(said), "{change}");
    }
    assert!(folder.fails(2, "train --data bars --steps 5 --resume half.safetensors --out o").contains("10 steps"));
    assert!(!folder.0.join("other.safetensors").exists());
}

#[test]
fn persistent_and_centered_runs_resume_without_a_bit_changed() {
    let folder = Folder::new("estimators");
    for (estimator, besides) in [
        ("pcd-1", "--mean-field-sweeps 7"),
        ("pcd-gibbs-2", ""),
        ("centered-pcd-1", "--optimizer sgd --momentum 0.5"),
        ("centered-ucd-lmi", ""),
        ("ucd-gibbs", "--max-tries 50 --max-meeting 40"),
    ] {
        let begin = format!("train --data bars --hidden 10,5 --batch 70 --seed 1 --estimator {estimator} {besides}");
        folder.ok(&format!("{begin} --steps 12 --threads 1 --out whole.safetensors"));
        folder.ok(&format!("{begin} --steps 6 --threads 3 --out half.safetensors"));
        folder.ok("train --data bars --steps 12 --resume half.safetensors --out resumed.safetensors");
        folder.ok(&format!("{begin} --steps 12 --resume half.safetensors --out spelled.safetensors"));
        let whole = folder.read("whole.safetensors");
        for other in ["resumed", "spelled"] {
            assert!(whole == folder.read(&format!("{other}.safetensors")), "{estimator}: {other}");
        }
        let line = "train --data bars --steps 12 --estimator cd-3 --resume half.safetensors --out other.safetensors";
        assert!(folder.fails(2, line).contains("\"cd\""), "{estimator}");
    }
    assert!(!folder.0.join("other.safetensors").exists());
}

#[test]
fn a_step_shows_what_its_estimator_has() {
    let folder = Folder::new("shows");
    let train = |estimator: &str, besides: &str| {
        let line = format!(
            "train --data bars --hidden 12,6 --batch 30 --steps 20 --estimator {estimator} {besides} --out m.safetensors"
        );
        let json = folder.ok(&format!("--json {line}"));
        let step: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
        (folder.ok(&line), step)
    };
    let (words, step) = train("pcd-1", "--mean-field-sweeps 1");
    assert!(words.contains("mean field 1.0 sweeps") && words.contains("30 mean-field iterations cut at the cap"), "{words}");
    assert!(!words.contains("tau") && !words.contains("T -"), "{words}");
    assert_eq!((step["event"].as_str(), step["positive"]["mean_field_capped"].as_u64()), (Some("step"), Some(30)));
    assert_eq!(step["positive"]["mean_field_sweeps"].as_f64(), Some(1.0));
    assert!(step["negative"]["mean_meeting_time"].is_null() && step["negative"]["mean_energy"].is_f64());

    let (words, step) = train("ucd-gibbs", "--max-meeting 2 --max-tries 1");
    assert!(words.contains("tau") && words.contains("couplings cut at the cap") && words.contains("rejections cut"), "{words}");
    assert!(step["negative"]["couplings_capped"].as_u64() > Some(0) && step["negative"]["tries_capped"].as_u64() > Some(0));

    let (words, step) = train("lmi", "--max-sweeps 1");
    assert!(words.contains("T 1.0 / 1.0") && words.contains("searches cut at the cap"), "{words}");
    assert!(step["positive"]["searches_capped"].as_u64() > Some(0) && step["positive"]["acceptance"].is_null());
    assert!(train("cd-2", "").0.starts_with("energy "));
}

#[test]
fn pretraining_is_a_start_and_says_how_it_goes() {
    let folder = Folder::new("pretrain");
    let begin = "train --data bars --hidden 10,5 --batch 40 --seed 3 --pretrain 30";
    let json = folder.ok(&format!("--json {begin} --steps 0 --threads 1 --out start.safetensors"));
    let lines: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let steps = |line: &serde_json::Value| (line["step"].as_u64().unwrap(), line["weight_matrix"].as_u64().unwrap());
    let pretraining = lines.iter().filter(|line| line["event"] == "pretrain");
    assert_eq!(pretraining.map(steps).collect::<Vec<_>>(), [(20, 0), (40, 1), (60, 1)]);
    assert!(lines[0]["reconstruction_error"].as_f64().is_some_and(|error| error > 0.0 && error < 1.0));
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
    assert!(header(&folder.0.join("s.npy")).contains("'shape': (50, 16)"));
    folder.ok("sample --model m.safetensors --count 9 --seed 3 --out s.png");
    assert!(folder.read("s.png").starts_with(b"\x89PNG"));
    folder.ok("complete --model m.safetensors --data bars --count 6 --mask lower-half --answers 5 --out c.npy");
    assert!(header(&folder.0.join("c.npy")).contains("'shape': (6, 5, 16)"));
    for mask in ["upper-half", "left-half", "right-half", "box", "random:0.5"] {
        folder.ok(&format!("complete --model m.safetensors --data bars --count 4 --mask {mask} --method search --out c.png"));
    }
    // What is known is never changed: with nothing unknown, the answers are the examples.
    folder.ok("complete --model m.safetensors --data bars --count 6 --mask random:0 --answers 1 --out known.npy");
    let json = folder.ok("--json complete --model m.safetensors --data bars --count 6 --mask s.npy --answers 2 --out c2.npy");
    assert!(json.contains("\"event\":\"done\""), "{json}");
    folder.ok("export --model m.safetensors --half --out small.safetensors");
    assert!(folder.read("small.safetensors").len() < folder.read("m.safetensors").len() / 5);
    folder.ok("sample --model small.safetensors --count 5 --out s5.npy");
    let said = folder.fails(3, "train --data bars --steps 40 --resume small.safetensors --out o.safetensors");
    assert!(said.contains("weights only"), "{said}");
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
        assert!(header(&folder.0.join(format!("{split}.npy"))).contains("'shape': (1000, 1, 12)"));
    }
    // With nothing unknown the answers are the examples: others to test on.
    assert_ne!(folder.read("train.npy"), folder.read("test.npy"));
    assert!(folder.fails(3, "train --data ./target --steps 1 --out o").contains("train-images"));
    assert!(folder.fails(3, "train --data targets --steps 1 --out o").contains("`target`"));
}

fn header(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.starts_with(b"\x93NUMPY"));
    String::from_utf8_lossy(&bytes[10..128]).into_owned()
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

#[test]
fn bad_input_gets_a_message_and_a_code() {
    let folder = Folder::new("bad");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.0.join(name), bytes).unwrap();
    write("truncated.gz", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]);
    write("lies.idx", &[0, 0, 8, 3, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0]);
    write("ragged.csv", b"0,1,1\n1,0\n");
    write("notes.safetensors", b"this is no checkpoint");
    folder.ok(&format!("{TRAIN} --steps 2 --out m.safetensors"));
    let whole = folder.read("m.safetensors");
    write("short.safetensors", &whole[..whole.len() - 10]);

    for (code, line, said) in [
        (3, "train --data nowhere --steps 1 --out o", "nowhere"),
        (3, "train --data . --steps 1 --out o", "train-images"),
        (3, "train --data truncated.gz --steps 1 --out o", "truncated.gz"),
        (3, "train --data lies.idx --steps 1 --out o", "lies.idx"),
        (3, "train --data ragged.csv --steps 1 --out o", "ragged.csv"),
        (3, "sample --model notes.safetensors --out s.png", "notes.safetensors"),
        (3, "sample --model short.safetensors --out s.png", "short.safetensors"),
        (3, "sample --model missing.safetensors --out s.png", "missing.safetensors"),
        (3, "complete --model m.safetensors --data digits --digits 10 --count 5 --out c.png", "784"),
        (2, "train --data bars --hidden 4,0 --steps 1 --out o", "layer 2 has size 0"),
        (2, "train --data bars --lr NaN --steps 1 --out o", "learning rate"),
        (2, "train --data bars --batch 0 --steps 1 --out o", "batch"),
        (2, "train --data bars --hidden 100000,100000 --steps 1 --out o", "smaller layers"),
        (2, "train --data bars --steps 1 --threads 0 --out o", "--threads"),
        (2, "train --data bars --steps 1 --pretrain 5 --gaussian 0.1 --out o", "--gaussian"),
        (2, "train --data bars --steps 4 --pretrain 5 --resume m.safetensors --out o", "--resume"),
        (2, "train --data bars --steps 1 --pretrain-lr 0.2 --out o", "--pretrain"),
        (2, "train --data bars --steps 1 --pretrain 0 --out o", "pretraining steps"),
        (2, "train --data bars --steps 1 --pretrain 5 --pretrain-lr 0 --out o", "pretraining rate"),
        (2, "train --data bars --steps 1 --estimator ucd --out o", "ucd-lmi, ucd-mh"),
        (2, "train --data bars --steps 1 --estimator cd-0 --out o", "k should be a whole number from 1"),
        (2, "train --data bars --steps 1 --estimator ucd-lmi-5 --out o", "ucd-lmi-5"),
        (2, "train --data bars --steps 1 --estimator centered- --out o", "centered-"),
        (2, "train --data bars --steps 1 --estimator pcd-1 --conditional 0.5 --out o", "persistent chains"),
        (2, "train --data bars --steps 1 --estimator pcd-1 --mean-field-sweeps 0 --out o", "mean-field sweeps"),
        (2, "train --data bars --steps 1 --estimator ucd-gibbs --max-tries 0 --out o", "max tries"),
        (2, "sample --model m.safetensors --out s.jpg", ".npy or .png"),
        (2, "complete --model m.safetensors --data bars --mask middle --count 1 --out c.png", "middle"),
        (2, "complete --model m.safetensors --data bars --mask random:2 --count 1 --out c.png", "random:2"),
        (2, "complete --model m.safetensors --data bars --count 1000 --out c.png", "1000"),
        (4, "train --data bars --steps 1 --out nowhere/m.safetensors", "nowhere"),
        (
            5,
            "train --data bars --hidden 8 --optimizer sgd --lr 10 --momentum 0.999 --weight-decay 0.9 --steps 500 --out o",
            "diverged",
        ),
    ] {
        let message = folder.fails(code, line);
        assert!(message.contains(said), "dbm {line}: {message}");
    }
    assert!(!folder.0.join("o").exists());
}
