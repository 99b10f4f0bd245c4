//! What must hold of every parser, whatever bytes come: a function a fuzz target, which the tests of `dbm-data` run as well, on the corpus and
//! on bytes of proptest's.
//!
//! No panic; no more memory than a multiple of the input's size and a constant, both stated here; and every refusal is a line fit to be shown.

#[path = "../../crates/dbm-data/tests/common/mod.rs"]
mod common;

use dbm_data::columns::Table;
use dbm_data::raw::{Content, Encoding, File, Raw, Reading, read};
use dbm_data::{Checkpoint, DataError, Precision, load, npy};
use std::sync::{Mutex, PoisonError};

/// The allocator counts for all threads, so one measures at a time.
static MEASURING: Mutex<()> = Mutex::new(());

/// Room for decompressors (a window of 32 kB and tables), names, messages.
const LITTLE: usize = 1 << 20;
/// Bytes for each byte of what is not packed: values as read, as bits with their marks, and as a preview.
const PLAIN: usize = 64;
/// Deflate makes at most so many bytes of one.
const DEFLATE: usize = 1032;
/// A pixel can be a bit of those, and takes 4 bytes while it has colours.
const PNG: usize = DEFLATE * 8 * 8;
/// Pixels that a byte of JPEG may announce, and what each takes: coefficients, samples, colours.
const JPEG: usize = 2048 * 32;

/// A target's name, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 9] = [
    ("idx", idx),
    ("npy", npy),
    ("npz_zip", npz_zip),
    ("png", png),
    ("jpeg", jpeg),
    ("table", table),
    ("gzip", gzip),
    ("checkpoint", checkpoint),
    ("raw", raw),
];

/// Runs it, and holds its peak of memory against `multiple` times the input.
fn bounded<R>(multiple: usize, input: &[u8], work: impl FnOnce() -> R) -> R {
    let _alone = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let (peak, result) = common::peak_of(work);
    let most = multiple * input.len() + LITTLE;
    assert!(peak <= most, "{peak} bytes of memory for {} of input; {most} are allowed", input.len());
    result
}

/// A refusal is a line that can be shown.
fn shown<T>(result: Result<T, DataError>) -> Option<T> {
    result
        .map_err(|error| {
            let message = error.to_string();
            assert!(!message.contains(char::is_control), "{message:?}");
            assert!((20..2000).contains(&message.len()), "{message:?}");
        })
        .ok()
}

/// What was read can be described, shown and made binary, and says the same each time.
fn used(raw: &Raw) {
    for bits in [1, 3] {
        let encoding = Encoding { bits, ..raw.suggest() };
        let Some(data) = shown(raw.encode(&encoding)) else { continue };
        let summary = raw.summary().expect("what can be encoded can be described");
        let preview = raw.preview(&encoding, 3).expect("what can be encoded can be shown");
        assert_eq!((summary.count, preview.units), (data.examples.len(), data.examples.width()));
        assert!((0.0..=1.0).contains(&preview.share_of_ones) && (0.0..=1.0).contains(&summary.missing_share));
        if let Content::Pictures(pictures) = &raw.content {
            assert_eq!(pictures.values.len(), pictures.count * pictures.size());
            let bytes = data.examples.packed().len() + data.examples.known_packed().map_or(0, <[u8]>::len);
            assert_eq!(preview.bytes, bytes as u64);
            let visible = data.visible.as_ref().expect("pictures have one");
            assert_eq!(visible.grey(&data.examples.row(0)).len(), pictures.size());
            assert_eq!(pictures.encode_as("again", visible).map(|again| again.examples), Ok(data.examples));
        }
    }
}

fn read_all(multiple: usize, data: &[u8], files: &[File], options: &Reading) {
    let raw = bounded(multiple, data, || {
        let raw = shown(read(files, options, &mut |_, _, _| {}))?;
        used(&raw);
        Some(raw)
    });
    // What was decided gives the same again.
    if let Some(Raw { content: Content::Pictures(pictures), reading, .. }) = raw {
        let again = bounded(multiple, data, || read(files, &reading, &mut |_, _, _| {}));
        let Ok(Raw { content: Content::Pictures(again), .. }) = again else { panic!("{again:?}") };
        assert_eq!((again.count, again.shape, &again.labels), (pictures.count, pictures.shape, &pictures.labels));
        let same = |at| again.values.at(at).to_bits() == pictures.values.at(at).to_bits();
        assert!(again.values.len() == pictures.values.len() && (0..again.values.len()).all(same));
    }
}

/// The bytes behind others, so that these need not be found again each time.
fn with(magic: &[u8], data: &[u8]) -> Vec<u8> {
    if data.starts_with(magic) { data.to_vec() } else { [magic, data].concat() }
}

fn file(bytes: Vec<u8>) -> File {
    File { name: "a\u{202e}\nname".into(), bytes }
}

