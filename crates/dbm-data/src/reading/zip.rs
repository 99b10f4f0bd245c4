//! ZIP archives: their directory, and one entry at a time, unpacked no further than allowed.
//!
//! The format is PKWARE's APPNOTE 6.3.10, sections 4.3 and 4.4. The reader is our own: it borrows the archive, so an entry costs its name and 64
//! bytes, and a directory that announces a billion entries reserves nothing.

use super::limits::{Budget, MAX_EXPANSION, MAX_FILES};
use super::names::{is_junk, shown};
use crate::DataError;
use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use std::borrow::Cow;
use std::io::Read;

const END: [u8; 4] = *b"PK\x05\x06";
const END_SIZE: usize = 22;
const WIDE_LOCATOR: [u8; 4] = *b"PK\x06\x07";
const WIDE_END: [u8; 4] = *b"PK\x06\x06";
const IN_DIRECTORY: [u8; 4] = *b"PK\x01\x02";
const BEFORE_DATA: [u8; 4] = *b"PK\x03\x04";

/// A packed file.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'a> {
    /// With the archive's own, fit to be shown.
    pub name: String,
    encrypted: bool,
    method: u16,
    packed: &'a [u8],
    size: u64,
    sum: u32,
}

/// A place in the archive, from which numbers are read.
#[derive(Clone, Copy)]
struct Part<'a>(&'a [u8]);

impl<'a> Part<'a> {
    fn bytes<const N: usize>(self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..at.checked_add(N)?)?.try_into().ok()
    }
    fn u16(self, at: usize) -> Option<u16> {
        self.bytes(at).map(u16::from_le_bytes)
    }
    fn u32(self, at: usize) -> Option<u32> {
        self.bytes(at).map(u32::from_le_bytes)
    }
    fn u64(self, at: usize) -> Option<u64> {
        self.bytes(at).map(u64::from_le_bytes)
    }
    fn from(self, at: u64) -> Option<Self> {
        self.0.get(usize::try_from(at).ok()?..).map(Self)
    }
    fn slice(self, from: usize, length: usize) -> Option<&'a [u8]> {
        self.0.get(from..from.checked_add(length)?)
    }
}

/// The files in an archive, folders and what systems leave behind apart.
///
/// # Errors
/// [`DataError::Format`] where its directory cannot be read, or has more than [`MAX_FILES`] entries.
pub(crate) fn entries<'a>(name: &str, bytes: &'a [u8]) -> Result<Vec<Entry<'a>>, DataError> {
    let archive = Part(bytes);
    let refuse =
        |expected: &str, got: String, advice| DataError::Format { name: name.into(), expected: expected.into(), got, advice };
    let again = "the file is cut short or damaged, fetch or pack it again";
    let Some((count, start)) = directory(archive) else {
        return Err(refuse("a ZIP archive with its directory at the end", "there is none".into(), again));
    };
    if count > MAX_FILES as u64 {
        return Err(refuse("at most 100000 files in an archive", format!("it announces {count}"), "pack fewer"));
    }
    let mut rest = archive.from(start);
    let mut entries = Vec::new();
    for at in 0..count {
        let broken = || refuse("the archive's directory to be whole", format!("entry {} of {count} is not there", at + 1), again);
        let part = rest.ok_or_else(broken)?;
        let (entry, size) = entry(name, archive, part).ok_or_else(broken)?;
        entries.extend(entry);
        rest = part.from(size as u64);
    }
    Ok(entries)
}

/// How many entries, and where they begin.
fn directory(archive: Part) -> Option<(u64, u64)> {
    // A comment of at most 65 535 bytes may follow.
    let last = archive.0.len().checked_sub(END_SIZE)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    let fits = |at: usize| archive.u16(at + 20).is_some_and(|comment| at + END_SIZE + usize::from(comment) == archive.0.len());
    let at = (first..=last).rev().find(|&at| archive.bytes(at) == Some(END) && fits(at))?;
    let (count, start) = (archive.u16(at + 10)?, archive.u32(at + 16)?);
    if count != u16::MAX && start != u32::MAX {
        return Some((count.into(), start.into()));
    }
    // Numbers that do not fit stand in a second, wider end.
    let wide = at.checked_sub(20).filter(|&locator| archive.bytes(locator) == Some(WIDE_LOCATOR));
    match wide {
        Some(locator) => {
            let end = archive.from(archive.u64(locator + 8)?).filter(|end| end.bytes(0) == Some(WIDE_END))?;
            Some((end.u64(32)?, end.u64(48)?))
        }
        None => Some((count.into(), start.into())),
    }
}

