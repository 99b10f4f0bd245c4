//! Shared helpers of several test modules.

#[path = "../tests/common/mod.rs"]
mod common;

use crate::DataError;
pub use common::{gzip, idx, zip};
use std::fmt::Debug;

/// The message of an error that must have occurred.
pub fn refusal<T: Debug>(result: Result<T, DataError>) -> String {
    result.expect_err("should be refused").to_string()
}

/// An NPY file with this type and shape.
pub fn npy(descr: &str, shape: &[usize], data: &[u8]) -> Vec<u8> {
    let mut sizes = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    sizes.push(',');
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}\n");
    [b"\x93NUMPY\x01\0", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
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
