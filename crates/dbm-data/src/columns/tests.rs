//! How tables are interpreted, and that known cells survive unchanged.

use super::*;
use crate::Dataset;
use crate::interpretation::{KindChoice, Reading};
use crate::test_support::refusal;
use crate::visible::{Encoding, Visible};
use proptest::prelude::*;
use separator::Separator;
use serde::Deserialize;

fn table(text: &str) -> Table {
    Table::read("x", text).unwrap()
}

/// The same, with this line for the heading; 0 for none.
fn headed(text: &str, line: u32) -> Table {
    Table::read_as("x", text, &Reading { header: Some(line), ..Reading::default() }).unwrap()
}

fn kinds(text: &str) -> Vec<ColumnKind> {
    table(text).columns(&Encoding::default()).columns.into_iter().map(|column| column.kind).collect()
}

fn encoded(text: &str) -> Dataset {
    table(text).encode("x", &Encoding::default()).unwrap()
}

fn rows(data: &Dataset) -> Vec<Vec<u8>> {
    (0..data.examples.len()).map(|row| data.examples.row(row)).collect()
}

/// A text of `tests.json`, and its interpretation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    text: String,
    /// The separator, or `blanks`.
    separator: Option<String>,
    /// The names of the columns; none if the first row is not a header.
    names: Option<Vec<String>>,
    /// The kind of the first column.
    kind: Option<ColumnKind>,
    /// The rows as units.
    bits: Option<Vec<Vec<u8>>>,
    /// Rows and columns of a row as an image; `None` if it is not an image.
    image: Option<Vec<usize>>,
}

#[test]
fn texts_are_understood() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("tests.json")).unwrap();
    assert_eq!(cases.len(), 64);
    for Case { text, separator, names, kind, bits, image } in cases {
        if let Some(expected) = separator {
            let separator = match Separator::of(&text) {
                Separator::Byte(byte) => char::from(byte).to_string(),
                Separator::Blanks => "blanks".into(),
            };
            assert_eq!(separator, expected, "{text:?}");
        }
        if let Some(expected) = names {
            let table = table(&text);
            let names: Vec<&str> = (0..table.n_columns()).map(|column| table.name(column)).collect();
            assert_eq!(table.has_header(), !expected.is_empty(), "{text:?}");
            assert!(expected.is_empty() || table.has_names() && names == expected, "{text:?}: {names:?}");
        }
        if let Some(expected) = kind {
            assert_eq!(kinds(&text)[0], expected, "{text:?}");
        }
        if let Some(expected) = bits {
            assert_eq!(rows(&encoded(&text)), expected, "{text:?}");
        }
        if let Some(expected) = image {
            assert_eq!(encoded(&text).image.map_or(vec![], |(rows, columns)| vec![rows, columns]), expected, "{text:?}");
        }
    }
}

#[test]
fn texts_are_levels_while_they_are_few() {
    let names = |n: usize, times: usize| -> ColumnKind {
        let rows: Vec<String> = (0..n * times).map(|i| format!("n{},0", i % n)).collect();
        kinds(&format!("v,z\n{}\n", rows.join("\n")))[0].clone()
    };
    assert_eq!([names(8, 1).units(), names(9, 1).units(), names(9, 3).units()], [8, 0, 9]);
    assert_eq!([names(32, 3).units(), names(33, 9).units()], [32, 0]);
}

