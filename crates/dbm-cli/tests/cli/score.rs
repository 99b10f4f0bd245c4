//! `dbm score`, `dbm classifier` and pictures by `dbm export`, at toy size.

use crate::folder::{Folder, number};

const TRAIN: &str = "train --data digits --digits 60 --hidden 12,6 --batch 30 --steps 3 --seed 1";

#[test]
fn a_model_is_scored_beside_real_digits() {
    let folder = Folder::new("score");
    folder.ok(&format!("{TRAIN} --out m.safetensors"));
    let line = "--model m.safetensors --data digits --digits 60 --samples 50 --seed 3 --completions lower-half --count 20 --answers 3 \
                --sweeps 5 --ais --ais-chains 10 --ais-betas 20";
    let found = folder.json(&format!("score {line} --csv scores.csv --threads 1"));
    let of = |of, name| number(&found, &format!("{of}.{name}"));
    assert_eq!((of("samples", "count"), of("floor", "count"), of("samples", "neighbours")), (50.0, 60.0, 5.0));
    // Three steps do not make digits; other generated digits are digits.
    assert!(of("samples", "digit_frechet_distance") > 2.0 * of("floor", "digit_frechet_distance"), "{found}");
    assert!(of("floor", "recall") > of("samples", "recall") && of("floor", "coverage") > of("samples", "coverage"), "{found}");
    for name in ["precision", "recall", "coverage", "distinct", "entropy_share", "confidence"] {
        assert!((0.0..=1.0).contains(&of("samples", name)) && (0.0..=1.0).contains(&of("floor", name)), "{name}: {found}");
    }
    assert_eq!((of("completions", "answers"), of("nearest", "answers"), of("nearest", "count")), (3.0, 1.0, 20.0));
    assert!(of("nearest", "agreement") > 0.7 && of("completions", "distinct") >= 1.0, "{found}");
    assert!((0.0..=1.0).contains(&of("completions", "diversity")) && found["nearest"]["diversity"].is_null());
    assert!(of("bound", "log_p") < 0.0 && of("bound", "count") == 60.0);

    // All numbers have the same bits with other threads, and in the table.
    let mut again = folder.json(&format!("score {line} --threads 3"));
    again["seconds"] = found["seconds"].clone();
    assert_eq!(again, found);
    let csv = folder.text("scores.csv");
    let distance = format!("samples,digit_frechet_distance,{}\n", found["samples"]["digit_frechet_distance"]);
    assert!(csv.starts_with("of,score,value\n") && csv.contains(&distance) && csv.contains("floor,shares_9,"), "{csv}");

    let text = folder.ok(&format!("score {line}"));
    for said in ["digit Frechet distance", "precision (k = 5)", "read as 9", "20 digits completed", "log p(v) of 60 test digits"]
    {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!text.contains("FID"));

    // The samples of `dbm sample`, from its file.
    folder.ok("sample --model m.safetensors --count 50 --seed 3 --out s.npy");
    let file = folder.json("score --images s.npy --data digits --digits 60");
    assert_eq!((&file["samples"], &file["floor"]), (&found["samples"], &found["floor"]));
    assert!(file.get("completions").is_none() && file.get("searches_capped").is_none());
}

/// Pictures of 28 x 28 in IDX files like MNIST's, with grey levels that a model with 8 bits per value keeps.
fn grey_folder(folder: &Folder) {
    let at = |seed: usize, pixel: usize| ((seed * 31 + pixel * 7) % 251) as u8;
    for (name, seed) in [("train", 1), ("t10k", 2)] {
        let mut images = [[0, 0, 8, 3], [0, 0, 0, 12], [0, 0, 0, 28], [0, 0, 0, 28]].concat();
        images.extend((0..12 * 784).map(|i| at(seed * 100 + i / 784, i % 784)));
        let mut labels = [[0, 0, 8, 1], [0, 0, 0, 12]].concat();
        labels.extend((0..12).map(|i| i % 10));
        folder.write(&format!("{name}-images-idx3-ubyte"), images);
        folder.write(&format!("{name}-labels-idx1-ubyte"), labels);
    }
}

