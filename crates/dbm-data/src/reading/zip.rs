//! ZIP archives: their files, each unpacked with a limit.
//!
//! `rawzip` reads the directory in place in memory. So an entry costs its name and 64 bytes, and a directory that announces a billion
//! entries reserves nothing.

use super::limits::{Budget, MAX_EXPANSION, MAX_FILES};
use crate::DataError;
use crate::names::{is_junk, shown};
use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, Error, ZipArchive, crc32};
use std::borrow::Cow;
use std::io::Read;

/// Advice for an incomplete archive.
const PACK_AGAIN: &str = "the file is cut short or damaged, fetch or pack it again";

/// A file in an archive.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'a> {
    /// The archive's name and its own, safe to show.
    pub name: String,
    encrypted: bool,
    method: CompressionMethod,
    packed: &'a [u8],
    /// Unpacked size, according to the directory.
    size: u64,
    /// CRC-32 of the unpacked bytes, according to the directory.
    checksum: u32,
}

/// The files in an archive, without folders and system artefacts; a note if there are more than its end announces.
///
/// # Errors
/// [`DataError::Format`] if its directory cannot be read, or has more than [`MAX_FILES`] entries.
pub(crate) fn entries<'a>(name: &str, bytes: &'a [u8], notes: &mut Vec<String>) -> Result<Vec<Entry<'a>>, DataError> {
    let archive = ZipArchive::from_slice(bytes)
        .map_err(|_| DataError::format(name, "a ZIP archive with its directory at the end", "there is none", PACK_AGAIN))?;
    let announced = archive.entries_hint();
    let check_count = |count: u64, verb: &str| {
        let got = || format!("it {verb} {count}");
        let refuse = || DataError::format(name, "at most 100000 files in an archive", got(), "pack fewer");
        if count > MAX_FILES as u64 { Err(refuse()) } else { Ok(()) }
    };
    check_count(announced, "announces")?;
    let mut directory = archive.entries();
    let mut next = || -> Result<Option<Option<Entry<'a>>>, Error> {
        let Some(record) = directory.next_entry()? else { return Ok(None) };
        let own = String::from_utf8_lossy(record.file_path().as_bytes());
        if own.ends_with(['/', '\\']) || is_junk(&own) {
            return Ok(Some(None));
        }
        let (start, end) = archive.get_entry(record.wayfinder())?.compressed_data_range();
        Ok(Some(Some(Entry {
            name: shown(&format!("{name}: {own}")),
            encrypted: record.flags().is_encrypted(),
            method: record.compression_method(),
            packed: &bytes[start as usize..end as usize],
            size: record.uncompressed_size_hint(),
            checksum: record.crc32(),
        })))
    };
    let mut entries = Vec::new();
    let mut count = 0;
    // The announced number has 16 bits, and some programs let it wrap: the directory is read to its end.
    loop {
        match next() {
            Ok(Some(entry)) => entries.extend(entry),
            // Something else may follow the announced entries.
            Ok(None) | Err(_) if count == announced => return Ok(entries),
            Ok(None) if count > announced => break,
            Ok(None) | Err(_) => {
                let got = format!("entry {} of {} is not there", count + 1, announced.max(count + 1));
                return Err(DataError::format(name, "the archive's directory to be whole", got, PACK_AGAIN));
            }
        }
        count += 1;
        check_count(count, "holds at least")?;
    }
    notes.push(format!("{name} announces {announced} files, but its directory has {count}: all were read."));
    Ok(entries)
}

impl<'a> Entry<'a> {
    /// The first bytes; fewer only if there are no more.
    ///
    /// # Errors
    /// As [`Entry::read`].
    pub fn head(&self, count: usize) -> Result<Cow<'a, [u8]>, DataError> {
        if self.is_stored()? {
            Ok(Cow::Borrowed(&self.packed[..count.min(self.packed.len())]))
        } else {
            self.inflate(count).map(Cow::Owned)
        }
    }

    /// All of it, charged to the budget.
    ///
    /// # Errors
    /// [`DataError::Format`] for a password, a compression other than deflate, or bytes that do not unpack or differ from the directory;
    /// beyond the budget, before anything is unpacked.
    pub fn read(&self, budget: &mut Budget) -> Result<Cow<'a, [u8]>, DataError> {
        let stored = self.is_stored()?;
        budget.take(&self.name, self.size.into())?;
        let bytes = if stored { Cow::Borrowed(self.packed) } else { Cow::Owned(self.inflate(self.size as usize + 1)?) };
        if bytes.len() as u64 != self.size {
            let got = if bytes.len() as u64 > self.size { "got more".into() } else { format!("got only {}", bytes.len()) };
            return Err(self.broken(format!("{} bytes as its directory says", self.size), got));
        }
        let checksum = crc32(&bytes);
        if checksum != self.checksum {
            return Err(self.broken(format!("the checksum {:08x}", self.checksum), format!("it is {checksum:08x}")));
        }
        Ok(bytes)
    }

    /// Whether its bytes are stored and not deflated.
    fn is_stored(&self) -> Result<bool, DataError> {
        if self.encrypted {
            let expected = "files without a password";
            return Err(DataError::format(&self.name, expected, "this one has one", "pack them again without"));
        }
        match self.method {
            CompressionMethod::STORE => Ok(true),
            CompressionMethod::DEFLATE => Ok(false),
            other => {
                let expected = "files stored, or packed by deflate (method 8)";
                let got = format!("method {other} was used");
                Err(DataError::format(&self.name, expected, got, "pack them again as a plain ZIP"))
            }
        }
    }

    fn inflate(&self, count: usize) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::new();
        // The announced size cannot reserve more than the packed bytes could fill.
        let most = count.min(self.packed.len().saturating_mul(MAX_EXPANSION));
        bytes.try_reserve_exact(most).map_err(|_| DataError::memory(&self.name, most))?;
        DeflateDecoder::new(self.packed)
            .take(count as u64)
            .read_to_end(&mut bytes)
            .map_err(|error| self.broken("intact deflate data", format!("it fails ({error})")))?;
        Ok(bytes)
    }

    fn broken(&self, expected: impl Into<String>, got: String) -> DataError {
        DataError::format(&self.name, expected, got, "the archive is damaged, fetch or pack it again")
    }
}
