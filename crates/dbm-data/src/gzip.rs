//! Unpacking gzip no further than asked, so that a small file cannot fill the memory.

use crate::DataError;
use flate2::bufread::MultiGzDecoder;
use std::io::Read;

/// More bytes of data than this are refused, packed or not: 2^30, 22 times MNIST.
pub const MAX_DATA: usize = 1 << 30;

/// Deflate cannot expand further than this.
pub(crate) const MAX_EXPANSION: usize = 1032;

/// The content of a file, unpacked where it is gzip; of one that is longer, the first `most` bytes.
///
/// # Errors
/// [`DataError::Gzip`] where unpacking fails.
pub fn unpack(name: &str, bytes: &[u8], most: usize) -> Result<Vec<u8>, DataError> {
    Source::new(bytes).grow(name, most)
}

/// Whether these bytes begin as gzip does.
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// A file's content, unpacked on demand where it is gzip.
pub(crate) enum Source<'a> {
    Plain(&'a [u8]),
    Packed { decoder: Box<MultiGzDecoder<&'a [u8]>>, packed: usize, unpacked: usize },
}

impl<'a> Source<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        if is_gzip(bytes) {
            Self::Packed { decoder: Box::new(MultiGzDecoder::new(bytes)), packed: bytes.len(), unpacked: 0 }
        } else {
            Self::Plain(bytes)
        }
    }

    /// The next bytes: `count` of them, fewer only where the content ends.
    ///
    /// # Errors
    /// [`DataError::Gzip`] where unpacking fails, [`DataError::Memory`] where memory lacks.
    pub fn take(&mut self, name: &str, count: usize) -> Result<Vec<u8>, DataError> {
        match self {
            Self::Plain(bytes) => {
                let (head, tail) = bytes.split_at(count.min(bytes.len()));
                *bytes = tail;
                Ok(head.to_vec())
            }
            Self::Packed { decoder, packed, unpacked } => {
                let mut taken = Vec::new();
                // A header's word alone reserves nothing that the packed bytes could not fill.
                let most = count.min(packed.saturating_mul(MAX_EXPANSION));
                taken.try_reserve_exact(most).map_err(|_| DataError::Memory { name: name.into(), needed: most })?;
                decoder.by_ref().take(count as u64).read_to_end(&mut taken).map_err(|error| DataError::Gzip {
                    name: name.into(),
                    at: *unpacked + taken.len(),
                    reason: error.to_string(),
                })?;
                *unpacked += taken.len();
                Ok(taken)
            }
        }
    }

    /// The rest, or the first `most` bytes of it, where nothing says how much will come: memory is taken as it does.
    ///
    /// # Errors
    /// [`DataError::Gzip`] where unpacking fails.
    pub fn grow(&mut self, name: &str, most: usize) -> Result<Vec<u8>, DataError> {
        match self {
            Self::Plain(_) => self.take(name, most),
            Self::Packed { decoder, unpacked, .. } => {
                let mut bytes = Vec::new();
                decoder.by_ref().take(most as u64).read_to_end(&mut bytes).map_err(|error| DataError::Gzip {
                    name: name.into(),
                    at: *unpacked + bytes.len(),
                    reason: error.to_string(),
                })?;
                *unpacked += bytes.len();
                Ok(bytes)
            }
        }
    }

    /// The next bytes, as many of `count` as can be had: of a stream that is known to be cut.
    pub fn some(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Self::Plain(plain) => bytes.extend(plain.iter().take(count)),
            // What came before the failure is there.
            Self::Packed { decoder, .. } => drop(decoder.by_ref().take(count as u64).read_to_end(&mut bytes)),
        }
        bytes
    }
}
