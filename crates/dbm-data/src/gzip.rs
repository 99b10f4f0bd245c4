//! Unpacking gzip with a limit, so that a small file cannot fill the memory.

use crate::DataError;
use flate2::bufread::GzDecoder;
use std::io::Read;

/// Maximum number of bytes that deflate can make of one.
pub(crate) const MAX_EXPANSION: usize = 1032;

/// What is in gzip data.
pub(crate) struct Unpacked {
    /// The first bytes of the content: at most as many as were asked for, and up to where unpacking fails.
    pub bytes: Vec<u8>,
    /// The decoder's message if unpacking fails: the data may be truncated.
    pub failure: Option<String>,
    /// Number of bytes behind the last member that are neither another one nor padding; 0 if the end was not reached.
    pub garbage: usize,
}

/// The content of a file, unpacked if it is gzip; if that is longer, its first `most` bytes. Memory grows as bytes arrive: a header's claim
/// reserves nothing.
///
/// # Errors
/// [`DataError::Format`] if unpacking fails.
pub fn unpack(name: &str, bytes: &[u8], most: usize) -> Result<Vec<u8>, DataError> {
    if is_gzip(bytes) {
        return unpack_some(bytes, most).complete(name).map(|unpacked| unpacked.bytes);
    }
    Ok(bytes[..most.min(bytes.len())].to_vec())
}

/// At most `most` bytes of gzip data, of all its members. Zeros behind them are padding, as on tapes.
pub(crate) fn unpack_some(bytes: &[u8], most: usize) -> Unpacked {
    let mut unpacked = Unpacked { bytes: Vec::new(), failure: None, garbage: 0 };
    let mut decoder = GzDecoder::new(bytes);
    loop {
        let left = most - unpacked.bytes.len();
        let result = decoder.by_ref().take(left as u64).read_to_end(&mut unpacked.bytes);
        unpacked.failure = result.err().map(|error| error.to_string());
        if unpacked.failure.is_some() || unpacked.bytes.len() >= most {
            return unpacked;
        }
        let rest = *decoder.get_ref();
        if !is_gzip(rest) {
            unpacked.garbage = if rest.iter().all(|&byte| byte == 0) { 0 } else { rest.len() };
            return unpacked;
        }
        decoder.reset(rest);
    }
}

impl Unpacked {
    /// Itself.
    ///
    /// # Errors
    /// [`DataError::Format`] if unpacking failed.
    pub fn complete(self, name: &str) -> Result<Self, DataError> {
        let Some(reason) = &self.failure else { return Ok(self) };
        let got = format!("it fails after {} unpacked bytes ({reason})", self.bytes.len());
        Err(DataError::format(name, "intact gzip data", got, "fetch the file again"))
    }
}

/// Whether these bytes begin like gzip.
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::gzip;
    use proptest::prelude::*;

    #[test]
    fn what_follows_complete_members_is_padding_or_counted() {
        let two = [gzip(b"one,"), gzip(b"two")].concat();
        for (more, garbage) in [(&b""[..], 0), (&[0; 512], 0), (b"\r\n", 2), (b"\0\0x", 3), (b"\x1f", 1)] {
            let unpacked = unpack_some(&[&two, more].concat(), 100);
            assert_eq!((&unpacked.bytes[..], unpacked.failure, unpacked.garbage), (&b"one,two"[..], None, garbage), "{more:?}");
        }
        // Another member that is cut short, and one that is.
        assert!(unpack_some(&[&two, &gzip(b"three")[..9]].concat(), 100).failure.is_some());
        assert!(unpack_some(&two[..two.len() - 1], 100).failure.is_some());
        let begun = unpack_some(&[&two, &b"junk"[..]].concat(), 5);
        assert_eq!((&begun.bytes[..], begun.failure, begun.garbage), (&b"one,t"[..], None, 0));
    }

    proptest! {
        #[test]
        fn any_limit_gives_the_beginning(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9), 1..4), most in 0_usize..40) {
            let packed: Vec<u8> = parts.iter().flat_map(|part| gzip(part)).collect();
            let all = parts.concat();
            prop_assert_eq!(unpack("x", &packed, most), Ok(all[..most.min(all.len())].to_vec()));
        }
    }
}
