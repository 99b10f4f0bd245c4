//! Pictures, arrays and archives as people have them: what is decided about them, what is doubted, and that every correction works.

mod common;

use common::gzip;
use dbm_data::pictures::{Pictures, Values};
use dbm_data::raw::{Background, Change, Content, Doubt, File, Raw, Reading, read};
use dbm_data::{DataError, npy};
use png::ColorType;
use proptest::prelude::*;

fn file(name: &str, bytes: Vec<u8>) -> File {
    File { name: name.into(), bytes }
}

fn read_as(files: &[File], asked: &Reading) -> Result<Raw, DataError> {
    read(files, asked, &mut |_, _, _| {})
}

fn pictures(raw: &Raw) -> &Pictures {
    let Content::Pictures(pictures) = &raw.content else { panic!("{raw:?}") };
    pictures
}

fn bytes(raw: &Raw) -> &[u8] {
    let Values::Bytes(bytes) = &pictures(raw).values else { panic!("{raw:?}") };
    bytes
}

fn refusal(files: &[File], asked: &Reading) -> String {
    read_as(files, asked).expect_err("should be refused").to_string()
}

/// The reading with a correction, as a page makes it.
fn changed(reading: &Reading, change: &Change) -> Reading {
    let reading = reading.clone();
    match *change {
        Change::Invert(invert) => Reading { invert: Some(invert), ..reading },
        Change::Transpose(transpose) => Reading { transpose: Some(transpose), ..reading },
        Change::Background(background) => Reading { background: Some(background), ..reading },
        Change::Tile(rows, columns) => Reading { tile: Some((rows, columns)), ..reading },
        ref other => panic!("{other:?} is no correction of pictures"),
    }
}

/// The contents are the same, to the bit of each NaN.
fn assert_same(a: &Raw, b: &Raw) {
    let bits = |raw: &Raw| match &pictures(raw).values {
        Values::Bytes(values) => values.iter().map(|&value| u32::from(value)).collect::<Vec<_>>(),
        Values::Floats(values) => values.iter().map(|value| value.to_bits()).collect(),
    };
    let rest = |raw: &Raw| (pictures(raw).count, pictures(raw).shape, pictures(raw).labels.clone());
    assert_eq!((rest(a), bits(a)), (rest(b), bits(b)));
}

/// Reads files that are pictures; what was decided gives the same again without a doubt, and every correction can be read.
fn read_well(files: &[File], asked: &Reading) -> Raw {
    let raw = read_as(files, asked).unwrap();
    let again = read_as(files, &raw.reading).unwrap();
    assert_same(&raw, &again);
    assert_eq!((&again.reading, &again.doubts), (&raw.reading, &vec![]));
    let Reading { turn, transpose, invert, .. } = raw.reading;
    assert!(turn.is_some() && transpose.is_some() && invert.is_some(), "{:?}", raw.reading);
    for Doubt { text, label, change } in &raw.doubts {
        let corrected = read_as(files, &changed(&raw.reading, change)).unwrap_or_else(|error| panic!("{text} {error}"));
        assert_eq!(changed(&corrected.reading, change), corrected.reading, "{text}");
        assert!((10..30).contains(&label.len()) && text.ends_with('.'), "{label}: {text}");
    }
    raw
}

fn changes(raw: &Raw) -> Vec<Change> {
    raw.doubts.iter().map(|doubt| doubt.change.clone()).collect()
}

fn png(width: u32, color: ColorType, samples: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, (samples.len() / color.samples()) as u32 / width);
    encoder.set_color(color);
    encoder.write_header().unwrap().write_image_data(samples).unwrap();
    file
}

/// A stroke on a picture of 10 x 10, along its diagonal or across it.
fn stroke(other: bool) -> [bool; 100] {
    std::array::from_fn(|at| {
        let (y, x) = (at / 10, at % 10);
        (2..8).contains(&y) && (if other { x == 9 - y } else { x == y })
    })
}

