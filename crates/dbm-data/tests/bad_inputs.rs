//! Bad inputs and the message each gets: `bad_inputs/messages.csv`, and their kinds in `docs/bad-inputs.csv`, both of which this test compares
//! with the code. None of the inputs makes the program panic, hang, or take more memory than a stated multiple of the file's size (`fuzz/src/lib.rs`).
//!
//! `UPDATE_DOCS=1 cargo test -p dbm-data --test bad_inputs` writes them again.

mod common;

use common::{gzip, idx};
use dbm_data::columns::{MAX_COLUMNS, Table};
use dbm_data::raw::{Encoding, File, PictureReading, Raw, Reading, Visible, read};
use dbm_data::{Checkpoint, DataError, bars, digits, npy};
use std::path::PathBuf;

/// Inputs whose bytes can be written down; the others are generated below.
const FILES: &str = include_str!("bad_inputs/files.txt");

/// The input, and the message.
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
    read(&files, &Reading { tile, ..Reading::default() }, &mut |_, _, _| {})
}

fn fixture(name: &str) -> Vec<u8> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../tests/fixtures", name].iter().collect();
    std::fs::read(path).unwrap()
}

fn png(width: u32, height: u32, pixels: impl Fn(u32, u32) -> u8) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    let bytes: Vec<u8> = (0..width * height).map(|at| pixels(at / width, at % width)).collect();
    encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
    file
}

/// A PNG file that announces another size, with a valid checksum.
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

fn written_down(cases: &mut Cases) {
    let model = Table::read("old.csv", "smokes,age,colour\nno,30,red\nyes,50,green\nno,70,blue\n").unwrap();
    let columns = model.columns(&Encoding::default());
    for line in FILES.lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.splitn(4, '|').map(str::trim).collect();
        let [kind, name, what, bytes] = parts[..] else { panic!("{line}") };
        let bytes = unescaped(bytes);
        let result = match kind {
            "checkpoint" => Checkpoint::read(name, &bytes).map(drop),
            "mask" => npy::read_u8(name, &bytes).map(drop),
            "table for a model" => {
                let table = Table::read(name, std::str::from_utf8(&bytes).unwrap()).unwrap();
                table.encode_as(name, &columns).map(drop)
            }
            _ => read_and_encoded(name, bytes),
        };
        cases.add(kind, what, result);
    }
}

fn read_and_encoded(name: &str, bytes: Vec<u8>) -> Result<(), DataError> {
    let raw = read_files(&[(name, bytes)], None)?;
    raw.encode(&raw.suggest()).map(drop)
}

/// The bytes of a text with the escapes explained in that file.
fn unescaped(text: &str) -> Vec<u8> {
    let (first, escapes) = text.split_once('\\').unwrap_or((text, ""));
    let mut bytes = first.as_bytes().to_vec();
    for escape in escapes.split('\\').filter(|escape| !escape.is_empty()) {
        let (code, rest) = match escape.split_at(1) {
            ("n", rest) => (b'\n', rest),
            ("r", rest) => (b'\r', rest),
            ("t", rest) => (b'\t', rest),
            ("0", rest) => {
                let counted = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
                let counted = counted.and_then(|(count, rest)| Some((count.parse::<usize>().ok()?, rest)));
                let (count, rest) = counted.unwrap_or((1, rest));
                bytes.resize(bytes.len() + count - 1, 0);
                (0, rest)
            }
            (_, hex) => (u8::from_str_radix(&hex[..2], 16).unwrap(), &hex[2..]),
        };
        bytes.push(code);
        bytes.extend(rest.bytes());
    }
    bytes
}

