//! Files as people have them: a small one of each kind that was reported to trip a tool, and what must hold for every table.

use dbm_data::columns::{ColumnKind, Table};
use dbm_data::raw::{Change, Content, Doubt, Encoding, File, KindChoice, Raw, Reading, read};
use proptest::prelude::*;

fn raw(files: &[(&str, &[u8])], asked: &Reading) -> Raw {
    let files: Vec<File> = files.iter().map(|(name, bytes)| File { name: (*name).into(), bytes: bytes.to_vec() }).collect();
    read(&files, asked, &mut |_, _, _| {}).unwrap_or_else(|error| panic!("{error}"))
}

fn table_of(raw: &Raw) -> &Table {
    match &raw.content {
        Content::Table(table) => table,
        Content::Pictures(_) => panic!("{} is a table", raw.name),
    }
}

/// A table in one file.
fn one(text: &str) -> Raw {
    raw(&[("t.csv", text.as_bytes())], &Reading::default())
}

/// The same with what a user says.
fn asked(text: &str, asked: &Reading) -> Raw {
    raw(&[("t.csv", text.as_bytes())], asked)
}

/// The file with its gaps filled, every unit as probable as this.
fn filled(table: &Table, probability: f64) -> Vec<u8> {
    let columns = table.columns(&Encoding::default());
    if columns.n_units() == 0 {
        return table.to_csv();
    }
    table.fill("t.csv", &columns, |_, _| probability).unwrap().to_csv(table)
}

fn doubt<'r>(raw: &'r Raw, label: &str) -> &'r Doubt {
    raw.doubts.iter().find(|doubt| doubt.label == label).unwrap_or_else(|| panic!("{label}: {:?}", raw.doubts))
}

/// Corrects a reading, as a press on a doubt does.
fn corrected(text: &str, raw: &Raw, label: &str) -> Raw {
    let mut reading = raw.reading.clone();
    reading.correct(&doubt(raw, label).change);
    asked(text, &reading)
}

fn notes(raw: &Raw) -> String {
    raw.notes.join("\n")
}

#[test]
fn names_that_come_twice_are_still_names() {
    let read = one("id,q1,q2,q2\n1,,0,\n2,,1,1\n3,1,1,0\n4,0,,1\n");
    let table = table_of(&read);
    assert_eq!((table.n_rows(), table.name(2), table.name(3)), (4, "q2", "q2 (2)"));
    assert!(notes(&read).contains("Two columns are called \"q2\""), "{}", notes(&read));
    assert!(filled(table, 1.0).starts_with(b"id,q1,q2,q2\n1,1,0,1\n"));
}

#[test]
fn names_that_come_again_are_set_aside() {
    let text = "smoker,drinker\nyes,yes\nno,no\nsmoker,drinker\nno,\nyes,yes\n";
    let read = one(text);
    assert_eq!(table_of(&read).n_rows(), 4);
    assert!(notes(&read).contains("Line 4 repeats the heading"), "{}", notes(&read));
    assert_eq!(filled(table_of(&read), 1.0), text.replace("no,\n", "no,yes\n").as_bytes());
}

#[test]
fn headings_of_years_of_two_lines_and_with_a_sign() {
    let years = one("country,1990,1991,1992\nChad,5,7,9\nMali,6,,4\nTogo,3,2,8\n");
    assert_eq!((table_of(&years).n_rows(), table_of(&years).name(3)), (3, "1992"));
    let units = one("age,height\nyears,cm\n34,170\n,181\n61,\n");
    assert_eq!((table_of(&units).n_rows(), table_of(&units).name(0)), (3, "age"));
    assert!(notes(&units).contains("Line 2 continues the heading"), "{}", notes(&units));
    let groups = one("before,,after,\nage,sex,dose,ill\n34,f,1,yes\n52,m,2,no\n");
    assert_eq!((table_of(&groups).n_rows(), table_of(&groups).name(1)), (2, "sex"));
    let sign = one("#IID\tsnp1\tsnp2\nP0\t1\t0\nP1\t0\t\n");
    assert_eq!((table_of(&sign).n_rows(), table_of(&sign).name(0)), (2, "#IID"));
    let of_r = one("\"x\" \"y\"\n\"a\" 1 NA\n\"b\" 0 1\n\"c\" 1 1\n");
    assert_eq!((table_of(&of_r).n_rows(), table_of(&of_r).name(0), table_of(&of_r).name(1)), (3, "column 1", "x"));
    let none = asked("a,b\nc,d\n", &Reading { header: Some(0), ..Reading::default() });
    assert_eq!(table_of(&none).n_rows(), 2);
}