/// Two pictures with an opacity: strokes of one grey, on what is transparent.
fn on_nothing(grey: u8) -> [File; 2] {
    [false, true].map(|other| {
        let samples: Vec<u8> = stroke(other).iter().flat_map(|&ink| [grey, if ink { 255 } else { 0 }]).collect();
        file(if other { "b.png" } else { "a.png" }, png(10, ColorType::GrayscaleAlpha, &samples))
    })
}

#[test]
fn transparent_pictures_are_laid_on_what_shows_them() {
    let drawn =
        |ink: u8, paper: u8| [false, true].map(|other| stroke(other).map(|is_ink| if is_ink { ink } else { paper })).concat();
    let black = read_well(&on_nothing(0), &Reading::default());
    assert_eq!((bytes(&black), black.reading.background), (&drawn(0, 255)[..], Some(Background::White)));
    assert!(black.notes.concat().contains("laid on white, as viewers"), "{:?}", black.notes);
    // On black there is nothing to see, so it is not offered; but it is dark on light.
    assert_eq!(changes(&black), [Change::Invert(true)]);
    let white = read_well(&on_nothing(255), &Reading::default());
    assert_eq!((bytes(&white), white.reading.background), (&drawn(255, 0)[..], Some(Background::Black)));
    assert!(white.notes.concat().contains("on black, as nothing shows on white"), "{:?}", white.notes);
    assert_eq!(changes(&white), []);
    let grey = read_well(&on_nothing(100), &Reading::default());
    assert_eq!(bytes(&grey), drawn(100, 255));
    assert_eq!(changes(&grey), [Change::Background(Background::Black), Change::Invert(true)]);
    let asked = Reading { background: Some(Background::Black), ..Reading::default() };
    assert_eq!(bytes(&read_well(&on_nothing(100), &asked)), drawn(100, 0));
    let message = refusal(&on_nothing(0), &asked);
    assert!(message.contains("on black each is of one value") && message.contains("other background"), "{message}");
    // One picture of a sheet of one, and an array with the same channels.
    let [first, _] = on_nothing(255);
    assert_eq!(read_well(&[first], &Reading::default()).reading.background, Some(Background::Black));
    let samples: Vec<u8> = stroke(true).iter().flat_map(|&ink| [0, 0, 0, if ink { 255 } else { 0 }]).collect();
    let array = read_well(&[file("x.npy", npy::write_u8(&[1, 10, 10, 4], &samples))], &Reading::default());
    assert_eq!((bytes(&array), array.reading.background), (&drawn(0, 255)[100..], Some(Background::White)));
    let array = read_well(&[file("x.npy", npy::write_u8(&[1, 1, 2, 2], &[200, 255, 200, 51]))], &Reading::default());
    assert_eq!(bytes(&array), [200, 244]);
}

#[test]
fn blank_pictures_are_counted_or_refused() {
    let blank = |grey: u8, opacity: u8| png(10, ColorType::GrayscaleAlpha, &[grey, opacity].repeat(100));
    let [a, b] = on_nothing(0);
    let raw = read_well(&[a, file("c.png", blank(0, 0)), b, file("d.png", blank(9, 255))], &Reading::default());
    assert_eq!(pictures(&raw).count, 4);
    assert!(raw.notes.concat().contains("2 of 4 pictures are of one value all over"), "{:?}", raw.notes);
    let nothing = [file("a.png", blank(0, 0)), file("b.png", blank(255, 0))];
    assert!(refusal(&nothing, &Reading::default()).contains("on white and on black"));
    let grey = [file("a.png", blank(9, 255)), file("b.png", blank(200, 255))];
    assert!(refusal(&grey, &Reading::default()).contains("each is of one value all over; choose other pictures"));
}

