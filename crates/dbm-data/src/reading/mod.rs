//! From the visitor's files to values: formats detected by content, with notes on what is left out.

mod album;
mod array;
mod arrays;
mod background;
mod blank;
mod corrections;
mod exif;
mod format;
mod framed;
mod grid_table;
pub(crate) mod image;
pub mod limits;
mod member;
mod orientation;
mod prose;
mod seams;
mod session;
mod sheet;
mod sparse;
mod zip;

use crate::DataError;
use crate::columns::Table;
use crate::content::{Content, Raw};
use crate::error::check_size;
use crate::file::File;
use crate::interpretation::{Change, Doubt, Reading};
use crate::names::{base, few, is_junk, shown};
use crate::text;
use format::FileFormat;
use limits::{Budget, MAX_FILES};
use member::{Member, Refused, members};
use session::ReadingState;

/// Reads one file or several together. `report` receives what is being done, how much of it is done, and out of how much (0 if unknown).
///
/// A file's kind is determined by its content:
///
/// | Content | becomes |
/// | --- | --- |
/// | IDX of any element type; together with the IDX of its labels | pictures |
/// | NPY of bool, integers or floats, `[n, d]`, `[n, h, w]`, `[n, h, w, c]` with 1 to 4 channels (or `[n, 1, h, w]`, `[n, 3, h, w]`), in either order | pictures |
/// | NPZ, or several NPY files | the largest array, with the whole numbers that are as many as its examples for labels |
/// | NPZ of `scipy.sparse.save_npz` in CSR, CSC or COO | the dense array |
/// | one PNG or JPEG | a sheet of tiles, see [`Reading::tile`] |
/// | several PNG and JPEG, of one size | a picture each; folders are classes |
/// | text: CSV and its like, ARFF, rows in JSON | a table, or pictures if every column is a pixel |
/// | a ZIP of any of these | the same |
/// | any of these but ZIP in gzip | the same |
///
/// Three channels become grey (Rec. 601), what is transparent is laid on white, numbers that are all whole and from 0 to 255 are stored as
/// bytes, and NaN is missing.
///
/// What `asked` leaves open is decided from the content: [`Raw::reading`] has all that was decided, and [`Raw::doubts`] what may be wrong.
///
/// At most [`MAX_DATA`](crate::MAX_DATA) bytes are accepted and unpacked, from at most [`MAX_FILES`] files. Apart from the decompressors'
/// own memory, and that of a picture or a sparse array whose size was checked against its file's, memory stays below 16 times the bytes
/// received and unpacked.
///
/// ```
/// use dbm_data::raw::{Content, File, Reading, read};
/// let file = File { name: "tiny.npy".into(), bytes: dbm_data::npy::write_u8(&[2, 3], &[0, 9, 0, 9, 9, 0]) };
/// let raw = read(&[file], &Reading::default(), &mut |_, _, _| {})?;
/// assert!(matches!(raw.content, Content::Pictures(pictures) if (pictures.count, pictures.shape) == (2, (1, 3))));
/// # Ok::<(), dbm_data::DataError>(())
/// ```
///
/// # Errors
/// [`DataError::OutOfRange`] for no file or too many, [`DataError::Unrecognized`] if nothing is of an accepted kind or kinds are mixed, and
/// those of the formats, which name the file.
pub fn read(files: &[File], asked: &Reading, report: &mut dyn FnMut(&str, u64, u64)) -> Result<Raw, DataError> {
    let Some(first) = files.first() else {
        return Err(DataError::out_of_range("the number of files", "1 to 100000", &"0"));
    };
    if files.len() > MAX_FILES {
        return Err(DataError::out_of_range("the number of files", "1 to 100000", &files.len()));
    }
    let name = if files.len() == 1 {
        shown(base(&first.name))
    } else {
        format!("{} and {} more", shown(base(&first.name)), files.len() - 1)
    };
    let received: u128 = files.iter().map(|file| file.bytes.len() as u128).sum();
    check_size(&name, received)?;
    // A single file was chosen deliberately, whatever its name.
    let files: Vec<&File> = files.iter().filter(|file| files.len() == 1 || !is_junk(&file.name)).collect();
    let mut session = ReadingState {
        asked,
        reading: Reading::default(),
        received: received as usize,
        budget: Budget::new(),
        notes: Vec::new(),
        doubts: Vec::new(),
        report,
    };
    let (members, refused) = members(&files, &mut session)?;
    let letters = members.iter().any(|member| member.name.to_ascii_lowercase().contains("emnist"));
    let (table_name, mut content) = content(&name, members, &refused, &mut session)?;
    if let Content::Pictures(pictures) = &mut content {
        corrections::correct(pictures, letters, &mut session);
    }
    let ReadingState { reading, mut notes, doubts, .. } = session;
    if !refused.is_empty() {
        notes.push(format!("Left out, as they hold no data: {}.", few(refused.iter().map(|(name, _)| base(name)))));
    }
    Ok(Raw { name: table_name.unwrap_or(name), content, reading, notes, doubts })
}

