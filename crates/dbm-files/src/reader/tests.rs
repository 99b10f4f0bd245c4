//! The reader as the page sees it, natively.

use super::*;
use dbm_protocol::{CellState, Encoding, RowsAsked, TableFile, UnderstoodKind};

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

    let written = |form, leave_below| FilesCommand::WriteTable { form, leave_below };
    assert!(reader.answer(written(TableFile::Table, 0.0), &mut |_, _, _| {}).unwrap_err().contains("no table is open"));
    let (file, visible) = (table(), encoded.visible.clone().unwrap());
    let open = FilesCommand::OpenTable { file, reading: encoded.reading.clone(), visible };
    let FilesEvent::TableOpened { columns, rows: 60, missing: (20, 0) } = ask(&mut reader, open) else { panic!("opened") };
    assert_eq!(columns, ["id", "smoker", "colour", "age"]);
    let asked = RowsAsked { from: 1, count: 2, columns: 9, ..RowsAsked::default() };
    let rows = |leave_below| FilesCommand::Rows(RowsAsked { leave_below, ..asked });
    let FilesEvent::Rows(before) = ask(&mut reader, rows(0.0)) else { panic!("rows") };
    assert_eq!((before.rows[1].1[1].clone(), before.left), ((String::new(), CellState::Missing), 20));
    assert!(reader.answer(written(TableFile::Table, 0.0), &mut |_, _, _| {}).unwrap_err().contains("press Fill the gaps"));

    // Drawn: "no" and "yes" in turn.
    let draws = Examples::from_bits(5, &[0, 1, 0, 0, 0, 1, 1, 0, 0, 0].repeat(60)).unwrap().packed().to_vec();
    let fill = |highs: Vec<f32>, draws| FilesCommand::FillTable { highs, draws };
    assert!(reader.answer(fill(vec![0.5], vec![]), &mut |_, _, _| {}).unwrap_err().contains("60 rows of 5 probabilities"));
    let highs: Vec<f32> = (0..60).flat_map(|row| [if row < 30 { 0.75 } else { 0.625 }, 0.5, 0.25, 0.25, 1.0]).collect();
    assert_eq!(ask(&mut reader, fill(highs, draws)), FilesEvent::Done);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let mut file = |form, leave_below| {
        let FilesEvent::Written(file) = ask(&mut reader, written(form, leave_below)) else { panic!("written") };
        file
    };
    let whole = file(TableFile::Table, 0.0);
    assert_eq!((whole.name.as_str(), text(whole.bytes)), ("people-filled.csv", text(table().bytes).replace(",,", ",yes,")));
    let sure = file(TableFile::Probabilities, 0.7);
    assert_eq!(text(sure.bytes.clone()).lines().count(), 11);
    assert!(text(sure.bytes).starts_with("row,column,value,probability\n3,smoker,yes,0.75\n"));
    let several = file(TableFile::Imputations, 0.0);
    assert_eq!(several.name, "people-imputations.zip");
    let first = raw::read(&[File { name: several.name, bytes: several.bytes }], &Reading::default(), &mut |_, _, _| {}).unwrap();
    let Content::Table(drawn) = first.content else { panic!("a table") };
    assert_eq!((drawn.n_rows(), drawn.cell(2, 1), drawn.n_missing()), (60, "no", 0));

    let FilesEvent::Rows(after) = ask(&mut reader, rows(0.7)) else { panic!("rows") };
    assert_eq!((after.rows[1].1[1].clone(), after.filled, after.left), (("yes".into(), CellState::Filled(0.75)), 10, 10));
    assert_eq!(after.rows[0], before.rows[0]);
    let FilesEvent::Cell(cell) = ask(&mut reader, FilesCommand::Cell { row: 2, column: 1 }) else { panic!("a cell") };
    assert_eq!(cell.values, [("yes".to_string(), 0.75), ("no".to_string(), 0.25)]);
    // Blue, and as young.
    assert_eq!((cell.alike.len(), cell.alike[0].row, cell.alike[0].equal, cell.alike[0].known), (5, 6, 2, 2));
    assert_eq!(cell.alike[0].value, "yes");
    for refused in [FilesCommand::Cell { row: 1, column: 1 }, FilesCommand::Cell { row: 99, column: 0 }] {
        assert!(reader.answer(refused, &mut |_, _, _| {}).is_err());
    }
    let some = FilesCommand::Rows(RowsAsked { first_column: 1, columns: 2, only_gaps: true, ..asked });
    let FilesEvent::Rows(some) = ask(&mut reader, some) else { panic!("rows") };
    assert_eq!((some.of, some.rows[0].0, some.rows[0].1.len(), some.rows[0].1[1].0.as_str()), (20, 5, 2, "green"));
    for refused in [RowsAsked { from: 61, ..asked }, RowsAsked { first_column: 4, ..asked }, RowsAsked { count: 1001, ..asked }] {
        assert!(reader.answer(FilesCommand::Rows(refused), &mut |_, _, _| {}).is_err());
    }
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