#[test]
fn what_is_set_aside_is_said() {
    let mut text = "id,name,size,empty\n".to_string();
    for row in 1..=20 {
        let size = if row == 7 { "big".to_string() } else { (row * row).to_string() };
        text.extend([format!("{row},person {row},{size},?\n")]);
    }
    let table = table(&text);
    let notes = table.notes();
    assert_eq!(notes.len(), 5, "{notes:?}");
    assert!(notes[4].contains("\"?\" counts as missing in column \"empty\""), "{notes:?}");
    assert!(notes[0].contains("\"id\" is set aside: it numbers the rows"), "{notes:?}");
    assert!(notes[1].contains("20 different texts"), "{notes:?}");
    assert!(notes[2].contains("1 of its 20 known cells are not numbers, the first on line 8: \"big\""), "{notes:?}");
    assert!(notes[3].contains("none of its cells is known"), "{notes:?}");
    let none =
        Table::read("my.csv", "id,name,note,empty\n1,a,,\n2,b,,\n3,c,,\n4,d,,\n5,e,,\n6,f,,\n7,g,,\n8,h,,\n9,i,,\n").unwrap();
    let message = refusal(none.encode("my.csv", &Encoding::default()));
    assert!(message.contains("my.csv: expected at least one column") && message.contains("all 4 are set aside"), "{message}");
    let comments = Table::read("x", "# a\n0,1\n# b\n1,1\n").unwrap();
    assert_eq!(comments.notes(), ["Lines 1, 3: each is a comment, is set aside, and is written back in its place."]);
}

#[test]
fn a_heading_right_below_itself_is_set_aside_once() {
    let table = table("name,score\nname,score\n\"a \"\"b\"\"\",1\n\"c \"\"d\"\"\",2\ne,\n");
    assert_eq!((table.n_rows(), table.cell(0, 0), table.cell(1, 0), table.cell(2, 0)), (3, "a \"b\"", "c \"d\"", "e"));
    let notes = table.notes();
    let said: Vec<&String> = notes.iter().filter(|note| note.contains("heading")).collect();
    assert!(said.len() == 1 && said[0].starts_with("Line 2 repeats"), "{said:?}");
}

#[test]
fn the_first_row_can_be_said_to_be_names() {
    let counting = table(",0,1,2\n0,1,0,1\n1,0,0,1\n");
    assert_eq!((counting.has_header(), counting.has_names(), counting.n_rows()), (true, false, 2));
    assert_eq!(counting.columns(&Encoding::default()).n_units(), 3);
    let other = "a,b\nc,d\n";
    assert_eq!((table(other).n_rows(), headed(other, 1).name(1)), (2, "b"));
    let named = headed("a,b\n0,1\n", 0);
    assert_eq!((named.n_rows(), named.name(0), named.cell(0, 1)), (2, "column 1", "b"));
    let third = headed("What they said\n\na,b\nc,d\n", 3);
    assert_eq!((third.n_rows(), third.name(0)), (1, "a"));
    let refused = |line| refusal(Table::read_as("x", "0,1\n", &Reading { header: Some(line), ..Reading::default() }));
    assert!(refused(1).contains("at least one example") && refused(2).contains("at least one example"), "{}", refused(2));
}

#[test]
fn names_are_told_apart() {
    let table = table("a,a,a (2),,a\n0,1,1,1,0\n1,0,1,0,0\n");
    let names: Vec<&str> = (0..5).map(|column| table.name(column)).collect();
    assert_eq!(names, ["a", "a (2)", "a (2) (2)", "column 4", "a (3)"]);
    let wide = format!("{}\n{}\n", vec!["same"; 3000].join(","), vec!["0"; 3000].join(","));
    assert_eq!(headed(&wide, 1).name(2999), "same (3000)");
}

#[test]
fn cells_keep_their_text() {
    let table = headed("name,note\n\"O\"\"Hara\",\"a, b\nc\"\r\n =1+1 , x\n-,\"\"\n", 1);
    assert_eq!((table.cell(0, 0), table.cell(0, 1)), ("O\"Hara", "a, b\nc"));
    assert_eq!((table.cell(1, 0), table.line(1)), ("=1+1", 4));
    assert!(table.is_missing(2, 0) && table.is_missing(2, 1));
    assert!(Table::read("x", "v\n0\n\"\"\n1\n").unwrap().is_missing(1, 0));
    assert_eq!(Table::read("x", "a,b\n,\n0,1\n").unwrap().n_rows(), 2);
}