#[test]
fn no_row_is_lost_to_a_sign() {
    let text = "# made up\ncolour,a\n#00ff00,\nblue,0\n#ff0000,1\n#N/A,1\n# the end\n";
    let read = one(text);
    assert_eq!(table_of(&read).n_rows(), 4);
    assert!(notes(&read).contains("Lines 1, 7: each is a comment"), "{}", notes(&read));
    assert!(table_of(&read).is_missing(3, 0));
    assert_eq!(filled(table_of(&read), 1.0), text.replace("#00ff00,\n", "#00ff00,1\n").replace("#N/A", "#00ff00").as_bytes());
}

#[test]
fn excel_says_what_separates() {
    for text in ["sep=;\na;b;c\n0;;1\n1;0;1\n0;1;0\n", "sep=;\r\nsmoker;active\r\n;yes\r\nno;no\r\nyes;yes\r\n"] {
        let read = one(text);
        assert_eq!((table_of(&read).n_rows(), read.reading.separator), (3, Some(';')));
        assert_eq!(table_of(&read).to_csv(), text.as_bytes());
    }
}

#[test]
fn words_that_are_meant_are_values() {
    let text = "country,masonry,pool\nBW,Brick,no\nNA,None,yes\nZA,Stone,NA\nNA,Brick,\nBW,None,no\n";
    let read = one(text);
    let table = table_of(&read);
    assert!(!table.is_missing(1, 0) && !table.is_missing(1, 1) && table.is_missing(2, 2));
    assert_eq!(filled(table, 0.0), text.replace("Stone,NA", "Stone,no").replace("Brick,\n", "Brick,no\n").as_bytes());
    let other = corrected(text, &read, "\"None\" is missing");
    assert!(table_of(&other).is_missing(1, 1) && !table_of(&other).is_missing(1, 0));
    assert!(other.doubts.iter().all(|doubt| doubt.label != "\"None\" is missing"));
}

#[test]
fn codes_and_words_that_may_mean_missing_are_named() {
    let cases = [
        ("id,dose\n1,1\n2,.\n3,0\n4,1\n", "\".\" is missing", 1),
        ("a,b\n0,-9\n1,1\n0,0\n1,-9\n0,1\n", "\"-9\" is missing", 2),
        ("a,b\n0,9\n1,1\n0,0\n1,9\n0,1\n", "\"9\" is missing", 2),
        ("age,b\n30,0\n99,1\n41,0\n52,1\n99,0\n", "\"99\" is missing", 2),
        ("a,b\nyes,0\nno,1\nunknown,1\n\\N,0\n", "\"unknown\" is missing", 1),
        ("a,b\nyes,0\nno,1\nunknown,1\n\\N,0\n", "\"\\\\N\" is missing", 1),
    ];
    for (text, label, cells) in cases {
        let read = one(text);
        let missing =
            |table: &Table| (0..table.n_rows()).map(|row| (0..2).filter(|&at| table.is_missing(row, at)).count()).sum::<usize>();
        assert_eq!((missing(table_of(&read)), filled(table_of(&read), 1.0)), (0, text.as_bytes().to_vec()), "{text}");
        assert_eq!(missing(table_of(&corrected(text, &read, label))), cells, "{text}");
        // As `--missing` says it.
        let word = label.trim_start_matches('"').split("\" ").next().unwrap().replace("\\\\", "\\");
        assert_eq!(missing(table_of(&asked(text, &Reading { missing: vec![word], ..Reading::default() }))), cells, "{text}");
    }
    assert!(one("a,b\n8,0\n7,1\n9,0\n6,1\n9,1\n").doubts.iter().all(|doubt| !doubt.label.contains('9')));
}

#[test]
fn few_whole_numbers_are_codes_unless_the_user_says_otherwise() {
    let text = "region,voted\n1,0\n5,1\n3,0\n3,1\n5,0\n1,1\n,0\n";
    let kind = |raw: &Raw| table_of(raw).columns(&Encoding::default()).columns[0].kind.clone();
    let read = one(text);
    assert_eq!(kind(&read), ColumnKind::Category { levels: ["1", "3", "5"].map(String::from).to_vec(), ordered: false });
    assert!(matches!(kind(&corrected(text, &read, "They are amounts")), ColumnKind::Number { .. }));
    let mut reading = read.reading.clone();
    reading.correct(&Change::Kind("region".into(), KindChoice::LeaveOut));
    assert_eq!(kind(&asked(text, &reading)), ColumnKind::Ignored);
}

