//! Several files at once, archives and bombs: what is accepted, what is left out, and how much memory that takes.
//!
//! The allocator counts memory for the whole process, so tests that measure it hold a lock, and so do the others.

mod common;

use common::{gzip, peak_of};
use dbm_data::pictures::{Pictures, Values};
use dbm_data::raw::{Content, File, Raw, Reading, read};
use dbm_data::{DataError, Dataset, MAX_DATA, npy};
use std::sync::{Mutex, MutexGuard, PoisonError};

static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn file(name: &str, bytes: Vec<u8>) -> File {
    File { name: name.into(), bytes }
}

fn try_read(files: &[File]) -> Result<Raw, DataError> {
    read(files, &Reading::default(), &mut |_, _, _| {})
}

fn pictures(raw: &Raw) -> &Pictures {
    let Content::Pictures(pictures) = &raw.content else { panic!("{raw:?}") };
    pictures
}

fn idx(sizes: &[u32], data: &[u8]) -> Vec<u8> {
    common::idx(8, sizes, data)
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    common::zip(files, true)
}

#[test]
fn the_files_of_one_data_set_find_each_other() {
    let _alone = alone();
    let (train, test) = (idx(&[3, 2, 2], &[9; 12]), idx(&[2, 2, 2], &[7; 8]));
    let (train_labels, test_labels) = (idx(&[3], &[1, 2, 3]), idx(&[2], &[4, 5]));
    let all = [
        file("t10k-images", test.clone()),
        file("t10k-labels", test_labels.clone()),
        file("train-labels", train_labels.clone()),
        file("train-images", gzip(&train)),
        file("read me", b"what this is".to_vec()),
        file(".DS_Store", vec![0, 0, 0, 1]),
        file("cover.gif", b"GIF89a".to_vec()),
    ];
    let raw = try_read(&all).unwrap();
    assert_eq!((pictures(&raw).count, pictures(&raw).labels.as_deref()), (3, Some(&[1, 2, 3][..])));
    let notes = raw.notes.join(" ");
    for words in ["Read train-images (3 x 2 x 2) with the labels train-labels", "t10k-images", "read me", "cover.gif"] {
        assert!(notes.contains(words), "{words} is not in {notes}");
    }
    assert!(!notes.contains("DS_Store"), "{notes}");
    let packed = zip(&[("a/train-images.gz", &gzip(&train)), ("a/train-labels", &train_labels)]);
    let inner = try_read(&[file("x", packed)]).unwrap();
    assert_eq!(inner.content, raw.content);
    // Equally many of each: those of the training set, whatever their order.
    let equal = [
        file("x_test", train.clone()),
        file("y_test", train_labels.clone()),
        file("y_train", idx(&[3], &[7, 8, 9])),
        file("x_train", train),
    ];
    let raw = try_read(&equal).unwrap();
    assert_eq!(pictures(&raw).labels.as_deref(), Some(&[7, 8, 9][..]));
}

#[test]
fn bytes_behind_an_archive_do_no_harm() {
    let _alone = alone();
    let archive = zip(&[("train-images", &idx(&[3, 2, 2], &[9; 12]))]);
    let whole = try_read(&[file("x.zip", archive.clone())]).unwrap();
    // Some servers and tools append a line break or zeros; other programs open such a file too.
    for more in [&b"\r\n"[..], &[0; 300]] {
        assert_eq!(try_read(&[file("x.zip", [&archive[..], more].concat())]).unwrap().content, whole.content);
    }
    // With bytes before it, the file is not of this kind.
    assert!(try_read(&[file("x.zip", [b"\0\x01", &archive[..]].concat())]).is_err());
}