#[test]
fn units_are_named_and_grouped() {
    let text = "id,smokes,age,colour\n1,no,30,red\n2,yes,?,green\n3,no,50,?\n4,yes,70,blue\n";
    let columns = table(text).columns(&Encoding::default());
    assert_eq!(columns.n_units(), 5);
    assert_eq!(columns.groups(), vec![dbm_core::Group::one_hot(2..5)]);
    assert_eq!(columns.with_units().map(|(.., units)| units).collect::<Vec<_>>(), [0..1, 1..2, 2..5]);
    let data = encoded(text);
    assert_eq!(rows(&data), [[0, 0, 1, 0, 0], [1, 0, 0, 1, 0], [0, 0, 0, 0, 0], [1, 1, 0, 0, 1]]);
    assert_eq!(data.examples.known_row(2), [true, true, false, false, false]);
    assert_eq!((data.examples.missing(), data.visible), (4, Some(Visible::Table(columns.clone()))));
    let visible = Visible::Table(columns.clone());
    assert_eq!(Visible::from_json("x", &visible.to_json()), Ok(visible));
    let young = Encoding { columns: [("age".to_string(), 20.0), ("other".to_string(), 3.0)].into(), ..Encoding::default() };
    let ColumnKind::Number { threshold, low, high } = table(text).columns(&young).columns[2].kind.clone() else { panic!() };
    assert_eq!((threshold, low.as_str(), high.as_str()), (20.0, "30", "50"));
    let none = Encoding { columns: [("age".to_string(), f64::NAN)].into(), ..Encoding::default() };
    assert_eq!(table(text).columns(&none), columns);
}

#[test]
fn a_model_reads_other_tables_by_name() {
    let columns = table("id,smokes,age,colour\n1,no,30,red\n2,yes,50,green\n3,no,70,blue\n").columns(&Encoding::default());
    let other = table("colour,extra,Smokes,smokes\nblue,x,1,YES\n?,y,2,no\n");
    let data = other.encode_as("new.csv", &columns).unwrap();
    assert_eq!(rows(&data), [[1, 0, 0, 0, 1], [0, 0, 0, 0, 0]]);
    assert_eq!(data.examples.known_row(0), [true, false, true, true, true]);
    let notes = other.matching("new.csv", &columns).unwrap().notes;
    assert_eq!(notes.len(), 3, "{notes:?}");
    assert!(notes[0].contains("\"age\" of the model is not in this table"), "{notes:?}");
    assert!(notes[1].contains("\"extra\" is set aside"), "{notes:?}");
    let twice = Columns { columns: [&columns.columns[1], &columns.columns[1]].map(Clone::clone).to_vec(), exclusive: vec![] };
    assert!(refusal(other.fill("n", &twice, |_, _| 0.5)).contains("two are called \"smokes\""));
    let nameless = table("0,1,1\n1,0,0\n").columns(&Encoding::default());
    assert_eq!(rows(&table("a,b,c\n?,1,0\n0,0,0\n").encode_as("n", &nameless).unwrap())[0], [0, 1, 0]);
}

#[test]
fn only_gaps_are_filled() {
    let text = "id;smokes;age;colour;;note\r\n1;?;30,5;red;;=SUM(A1)\r\n2;yes;NA;green;NA;\"a;b\"\r\n3;no;70;?;?;@x\r\n4;no;50;blue;;+y\r\n";
    let table = table(text);
    let columns = table.columns(&Encoding::default());
    let filled = table.fill("x", &columns, |_, unit| [0.9, 0.2, 0.1, 0.2, 0.5, 0.0, 0.0, 0.0, 0.0][unit]).unwrap();
    let expected = text.replace("1;?", "1;yes").replace(";NA;g", ";30,5;g").replace(";?;?;@", ";blue;?;@");
    assert_eq!(String::from_utf8(filled.to_csv(&table)).unwrap(), expected);
    assert_eq!((filled.cells().len(), filled.n_columns(), filled.n_left(&table)), (3, 3, 4));
    assert_eq!(filled.cells()[2], FilledCell { row: 2, column: 3, value: "blue".into(), probability: 0.5 / 0.8 });
    let long = String::from_utf8(filled.probabilities_csv(&table)).unwrap();
    assert_eq!(long, "row,column,value,probability\n1,smokes,yes,0.9\n2,age,\"30,5\",0.8\n3,colour,blue,0.625\n");
    // In another order, and without one of the columns.
    let other = Table::read("y", "colour\tage\n?\t31\nred\tNaN\n").unwrap();
    let filled = other.fill("y", &columns, |_, unit| if unit == 3 { 1.0 } else { 0.0 }).unwrap();
    assert_eq!(filled.to_csv(&other), b"colour\tage\ngreen\t31\nred\t30,5\n");
}