#[test]
fn ink_on_paper_is_doubted_and_inverted_when_asked() {
    let ink = |other| stroke(other).map(|ink| if ink { 10 } else { 250 });
    let files = [false, true].map(|other| file(if other { "b" } else { "a" }, png(10, ColorType::Grayscale, &ink(other))));
    let raw = read_well(&files, &Reading::default());
    assert_eq!((bytes(&raw), changes(&raw)), (&[ink(false), ink(true)].concat()[..], vec![Change::Invert(true)]));
    let inverted = read_well(&files, &changed(&raw.reading, &Change::Invert(true)));
    assert_eq!(bytes(&inverted), [ink(false), ink(true)].concat().iter().map(|value| 255 - value).collect::<Vec<_>>());
    let light = stroke(false).map(|ink| if ink { 250 } else { 10 });
    assert_eq!(changes(&read_well(&[file("x.npy", npy::write_u8(&[1, 10, 10], &light))], &Reading::default())), []);
}

#[test]
fn sheets_of_any_size_are_cut_or_doubted() {
    // Tiles of 32 x 32, each a stroke three times as large.
    let at = |y: usize, x: usize| {
        let (row, column) = (y % 32, x % 32);
        let inside = (1..31).contains(&row) && (1..31).contains(&column);
        inside && stroke((y / 32 + x / 32) % 2 == 1)[(row - 1) / 3 * 10 + (column - 1) / 3]
    };
    let sheet = |rows: usize, columns: usize| {
        let samples: Vec<u8> = (0..rows * columns).map(|p| if at(p / columns, p % columns) { 255 } else { 0 }).collect();
        [file("sheet.png", png(columns as u32, ColorType::Grayscale, &samples))]
    };
    for (rows, columns) in [(96, 160), (64, 128), (96, 96), (32, 160), (224, 448)] {
        let raw = read_well(&sheet(rows, columns), &Reading::default());
        assert_eq!((pictures(&raw).count, pictures(&raw).shape), (rows * columns / 1024, (32, 32)), "{rows} x {columns}");
        assert_eq!((raw.reading.tile, changes(&raw)), (Some((32, 32)), vec![]));
    }
    let ramp: Vec<u8> = (0..32 * 48).map(|at| (at / 48 * 5 + at % 48) as u8).collect();
    let photo = [file("photo.png", png(48, ColorType::Grayscale, &ramp))];
    let raw = read_well(&photo, &Reading::default());
    assert_eq!((pictures(&raw).count, raw.reading.tile), (1, Some((32, 48))));
    assert_eq!(changes(&raw), [Change::Tile(16, 16)]);
    assert!(raw.notes.concat().contains("one example of 32 x 48"), "{:?}", raw.notes);
    let cut = read_well(&photo, &changed(&raw.reading, &Change::Tile(16, 16)));
    assert_eq!((pictures(&cut).count, pictures(&cut).shape), (6, (16, 16)));
    // What is cut for its size alone may be one picture.
    for (rows, columns, size) in [(56, 84, 28), (30, 90, 30)] {
        let ramp: Vec<u8> = (0..rows * columns).map(|at| (at / columns + at % columns) as u8).collect();
        let raw = read_well(&[file("photo.png", png(columns as u32, ColorType::Grayscale, &ramp))], &Reading::default());
        assert_eq!((raw.reading.tile, changes(&raw)), (Some((size, size)), vec![Change::Tile(rows, columns)]));
    }
    let asked = Reading { tile: Some((7, 7)), ..Reading::default() };
    assert!(refusal(&photo, &asked).contains("tiles of 7 x 7 fill"));
}

/// The PNG file with EXIF data of this orientation.
fn turned(png: &[u8], orientation: u8) -> Vec<u8> {
    let exif = [b"eXIfMM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", &[orientation][..], &[0; 6]].concat();
    let mut sum = flate2::Crc::new();
    sum.update(&exif);
    let length = (exif.len() as u32 - 4).to_be_bytes();
    [&png[..33], &length, &exif, &sum.sum().to_be_bytes(), &png[33..]].concat()
}

