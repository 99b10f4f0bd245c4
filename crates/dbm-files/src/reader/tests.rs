//! The reader as the page sees it, natively.

use super::*;
use dbm_protocol::{Encoding, UnderstoodKind};

fn file(name: &str, bytes: &[u8]) -> NamedBytes {
    NamedBytes { name: name.into(), bytes: bytes.to_vec() }
}

fn read(reader: &mut Reader, file: NamedBytes) -> Answer {
    reader.answer(FilesCommand::Read { files: vec![file], reading: Box::default() }, &mut |_, _, _| {})
}

fn ask(reader: &mut Reader, command: FilesCommand) -> FilesEvent {
    reader.answer(command, &mut |_, _, _| {}).unwrap()
}

fn table() -> NamedBytes {
    let line = |row: usize| {
        let smoker = ["yes", "no", ""][row % 3];
        let colour = ["red", "green", "blue", "red"][row % 4];
        format!("p-{row}x,{smoker},{colour},{}\n", 20 + row)
    };
    let lines: Vec<String> = std::iter::once("id,smoker,colour,age\n".into()).chain((0..60).map(line)).collect();
    file("people.csv", lines.concat().as_bytes())
}

#[test]
fn a_table_is_understood_encoded_and_filled() {
    let mut reader = Reader::default();
    let FilesEvent::Understood(about) = read(&mut reader, table()).unwrap() else { panic!("understood") };
    assert_eq!((about.name.as_str(), about.count), ("people.csv", 60));
    let UnderstoodKind::Table { columns, rows } = &about.kind else { panic!("a table") };
    let kinds: Vec<(&str, u32, u32)> = columns.iter().map(|c| (c.name.as_str(), c.units, c.missing)).collect();
    assert_eq!(kinds, [("id", 0, 0), ("smoker", 1, 20), ("colour", 3, 0), ("age", 1, 0)]);
    assert_eq!((rows.len(), &rows[2][..3]), (8, &["p-2x".to_string(), String::new(), "blue".into()][..]));
    assert_eq!(columns[3].threshold, Some(49.0));
    let encode = |hold_back| FilesCommand::Encode { encoding: about.encoding.clone(), hold_back };
    let FilesEvent::Encoded(encoded) = ask(&mut reader, encode(0.0)) else { panic!("encoded") };
    assert_eq!((encoded.width, encoded.packed.len(), encoded.known.len(), encoded.held_back.len()), (5, 60, 60, 0));
    assert_eq!(encoded.table, table().bytes);
    let FilesEvent::Encoded(tested) = ask(&mut reader, encode(0.1)) else { panic!("encoded") };
    assert_eq!(EncodedData { held_back: vec![], ..tested.clone() }, encoded);
    let held: u32 = tested.held_back.iter().map(|byte| byte.count_ones()).sum();
    assert!((10..60).contains(&held), "{held} bits of 280 are held back");
    assert!(tested.held_back.iter().zip(&encoded.known).all(|(held, known)| held & !known == 0), "only what is known");
    assert!(reader.answer(encode(0.9), &mut |_, _, _| {}).unwrap_err().contains("from 0 to 0.5"));

    let probabilities = vec![0.75; 60 * 5];
    let fill = |probabilities| FilesCommand::Fill {
        file: table(),
        reading: encoded.reading.clone(),
        visible: encoded.visible.clone().unwrap(),
        probabilities,
    };
    let FilesEvent::Filled { table: filled, probabilities: sure, cells, mean_probability } =
        ask(&mut reader, fill(probabilities))
    else {
        panic!("filled")
    };
    assert_eq!((cells, mean_probability, filled.name.as_str()), (20, 0.75, "people-filled.csv"));
    let (before, after) = (String::from_utf8(table().bytes).unwrap(), String::from_utf8(filled.bytes).unwrap());
    assert_eq!(after, before.replace(",,", ",yes,"));
    assert!(String::from_utf8(sure.bytes).unwrap().starts_with("row,column,value,probability\n3,smoker,yes,0.75\n"));
    assert!(reader.answer(fill(vec![0.5]), &mut |_, _, _| {}).unwrap_err().contains("60 rows of 5 probabilities"));
}

#[test]
fn pictures_follow_the_slider_and_what_is_refused_changes_nothing() {
    let mut reader = Reader::default();
    let array = dbm_data::npy::write_u8(&[3, 2, 2], &[0, 50, 100, 200, 10, 60, 110, 210, 20, 70, 120, 255]);
    let FilesEvent::Understood(about) = read(&mut reader, file("x.npy", &array)).unwrap() else { panic!("understood") };
    assert_eq!(about.kind, UnderstoodKind::Pictures { shape: (2, 2), low: 0.0, high: 255.0, classes: 0 });
    assert_eq!((about.encoding.bits, about.encoding.threshold, about.look.share_of_ones), (1, 127.0, 0.25));
    assert!(read(&mut reader, file("y.npy", b"\x93NUMPY")).unwrap_err().contains("y.npy"));
    let lower = Encoding { threshold: 65.0, ..about.encoding.clone() };
    let FilesEvent::Preview(look) = ask(&mut reader, FilesCommand::Preview(lower)) else { panic!("looked") };
    assert_eq!((look.width, look.share_of_ones), (4, 7.0 / 12.0));
    let planes = Encoding { bits: 8, ..about.encoding };
    let FilesEvent::Encoded(encoded) = ask(&mut reader, FilesCommand::Encode { encoding: planes, hold_back: 0.0 }) else {
        panic!("encoded")
    };
    assert_eq!((encoded.width, encoded.depth, encoded.image), (32, 8, Some((2, 2))));
    assert!(Reader::default().answer(FilesCommand::Preview(Encoding::default()), &mut |_, _, _| {}).is_err());
}