#[test]
fn ties_and_impossible_levels_have_an_answer() {
    let kind = ColumnKind::Category { levels: ["a", "b", "c"].map(String::from).to_vec(), ordered: false };
    assert_eq!(kind.most_probable(&[0.0; 3]), Some(("a", 1.0 / 3.0)));
    assert_eq!(kind.most_probable(&[0.25, 0.5, 0.5]).unwrap().0, "b");
    let binary = ColumnKind::Binary { low: "no".into(), high: "yes".into() };
    assert_eq!(binary.most_probable(&[0.5]), Some(("no", 0.5)));
    let columns = Columns { columns: vec![Column::new("v", kind)], exclusive: vec![] };
    assert_eq!(columns.decode(&[0, 0, 0, 0, 1, 1], &[], |_| vec![]), b"v\n\"\"\nb\n");
}

#[test]
fn ordered_levels_are_a_thermometer() {
    use crate::interpretation::Change;
    let text = "size,pain\nM,0\nL,2\nS,1\n,\nL,0\n";
    let mut asked = Reading::default();
    asked.correct(&Change::Levels("size".into(), ["S", "M", "XL", "L"].map(String::from).to_vec()));
    asked.correct(&Change::Kind("pain".into(), KindChoice::Ordered));
    let table = Table::read_as("x", text, &asked).unwrap();
    let columns = table.columns(&Encoding::default());
    let ordered = |levels: [&str; 3]| ColumnKind::Category { levels: levels.map(String::from).to_vec(), ordered: true };
    // Nobody wrote XL.
    assert_eq!((&columns.columns[0].kind, &columns.columns[1].kind), (&ordered(["S", "M", "L"]), &ordered(["0", "1", "2"])));
    let data = table.encode("x", &Encoding::default()).unwrap();
    let rows: Vec<Vec<u8>> = (0..5).map(|row| data.examples.row(row)).collect();
    assert_eq!(rows[..3], [vec![1, 0, 0, 0], vec![1, 1, 1, 1], vec![0, 0, 1, 0]]);
    assert_eq!((data.examples.missing(), data.examples.groups().len()), (4, 2));
    // P(at least M) and P(at least L).
    let highs = [0.75, 0.5, 0.5, 0.25];
    let filled = table.fill("x", &columns, |_, unit| highs[unit]).unwrap();
    let found: Vec<(&str, f64)> = filled.cells().iter().map(|cell| (cell.value.as_str(), cell.probability)).collect();
    assert_eq!(found, [("L", 0.5), ("0", 0.5)]);
    let values = columns.columns[0].kind.values(&highs[..2]);
    assert_eq!(values, [("L".to_string(), 0.5), ("S".into(), 0.25), ("M".into(), 0.25)]);
    assert_eq!(columns.decode(&[0, 1, 1, 0], &[], |_| vec![]), b"size,pain\nS,1\n", "a hole");
    // Two values in order are one unit; a value that is not among them is refused.
    asked.correct(&Change::Levels("size".into(), vec!["L".into(), "M".into()]));
    let error = Table::read_as("x", text, &asked).unwrap_err().to_string();
    assert!(error.contains("\"S\" is not"), "{error}");
    asked.correct(&Change::Levels("v".into(), vec!["no".into(), "ja".into()]));
    asked.columns.retain(|column| column.name == "v");
    let two = Table::read_as("x", "v\nja\nno\nja\n", &asked).unwrap().columns(&Encoding::default());
    assert_eq!(two.columns[0].kind, ColumnKind::Binary { low: "no".into(), high: "ja".into() });
}