#[test]
fn progress_is_told_and_text_can_be_a_table() {
    let _alone = alone();
    let row = |row: usize| vec![(row % 2).to_string(); 16].join(",");
    let text = (0..3000).map(row).collect::<Vec<_>>().join("\n");
    let files = [file("t.csv", text.into_bytes())];
    let mut message = Vec::new();
    let raw = read(&files, &Reading::default(), &mut |stage, done, total| message.push((stage.to_owned(), done, total))).unwrap();
    assert_eq!(pictures(&raw).shape, (4, 4));
    assert!(message.contains(&("reading values".into(), 2048, 3000)), "{message:?}");
    let options = Reading { table: Some(true), ..Reading::default() };
    let Content::Table(table) = read(&files, &options, &mut |_, _, _| {}).unwrap().content else {
        panic!("a table was asked for")
    };
    assert_eq!((table.n_rows(), table.n_columns()), (3000, 16));
}

#[test]
fn pictures_of_a_model_are_read_as_its_own_were() {
    let _alone = alone();
    let of = |values: Vec<u8>| Pictures { count: 1, shape: (1, values.len()), values: Values::Bytes(values), labels: None };
    let (first, other) = (of(vec![0, 100, 200]), of(vec![0, 1, 1]));
    let Dataset { visible, .. } = first.encode("x", &first.suggest()).unwrap();
    assert_eq!(other.encode("x", &other.suggest()).unwrap().examples.row(0), [0, 1, 1]);
    assert_eq!(other.encode_as("x", &visible.unwrap()).unwrap().examples.row(0), [0, 0, 0]);
}

#[test]
fn bombs_are_refused_before_they_are_unpacked() {
    let _alone = alone();
    let zeros = vec![0; 20_000_000];
    let little = 2_000_000;
    // A header that announces less than there is, an archive with a false directory, and one that announces too much in all.
    let bomb = file("b.gz", gzip(&[&idx(&[2, 5], &[])[..], &zeros].concat()));
    let (peak, result) = peak_of(|| try_read(std::slice::from_ref(&bomb)));
    assert!(result.unwrap_err().to_string().contains("10 bytes of data, as its header announces, but more follow"));
    assert!(peak < little, "{peak}");
    let mut lying = zip(&[("x.npy", &[npy::write_u8(&[1, 4], &[1; 4]), zeros].concat())]);
    let entry = lying.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    lying[entry + 24..entry + 28].copy_from_slice(&132_u32.to_le_bytes());
    let lying = file("b.zip", lying);
    let (peak, result) = peak_of(|| try_read(std::slice::from_ref(&lying)));
    assert!(result.unwrap_err().to_string().contains("132 bytes as its directory says, but got more"));
    assert!(peak < little, "{peak}");
    let mut large = zip(&[("x.csv", b"0,1\n")]);
    let entry = large.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    large[entry + 24..entry + 28].copy_from_slice(&(MAX_DATA as u32 + 1).to_le_bytes());
    let large = file("b.zip", large);
    let (peak, result) = peak_of(|| try_read(std::slice::from_ref(&large)));
    assert!(result.unwrap_err().to_string().contains("at most 1073741824 bytes"));
    assert!(peak < little, "{peak}");
}

#[test]
fn reading_and_encoding_take_little_beside_the_values() {
    let _alone = alone();
    let (count, size) = (5000, 784);
    let bytes: Vec<u8> = (0..count * size).map(|at| (at * 7 % 251) as u8).collect();
    let plain = file("x.idx", idx(&[count as u32, 28, 28], &bytes));
    let packed = file("x.gz", gzip(&plain.bytes));
    let values = bytes.len();
    for (what, file, times) in [("plain", plain, 1.1), ("gzip", packed, 2.2)] {
        let (peak, raw) = peak_of(|| try_read(std::slice::from_ref(&file)).unwrap());
        assert!((peak as f64) < times * values as f64 + 2e5, "{what}: {peak} for {values}");
        let encoding = raw.suggest();
        let (peak, data) = peak_of(|| raw.encode(&encoding).unwrap());
        assert_eq!(raw.preview(&encoding, 1).unwrap().bytes as usize, data.examples.packed().len());
        assert!(peak < data.examples.packed().len() + 200_000, "{what}: {peak}");
        let (peak, _) = peak_of(|| raw.preview(&encoding, 20).unwrap());
        assert!(peak < 500_000, "a preview takes {peak}");
    }
}
