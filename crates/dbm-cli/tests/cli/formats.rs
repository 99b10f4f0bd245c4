//! Files of many formats, made by other programs, given to the command.

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