#[test]
fn photographs_are_turned_upright() {
    let upright = png(3, ColorType::Grayscale, &[1, 2, 3, 4, 5, 6]);
    let on_its_side = turned(&png(2, ColorType::Grayscale, &[3, 6, 2, 5, 1, 4]), 6);
    let raw = read_well(&[file("a.png", upright), file("b.png", on_its_side.clone())], &Reading::default());
    assert_eq!((pictures(&raw).shape, bytes(&raw)), ((2, 3), &[1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6][..]));
    assert!(raw.notes.concat().contains("1 of 2 pictures were turned"), "{:?}", raw.notes);
    let alone = read_well(&[file("b.png", on_its_side)], &Reading::default());
    assert_eq!((pictures(&alone).shape, bytes(&alone)), ((2, 3), &[1, 2, 3, 4, 5, 6][..]));
    assert!(alone.notes.concat().contains("was turned as its EXIF data say"), "{:?}", alone.notes);
}

#[test]
fn pictures_can_be_turned_transposed_and_inverted() {
    let array = [file("x.npy", npy::write_u8(&[2, 1, 3], &[1, 2, 3, 4, 5, 200]))];
    let of = |turn, transpose, invert| {
        let asked = Reading { turn: Some(turn), transpose: Some(transpose), invert: Some(invert), ..Reading::default() };
        let raw = read_well(&array, &asked);
        (pictures(&raw).shape, bytes(&raw).to_vec())
    };
    assert_eq!(of(0, false, false), ((1, 3), vec![1, 2, 3, 4, 5, 200]));
    assert_eq!(of(1, false, false), ((3, 1), vec![1, 2, 3, 4, 5, 200]));
    assert_eq!(of(2, false, true), ((1, 3), vec![252, 253, 254, 55, 250, 251]));
    assert_eq!(of(1, true, false), ((1, 3), vec![1, 2, 3, 4, 5, 200]));
    assert_eq!(of(5, false, false), of(1, false, false));
    // A row of a square number of values is turned as the square that it is shown as.
    let flat = [file("x.npy", npy::write_u8(&[1, 4], &[1, 2, 3, 4]))];
    let raw = read_well(&flat, &Reading { turn: Some(1), ..Reading::default() });
    assert_eq!((pictures(&raw).shape, bytes(&raw)), ((1, 4), &[3, 1, 4, 2][..]));
    // Transposed, its columns are the examples.
    let raw = read_well(&flat, &Reading { transpose: Some(true), ..Reading::default() });
    assert_eq!((pictures(&raw).count, pictures(&raw).shape), (4, (1, 1)));
    // Pixels in a table.
    let row = (0..16).map(|at| at.to_string()).collect::<Vec<_>>().join(",");
    let raw = read_well(
        &[file("t.csv", format!("{row}\n{row}\n").into_bytes())],
        &Reading { transpose: Some(true), ..Reading::default() },
    );
    assert_eq!((pictures(&raw).shape, &bytes(&raw)[..5]), ((4, 4), &[0, 4, 8, 12, 1][..]));
}

#[test]
fn pixels_by_examples_and_letters_are_doubted() {
    let of = |rows: usize, columns: usize| {
        let values: Vec<u8> = (0..rows * columns).map(|at| (at * 7 % 251) as u8).collect();
        changes(&read_well(&[file("x.npy", npy::write_u8(&[rows, columns], &values))], &Reading::default()))
    };
    for (rows, columns, doubted) in
        [(784, 900, true), (64, 65, true), (784, 784, false), (100, 784, false), (784, 10, false), (65, 99, false)]
    {
        let expected = if doubted { vec![Change::Transpose(true)] } else { vec![] };
        assert_eq!(of(rows, columns), expected, "{rows} x {columns}");
    }
    let letters = common::idx(8, &[2, 3, 3], &(0..18).collect::<Vec<u8>>());
    let named = |name: &str| changes(&read_well(&[file(name, letters.clone())], &Reading::default()));
    assert_eq!(named("EMNIST-letters-train-images-idx3-ubyte"), [Change::Transpose(true)]);
    assert_eq!(named("train-images-idx3-ubyte"), []);
    let packed = common::zip(&[("a/emnist-digits", &letters)], true);
    let raw = read_well(&[file("gzip.zip", packed)], &Reading::default());
    let upright = read_well(&[file("x", letters)], &changed(&raw.reading, &changes(&raw)[0]));
    assert_eq!(bytes(&upright)[..6], [0, 3, 6, 1, 4, 7]);
}