/// IDX: the bytes as a file of it, behind its two zeros.
pub fn idx(data: &[u8]) {
    let bytes = with(&[0, 0], data);
    bounded(PLAIN, data, || shown(load("x", &bytes, 8)));
    read_all(PLAIN, data, &[file(bytes)], &Reading::default());
}

/// NPY: the bytes as a mask, and as a file of data.
pub fn npy(data: &[u8]) {
    let bytes = with(b"\x93NUMPY", data);
    bounded(PLAIN, data, || shown(npy::read_u8("x", &bytes)));
    read_all(PLAIN, data, &[file(bytes)], &Reading::default());
}

/// ZIP: the bytes as an archive, or packed into one that is whole.
pub fn npz_zip(data: &[u8]) {
    let [how, data @ ..] = data else { return };
    let bytes = if how % 2 == 0 { with(b"PK\x03\x04", data) } else { stored(data) };
    read_all(PNG, data, &[file(bytes)], &Reading::default());
}

/// A ZIP archive of entries that begin where `|||` stands, stored.
fn stored(data: &[u8]) -> Vec<u8> {
    let (mut files, mut rest) = (Vec::new(), data);
    while !rest.is_empty() && files.len() < 20 {
        let end = rest.windows(3).position(|three| three == b"|||").unwrap_or(rest.len());
        files.push((format!("{}/y{}", files.len() % 3, files.len()), &rest[..end]));
        rest = rest.get(end + 3..).unwrap_or(&[]);
    }
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, content)| (name.as_str(), *content)).collect();
    common::zip(&files, false)
}

/// PNG, with the tile given by the last bytes.
pub fn png(data: &[u8]) {
    let tile = match data {
        [.., 1..=40, rows, columns] => Some((usize::from(*rows), usize::from(*columns))),
        _ => None,
    };
    read_all(PNG, data, &[file(with(b"\x89PNG\r\n\x1a\n", data))], &Reading { tile, ..Reading::default() });
}

/// JPEG, alone and with another of the same size.
pub fn jpeg(data: &[u8]) {
    let bytes = with(b"\xff\xd8\xff", data);
    let tile = Some((2, 3));
    read_all(JPEG, data, &[file(bytes.clone())], &Reading { tile, ..Reading::default() });
    read_all(2 * JPEG, data, &[file(bytes.clone()), file(bytes)], &Reading::default());
}

/// Tables: any text, in any of the encodings.
pub fn table(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let table = bounded(PLAIN, data, || shown(Table::read("x", text)));
        if let Some(table) = table {
            // A single row of odd cells can be taken for a header when it comes back; what is read has the same columns.
            if let Ok(again) = Table::read("x", &String::from_utf8_lossy(&table.to_csv())) {
                assert!(again.n_columns() == table.n_columns() || table.n_rows() == 1);
            }
        }
    }
    read_all(PLAIN, data, &[file(data.to_vec())], &Reading::default());
}

/// Gzip: the bytes as such, and packed.
pub fn gzip(data: &[u8]) {
    read_all(DEFLATE * PLAIN, data, &[file(with(&[0x1f, 0x8b, 8], data))], &Reading::default());
    read_all(PNG, data, &[file(common::gzip(data))], &Reading::default());
}

/// Checkpoints; the first bytes may leave out the header's length.
pub fn checkpoint(data: &[u8]) {
    let bytes = if data.starts_with(b"{") {
        let end = data.windows(2).position(|two| two == b"}\n").map_or(data.len(), |at| at + 2);
        [&(end as u64).to_le_bytes(), data].concat()
    } else {
        data.to_vec()
    };
    bounded(PLAIN, data, || {
        if let Some(checkpoint) = shown(Checkpoint::read("x", &bytes)) {
            let visible = checkpoint.notes.get(dbm_data::raw::Visible::NOTE);
            if let Some(visible) = visible.and_then(|json| shown(dbm_data::raw::Visible::from_json("x", json))) {
                visible.grey(&[1; 24]);
            }
            assert!(
                checkpoint.model().is_ok() && checkpoint.to_bytes(Precision::Full).is_ok(),
                "what was read can be used and written"
            );
            let _ = checkpoint.into_snapshot();
        }
    });
}

/// Anything, as several files.
pub fn raw(data: &[u8]) {
    let files: Vec<File> = data
        .split(|&byte| byte == b'\x0c')
        .take(20)
        .enumerate()
        .map(|(at, part)| {
            let name = String::from_utf8_lossy(&part[..part.len().min(9)]).into_owned() + "/" + &at.to_string();
            File { name, bytes: part.to_vec() }
        })
        .collect();
    read_all(PNG, data, &files, &Reading { tile: Some((2, 2)), table: Some(true), ..Reading::default() });
    read_all(PNG, data, &[file(data.to_vec())], &Reading::default());
}