#[test]
fn eight_bits_a_value_are_scored_as_grey_levels() {
    let folder = Folder::new("score-grey");
    grey_folder(&folder);
    folder.ok("train --data . --bits-per-value 8 --hidden 5 --batch 12 --steps 2 --seed 1 --out m.safetensors");
    let found =
        folder.json("score --model m.safetensors --data . --samples 8 --completions right-half --count 4 --answers 2 --sweeps 2");
    assert_eq!((number(&found, "samples.count"), number(&found, "completions.count")), (8.0, 4.0));
    assert!(number(&found, "nearest.agreement") > 0.5, "{found}");
    // Bits of 8 planes in a file, and real grey digits compared with themselves.
    folder.ok("sample --model m.safetensors --count 8 --out s.npy");
    assert_eq!(folder.json("score --images s.npy --data .")["samples"], found["samples"]);
    folder.ok("export --data . --bits-per-value 8 --png-dir grey --count 3");
    folder.ok("export --model m.safetensors --png-dir samples --count 3");
    let (width, levels) = picture(&folder, "grey/00002.png");
    assert_eq!((width, levels.len()), (28, 784));
    assert!((0..784).all(|pixel| levels[pixel] == ((202 * 31 + pixel * 7) % 251) as u8));
    assert_eq!(picture(&folder, "samples/00000.png").1.len(), 784);
}

/// A grey picture: its columns and its levels.
fn picture(folder: &Folder, name: &str) -> (usize, Vec<u8>) {
    let (info, levels) = folder.png(name);
    assert_eq!(info.color_type, png::ColorType::Grayscale);
    (info.width as usize, levels)
}

#[test]
fn pictures_are_exported_one_a_file() {
    let folder = Folder::new("export-png");
    folder.ok(&format!("{TRAIN} --out m.safetensors"));
    let said = folder.ok("export --model m.safetensors --png-dir new/samples --count 7 --seed 5 --out w.safetensors");
    assert!(said.contains("7 pictures of 28 x 28") && said.contains("weights of step 3"), "{said}");
    folder.ok("sample --model m.safetensors --count 7 --seed 5 --out s.npy");
    let bits = folder.read("s.npy");
    let bits = &bits[bits.len() - 7 * 784..];
    for number in 0..7 {
        let (_, levels) = picture(&folder, &format!("new/samples/0000{number}.png"));
        assert!(levels.iter().zip(&bits[number * 784..]).all(|(&level, &bit)| level == bit * 255), "{number}");
    }
    assert_eq!(std::fs::read_dir(folder.0.join("new/samples")).unwrap().count(), 7);

    let done = folder.json("export --data digits --digits 30 --split train --png-dir real");
    assert_eq!((number(&done, "pictures"), number(&done, "rows")), (30.0, 28.0));
    assert!(picture(&folder, "real/00029.png").1.contains(&255));
}

#[test]
#[cfg(feature = "classifier")]
fn a_classifier_is_trained_by_the_command() {
    let folder = Folder::new("classifier");
    let line = "classifier --data digits --digits 150 --epochs 2 --seed 4";
    let done = folder.json(&format!("{line} --out a.safetensors"));
    assert!((0.0..=1.0).contains(&number(&done, "accuracy_grey")), "{done}");
    folder.ok(&format!("{line} --threads 1 --out b.safetensors"));
    assert!(folder.read("a.safetensors") == folder.read("b.safetensors"));
    assert!(folder.fails(3, "classifier --data bars --out c.safetensors").contains("bars"));
}

#[test]
#[cfg(not(feature = "classifier"))]
fn without_its_trainer_the_command_says_how_to_get_it() {
    let folder = Folder::new("no-classifier");
    assert!(folder.fails(2, "classifier --data digits --out c.safetensors").contains("--features classifier"));
}