fn kinds(cases: &mut Cases) {
    let kind = "any file";
    cases.add(kind, "no file at all", read(&[], &Reading::default(), &mut |_, _, _| {}));
    let names = vec![File { name: "x".into(), bytes: vec![] }; 100_001];
    cases.add(kind, "100 001 files at once", read(&names, &Reading::default(), &mut |_, _, _| {}));
    cases.read(kind, "../../etc/\u{202e}passwd\n\u{7}", "a hostile name", b"\0".to_vec());
    let long = "x".repeat(10_000);
    cases.all(kind, "a name of 10 000 letters", &[(&long, vec![0])], None);
    let picture = png(28, 28, |y, x| (y * x) as u8);
    cases.all(kind, "a picture and an array at once", &[("a.png", picture), ("b.npy", npy::write_u8(&[1, 4], &[1; 4]))], None);
    let (images, labels) = (idx(8, &[2, 1, 4], &[9; 8]), idx(8, &[3], &[7, 2, 1]));
    let (array, other) = (npy::write_u8(&[2, 4], &[1; 8]), npy::write_u8(&[3, 4], &[1; 12]));
    let two = [&array[..], &other].concat();
    cases.read(kind, "x.npy", "two arrays, the second cut short", &two[..two.len() - 2]);
    cases.read(kind, "x.npy", "two arrays, and something else behind them", [&two[..], b"?"].concat());
    cases.all(kind, "labels of other images", &[("images.idx", images), ("labels.idx", labels)], None);
    cases.all(kind, "two tables at once", &[("a.csv", b"0,1\n".to_vec()), ("b.csv", b"1,0\n".to_vec())], None);
}

fn gzips(cases: &mut Cases) {
    let kind = "gzip";
    let whole = gzip(&idx(8, &[2, 2, 3], &[200; 12]));
    cases.read(kind, "images.gz", "cut short", &whole[..whole.len() - 9]);
    let mut wrong = whole.clone();
    let at = wrong.len() - 6;
    wrong[at] ^= 1;
    cases.read(kind, "images.gz", "a wrong checksum", wrong);
    cases.read(kind, "twice.gz", "gzip inside gzip", gzip(&whole));
    let zeros = [&idx(8, &[2, 5], &[])[..], &vec![0; 50_000_000]].concat();
    cases.read(kind, "bomb.gz", "50 MB of zeros behind a header that announces 10 bytes", gzip(&zeros));
    cases.read(kind, "archive.gz", "a ZIP archive inside", gzip(&zip(&[("t.csv", b"0,1\n")])));
    cases.read(kind, "photo.gz", "a GIF image inside", gzip(b"GIF89a"));
    cases.read(kind, "t.csv", "a long row inside", gzip(b"0,1\n1,0\n1,1,1\n"));
    cases.read(kind, "t.csv", "a table cut short", &gzip(b"0,1\n1,0\n")[..20]);
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
    let inner = npy::write_u8(&[2, 4], &[0; 8]);
    cases.read(kind, "data.npz", "an array in it that is cut short", zip(&[("x.npy", &inner[..inner.len() - 3])]));
    let list = |values: &[u8]| npy::write_u8(&[values.len()], values);
    let sparse = |format: &[u8], shape: &[u8], indices: &[u8]| {
        let head = b"\x93NUMPY\x01\0\x38\0{'descr': '|S3', 'fortran_order': False, 'shape': (), }    ";
        let parts = [
            ("format.npy", [&head[..], b"\n", format].concat()),
            ("shape.npy", list(shape)),
            ("data.npy", list(&[7])),
            ("indices.npy", list(indices)),
            ("indptr.npy", list(&[0, 1, 1])),
        ];
        zip(&parts.each_ref().map(|(name, bytes)| (*name, &bytes[..])))
    };
    cases.read(kind, "data.npz", "a sparse array in blocks", sparse(b"bsr", &[2, 2], &[1]));
    cases.read(kind, "data.npz", "a sparse array with an index outside it", sparse(b"csr", &[2, 2], &[2]));
    cases.read(kind, "data.npz", "a sparse array with fewer rows than it announces", sparse(b"csr", &[9, 2], &[1]));
    cases.read(kind, "data.npz", "labels alone in it", zip(&[("y.npy", &npy::write_u8(&[3], &[1, 2, 3]))]));
}

