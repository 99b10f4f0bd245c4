//! From the visitor's files to values: formats detected by content, with notes on what is left out.

mod album;
mod array;
mod background;
mod blank;
mod corrections;
mod exif;
mod format;
mod grid_table;
pub(crate) mod image;
pub mod limits;
mod member;
mod orientation;
mod seams;
mod session;
mod sheet;
mod sparse;
mod text;
mod value;
mod zip;

pub use value::{Background, Change, ColumnReading, Doubt, KindChoice, Reading};

use crate::DataError;
use crate::columns::Table;
use crate::content::{Content, Raw};
use crate::error::check_size;
use crate::file::File;
use crate::names::{base, few, is_junk, shown};
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
/// | text | a table, or pictures if every column is a pixel |
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
    let mut content = content(&name, members, &refused, &mut session)?;
    if let Content::Pictures(pictures) = &mut content {
        corrections::correct(pictures, letters, &mut session);
    }
    let ReadingState { reading, mut notes, doubts, .. } = session;
    if !refused.is_empty() {
        notes.push(format!("Left out, as they hold no data: {}.", few(refused.iter().map(|(name, _)| base(name)))));
    }
    Ok(Raw { name, content, reading, notes, doubts })
}

/// The combined content of the members.
fn content(name: &str, members: Vec<Member>, refused: &[Refused], session: &mut ReadingState) -> Result<Content, DataError> {
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
        return array::read(&arrays, session).map(Content::Pictures);
    }
    if let [picture] = &pictures[..] {
        return sheet::read(picture, session).map(Content::Pictures);
    }
    if !pictures.is_empty() {
        return album::read(name, &mut pictures, session).map(Content::Pictures);
    }
    match &texts[..] {
        [text] => table(text, session),
        [] => Err(refused.first().map_or_else(|| DataError::empty(name), |(_, error)| error.clone())),
        several => Err(unrecognized(format!(
            "got {} tables at once ({}); load only one",
            several.len(),
            few(several.iter().map(|text| base(&text.name)))
        ))),
    }
}

fn table(member: &Member, session: &mut ReadingState) -> Result<Content, DataError> {
    (session.report)("reading the table", 0, 0);
    let bytes = member.bytes(usize::MAX, session)?;
    let ReadingState { asked, reading, notes, report, .. } = session;
    let text = text::decode(&member.name, &bytes, notes)?;
    let table = Table::read(&member.name, &text)?;
    let pictures = if asked.table == Some(true) { None } else { grid_table::pictures(&table, report) };
    reading.table = Some(pictures.is_none());
    let Some(pictures) = pictures else {
        notes.extend_from_slice(table.notes());
        return Ok(Content::Table(table));
    };
    let (rows, columns) = pictures.shape;
    let labels = if pictures.labels.is_some() { ", with a column of labels" } else { "" };
    notes.push(format!("{} was read as pictures of {rows} x {columns}, one pixel per column{labels}.", member.name));
    Ok(Content::Pictures(pictures))
}