/// Text as `pandas.DataFrame.to_csv` writes it: with an index, gaps as empty cells, and floats in a column of whole numbers with gaps.
const PANDAS: &str = ",survived,sex,fare,deck,name\n0,0.0,male,7.25,,\"Braund, Mr. Owen\"\n1,1.0,female,71.2833,C,\"Cumings, Mrs. \"\"Flo\"\"\"\n\
    2,,female,7.925,,\"Heikkinen\nMiss\"\n3,1.0,,53.1,C,\n4,0.0,male,,E,Allen\n";

#[test]
fn files_of_pandas_come_back_but_for_what_was_filled() {
    let table = table(PANDAS);
    assert_eq!(table.to_csv(), PANDAS.as_bytes());
    let columns = table.columns(&Encoding::default());
    let filled = table.fill("x", &columns, |_, _| 1.0).unwrap();
    let expected = PANDAS.replace("2,,", "2,1.0,").replace("1.0,,5", "1.0,male,5").replace("male,,E", "male,53.1,E");
    assert_eq!(
        String::from_utf8(filled.to_csv(&table)).unwrap(),
        expected.replace("7.25,,", "7.25,E,").replace("53.1,C,\n", "53.1,C,\"Braund, Mr. Owen\"\n").replace("925,,", "925,E,")
    );
    for text in ["a;b\r\n0;1\r\n1;\r\n", "\u{feff}x\ty\n1\tNA\n0\t5\n7\t8\n", "0 1\n? 1\n", "v\n\"\"\n1\n", "\"#a\",b\n0,1\n"] {
        assert_eq!(Table::read("x", text).unwrap().to_csv(), text.as_bytes(), "{text:?}");
    }
}

/// The text of any table: mostly the characters of quotes and separators.
fn any_text() -> impl Strategy<Value = String> {
    "[01a,;\t \"\n\r#?é-]{0,60}"
}

#[test]
fn a_text_that_random_search_found_is_read_twice_alike() {
    let table = Table::read("x", "\t0\r\t1\n\t;").unwrap();
    let data = table.encode("x", &Encoding::default()).unwrap();
    assert_eq!(table.encode_as("x", &table.columns(&Encoding::default())).unwrap().examples, data.examples);
}

