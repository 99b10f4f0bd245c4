//! The table of what a user can say about how files are read: the command's options, the page's fields and their help come from it.

use super::value::{Background, Change, KindChoice, Reading};
use dbm_core::words::Choose;

/// One thing that a user can say.
pub struct ReadingSetting {
    /// The command's option.
    pub name: &'static str,
    /// The placeholder of its value; empty for a yes or no.
    pub value: &'static str,
    /// Its label in a form.
    pub label: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Whether it can be given several times.
    pub repeats: bool,
    /// Says it, from text; the error is what was expected.
    pub write: fn(&mut Reading, &str) -> Result<(), String>,
}

/// All of them.
pub const READING: [ReadingSetting; 13] = [
    ReadingSetting {
        name: "header",
        value: "yes|no|LINE",
        label: "Heading",
        help: "Whether the first row names the columns, or the line that does, from 1",
        repeats: false,
        write: |reading, text| {
            reading.header = Some(match text {
                "yes" => 1,
                "no" => 0,
                _ => text.parse().map_err(|_| "yes, no or the number of a line".to_string())?,
            });
            Ok(())
        },
    },
    ReadingSetting {
        name: "missing",
        value: "WORDS",
        label: "Missing words",
        help: "Words that mean a missing value, separated by commas, besides empty cells, ?, -, NA, N/A, NaN, null and None; or COLUMN=WORDS for one column",
        repeats: true,
        write: |reading, text| {
            match text.rsplit_once('=') {
                Some((name, words)) if !name.is_empty() => {
                    for word in words.split(',') {
                        reading.correct(&Change::Missing(vec![name.into()], word.trim().into()));
                    }
                }
                _ => reading.missing.extend(text.split(',').map(|word| word.trim().to_string()).filter(|word| !word.is_empty())),
            }
            Ok(())
        },
    },
    ReadingSetting {
        name: "known",
        value: "COLUMN=WORDS",
        label: "Known words",
        help: "Words that are values in this column, although they usually mean a missing one, such as NA for Namibia",
        repeats: true,
        write: |reading, text| {
            let (name, words) = pair(text)?;
            words.split(',').for_each(|word| reading.correct(&Change::Known(name.into(), word.trim().into())));
            Ok(())
        },
    },
    ReadingSetting {
        name: "column",
        value: "NAME=KIND",
        label: "Kind",
        help: "What a column holds: category, ordered, number, yes-no or leave-out; ordered values also from low to high, as in size=S<M<L",
        repeats: true,
        write: |reading, text| {
            let (name, kind) = pair(text)?;
            if kind.contains('<') {
                reading.correct(&Change::Levels(name.into(), ordered(kind)));
                return Ok(());
            }
            let kinds = || KindChoice::CHOICES.iter().map(|choice| choice.name).collect::<Vec<_>>().join(", ");
            let kind = KindChoice::named(kind).ok_or_else(|| {
                format!("a column's name, = and one of {}, or its values from low to high, as in S<M<L", kinds())
            })?;
            reading.correct(&Change::Kind(name.into(), kind));
            Ok(())
        },
    },
    ReadingSetting {
        name: "alike",
        value: "COLUMN",
        label: "Spellings",
        help: "Values of this column that differ only in case and blanks are one value",
        repeats: true,
        write: |reading, text| {
            reading.correct(&Change::Alike(text.into()));
            Ok(())
        },
    },
    ReadingSetting {
        name: "encoding",
        value: "NAME",
        label: "Encoding",
        help: "The encoding of the text, such as UTF-8, windows-1252, ISO-8859-2 or UTF-16LE",
        repeats: false,
        write: |reading, text| {
            reading.encoding = Some(text.into());
            Ok(())
        },
    },
    ReadingSetting {
        name: "separator",
        value: "CHARACTER",
        label: "Separator",
        help: "What separates two cells: a character, or one of comma, semicolon, tab, bar, blank",
        repeats: false,
        write: |reading, text| {
            reading.separator = Some(match text {
                "comma" => ',',
                "semicolon" => ';',
                "tab" | "\\t" => '\t',
                "bar" => '|',
                "blank" => ' ',
                _ => one(text).ok_or("one character, or comma, semicolon, tab, bar or blank")?,
            });
            Ok(())
        },
    },
    ReadingSetting {
        name: "decimal",
        value: "point|comma",
        label: "Decimal mark",
        help: "The decimal mark of numbers",
        repeats: false,
        write: |reading, text| {
            reading.decimal = Some(match text {
                "point" | "." => '.',
                "comma" | "," => ',',
                _ => return Err("point or comma".into()),
            });
            Ok(())
        },
    },
    ReadingSetting {
        name: "tile",
        value: "ROWSxCOLUMNS",
        label: "Tile",
        help: "Size of the tiles of a PNG sheet, if the data do not determine it",
        repeats: false,
        write: |reading, text| {
            let sizes = text
                .split_once(['x', ',', '×'])
                .and_then(|(rows, columns)| Some((rows.trim().parse().ok()?, columns.trim().parse().ok()?)));
            let tile = sizes.filter(|&(rows, columns)| rows > 0 && columns > 0);
            reading.tile = Some(tile.ok_or("rows x columns, such as 28x28")?);
            Ok(())
        },
    },
    ReadingSetting {
        name: "invert",
        value: "",
        label: "Invert",
        help: "Swap light and dark: for dark ink on light paper",
        repeats: false,
        write: |reading, text| {
            reading.invert = Some(yes(text)?);
            Ok(())
        },
    },
    ReadingSetting {
        name: "turn",
        value: "QUARTERS",
        label: "Turn",
        help: "Quarter turns of each picture, clockwise",
        repeats: false,
        write: |reading, text| {
            let turns: i64 = text.parse().map_err(|_| "a whole number of quarter turns".to_string())?;
            reading.turn = Some(turns.rem_euclid(4) as u8);
            Ok(())
        },
    },
    ReadingSetting {
        name: "transpose",
        value: "",
        label: "Transpose",
        help: "Swap the rows and columns of each picture; of an array of two dimensions, take its columns for examples",
        repeats: false,
        write: |reading, text| {
            reading.transpose = Some(yes(text)?);
            Ok(())
        },
    },
    ReadingSetting {
        name: "background",
        value: "white|black",
        label: "Background",
        help: "What transparent pixels are laid on",
        repeats: false,
        write: |reading, text| {
            reading.background = Some(Background::named(text).ok_or("white or black")?);
            Ok(())
        },
    },
];