#[test]
fn nothing_is_filled_in_that_nobody_wrote() {
    let text = "sex,country,ill\nF,NO,0\n,,0\nF,NO,0\nF,,\n";
    let table = one(text);
    for probability in [0.0, 1.0] {
        assert_eq!(filled(table_of(&table), probability), b"sex,country,ill\nF,NO,0\nF,NO,0\nF,NO,0\nF,NO,0\n", "{probability}");
    }
}

#[test]
fn spellings_of_one_word_are_named_and_can_be_joined() {
    let text = "sex,ill\nMale,1\nmale,1\nmale,0\nfemale ,0\n,0\nmale,1\n";
    let read = one(text);
    let columns = |raw: &Raw| table_of(raw).columns(&Encoding::default()).n_units();
    assert!(doubt(&read, "They are the same").text.contains("\"male\" (3) and \"Male\" (1)"), "{:?}", read.doubts);
    let joined = corrected(text, &read, "They are the same");
    assert_eq!((columns(&read), columns(&joined)), (4, 2));
    assert_eq!(filled(table_of(&joined), 1.0), text.replace("\n,0", "\nmale,0").as_bytes());
}

#[test]
fn the_table_among_several_files_is_found() {
    let table: &[u8] = b"e,b,f\np,f,t\np,,t\ne,b,t\n";
    let prose: &[u8] = b"1. Title: Fungi, edible or not\n2. Sources:\n   (a) a book of 1981\n";
    let read =
        raw(&[("fungi.names", prose), ("fungi.data", table), ("Index", b"Index of fungi\nfungi.data\n")], &Reading::default());
    assert_eq!((read.name.as_str(), table_of(&read).n_rows()), ("fungi.data", 4));
    assert!(notes(&read).contains("fungi.data was read as the table; left out: fungi.names, Index"), "{}", notes(&read));
    let read = raw(&[("codebook.pdf", b"%PDF-1.4\n"), ("table.csv", b"a,b\n1,0\n0,\n")], &Reading::default());
    assert_eq!(table_of(&read).to_csv(), b"a,b\n1,0\n0,\n");
    let both: [(&str, &[u8]); 2] = [("train.csv", b"a,b\n1,0\n0,1\n1,1\n"), ("test.csv", b"a,b\n1,0\n")];
    let read = raw(&both, &Reading::default());
    assert_eq!(read.name, "train.csv");
    let mut reading = read.reading.clone();
    reading.correct(&doubt(&read, "Read test.csv").change);
    assert_eq!(raw(&both, &reading).name, "test.csv");
}

#[test]
fn numbers_encodings_and_ends_of_files() {
    let grouped = one("income,b\n\"1,200\",0\n\"12,500\",1\n900,0\n,1\n");
    let ColumnKind::Number { threshold, .. } = table_of(&grouped).columns(&Encoding::default()).columns[0].kind else { panic!() };
    assert_eq!(threshold.to_bits(), 1200.0_f64.to_bits());
    assert!(filled(table_of(&grouped), 1.0).ends_with(b"\n\"12,500\",1\n"));
    let euro: &[u8] = b"Gr\xf6\xdfe;Preis\nklein;5 \x80\n;7 \x80\ngro\xdf;5 \x80\n";
    let read = raw(&[("t.csv", euro)], &Reading::default());
    assert_eq!((read.reading.encoding.as_deref(), table_of(&read).name(0)), (Some("windows-1252"), "Größe"));
    assert_eq!(filled(table_of(&read), 0.0), [&euro[..22], b"gro\xdf", &euro[22..]].concat());
    let wide: Vec<u8> = "a,b\r\n1,0\r\n,1\r\n0,0\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let read = raw(&[("t.csv", &wide)], &Reading::default());
    let expected: Vec<u8> = "a,b\r\n1,0\r\n1,1\r\n0,0\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(filled(table_of(&read), 1.0), expected);
    let dos = one("a,b\n1,0\n,1\n0,1\n\u{1a}");
    assert_eq!((table_of(&dos).n_rows(), filled(table_of(&dos), 0.0)), (3, b"a,b\n1,0\n0,1\n0,1\n\x1a".to_vec()));
}

