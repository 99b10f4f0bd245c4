//! Bad tables: each is refused with the file, the line or column where there is one, what was expected, what came and what to do.

use crate::common::gzip;
use dbm_data::columns::MAX_COLUMNS;

/// Tables that are refused whatever they are for: what is wrong with each, and its bytes.
pub fn bad_tables() -> Vec<(&'static str, Vec<u8>)> {
    let text = |what: &'static str, text: &str| (what, text.as_bytes().to_vec());
    vec![
        text("a row lacks a cell", "a,b,c\n0,1,1\n0,1\n"),
        text("a row has a cell too many", "a,b,c\n0,1,1\n0,1,1,0\n"),
        text("a row ends in a comma", "0,1,1\n0,1,1,\n"),
        text("a short row after comments and empty lines", "a,b\n0,1\n\n# one more\n\n1\n"),
        text("a short row after a cell of several lines", "note,b\n\"one\ntwo\nthree\",1\nfour\n"),
        text("a short row among tabs", "a\tb\n0\t1\n1\n"),
        text("a long row among semicolons", "a;b\n0;1\n1;0;1\n"),
        text("a short row among blanks", "0 1 1\n1 0\n"),
        text("a header of one name less, as R writes it", "a,b\n1,0,1\n2,1,1\n"),
        text("a header of other separators", "a,b\n0;1\n1;0\n"),
        text("decimal commas between commas", "1,5,2\n3,7\n1,5,1,5\n"),
        text("thousands with commas between commas", "income,old\n1,234,1\n850,0\n"),
        text("a heading above the table", "My measurements\na,b,c\n0,1,1\n"),
        text("a sum below the table", "a,b,c\n0,1,1\n1,1,0\ntotal: 4\n"),
        text("two tables in one", "a,b\n0,1\n1,1\n\nc,d,e\n1,1,1\n"),
        text("a quote that is never closed", "a,b\n0,1\n\"1,0\n0,0\n"),
        text("a quote in the header that is never closed", "\"a,b\n0,1\n1,0\n"),
        text("a quote closed by one of another kind", "a,b\n0,\"x\u{201d}\n1,y\n"),
        text("a quote that stands for inches", "size,b\n0,1\n1,\" wide\n"),
        ("more columns than any model has units", format!("{}0\n", "1,".repeat(MAX_COLUMNS)).into_bytes()),
        text("nothing", ""),
        text("empty lines", "\n\n  \n"),
        text("comments", "# a,b\n# 0,1\n"),
        text("a byte order mark", "\u{feff}"),
        text("names without rows", "age,income,smoker\n"),
        text("pandas' numbers of columns without rows", "0,1,2,3\n"),
        text("no cell known", "a,b\n?,NA\n,null\n"),
        text(
            "identifiers alone",
            "who\nanna b\nbert c\ncarl d\ndora e\nemil f\nfrida g\ngert h\nhans i\nida j\njan k\nkarla l\nleo m\n",
        ),
        text("the rows' numbers and nothing known", ",a\n0,\n1,\n2,\n"),
        text("numbers of which one is text, alone", "v\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\nabout 11\n12\n"),
        ("a zero byte", b"a,b\n0,1\n\0,1\n".to_vec()),
        ("a short row in gzip", gzip(b"0,1\n1\n")),
        ("gzip cut short", gzip(b"0,1\n1,0\n")[..20].to_vec()),
    ]
}

/// The table that a model was trained on, and tables that are refused for it.
pub fn bad_tables_for_a_model() -> (&'static str, Vec<(&'static str, Vec<u8>)>) {
    let tables = [
        ("a level the model does not know", "smokes,age,colour\nno,30,red\nyes,50,pink\n"),
        ("a level in other letters", "colour\ngreen\nRed\ngreen\n"),
        ("a word where yes or no should be", "smokes,age\nno,30\nmaybe,20\nmaybe,25\n"),
        ("a number where yes or no should be", "smokes,age\n2,30\n3,30\n"),
        ("text where a number should be", "smokes,age\nno,30\nyes,old\nno,41\nyes,28\n"),
        ("a decimal comma in quotes between commas", "smokes,age\nno,\"30,5\"\nyes,28\n"),
        ("none of the model's columns", "weight,height\n70,180\n60,170\n"),
        ("too few columns, and no names", "0,1\n1,0\n1,1\n"),
        ("too many columns, and no names", "0,1,1,0\n1,0,1,0\n1,1,1,0\n"),
    ];
    let model = "smokes,age,colour\nno,30,red\nyes,50,green\nno,70,blue\n";
    (model, tables.map(|(what, text)| (what, text.as_bytes().to_vec())).to_vec())
}
