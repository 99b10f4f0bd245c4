//! Bad inputs, and the message each gets: the table in `docs/bad-inputs.md`, which this test holds to what the code says.
//!
//! `UPDATE_DOCS=1 cargo test -p dbm-data --test bad_inputs` writes it again.

#[path = "bad_inputs/bad_tables.rs"]
mod bad_tables;
mod common;

use common::{gzip, idx};
use dbm_data::columns::Table;
use dbm_data::raw::{Encoding, File, Raw, ReadOptions, Visible, read};
use dbm_data::{Checkpoint, DataError, npy};
use std::fmt::Write as _;
use std::path::PathBuf;

/// What was tried, and what was said.
struct Case {
    kind: &'static str,
    what: &'static str,
    message: String,
}

#[derive(Default)]
struct Cases(Vec<Case>);

impl Cases {
    fn add<T>(&mut self, kind: &'static str, what: &'static str, result: Result<T, DataError>) {
        let Err(error) = result else { panic!("{kind}, {what}: this is read") };
        self.0.push(Case { kind, what, message: error.to_string() });
    }

    fn read(&mut self, kind: &'static str, name: &str, what: &'static str, bytes: impl Into<Vec<u8>>) {
        self.all(kind, what, &[(name, bytes.into())], None);
    }

    fn all(&mut self, kind: &'static str, what: &'static str, files: &[(&str, Vec<u8>)], tile: Option<(usize, usize)>) {
        self.add(kind, what, read_files(files, tile));
    }
}

fn read_files(files: &[(&str, Vec<u8>)], tile: Option<(usize, usize)>) -> Result<Raw, DataError> {
    let files: Vec<File> = files.iter().map(|(name, bytes)| File { name: (*name).into(), bytes: bytes.clone() }).collect();
    read(&files, &ReadOptions { tile, table: false }, &mut |_, _, _| {})
}

fn fixture(name: &str) -> Vec<u8> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../tests/fixtures", name].iter().collect();
    std::fs::read(path).unwrap()
}

fn array(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

fn png(width: u32, height: u32, pixels: impl Fn(u32, u32) -> u8) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    let bytes: Vec<u8> = (0..width * height).map(|at| pixels(at / width, at % width)).collect();
    encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
    file
}

/// A PNG file that announces another size, with the right checksum.
fn lying_png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = png(2, 2, |_, _| 7);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let mut sum = flate2::Crc::new();
    sum.update(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&sum.sum().to_be_bytes());
    bytes
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    common::zip(files, false)
}

/// The archive with bytes changed in the directory's only entry.
fn changed_zip(at: usize, to: &[u8]) -> Vec<u8> {
    let mut bytes = zip(&[("t.csv", b"a,b\n0,1\n1,1\n")]);
    let entry = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    bytes[entry + at..entry + at + to.len()].copy_from_slice(to);
    bytes
}