#[test]
fn what_is_no_table_is_named() {
    for (bytes, words) in [
        (&b"version https://git-lfs.github.com/spec/v1\noid sha256:5f\nsize 17537\n"[..], "git lfs pull"),
        (b"<stata_dta><header><release>118", "a Stata file"),
        (b"\x72\x02\x01\0\x05\0", "a Stata file"),
        (b"$FL2@(#) IBM SPSS STATISTICS", "an SPSS file"),
        (b"\x00\x05\x16\x07\x00\x02", "macOS"),
    ] {
        let file = File { name: "t".into(), bytes: bytes.to_vec() };
        let error = read(&[file], &Reading::default(), &mut |_, _, _| {}).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn all_values_that_a_model_never_saw_are_named() {
    let columns = table_of(&one("colour,a\nred,1\ngreen,0\nblue,1\nred,0\n")).columns(&Encoding::default());
    let text = "colour,a\npink,0\nred,2\npink,1\n";
    let table = table_of(&one(text)).clone();
    let error = table.encode_as("new.csv", &columns).unwrap_err().to_string();
    assert!(
        error.contains("line 2") && error.contains("\"pink\"") && error.contains("line 3") && error.contains("\"2\""),
        "{error}"
    );
    let (table, notes) = table.with_unseen_missing("new.csv", &columns).unwrap();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert_eq!(table.encode_as("new.csv", &columns).unwrap().examples.missing(), 7);
    assert_eq!(table.fill("new.csv", &columns, |_, _| 0.0).unwrap().to_csv(&table), b"colour,a\nred,0\nred,0\nred,1\n");
}

/// A cell as people write it: a word, a number, a missing value, something that needs quotes.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        "[01]",
        "yes|no|Yes",
        "red|green|blue|NA|None|-",
        "[0-9]{1,3}",
        "-9|99|\\.|unknown|\\?",
        "",
        "[a,;\"\n #é]{1,4}",
        "1,234|1\\.5|#a",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn only_gaps_change(
        (width, cells) in (1_usize..5).prop_flat_map(|width| (Just(width), prop::collection::vec(cell(), width * 2..width * 12))),
        names: bool, separator in prop::sample::select(vec![b',', b';', b'\t', b'|']), crlf: bool, before in prop::sample::select(vec!["", "# why\n", "\u{feff}", "\n"]),
        high: bool,
    ) {
        let end = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let mut writer = csv::WriterBuilder::new().delimiter(separator).terminator(end).from_writer(Vec::new());
        if names {
            writer.write_record((0..width).map(|at| format!("name {at}"))).unwrap();
        }
        let rows: Vec<&[String]> = cells.chunks_exact(width).collect();
        rows.iter().for_each(|row| writer.write_record(*row).unwrap());
        let text = before.to_string() + &String::from_utf8(writer.into_inner().unwrap()).unwrap();
        let file = [File { name: "t.csv".into(), bytes: text.clone().into_bytes() }];
        let asked = Reading { table: Some(true), header: None, ..Reading::default() };
        let Ok(first) = read(&file, &asked, &mut |_, _, _| {}) else { return Ok(()) };
        let table = table_of(&first);
        prop_assert_eq!(table.to_csv(), text.as_bytes());
        // Reading with the answer gives the same.
        let again = read(&file, &first.reading, &mut |_, _, _| {}).unwrap();
        prop_assert_eq!(&again.content, &first.content);
        prop_assert_eq!(&again.reading, &first.reading);
        let bytes = filled(table, f64::from(u8::from(high)));
        let out = read(&[File { name: "t.csv".into(), bytes }], &first.reading, &mut |_, _, _| {}).unwrap();
        let out = table_of(&out);
        prop_assert_eq!((out.n_rows(), out.n_columns()), (table.n_rows(), table.n_columns()));
        for column in 0..table.n_columns() {
            prop_assert_eq!(out.name(column), table.name(column));
            let written: Vec<&str> = (0..table.n_rows()).filter(|&row| !table.is_missing(row, column)).map(|row| table.cell(row, column)).collect();
            for row in 0..table.n_rows() {
                if table.is_missing(row, column) {
                    let cell = out.cell(row, column);
                    prop_assert!(cell == table.cell(row, column) || written.contains(&cell), "{cell:?} in column {column} of {text:?}");
                } else {
                    prop_assert_eq!(out.cell(row, column), table.cell(row, column));
                }
            }
        }
    }
}