impl Reading {
    /// Says one thing of [`READING`].
    ///
    /// # Errors
    /// What was expected, in words.
    pub fn say(&mut self, name: &str, text: &str) -> Result<(), String> {
        let row = READING.iter().find(|row| row.name == name).ok_or_else(|| "a setting of the table".to_string())?;
        (row.write)(self, text)
    }

    /// The form in which it is written to a file: JSON, without what was not decided.
    pub fn to_json(&self) -> String {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        strip(&mut value);
        serde_json::to_string_pretty(&value).unwrap_or_default()
    }

    /// Parses the output of [`Reading::to_json`]. `name` is the file's, for the error.
    ///
    /// # Errors
    /// [`DataError::Format`](crate::DataError::Format) if it is something else.
    pub fn from_json(name: &str, json: &str) -> Result<Self, crate::DataError> {
        serde_json::from_str(json).map_err(|error| {
            let expected = "a reading in JSON, as `dbm read` prints it";
            crate::DataError::format(
                name,
                expected,
                crate::names::line(&error.to_string(), 160),
                "write it again, or leave it out",
            )
        })
    }
}

/// Takes out what says nothing.
fn strip(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(members) => {
            members.values_mut().for_each(strip);
            members.retain(|_, value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()));
        }
        serde_json::Value::Array(list) => list.iter_mut().for_each(strip),
        _ => {}
    }
}

/// Values from low to high, as a user writes them: `S < M < L`.
pub fn ordered(text: &str) -> Vec<String> {
    text.split('<').map(|level| level.trim().to_string()).filter(|level| !level.is_empty()).collect()
}

/// A column's name and what is said about it; the last sign separates, as names may contain others.
fn pair(text: &str) -> Result<(&str, &str), String> {
    text.rsplit_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| "a column's name, = and what is said about it".into())
}

fn one(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

fn yes(text: &str) -> Result<bool, String> {
    match text {
        "" | "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("yes or no".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_can_be_said_in_words() {
        let mut reading = Reading::default();
        for (name, text) in [
            ("header", "3"),
            ("missing", "-9, unknown"),
            ("missing", "dose=."),
            ("known", "country=NA"),
            ("column", "a=b=number"),
            ("column", "size=S<M < L"),
            ("alike", "sex"),
            ("encoding", "latin2"),
            ("separator", "tab"),
            ("decimal", "comma"),
            ("tile", "16x8"),
            ("invert", ""),
            ("turn", "-1"),
            ("transpose", "no"),
            ("background", "black"),
        ] {
            reading.say(name, text).unwrap();
        }
        assert_eq!(
            (reading.header, reading.separator, reading.turn, reading.tile),
            (Some(3), Some('\t'), Some(3), Some((16, 8)))
        );
        assert_eq!((reading.missing.len(), reading.columns.len()), (2, 5));
        assert_eq!(reading.column("size").levels, ["S", "M", "L"]);
        assert_eq!(reading.column("a=b").kind, Some(KindChoice::Number));
        assert_eq!(Reading::from_json("r.json", &reading.to_json()).unwrap(), reading);
        assert_eq!(Reading::default().to_json(), "{}");
        for (name, text) in [
            ("header", "top"),
            ("column", "a=much"),
            ("separator", "ab"),
            ("tile", "0x3"),
            ("background", "red"),
            ("known", "NA"),
        ] {
            assert!(Reading::default().say(name, text).is_err(), "{name} {text}");
        }
        assert!(Reading::from_json("r.json", "{\"hedder\": 1}").unwrap_err().to_string().contains("hedder"));
    }
}