fn pictures(cases: &mut Cases) {
    let kind = "PNG";
    let ramp = |y: u32, x: u32| (y * 37 + x * 11) as u8;
    let whole = png(28, 56, ramp);
    cases.read(kind, "sheet.png", "cut short", &whole[..whole.len() / 2]);
    let mut wrong = whole.clone();
    wrong[20] ^= 1;
    cases.read(kind, "sheet.png", "a wrong checksum", wrong);
    cases.read(kind, "bomb.png", "100 million pixels in 70 bytes", lying_png(10_000, 10_000));
    cases.read(kind, "bomb.png", "3.6 thousand million pixels in 70 bytes", lying_png(60_000, 60_000));
    cases.read(kind, "sheet.png", "a sheet of one colour", png(56, 56, |_, _| 9));
    cases.all(kind, "tiles of a size that does not fit", &[("sheet.png", png(30, 44, ramp))], Some((28, 28)));
    cases.all(kind, "tiles of no size", &[("sheet.png", png(30, 44, ramp))], Some((0, 3)));
    let others = [("1.png", png(28, 28, ramp)), ("2.png", png(28, 28, ramp)), ("10.png", png(28, 29, ramp))];
    cases.all(kind, "pictures of two sizes", &others, None);
    let clear = |grey: u8| {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, 9, 9);
        encoder.set_color(png::ColorType::GrayscaleAlpha);
        encoder.write_header().unwrap().write_image_data(&[grey, 0].repeat(81)).unwrap();
        file
    };
    cases.all(kind, "pictures that are transparent all over", &[("1.png", clear(0)), ("2.png", clear(255))], None);
    let blank = |grey: u8| png(9, 9, move |_, _| grey);
    cases.all(kind, "pictures of one colour", &[("1.png", blank(0)), ("2.png", blank(9))], None);
    let kind = "JPEG";
    let whole = fixture("grey.jpg");
    cases.read(kind, "photo.jpg", "cut short", &whole[..whole.len() - 30]);
    let frame = whole.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
    let mut large = whole.clone();
    large[frame + 5..frame + 9].copy_from_slice(&[0x3f, 0xff, 0x3f, 0xff]);
    cases.read(kind, "photo.jpg", "268 million pixels in 800 bytes", large);
    let mut precise = whole;
    precise[frame + 4] = 12;
    cases.read(kind, "photo.jpg", "12 bits a sample", precise);
}

fn tables(cases: &mut Cases) {
    let names: Vec<String> = (0..200).map(|row| format!("name{row}")).collect();
    for (what, bytes) in [
        ("text with a zero byte in it", [vec![b'0'; 2000], vec![0], b"\n".to_vec()].concat()),
        ("names alone, which no unit can stand for", format!("id\n{}\n", names.join("\n")).into_bytes()),
        ("more columns than any model has units", format!("{}0\n", "1,".repeat(MAX_COLUMNS)).into_bytes()),
    ] {
        cases.add("table", what, read_and_encoded("t.csv", bytes));
    }
}

fn encodings(cases: &mut Cases) {
    let kind = "encoding";
    let raw = read_files(&[("x.npy", npy::write_u8(&[2, 2], &[0, 9, 3, 4]))], None).unwrap();
    cases.add(kind, "no bits a value", raw.encode(&Encoding { bits: 0, ..raw.suggest() }));
    cases.add(kind, "nine bits a value", raw.encode(&Encoding { bits: 9, ..raw.suggest() }));
    cases.add(kind, "a threshold that is not a number", raw.encode(&Encoding { threshold: f64::NAN, ..raw.suggest() }));
    let table = read_files(&[("t.csv", b"a,b\n0,1\n1,1\n1,0\n".to_vec())], None).unwrap();
    cases.add(
        kind,
        "a table for a model of pictures",
        table.encode_as(&Visible::Bits { threshold: 0.5, read: PictureReading::PLAIN }),
    );
    let columns = table.encode(&table.suggest()).unwrap().visible.unwrap();
    cases.add(kind, "pictures for a model of a table", raw.encode_as(&columns));
    cases.add(kind, "pictures whose columns are to exclude one another", raw.encode(&raw.suggest()).unwrap().exclusive());
    let rows = read_files(&[("t.csv", format!("a,b\n{}", "1,0\n0,1\n".repeat(20)).into_bytes())], None).unwrap();
    let exclusive = rows.encode(&rows.suggest()).unwrap().exclusive().unwrap().visible.unwrap();
    cases.add(kind, "a row with two of columns that exclude one another", table.encode_as(&exclusive));
    let nowhere = exclusive.to_json().replace("\"end\":2", "\"end\":3");
    cases.add(kind, "a note with a column that excludes another and is not there", Visible::from_json("m.safetensors", &nowhere));
    cases.add(kind, "a note of a checkpoint that is none", Visible::from_json("m.safetensors", "{\"Bits\":7}"));
}

