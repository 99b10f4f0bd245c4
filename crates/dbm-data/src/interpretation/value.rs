//! How files are read, as a value.

use dbm_core::words::{choices, words};
use serde::{Deserialize, Serialize};

/// How files are read. In a request, what is not set is decided from the content. In an answer, everything that was decided is set, so
/// reading the same files with it gives the same data again.
///
/// ```
/// use dbm_data::raw::{File, Reading, read};
/// let file = File { name: "x.csv".into(), bytes: b"a;b\n1;-9\n0;1\n".to_vec() };
/// let asked = Reading { missing: vec!["-9".into()], ..Reading::default() };
/// let raw = read(&[file.clone()], &asked, &mut |_, _, _| {})?;
/// assert_eq!((raw.reading.separator, raw.reading.header), (Some(';'), Some(1)));
/// assert_eq!(read(&[file], &raw.reading, &mut |_, _, _| {})?.content, raw.content);
/// # Ok::<(), dbm_data::DataError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reading {
    /// Which of several files is the table; its name as shown.
    pub file: Option<String>,
    /// Text is a table, even if every column is a pixel.
    pub table: Option<bool>,
    /// Encoding of the text: a name of the WHATWG Encoding Standard, such as `UTF-8`, `windows-1252` or `UTF-16LE`.
    pub encoding: Option<String>,
    /// What separates two cells; a blank means any number of blanks and tabs.
    pub separator: Option<char>,
    /// The decimal mark, `.` or `,`.
    pub decimal: Option<char>,
    /// The line that names the columns, from 1; 0 if there are no names.
    pub header: Option<u32>,
    /// Words that mean a missing value in every column, besides the usual ones ([`crate::columns`] lists them).
    pub missing: Vec<String>,
    /// Columns that are read in their own way, by name.
    pub columns: Vec<ColumnReading>,
    /// Rows and columns of the tiles of a sheet.
    pub tile: Option<(usize, usize)>,
    /// Swap light and dark: value `v` becomes `lowest + highest - v`, of the range that its type or the data have.
    pub invert: Option<bool>,
    /// Quarter turns of each picture, clockwise, 0 to 3; before `transpose`.
    pub turn: Option<u8>,
    /// Swap the rows and columns of each picture; of an array of two dimensions, take its columns for the examples.
    pub transpose: Option<bool>,
    /// What transparent pixels are laid on.
    pub background: Option<Background>,
}

/// How one column is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ColumnReading {
    /// The column's name, told apart from equal ones: `q2 (2)`.
    pub name: String,
    /// What it holds.
    pub kind: Option<KindChoice>,
    /// Its values from low to high, if they are ordered otherwise than as numbers or in the order of the table.
    pub levels: Vec<String>,
    /// Words that mean a missing value in this column.
    pub missing: Vec<String>,
    /// Words that usually mean a missing value, and are values in this column.
    pub known: Vec<String>,
    /// Spellings that differ only in case and blanks are one value.
    pub alike: Option<bool>,
}

choices! {
    /// What a column holds, as a user can choose.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum KindChoice = words("kind", "Kind", "What the column holds.");
    /// [`ColumnKind::Category`](crate::columns::ColumnKind::Category).
    Category = "category", "Category", "Each value is a level of its own";
    /// [`ColumnKind::Category`](crate::columns::ColumnKind::Category) whose levels are ordered.
    Ordered = "ordered", "Ordered", "Levels from low to high, such as answers from 1 to 5";
    /// [`ColumnKind::Number`](crate::columns::ColumnKind::Number).
    Number = "number", "Number", "High or low: above a threshold, or not";
    /// [`ColumnKind::Binary`](crate::columns::ColumnKind::Binary).
    YesNo = "yes-no", "Yes or no", "One of two values";
    /// [`ColumnKind::Ignored`](crate::columns::ColumnKind::Ignored).
    LeaveOut = "leave-out", "Leave out", "Neither learned from nor filled";
}

choices! {
    /// What transparent pixels are laid on.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Background = words("background", "Background", "What transparent pixels are laid on.");
    /// As most viewers show them.
    White = "white", "White", "Transparent pixels are white";
    /// Opacity multiplies.
    Black = "black", "Black", "Transparent pixels are black";
}

/// Something that may have been misread, and the correction that a user can choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// What was read how, and why it may be wrong: a sentence.
    pub text: String,
    /// The correction in two or three words, as on a button.
    pub label: String,
    /// The correction.
    pub change: Change,
}

/// A correction of a reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// Which of several files is read.
    File(String),
    /// A word means a missing value in these columns.
    Missing(Vec<String>, String),
    /// A word is a value in a column.
    Known(String, String),
    /// Spellings of a column that differ only in case and blanks are one value.
    Alike(String),
    /// What a column holds.
    Kind(String, KindChoice),
    /// A column's values from low to high.
    Levels(String, Vec<String>),
    /// The line that names the columns; 0 if none does.
    Header(u32),
    /// [`Reading::invert`].
    Invert(bool),
    /// [`Reading::transpose`].
    Transpose(bool),
    /// [`Reading::background`].
    Background(Background),
    /// [`Reading::tile`].
    Tile(usize, usize),
}

impl Reading {
    /// What is said about a column, which is added if nothing is.
    pub fn column(&mut self, name: &str) -> &mut ColumnReading {
        let place = self.columns.iter().position(|column| column.name == name).unwrap_or_else(|| {
            self.columns.push(ColumnReading { name: name.into(), ..ColumnReading::default() });
            self.columns.len() - 1
        });
        &mut self.columns[place]
    }

    /// Makes a correction.
    pub fn correct(&mut self, change: &Change) {
        match change {
            Change::File(name) => self.file = Some(name.clone()),
            Change::Missing(columns, word) => {
                for name in columns {
                    let column = self.column(name);
                    column.known.retain(|known| known != word);
                    if !column.missing.contains(word) {
                        column.missing.push(word.clone());
                    }
                }
            }
            Change::Known(name, word) => {
                let column = self.column(name);
                column.missing.retain(|missing| missing != word);
                if !column.known.contains(word) {
                    column.known.push(word.clone());
                }
            }
            Change::Alike(name) => self.column(name).alike = Some(true),
            Change::Kind(name, kind) => self.column(name).kind = Some(*kind),
            Change::Levels(name, levels) => {
                let column = self.column(name);
                column.kind = Some(KindChoice::Ordered);
                column.levels.clone_from(levels);
            }
            Change::Header(line) => {
                // Names come from the heading: what was said about columns by name no longer applies.
                self.columns.clear();
                self.header = Some(*line);
            }
            Change::Invert(invert) => self.invert = Some(*invert),
            Change::Transpose(transpose) => self.transpose = Some(*transpose),
            Change::Background(background) => self.background = Some(*background),
            Change::Tile(rows, columns) => self.tile = Some((*rows, *columns)),
        }
    }
}