/// The combined content of the members, and the name of the one that it is in, if that is one of several.
fn content(
    name: &str,
    members: Vec<Member>,
    refused: &[Refused],
    session: &mut ReadingState,
) -> Result<(Option<String>, Content), DataError> {
    let (mut pictures, mut arrays, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for member in members {
        match member.format {
            FileFormat::Picture => pictures.push(member),
            FileFormat::Idx | FileFormat::Npy => arrays.push(member),
            FileFormat::Text | FileFormat::Zip => texts.push(member),
        }
    }
    let unrecognized = |looks_like: String| DataError::Unrecognized { name: name.into(), looks_like };
    if !pictures.is_empty() && !arrays.is_empty() {
        return Err(unrecognized("got pictures and arrays together; load one kind at a time".into()));
    }
    if !(texts.is_empty() || pictures.is_empty() && arrays.is_empty()) {
        let texts = few(texts.iter().map(|text| base(&text.name)));
        session.notes.push(format!("Text next to the data was left out: {texts}."));
    }
    if !arrays.is_empty() {
        return arrays::read(&arrays, session).map(|pictures| (None, Content::Pictures(pictures)));
    }
    if let [picture] = &pictures[..] {
        return sheet::read(picture, session).map(|pictures| (None, Content::Pictures(pictures)));
    }
    if !pictures.is_empty() {
        return album::read(name, &mut pictures, session).map(|pictures| (None, Content::Pictures(pictures)));
    }
    match &texts[..] {
        [text] => Ok((None, table(text, session)?)),
        [] => Err(refused.first().map_or_else(|| DataError::empty(name), |(_, error)| error.clone())),
        several => {
            let chosen = among(name, several, session)?;
            Ok((Some(base(&chosen.name).into()), table(chosen, session)?))
        }
    }
}

/// The text, of several, that is the table: the one asked for, or the one with most cells of those that are cut into rows of equal length.
fn among<'m, 'a>(name: &str, texts: &'m [Member<'a>], session: &mut ReadingState) -> Result<&'m Member<'a>, DataError> {
    if let Some(asked) = &session.asked.file {
        return texts.iter().find(|text| base(&text.name) == asked || text.name == *asked).ok_or_else(|| {
            let got = format!("the files are {}", few(texts.iter().map(|text| base(&text.name))));
            DataError::format(name, format!("a file called {asked}"), got, "choose one of them")
        });
    }
    let mut tables: Vec<(usize, &Member)> = Vec::new();
    for text in texts {
        let head = text.head(HEAD)?;
        if let Some(cells) = text::decode(&text.name, &head, None, &mut Vec::new()).ok().and_then(|(text, _)| prose::cells(&text))
        {
            tables.push((cells, text));
        }
    }
    let others = |chosen: &Member| few(texts.iter().filter(|text| text.name != chosen.name).map(|text| base(&text.name)));
    // The first of equals.
    let Some(&(_, chosen)) = tables.iter().rev().max_by_key(|(cells, _)| cells) else {
        let names = few(texts.iter().map(|text| base(&text.name)));
        let looks_like =
            format!("got {} texts at once ({names}), none of them with rows of equal length; load only one", texts.len());
        return Err(DataError::Unrecognized { name: name.into(), looks_like });
    };
    session.reading.file = Some(base(&chosen.name).into());
    session.notes.push(format!("{} was read as the table; left out: {}.", base(&chosen.name), others(chosen)));
    for (_, other) in tables.iter().filter(|(_, other)| other.name != chosen.name) {
        session.doubts.push(Doubt {
            text: format!("{} holds a table too, and was left out.", base(&other.name)),
            label: format!("Read {}", base(&other.name)),
            change: Change::File(base(&other.name).into()),
        });
    }
    Ok(chosen)
}

/// This much of a text says whether it is a table.
const HEAD: usize = 1 << 16;

fn table(member: &Member, session: &mut ReadingState) -> Result<Content, DataError> {
    (session.report)("reading the table", 0, 0);
    let name = &member.name;
    let bytes = member.bytes(usize::MAX, session)?;
    let asked = session.asked;
    let (mut text, mut coding) = text::decode(name, &bytes, asked.encoding.as_deref(), &mut session.notes)?;
    drop(bytes);
    let framed = framed::arff(name, &text)?;
    if framed.is_none()
        && let Some(rows) = framed::json(name, &text)?
    {
        (text, coding) = (rows, text::TextCoding::utf8(false));
        session.notes.push(format!("{name} holds rows in JSON; they are written back as CSV."));
    }
    let table = Table::of_text(name, text, coding, asked, framed)?;
    let pictures = if asked.table == Some(true) { None } else { grid_table::pictures(&table, session.report) };
    let Some(pictures) = pictures else {
        session.notes.extend_from_slice(table.notes());
        session.doubts.extend_from_slice(table.doubts());
        let file = session.reading.file.take();
        session.reading = Reading { file, ..table.reading() };
        return Ok(Content::Table(table));
    };
    let (rows, columns) = pictures.shape;
    let labels = if pictures.labels.is_some() { ", with a column of labels" } else { "" };
    session.notes.push(format!("{name} was read as pictures of {rows} x {columns}, one pixel per column{labels}."));
    let file = session.reading.file.take();
    // How the pictures lie is decided later.
    let (turn, transpose, invert) = (None, None, None);
    session.reading = Reading { file, table: Some(false), turn, transpose, invert, ..table.reading() };
    Ok(Content::Pictures(pictures))
}