fn generated(cases: &mut Cases) {
    for side in [0, 13, usize::MAX] {
        cases.add("generated data", "bars and stripes of no such side", bars::dataset(side));
    }
    for count in [0, usize::MAX] {
        cases.add("generated data", "no digits, or too many", digits::dataset(count, 1));
    }
}

#[test]
fn every_refusal_says_what_was_expected_what_came_and_what_to_do() {
    let mut cases = Cases::default();
    for group in [written_down, kinds, gzips, zips, pictures, tables, encodings, generated] {
        group(&mut cases);
    }
    let cases = cases.0;
    assert!(cases.len() >= 160, "only {} cases", cases.len());
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["area", "input", "message"]).unwrap();
    for Case { kind, what, message } in &cases {
        assert!(!message.contains(char::is_control) && message.len() < 500, "{kind}, {what}: {message:?}");
        // The file (or the argument), the finding, and the advice.
        assert!(message.contains([';', ':']) && message.contains(' '), "{kind}, {what}: {message}");
        if kind.starts_with("table") {
            assert!(message.starts_with("t.csv: ") && message.contains("; "), "{what}: {message}");
            assert!(message.contains("expected") || message.contains("accepted are"), "{what}: {message}");
            // An empty file, or one that is not text, has no lines to name.
            let placed = !["holds none", "not text", "gzip"].iter().any(|words| message.contains(words));
            assert!(!placed || message.contains("line ") || message.contains("column"), "{what}: {message}");
        }
        table.write_record([kind, what, message.as_str()]).unwrap();
    }
    agrees("crates/dbm-data/tests/bad_inputs/messages.csv", table);
    agrees("docs/bad-inputs.csv", kinds_of(&cases));
}

/// One line for what can be done about each area's inputs: how many ask for it, and the first of them with its message.
fn kinds_of(cases: &[Case]) -> csv::Writer<Vec<u8>> {
    let advice = |case: &Case| {
        let said = case.message.rsplit("; ").next().unwrap_or_default();
        // Without what it quotes.
        said.split('"').step_by(2).collect::<String>().replace(|letter: char| letter.is_ascii_digit(), "")
    };
    let mut kinds: Vec<(&Case, String, usize)> = Vec::new();
    for case in cases {
        let what_to_do = advice(case);
        match kinds.iter_mut().find(|(first, advice, _)| first.kind == case.kind && *advice == what_to_do) {
            Some((_, _, count)) => *count += 1,
            None => kinds.push((case, what_to_do, 1)),
        }
    }
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["area", "inputs", "such as", "message"]).unwrap();
    for (case, _, count) in kinds {
        table.write_record([case.kind, &count.to_string(), case.what, &case.message]).unwrap();
    }
    table
}

/// Whether a file of the project is this table.
fn agrees(name: &str, table: csv::Writer<Vec<u8>>) {
    let table = String::from_utf8(table.into_inner().unwrap()).unwrap();
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../..", name].iter().collect();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &table).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    for (line, (now, then)) in table.lines().zip(committed.lines()).enumerate() {
        assert_eq!(now, then, "line {} of {name}; write it again with UPDATE_DOCS=1", line + 1);
    }
    assert_eq!(table.lines().count(), committed.lines().count(), "{name}; write it again with UPDATE_DOCS=1");
}
