//! Unpacking gzip with a limit, so that a small file cannot fill the memory.

use crate::DataError;
use flate2::bufread::MultiGzDecoder;
use std::io::Read;

/// Maximum number of bytes that deflate can make of one.
pub(crate) const MAX_EXPANSION: usize = 1032;

/// The content of a file, unpacked if it is gzip; if that is longer, its first `most` bytes. Memory grows as bytes arrive: a header's claim
/// reserves nothing.
///
/// # Errors
/// [`DataError::Format`] if unpacking fails.
pub fn unpack(name: &str, bytes: &[u8], most: usize) -> Result<Vec<u8>, DataError> {
    if !is_gzip(bytes) {
        return Ok(bytes[..most.min(bytes.len())].to_vec());
    }
    let (unpacked, failure) = unpack_some(bytes, most);
    match failure {
        None => Ok(unpacked),
        Some(reason) => {
            let got = format!("it fails after {} unpacked bytes ({reason})", unpacked.len());
            Err(DataError::format(name, "intact gzip data", got, "fetch the file again"))
        }
    }
}

/// At most `most` bytes of gzip data, up to where unpacking fails, with the decoder's message if it does: the stream may be truncated.
pub(crate) fn unpack_some(bytes: &[u8], most: usize) -> (Vec<u8>, Option<String>) {
    let mut unpacked = Vec::new();
    let result = MultiGzDecoder::new(bytes).take(most as u64).read_to_end(&mut unpacked);
    (unpacked, result.err().map(|error| error.to_string()))
}

/// Whether these bytes begin like gzip.
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}