/// The entry that `part` begins with, where it is a file to be read, and the bytes it takes in the directory.
fn entry<'a>(archive_name: &str, archive: Part<'a>, part: Part<'a>) -> Option<(Option<Entry<'a>>, usize)> {
    const FIXED: usize = 46;
    if part.bytes(0)? != IN_DIRECTORY {
        return None;
    }
    let [name_size, extra_size, comment_size] = [28, 30, 32].map(|at| part.u16(at).map(usize::from));
    let (name_size, extra_size, comment_size) = (name_size?, extra_size?, comment_size?);
    let taken = FIXED + name_size + extra_size + comment_size;
    let name = String::from_utf8_lossy(part.slice(FIXED, name_size)?);
    if name.ends_with(['/', '\\']) || is_junk(&name) {
        return Some((None, taken));
    }
    let mut wide = wide_numbers(Part(part.slice(FIXED + name_size, extra_size)?));
    let mut number = |at: usize| match part.u32(at)? {
        u32::MAX => wide.next(),
        number => Some(u64::from(number)),
    };
    let (size, packed_size, start) = (number(24)?, number(20)?, number(42)?);
    let local = archive.from(start).filter(|local| local.bytes(0) == Some(BEFORE_DATA))?;
    let data = 30 + usize::from(local.u16(26)?) + usize::from(local.u16(28)?);
    let entry = Entry {
        name: shown(&format!("{archive_name}: {name}")),
        encrypted: part.u16(8)? & 1 == 1,
        method: part.u16(10)?,
        packed: local.slice(data, usize::try_from(packed_size).ok()?)?,
        size,
        sum: part.u32(16)?,
    };
    Some((Some(entry), taken))
}

/// The numbers of the extra field with id 1, in the order of those that did not fit.
fn wide_numbers(mut extra: Part) -> impl Iterator<Item = u64> {
    let mut found = Part(&[]);
    while let (Some(id), Some(size)) = (extra.u16(0), extra.u16(2)) {
        if id == 1 {
            found = Part(extra.slice(4, size.into()).unwrap_or_default());
            break;
        }
        let Some(rest) = extra.from(4 + u64::from(size)) else { break };
        extra = rest;
    }
    (0..).map_while(move |at| found.u64(8 * at))
}

impl<'a> Entry<'a> {
    /// The first bytes, fewer only where there are no more.
    ///
    /// # Errors
    /// As [`Entry::read`].
    pub fn head(&self, count: usize) -> Result<Cow<'a, [u8]>, DataError> {
        match self.check()? {
            0 => Ok(Cow::Borrowed(&self.packed[..count.min(self.packed.len())])),
            _ => self.inflate(count).map(Cow::Owned),
        }
    }

    /// All of it, taken from the budget.
    ///
    /// # Errors
    /// [`DataError::Format`] for a password, another packing than deflate, bytes that do not unpack or are not as announced;
    /// [`DataError::TooLarge`] beyond the budget, before anything is unpacked.
    pub fn read(&self, budget: &mut Budget) -> Result<Cow<'a, [u8]>, DataError> {
        let method = self.check()?;
        budget.take(&self.name, self.size.into())?;
        let bytes = if method == 0 { Cow::Borrowed(self.packed) } else { Cow::Owned(self.inflate(self.size as usize + 1)?) };
        if bytes.len() as u64 != self.size {
            let got = if bytes.len() as u64 > self.size { "more came".into() } else { format!("only {} came", bytes.len()) };
            return Err(self.broken(format!("{} bytes as its directory says", self.size), got));
        }
        let mut sum = Crc::new();
        sum.update(&bytes);
        if sum.sum() != self.sum {
            return Err(self.broken(format!("the checksum {:08x}", self.sum), format!("it is {:08x}", sum.sum())));
        }
        Ok(bytes)
    }

    /// The way it is packed.
    fn check(&self) -> Result<u16, DataError> {
        let refuse =
            |expected: &str, got, advice| DataError::Format { name: self.name.clone(), expected: expected.into(), got, advice };
        if self.encrypted {
            return Err(refuse("files without a password", "this one has one".into(), "pack them again without"));
        }
        match self.method {
            0 | 8 => Ok(self.method),
            other => {
                let got = format!("method {other} was used");
                Err(refuse("files stored, or packed by deflate (method 8)", got, "pack them again as a plain ZIP"))
            }
        }
    }

    fn inflate(&self, count: usize) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::new();
        // The announced size alone reserves nothing that the packed bytes could not fill.
        let most = count.min(self.packed.len().saturating_mul(MAX_EXPANSION));
        bytes.try_reserve_exact(most).map_err(|_| DataError::Memory { name: self.name.clone(), needed: most })?;
        DeflateDecoder::new(self.packed)
            .take(count as u64)
            .read_to_end(&mut bytes)
            .map_err(|error| self.broken("intact deflate data".into(), format!("it fails ({error})")))?;
        Ok(bytes)
    }

    fn broken(&self, expected: String, got: String) -> DataError {
        DataError::Format { name: self.name.clone(), expected, got, advice: "the archive is damaged, fetch or pack it again" }
    }
}