fn kinds(cases: &mut Cases) {
    let kind = "any file";
    cases.add(kind, "no file at all", read(&[], &ReadOptions::default(), &mut |_, _, _| {}));
    let names = vec![File { name: "x".into(), bytes: vec![] }; 100_001];
    cases.add(kind, "100 001 files at once", read(&names, &ReadOptions::default(), &mut |_, _, _| {}));
    cases.read(kind, "empty.bin", "no bytes", "");
    cases.read(kind, "photo.gif", "a GIF image", "GIF89a\x01\0");
    cases.read(kind, "photo.webp", "a WebP image", "RIFF\x10\0\0\0WEBPVP8 ");
    cases.read(kind, "photo.bmp", "a BMP image", b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0".to_vec());
    cases.read(kind, "data.h5", "an HDF5 file", b"\x89HDF\r\n\x1a\n".to_vec());
    cases.read(kind, "data.parquet", "a Parquet table", "PAR1\x15\x04");
    cases.read(kind, "data.json", "JSON", "{\"a\": [0, 1]}");
    cases.read(kind, "data.csv", "a web page, as a wrong link gives it", "<!DOCTYPE html><html>404</html>");
    cases.read(kind, "paper.pdf", "a PDF document", "%PDF-1.7");
    cases.read(kind, "data.xz", "xz data", b"\xfd7zXZ\0".to_vec());
    cases.read(kind, "data.pkl", "a Python pickle", b"\x80\x04\x95\x10\0".to_vec());
    cases.read(kind, "model.safetensors", "a model in place of data", b"\x40\0\0\0\0\0\0\0{\"a\":1}".to_vec());
    cases.read(kind, "noise.bin", "bytes of no format", b"ab\0\x01\x02".to_vec());
    cases.read(kind, "../../etc/\u{202e}passwd\n\u{7}", "a hostile name", b"\0".to_vec());
    let long = "x".repeat(10_000);
    cases.all(kind, "a name of 10 000 letters", &[(&long, vec![0])], None);
    let picture = png(28, 28, |y, x| (y * x) as u8);
    cases.all(kind, "a picture and an array at once", &[("a.png", picture), ("b.npy", npy::write_u8(&[1, 4], &[1; 4]))], None);
    cases.all(kind, "two tables at once", &[("a.csv", b"0,1\n".to_vec()), ("b.csv", b"1,0\n".to_vec())], None);
}

fn gzips(cases: &mut Cases) {
    let kind = "gzip";
    let whole = gzip(&idx(8, &[2, 2, 3], &[200; 12]));
    cases.read(kind, "images.gz", "cut short", &whole[..whole.len() - 9]);
    cases.read(kind, "images.gz", "nothing behind the magic number", [0x1f, 0x8b]);
    let mut wrong = whole.clone();
    let at = wrong.len() - 6;
    wrong[at] ^= 1;
    cases.read(kind, "images.gz", "a wrong checksum", wrong);
    cases.read(kind, "twice.gz", "gzip inside gzip", gzip(&whole));
    cases.read(
        kind,
        "bomb.gz",
        "50 MB of zeros behind a header that announces 10 bytes",
        gzip(&[&idx(8, &[2, 5], &[])[..], &vec![0; 50_000_000]].concat()),
    );
    cases.read(kind, "archive.gz", "a ZIP archive inside", gzip(&zip(&[("t.csv", b"0,1\n")])));
}

fn idxs(cases: &mut Cases) {
    let kind = "IDX";
    cases.read(kind, "images.idx", "cut short in the sizes", [0, 0, 8, 2, 0, 0, 0]);
    cases.read(kind, "images.idx", "cut short in the data", idx(8, &[9, 2, 3], &[0; 12]));
    cases.read(kind, "images.idx", "more data than announced", idx(8, &[1, 2, 3], &[0; 12]));
    cases.read(kind, "images.idx", "sizes beyond all memory", idx(8, &[u32::MAX; 5], &[0; 12]));
    cases.read(kind, "images.idx", "no images", idx(8, &[0, 28, 28], &[]));
    cases.read(kind, "images.idx", "an unknown type", idx(10, &[2, 2], &[0; 4]));
    cases.read(kind, "images.idx", "five dimensions", idx(8, &[1, 1, 2, 3, 9], &[0; 54]));
    cases.read(kind, "t10k-labels.idx", "labels alone", idx(8, &[3], &[7, 2, 1]));
    let files = [("images.idx", idx(8, &[2, 1, 4], &[9; 8])), ("labels.idx", idx(8, &[3], &[7, 2, 1]))];
    cases.all(kind, "labels of another set", &files, None);
    cases.read(kind, "floats.idx", "an infinite float", idx(0x0d, &[1, 2], &[0x7f, 0x80, 0, 0, 0, 0, 0, 0]));
}

fn arrays(cases: &mut Cases) {
    let kind = "NPY";
    cases.read(kind, "x.npy", "cut short in the header", b"\x93NUMPY\x01\x00\x76\x00{".to_vec());
    cases.read(kind, "x.npy", "an unknown version", b"\x93NUMPY\x09\x00\x76\x00".to_vec());
    cases.read(kind, "x.npy", "a header of 4 GB", b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec());
    cases.read(kind, "x.npy", "Python objects", array("'|O'", "(2, 2)", &[0; 32]));
    cases.read(kind, "x.npy", "strings", array("'<U3'", "(2, 2)", &[0; 48]));
    cases.read(kind, "x.npy", "a structure", array("[('a', '<f4')]", "(2, 2)", &[0; 16]));
    cases.read(kind, "x.npy", "complex numbers", array("'<c8'", "(2, 2)", &[0; 32]));
    cases.read(kind, "x.npy", "no shape", array("'|u1'", "7", &[0; 7]));
    cases.read(kind, "x.npy", "one dimension of floats", array("'<f4'", "(3,)", &[0; 12]));
    cases.read(kind, "x.npy", "one dimension of integers", array("'|u1'", "(3,)", &[0; 3]));
    cases.read(kind, "x.npy", "a single number", array("'|u1'", "()", &[0; 1]));
    cases.read(kind, "x.npy", "seven channels", array("'|u1'", "(1, 2, 2, 7)", &[0; 28]));
    cases.read(kind, "x.npy", "no examples", array("'|u1'", "(0, 4)", &[]));
    cases.read(kind, "x.npy", "cut short in the data", array("'<f8'", "(2, 4)", &[0; 60]));
    cases.read(kind, "x.npy", "more data than announced", array("'|u1'", "(2, 4)", &[0; 9]));
    cases.read(kind, "x.npy", "sizes beyond all memory", array("'|u1'", "(4294967295, 4294967295)", &[]));
    cases.read(kind, "x.npy", "an infinite float", array("'<f4'", "(1, 2)", &[0, 0, 0x80, 0x7f, 0, 0, 0, 0]));
    cases.read(kind, "x.npy", "a float of 1e300", array("'<f8'", "(1, 1)", &1e300_f64.to_le_bytes()));
    cases.add(
        "mask",
        "a value that is no whole number",
        npy::read_u8("mask.npy", &array("'<f4'", "(1,)", &0.5_f32.to_le_bytes())),
    );
    cases.add("mask", "another file than NPY", npy::read_u8("mask.npy", b"0,1\n"));
}

fn zips(cases: &mut Cases) {
    let kind = "ZIP";
    let whole = zip(&[("t.csv", b"a,b\n0,1\n")]);
    cases.read(kind, "data.zip", "cut short", &whole[..whole.len() - 5]);
    cases.read(kind, "data.zip", "nothing in it", zip(&[]));
    cases.read(kind, "data.zip", "nothing that is data in it", zip(&[("a.gif", b"GIF89a"), ("b.pdf", b"%PDF-1")]));
    cases.read(kind, "data.zip", "a directory of more entries than there are", {
        let mut bytes = whole.clone();
        let at = bytes.len() - 12;
        bytes[at] = 9;
        bytes
    });
    cases.read(kind, "data.zip", "another archive in it", zip(&[("inner.zip", &whole)]));
    cases.read(kind, "data.zip", "a password", changed_zip(8, &[1]));
    cases.read(kind, "data.zip", "packed by bzip2", changed_zip(10, &[12]));
    cases.read(kind, "data.zip", "a wrong checksum", changed_zip(16, &[1, 2, 3, 4]));
    cases.read(kind, "data.zip", "a size that is a lie", changed_zip(24, &[200, 0, 0, 0]));
    cases.read(kind, "data.zip", "a size of 4 GB", changed_zip(24, &[0xfe, 0xff, 0xff, 0xff]));
    cases.read(kind, "data.zip", "no deflate data where some is announced", changed_zip(10, &[8]));
    cases.read(kind, "book.xlsx", "a spreadsheet", zip(&[("[Content_Types].xml", b"<x/>"), ("xl/workbook.xml", b"<x/>")]));
    cases.read(kind, "model.pt", "a file of torch.save", zip(&[("model/data.pkl", b"\x80\x02")]));
    let inner = array("'|u1'", "(2, 4)", &[0; 5]);
    cases.read(kind, "data.npz", "an array in it that is cut short", zip(&[("x.npy", &inner)]));
    cases.read(kind, "data.npz", "labels alone in it", zip(&[("y.npy", &npy::write_u8(&[3], &[1, 2, 3]))]));
}

fn pictures(cases: &mut Cases) {
    let kind = "PNG";
    let ramp = |y: u32, x: u32| (y * 37 + x * 11) as u8;
    let whole = png(28, 56, ramp);
    cases.read(kind, "sheet.png", "cut short", &whole[..whole.len() / 2]);
    cases.read(kind, "sheet.png", "nothing behind the magic number", b"\x89PNG\r\n\x1a\n".to_vec());
    let mut wrong = whole.clone();
    wrong[20] ^= 1;
    cases.read(kind, "sheet.png", "a wrong checksum", wrong);
    cases.read(kind, "bomb.png", "100 million pixels in 70 bytes", lying_png(10_000, 10_000));
    cases.read(kind, "bomb.png", "3.6 thousand million pixels in 70 bytes", lying_png(60_000, 60_000));
    cases.read(kind, "sheet.png", "a sheet whose tiles cannot be told", png(30, 44, ramp));
    cases.read(kind, "sheet.png", "a sheet of one colour", png(56, 56, |_, _| 9));
    cases.all(kind, "tiles of a size that does not fit", &[("sheet.png", png(30, 44, ramp))], Some((28, 28)));
    cases.all(kind, "tiles of no size", &[("sheet.png", png(30, 44, ramp))], Some((0, 3)));
    let others = [("1.png", png(28, 28, ramp)), ("2.png", png(28, 28, ramp)), ("10.png", png(28, 29, ramp))];
    cases.all(kind, "pictures of two sizes", &others, None);
    let kind = "JPEG";
    let whole = fixture("grey.jpg");
    cases.read(kind, "photo.jpg", "cut short", &whole[..whole.len() - 30]);
    cases.read(kind, "photo.jpg", "nothing behind the magic number", b"\xff\xd8\xff".to_vec());
    let frame = whole.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
    let mut large = whole.clone();
    large[frame + 5..frame + 9].copy_from_slice(&[0x3f, 0xff, 0x3f, 0xff]);
    cases.read(kind, "photo.jpg", "268 million pixels in 800 bytes", large);
    let mut precise = whole;
    precise[frame + 4] = 12;
    cases.read(kind, "photo.jpg", "12 bits a sample", precise);
}

fn tables(cases: &mut Cases) {
    let kind = "table";
    cases.read(kind, "t.csv", "a row too short", "a,b,c\n0,1,1\n1,0\n");
    cases.read(kind, "t.csv", "a row too long", "a,b\n0,1\n\n# why\n1,0,1\n");
    cases.read(kind, "t.csv", "a quote that is never closed", "a,b\n\"0,1\n1,1\n");
    cases.read(kind, "t.csv", "a header and nothing else", "name,other\n");
    cases.read(kind, "t.csv", "blank lines alone", "\n \n\n");
    cases.read(kind, "t.csv", "text with a zero byte in it", [vec![b'0'; 2000], vec![0], b"\n".to_vec()].concat());
    cases.read(kind, "t.csv", "UTF-16 that ends within a letter", b"\xff\xfe0\0,".to_vec());
    cases.read(kind, "t.csv", "UTF-16 with half a pair", b"\xff\xfe0\0\0\xd8,\0".to_vec());
    let ids: Vec<String> = (0..200).map(|row| format!("name{row}")).collect();
    cases.add(kind, "names alone, which no unit can stand for", {
        let raw = read_files(&[("t.csv", format!("id\n{}\n", ids.join("\n")).into_bytes())], None).unwrap();
        raw.encode(&raw.suggest())
    });
}

fn more_tables(cases: &mut Cases) {
    for (what, bytes) in bad_tables::bad_tables() {
        let read = || {
            let raw = read_files(&[("t.csv", bytes)], None)?;
            raw.encode(&raw.suggest())
        };
        cases.add("table", what, read());
    }
    let (old, tables) = bad_tables::bad_tables_for_a_model();
    let columns = Table::read("old.csv", old).unwrap().columns(&Encoding::default());
    for (what, bytes) in tables {
        let text = String::from_utf8(bytes).unwrap();
        cases.add("table for a model", what, Table::read("t.csv", &text).and_then(|table| table.encode_as("t.csv", &columns)));
    }
}

fn encodings(cases: &mut Cases) {
    let kind = "encoding";
    let raw = read_files(&[("x.npy", npy::write_u8(&[2, 2], &[0, 9, 3, 4]))], None).unwrap();
    cases.add(kind, "no bits a value", raw.encode(&Encoding { bits: 0, ..raw.suggest() }));
    cases.add(kind, "nine bits a value", raw.encode(&Encoding { bits: 9, ..raw.suggest() }));
    cases.add(kind, "a threshold that is not a number", raw.encode(&Encoding { threshold: f64::NAN, ..raw.suggest() }));
    let table = read_files(&[("t.csv", b"a,b\n0,1\n1,1\n1,0\n".to_vec())], None).unwrap();
    cases.add(kind, "a table for a model of pictures", table.encode_as(&Visible::Bits { threshold: 0.5 }));
    let columns = table.encode(&table.suggest()).unwrap().visible.unwrap();
    cases.add(kind, "pictures for a model of a table", raw.encode_as(&columns));
    cases.add(kind, "a note of a checkpoint that is none", Visible::from_json("m.safetensors", "{\"Bits\":7}"));
}

fn checkpoints(cases: &mut Cases) {
    let kind = "checkpoint";
    let mut add = |what, bytes: &[u8]| cases.add(kind, what, Checkpoint::read("m.safetensors", bytes));
    let file = |header: &str, data: &[u8]| [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat();
    add("no bytes", b"");
    add("text", b"this is no checkpoint");
    add("a header longer than the file", &[&u64::MAX.to_le_bytes()[..], b"{}"].concat());
    add("a header that is no JSON", &file("{\"a\":", &[]));
    add("no metadata", &file(r#"{"bias.0":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#, &[0; 4]));
    let tensors =
        r#""bias.0":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"bias.1":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}"#;
    add("unknown units", &file(&format!(r#"{{"__metadata__":{{"units":"spins"}},{tensors}}}"#), &[0; 12]));
    add("no weights", &file(&format!(r#"{{"__metadata__":{{"units":"signs"}},{tensors}}}"#), &[0; 12]));
    let weight = |shape: &str, end: usize| {
        format!(
            r#"{{"__metadata__":{{"units":"signs"}},{tensors},"weight.0":{{"dtype":"F32","shape":{shape},"data_offsets":[12,{end}]}}}}"#
        )
    };
    add("weights of another shape", &file(&weight("[3,1]", 24), &[0; 24]));
    add("cut short", &file(&weight("[2,1]", 20), &[0; 15]));
    let nan = [&[0; 12][..], &f32::NAN.to_le_bytes(), &[0; 4]].concat();
    add("a weight that is not a number", &file(&weight("[2,1]", 20), &nan));
}

#[test]
fn every_refusal_says_what_was_expected_what_came_and_what_to_do() {
    let mut cases = Cases::default();
    for group in [kinds, gzips, idxs, arrays, zips, pictures, tables, more_tables, encodings, checkpoints] {
        group(&mut cases);
    }
    let cases = cases.0;
    assert!(cases.len() >= 60, "only {} cases", cases.len());
    let mut page = format!(
        "# Bad inputs, and what is said about them\n\n\
         {} inputs that are refused, each with its message. Written by the test that tries them (`crates/dbm-data/tests/bad_inputs.rs`);\n\
         `UPDATE_DOCS=1 cargo test -p dbm-data --test bad_inputs` writes it again. None of them makes the program panic, hang, or take more memory\n\
         than a stated multiple of the file's size (`fuzz/src/lib.rs`).\n\n| | Input | Message |\n| --- | --- | --- |\n",
        cases.len()
    );
    for Case { kind, what, message } in &cases {
        assert!(!message.contains(char::is_control) && message.len() < 500, "{kind}, {what}: {message:?}");
        // The file (or what was asked for), the finding, and the advice.
        assert!(message.contains([';', ':']) && message.contains(' '), "{kind}, {what}: {message}");
        if kind.starts_with("table") {
            assert!(message.starts_with("t.csv: ") && message.contains("; "), "{what}: {message}");
            assert!(message.contains("expected") || message.contains("accepted are"), "{what}: {message}");
            // What holds nothing, or is no text, has no lines to name.
            let placed = !["holds none", "not text", "text, but is none", "gzip"].iter().any(|words| message.contains(words));
            assert!(!placed || message.contains("line ") || message.contains("column"), "{what}: {message}");
        }
        let safe = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('|', "\\|");
        writeln!(page, "| {kind} | {} | {} |", safe(what), safe(message)).unwrap();
    }
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../docs/bad-inputs.md"].iter().collect();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    for (line, (now, then)) in page.lines().zip(committed.lines()).enumerate() {
        assert_eq!(now, then, "line {} of docs/bad-inputs.md; write it again with UPDATE_DOCS=1", line + 1);
    }
    assert_eq!(page.lines().count(), committed.lines().count(), "docs/bad-inputs.md; write it again with UPDATE_DOCS=1");
}
