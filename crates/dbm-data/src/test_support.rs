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

/// An IDX file of unsigned bytes.
pub fn idx(sizes: &[usize], data: &[u8]) -> Vec<u8> {
    let sizes: Vec<u8> = sizes.iter().flat_map(|&size| (size as u32).to_be_bytes()).collect();
    [&[0, 0, 8, (sizes.len() / 4) as u8][..], &sizes, data].concat()
}

/// A PNG file of these samples.
pub fn png(width: u32, height: u32, color: png::ColorType, depth: png::BitDepth, samples: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(samples).unwrap();
    writer.finish().unwrap();
    file
}