#[test]
fn the_first_of_several_arrays_is_read() {
    let (first, second, third) = (npy::write_u8(&[2, 4], &[1; 8]), npy::write_u8(&[3], &[7; 3]), npy::write_u8(&[2, 2], &[5; 4]));
    for more in [&second[..], &[&second[..], &third].concat()] {
        let all = [&first[..], more].concat();
        for bytes in [all.clone(), gzip(&all), common::zip(&[("x.npy", &all)], true)] {
            let raw = read_well(&[file("x.npy", bytes)], &Reading::default());
            let expected = if more.len() > second.len() {
                "3 arrays: the first (2 x 4) was read, the others (3, 2 x 2)"
            } else {
                "2 arrays"
            };
            assert_eq!(pictures(&raw).count, 2);
            assert!(raw.notes.concat().contains(expected), "{:?}", raw.notes);
        }
    }
    let of = |more: &[u8]| refusal(&[file("x.npy", [&first[..], more].concat())], &Reading::default());
    assert!(of(b"junk").contains("more follow"));
    assert!(of(&[&second[..], b"junk"].concat()).contains("something else follows"));
    assert!(of(&third[..third.len() - 1]).contains("4 bytes for the last of its arrays, but only 3"));
    // An array of Python's objects behind it, whose end only Python finds.
    let objects = b"\x93NUMPY\x01\0\x38\0{'descr': '|O', 'fortran_order': False, 'shape': (2,), }\n\x80\x04";
    let raw = read_well(&[file("x.npy", [&first[..], objects].concat())], &Reading::default());
    assert!(raw.notes.concat().contains("of a kind that is not read"), "{:?}", raw.notes);
}

#[test]
fn archives_are_read_to_their_end() {
    let member = |value: u8| png(2, ColorType::Grayscale, &[value, 0]);
    let members: Vec<Vec<u8>> = (1..=6).map(member).collect();
    let names = ["1.png", "2.png", "3.png", "4.png", "5.png", "6.png"];
    let files: Vec<(&str, &[u8])> = names.iter().zip(&members).map(|(name, bytes)| (*name, &bytes[..])).collect();
    let whole = common::zip(&files, true);
    let announcing = |count: u8| {
        let mut bytes = whole.clone();
        let end = bytes.len() - 22;
        (bytes[end + 8], bytes[end + 10]) = (count, count);
        [file("x.zip", bytes)]
    };
    for count in [0, 2, 5, 6] {
        let raw = read_well(&announcing(count), &Reading::default());
        assert_eq!(pictures(&raw).count, 6);
        let note = format!("announces {count} files, but its directory has 6");
        assert_eq!(raw.notes.concat().contains(&note), count < 6, "{:?}", raw.notes);
    }
    assert!(refusal(&announcing(7), &Reading::default()).contains("entry 7 of 7 is not there"));
    // Damage beyond what is announced is damage too.
    let [mut damaged] = announcing(2);
    let entry = damaged.bytes.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
    damaged.bytes[entry] = b'X';
    assert!(refusal(&[damaged], &Reading::default()).contains("entry 6 of 6 is not there"));
}

