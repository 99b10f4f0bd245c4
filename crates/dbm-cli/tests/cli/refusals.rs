//! What the command refuses, from the table `refusals.txt`: with which exit code and message, and that no file is written next to the
//! existing ones (an experiment creates its own folder, `work`).

use crate::evaluate;
use crate::folder::Folder;
use crate::formats::fixture;
use crate::impute::PETS;
use std::collections::BTreeSet;

/// The files that the table names.
fn folder() -> Folder {
    let folder = Folder::new("refusals");
    folder.write("truncated.gz", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]);
    folder.write("lies.idx", [0, 0, 8, 3, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0]);
    folder.write("ragged.csv", "0,1\n1,0\n1,1,1\n");
    folder.write("ragged-table.csv", "a,b\n0,1\n1,0,1\n1,0\n");
    folder.write("levels.csv", "kind,flies\ncat,No\nfish,No\ncat,?\n");
    folder.write("pets.csv", PETS);
    folder.write("tiny.csv", evaluate::csv());
    folder.write("notes.safetensors", "this is no checkpoint");
    folder.write("taken", "a file");
    ["full", "bare", "work"].into_iter().for_each(|name| std::fs::create_dir(folder.0.join(name)).unwrap());
    folder.write("full/00000.png", "a picture of before");
    for name in ["labels.idx", "sheet.png"] {
        std::fs::copy(fixture(name), folder.0.join(name)).unwrap();
    }
    folder.ok("train --data bars --hidden 20,8 --batch 70 --seed 1 --steps 2 --out m.safetensors");
    folder.ok("train --data bars --hidden 20,8 --batch 70 --seed 1 --steps 10 --out half.safetensors");
    folder.ok("train --data tiny.csv --hidden 5,4 --steps 2 --out tiny.safetensors");
    folder.ok("train --data pets.csv --hidden 4 --steps 2 --out pets.safetensors");
    folder.ok("train --data digits --digits 60 --hidden 12,6 --batch 30 --steps 3 --out digits.safetensors");
    folder.ok("train --data tiny.csv --hidden 5 --steps 2 --out tiny-alone.safetensors");
    folder.ok("export --model m.safetensors --half --out half-precision.safetensors");
    folder.ok("sample --model m.safetensors --count 9 --out nine.npy");
    let whole = folder.read("m.safetensors");
    folder.write("short.safetensors", &whole[..whole.len() - 10]);
    folder
}

fn files(folder: &Folder) -> BTreeSet<std::path::PathBuf> {
    std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn what_makes_no_sense_gets_a_message_and_a_code_and_writes_nothing() {
    let folder = folder();
    let before = files(&folder);
    let cases = include_str!("refusals.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for case in cases {
        let mut parts = case.split(" | ");
        let (code, arguments) = (parts.next().unwrap().parse().unwrap(), parts.next().unwrap());
        let message = folder.fails(code, arguments);
        for said in parts {
            assert!(message.contains(said), "dbm {arguments}: no {said:?} in {message}");
        }
        assert_eq!(files(&folder), before, "dbm {arguments}");
    }
}
