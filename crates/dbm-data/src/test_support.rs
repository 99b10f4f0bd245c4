//! What several test modules share.

use crate::DataError;
use std::fmt::Debug;
use std::io::Write;

/// The words of an error that must have come.
pub fn refusal<T: Debug>(result: Result<T, DataError>) -> String {
    result.expect_err("should be refused").to_string()
}

/// The bytes in gzip.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