#[test]
fn what_follows_gzip_data_is_said() {
    let array = npy::write_u8(&[2, 4], &[1, 2, 3, 4, 5, 6, 7, 8]);
    let packed = gzip(&array);
    for (more, note) in [(&[0; 100][..], None), (b"\nMore", Some("5 bytes behind the gzip data in x.npy.gz were left out"))] {
        let raw = read_well(&[file("x.npy.gz", [&packed[..], more].concat())], &Reading::default());
        assert_eq!(bytes(&raw).len(), 8);
        assert_eq!(raw.notes.concat().contains(note.unwrap_or("gzip")), note.is_some(), "{:?}", raw.notes);
    }
    assert!(refusal(&[file("x", packed[..packed.len() - 1].to_vec())], &Reading::default()).contains("intact gzip data"));
}

#[test]
fn forks_of_a_folder_are_left_out() {
    let fork = b"\0\x05\x16\x07\0\x02\0\0Mac OS X        ";
    let picture = |other| png(10, ColorType::Grayscale, &stroke(other).map(u8::from));
    let files = [
        file("set/a.png", picture(false)),
        file("set/._a.png", fork.to_vec()),
        file("__MACOSX/set/._b.png", fork.to_vec()),
        file("set/b.png", picture(true)),
    ];
    let raw = read_well(&files, &Reading::default());
    assert_eq!((pictures(&raw).count, raw.notes.concat()), (2, String::new()));
}

/// How pictures are asked for.
fn any_asked() -> impl Strategy<Value = Reading> {
    let background = prop::option::of(prop::sample::select(vec![Background::White, Background::Black]));
    let corrections = (any::<Option<u8>>(), any::<Option<bool>>(), any::<Option<bool>>());
    (background, corrections).prop_map(|(background, (turn, transpose, invert))| Reading {
        background,
        turn,
        transpose,
        invert,
        ..Reading::default()
    })
}

proptest! {
    #[test]
    fn any_array_is_read_again_as_it_was(shape in prop::collection::vec(1_usize..5, 2..5), values in prop::collection::vec(any::<u8>(), 1..9), asked in any_asked()) {
        let count = shape.iter().product();
        let data: Vec<u8> = values.iter().copied().cycle().take(count).collect();
        let files = [file("emnist.npy", npy::write_u8(&shape, &data))];
        if read_as(&files, &asked).is_ok() {
            read_well(&files, &asked);
        }
    }

    #[test]
    fn any_floats_are_read_again_as_they_were(shape in (1_usize..4, 1_usize..4), values in prop::collection::vec(prop_oneof![any::<f32>(), -1.0_f32..2.0], 1..9), asked in any_asked()) {
        let data: Vec<u8> = values.iter().cycle().take(shape.0 * shape.1).flat_map(|value| value.to_be_bytes()).collect();
        let files = [file("x", common::idx(0x0d, &[shape.0 as u32, shape.1 as u32], &data))];
        if let Ok(raw) = read_as(&files, &asked) {
            assert_same(&raw, &read_as(&files, &raw.reading).unwrap());
        }
    }

    #[test]
    fn any_pictures_are_read_again_as_they_were(count in 1_usize..4, (rows, columns, scale) in (1_usize..9, 1_usize..9, 1_usize..4), values in prop::collection::vec(any::<[u8; 2]>(), 1..30), orientation in 0_u8..10, asked in any_asked()) {
        let sample = |at: usize, picture: usize| {
            let (y, x) = (at / (columns * scale) / scale, at % (columns * scale) / scale);
            values[(picture + y * columns + x) % values.len()]
        };
        let files: Vec<File> = (0..count)
            .map(|picture| {
                let samples: Vec<u8> = (0..rows * columns * scale * scale).flat_map(|at| sample(at, picture)).collect();
                file(&picture.to_string(), turned(&png((columns * scale) as u32, ColorType::GrayscaleAlpha, &samples), orientation))
            })
            .collect();
        if read_as(&files, &asked).is_ok() {
            read_well(&files, &asked);
        }
    }
}
