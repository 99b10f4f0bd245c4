//! Files in many formats, made by other programs, as input of the command.

use crate::folder::Folder;

pub fn fixture(name: &str) -> String {
    format!("{}/../../tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_format_trains() {
    let folder = Folder::new("formats");
    for (data, visible) in [
        ("sheet.png", 784),
        ("ruled.png", 784),
        ("bytes.npy", 784),
        ("float.npy --binarize -0.25", 6),
        ("keras.npz --bits-per-value 2", 1568),
        ("folders.zip", 784),
        ("images.idx.gz --bits-per-value 8", 6272),
        ("kaggle.csv --binarize 40.5", 784),
        ("bits.png --tile 4x4", 16),
    ] {
        folder.ok(&format!("train --data {} --hidden 4 --steps 2 --batch 4 --out m.safetensors", fixture(data)));
        folder.ok("sample --model m.safetensors --count 3 --out s.npy");
        let bytes = folder.read("s.npy");
        assert_eq!(bytes.len() - 128, 3 * visible, "{data}");
    }
}

#[test]
fn greys_are_drawn_once_and_by_a_seed() {
    let folder = Folder::new("stochastic");
    let digits = "--data digits --digits 40";
    folder.ok(&format!("train {digits} --hidden 4 --steps 2 --batch 4 --out m.safetensors"));
    let evaluate = |reading: &str| {
        let mut found = folder.json(&format!("evaluate --model m.safetensors {digits} --ais-betas 5 {reading}"));
        found.as_object_mut().unwrap().remove("seconds");
        found
    };
    let drawn = evaluate("--binarize stochastic");
    assert_eq!(drawn, evaluate("--binarize stochastic:0"));
    assert!(drawn != evaluate("") && drawn != evaluate("--binarize stochastic:1"));
    // A run continues with the bits it began with, and with no others.
    let bytes = fixture("bytes.npy");
    let train = format!("train --data {bytes} --hidden 4 --batch 4 --out r.safetensors --binarize");
    folder.ok(&format!("{train} stochastic:5 --steps 2"));
    folder.ok(&format!("{train} stochastic:5 --steps 4 --resume r.safetensors"));
    folder.fails(2, &format!("{train} stochastic:6 --steps 6 --resume r.safetensors"));
    for (reading, code, message) in [
        ("--binarize stochastic:x", 2, "whole number"),
        ("--binarize random", 2, "stochastic[:SEED]"),
        ("--binarize stochastic --bits-per-value 2", 2, "--bits-per-value"),
        ("--binarize redraw:-1", 2, "redraw:7"),
        ("--binarize redraw --bits-per-value 2", 2, "--bits-per-value"),
        ("--binarize threshold", 2, "stochastic[:SEED]"),
    ] {
        let said = folder.fails(code, &format!("train --data {bytes} --hidden 4 --steps 1 --out x.safetensors {reading}"));
        assert!(said.contains(message), "{reading}: {said}");
    }
    let floats = fixture("float.npy");
    let said = folder.fails(3, &format!("train --data {floats} --hidden 4 --steps 1 --out x.safetensors --binarize stochastic"));
    assert!(said.contains("numbers from 0 to 1"), "{said}");
}

/// Training draws other bits at every visit, and a run is a value all the same; what only reads the data sees one draw.
#[test]
fn greys_are_drawn_at_every_visit_and_a_run_stays_a_value() {
    let folder = Folder::new("redraw");
    let train = |reading: &str, more: &str| {
        folder.ok(&format!(
            "train --data digits --digits 20 --hidden 4 --batch 10 --lr 0.01 --out r.safetensors --binarize {reading} {more}"
        ));
        folder.read("r.safetensors")
    };
    let whole = train("redraw", "--steps 6 --threads 1");
    train("redraw", "--steps 3 --threads 2");
    assert_eq!(train("redraw", "--steps 6 --threads 3 --resume r.safetensors"), whole);
    assert!(train("stochastic", "--steps 6") != whole && train("redraw", "--steps 6 --seed 2") != whole);
    let evaluate = |reading: &str| {
        let mut found =
            folder.json(&format!("evaluate --model r.safetensors --data digits --digits 20 --ais-betas 5 --binarize {reading}"));
        found.as_object_mut().unwrap().remove("seconds");
        found
    };
    assert_eq!(evaluate("redraw"), evaluate("stochastic"));
    assert_ne!(evaluate("redraw:1"), evaluate("redraw"));
}

#[test]
fn a_folder_of_pictures_is_data() {
    let folder = Folder::new("pictures");
    for (name, class) in [("digit8.png", "b"), ("digit9.png", "a"), ("digit10.png", "a")] {
        std::fs::create_dir_all(folder.0.join("set").join(class)).unwrap();
        std::fs::copy(fixture(name), folder.0.join("set").join(class).join(name)).unwrap();
    }
    folder.write("set/notes.txt", "not a picture");
    folder.ok("train --data set --hidden 4 --steps 2 --batch 3 --out m.safetensors");
    std::fs::copy(fixture("grey.jpg"), folder.0.join("set/a/more.jpg")).unwrap();
    folder.ok("train --data set --hidden 4 --steps 2 --batch 4 --out m.safetensors");
    std::fs::copy(fixture("bits.png"), folder.0.join("set/a/other.png")).unwrap();
    let said = folder.fails(3, "train --data set --hidden 4 --steps 2 --out m.safetensors");
    assert!(said.contains("a/other.png") && said.contains("48 x 8"), "{said}");
}