proptest! {
    #[test]
    fn no_text_panics(text: String, other in any_text(), row in 0_usize..4) {
        for text in [&text, &other] {
            if let Ok(table) = Table::read("x", text) {
                let flipped = Reading { header: Some(u32::from(!table.has_header())), ..Reading::default() };
                for table in [Table::read_as("x", text, &flipped).ok(), Some(table)].into_iter().flatten() {
                    let columns = table.columns(&Encoding::default());
                    if let Ok(data) = table.encode("x", &Encoding::default()) {
                        prop_assert_eq!(table.encode_as("x", &columns).unwrap().examples, data.examples);
                        let _ = table.fill("x", &columns, |_, _| 0.5).unwrap().to_csv(&table);
                    }
                    let _ = table.is_missing(row % table.n_rows(), 0);
                }
            }
        }
    }

    #[test]
    fn what_is_written_is_read(
        (width, cells) in (1_usize..5).prop_flat_map(|width| (Just(width), prop::collection::vec(
            prop_oneof!["[01]", "[a-c]", "-?[0-9]{1,3}(\\.[0-9])?", "[ab,;\"\n #é=+@-]{0,5}"], width..8 * width))),
        separator in prop::sample::select(vec![b',', b';', b'\t']),
    ) {
        let mut writer = csv::WriterBuilder::new().delimiter(separator).comment(Some(b'#')).from_writer(Vec::new());
        for row in cells.chunks_exact(width) {
            writer.write_record(row).unwrap();
        }
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        if let Ok(table) = Table::read("x", &text) {
            let again = Table::read("x", std::str::from_utf8(&table.to_csv()).unwrap()).unwrap();
            prop_assert_eq!((again.n_rows(), again.n_columns()), (table.n_rows(), table.n_columns()));
            for column in 0..table.n_columns() {
                prop_assert_eq!(again.name(column), table.name(column));
                for row in 0..table.n_rows() {
                    prop_assert_eq!(again.cell(row, column), table.cell(row, column));
                }
            }
        }
    }

    #[test]
    fn rows_are_cut_as_by_the_csv_crate(cells in prop::collection::vec("[a-c,;\"\n#é]{0,5}", 6..24)) {
        let mut writer = csv::WriterBuilder::new().comment(Some(b'#')).from_writer(Vec::new());
        cells.chunks_exact(3).for_each(|row| writer.write_record(row).unwrap());
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        if let Ok(read) = parse::Cells::parse("x", text.clone(), Cut::whole(Separator::of(&text))) && read.separator == Separator::Byte(b',') {
            for (row, record) in cells.chunks_exact(3).enumerate() {
                for (column, cell) in record.iter().enumerate() {
                    prop_assert_eq!(read.get(row, column), cell.trim());
                }
            }
        }
    }

    #[test]
    fn known_cells_survive_encoding_and_decoding(
        rows in prop::collection::vec(("yes|no|\\?", "red|green|blue|NA", "0|1|", "[1-9]"), 1..30), seed: u64,
    ) {
        let mut text = "a,b,c,d\n".to_string();
        text.extend(rows.iter().map(|(a, b, c, d)| format!("{a},{b},{c},{d}\n")));
        let table = headed(&text, 1);
        let columns = table.columns(&Encoding::default());
        prop_assume!(columns.n_units() > 0);
        let data = table.encode("x", &Encoding::default()).unwrap();
        for row in 0..table.n_rows() {
            let bits = data.examples.row(row);
            for (_, column, units) in columns.with_units() {
                let at = (0..4).find(|&at| table.name(at) == column.name).unwrap();
                let known = units.clone().all(|unit| data.examples.is_known(row, unit));
                prop_assert_eq!(known, !table.is_missing(row, at));
                if known && !matches!(column.kind, ColumnKind::Number { .. }) {
                    prop_assert_eq!(column.kind.value_of(&bits[units]), table.cell(row, at));
                }
            }
        }
        let noise = |row: usize, unit: usize| f64::from((seed.rotate_left((row * 7 + unit) as u32) & 255) as u8) / 255.0;
        let filled = table.fill("x", &columns, noise).unwrap();
        let back = headed(std::str::from_utf8(&filled.to_csv(&table)).unwrap(), 1);
        let mut left = 0;
        for row in 0..table.n_rows() {
            for column in 0..4 {
                if !table.is_missing(row, column) {
                    prop_assert_eq!(back.cell(row, column), table.cell(row, column));
                }
                left += usize::from(table.is_missing(row, column) && back.is_missing(row, column));
            }
        }
        prop_assert_eq!(left, filled.n_left(&table));
    }
}

#[test]
fn words_among_numbers_are_no_news_to_a_model_of_the_same_table() {
    let table = table("a,b\n0,1\n1,;\n0,3.5\n1,7\n0,9\n1,x\n0,4\n1,11\n");
    let columns = table.columns(&Encoding::default());
    let data = table.encode_as("x", &columns).unwrap();
    assert_eq!((data.examples.is_known(1, 1), data.examples.missing()), (false, 2));
    let other = Table::read("y", "a,b\n0,;\n1,y\n0,2\n1,3\n0,4\n1,5\n").unwrap();
    assert_eq!(other.unseen("y", &columns).unwrap().iter().map(|unseen| &unseen.text[..]).collect::<Vec<_>>(), ["y"]);
}
