//! One of the files received: plain, gzipped, or in an archive.

use super::format::{FileFormat, PEEK, recognize};
use super::session::ReadingState;
use super::{zip, zip::Entry};
use crate::DataError;
use crate::file::File;
use crate::gzip::{is_gzip, unpack, unpack_some};
use crate::names::shown;
use std::borrow::Cow;

/// A file and its format.
pub(crate) struct Member<'a> {
    /// Safe to show.
    pub name: String,
    pub format: FileFormat,
    stored: Stored<'a>,
}

enum Stored<'a> {
    Plain(&'a [u8]),
    Packed(Entry<'a>),
}

impl<'a> Member<'a> {
    fn new(name: String, stored: Stored<'a>) -> Result<Self, DataError> {
        let mut member = Self { name, format: FileFormat::Text, stored };
        member.format = recognize(&member.name, &member.head(PEEK)?)?;
        Ok(member)
    }

    /// The first bytes of its content; fewer only if there are no more.
    ///
    /// # Errors
    /// Those of unpacking.
    pub fn head(&self, count: usize) -> Result<Cow<'a, [u8]>, DataError> {
        match &self.stored {
            Stored::Plain(bytes) if !is_gzip(bytes) => Ok(Cow::Borrowed(&bytes[..count.min(bytes.len())])),
            Stored::Plain(bytes) => unpack(&self.name, bytes, count).map(Cow::Owned),
            Stored::Packed(entry) => {
                // If gzip is intact at all, it has unpacked something by then.
                let packed = entry.head(count + 64)?;
                if is_gzip(&packed) { Ok(Cow::Owned(unpack_some(&packed, count).bytes)) } else { Ok(cut(packed, count)) }
            }
        }
    }

    /// Its content, or the first `most` bytes of it; unpacked bytes are charged to the budget, and what follows them is noted.
    ///
    /// # Errors
    /// Those of unpacking, and [`DataError::Format`] beyond the budget.
    pub fn bytes(&self, most: usize, session: &mut ReadingState) -> Result<Cow<'a, [u8]>, DataError> {
        let ReadingState { budget, notes, .. } = session;
        let stored = match &self.stored {
            Stored::Plain(bytes) => Cow::Borrowed(*bytes),
            Stored::Packed(entry) => entry.read(budget)?,
        };
        if !is_gzip(&stored) {
            return Ok(cut(stored, most));
        }
        let unpacked = unpack_some(&stored, most.min(budget.left().saturating_add(1))).complete(&self.name)?;
        budget.take(&self.name, unpacked.bytes.len() as u128)?;
        if unpacked.garbage > 0 {
            notes.push(format!("{} bytes behind the gzip data in {} were left out.", unpacked.garbage, self.name));
        }
        Ok(Cow::Owned(unpacked.bytes))
    }
}

fn cut(bytes: Cow<[u8]>, most: usize) -> Cow<[u8]> {
    match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..most.min(bytes.len())]),
        Cow::Owned(mut bytes) => {
            bytes.truncate(most);
            Cow::Owned(bytes)
        }
    }
}

/// A file's name, and why it is not read.
pub(crate) type Refused = (String, DataError);

/// The readable files among those received, with archives expanded, and the errors of the others.
pub(crate) fn members<'a>(files: &[&'a File], session: &mut ReadingState) -> Result<(Vec<Member<'a>>, Vec<Refused>), DataError> {
    let mut members = Vec::new();
    let mut refused = Vec::new();
    for file in files {
        let name = shown(&file.name);
        match Member::new(name.clone(), Stored::Plain(&file.bytes)) {
            Ok(member) if member.format == FileFormat::Zip && !is_gzip(&file.bytes) => {
                let entries = zip::entries(&name, &file.bytes, &mut session.notes)?;
                let total = entries.len() as u64;
                if let Some(kind) = office(&entries) {
                    let looks_like = format!("it looks like {kind}");
                    return Err(DataError::Unrecognized { name, looks_like });
                }
                for (at, entry) in entries.into_iter().enumerate() {
                    if at % 256 == 0 {
                        (session.report)("looking into the archive", at as u64, total);
                    }
                    match Member::new(entry.name.clone(), Stored::Packed(entry.clone())) {
                        Ok(member) if member.format != FileFormat::Zip => members.push(member),
                        Ok(_) => refused.push((entry.name.clone(), nested(entry.name))),
                        Err(error) => refused.push((entry.name, error)),
                    }
                }
            }
            Ok(member) if member.format == FileFormat::Zip => refused.push((name.clone(), nested(name))),
            Ok(member) => members.push(member),
            Err(error) => refused.push((name, error)),
        }
    }
    Ok((members, refused))
}

fn nested(name: String) -> DataError {
    DataError::Unrecognized { name, looks_like: "it looks like a ZIP archive inside another; unpack it once".into() }
}

/// Documents that are archives internally.
fn office(entries: &[Entry]) -> Option<&'static str> {
    let has = |part: &str| entries.iter().any(|entry| entry.name.contains(part));
    if has(": xl/") || has(": content.xml") {
        Some("a spreadsheet; save its table as CSV")
    } else if has(": word/") || has(": [Content_Types].xml") {
        Some("an office document; save its table as CSV")
    } else if has("/data.pkl") {
        Some("a file of torch.save; save its array with numpy.save")
    } else {
        None
    }
}
