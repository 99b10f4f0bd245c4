//! Shared by several test programs: files as other programs write them, and measurement of memory.

// No test program uses all of it.
#![allow(dead_code)]

use peak_alloc::PeakAlloc;
use std::io::Write;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The peak of live bytes while `work` runs, beyond those before it, and its result. The whole process is counted, so only one test may
/// measure at a time.
pub fn peak_of<R>(work: impl FnOnce() -> R) -> (usize, R) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = work();
    (ALLOCATOR.peak_usage().saturating_sub(before), result)
}

/// Live bytes of the whole process.
pub fn live() -> usize {
    ALLOCATOR.current_usage()
}

/// The bytes, gzipped.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An IDX file of values with this type code; 8 is unsigned bytes.
pub fn idx(code: u8, sizes: &[u32], data: &[u8]) -> Vec<u8> {
    let sizes: Vec<u8> = sizes.iter().flat_map(|size| size.to_be_bytes()).collect();
    [&[0, 0, code, (sizes.len() / 4) as u8][..], &sizes, data].concat()
}

/// A ZIP archive of these files, deflated or stored.
pub fn zip(files: &[(&str, &[u8])], deflated: bool) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut sum = flate2::Crc::new();
        sum.update(content);
        let mut packed = content.to_vec();
        if deflated {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(content).unwrap();
            packed = encoder.finish().unwrap();
        }
        let number = |size: usize| (size as u32).to_le_bytes();
        // Fields of both headers: version, flags, method, time, date, checksum, sizes, length of the name and a zero length.
        let common = [
            &[20, 0, 0, 0, if deflated { 8 } else { 0 }, 0, 0, 0, 0, 0],
            &sum.sum().to_le_bytes()[..],
            &number(packed.len()),
            &number(content.len()),
            &number(name.len()),
        ]
        .concat();
        let start = number(bytes.len());
        bytes.extend([b"PK\x03\x04", &common[..], name.as_bytes(), &packed].concat());
        directory.extend([b"PK\x01\x02\x14\0", &common[..], &[0; 10], &start, name.as_bytes()].concat());
    }
    let count = (files.len() as u16).to_le_bytes();
    let (size, start) = ((directory.len() as u32).to_le_bytes(), (bytes.len() as u32).to_le_bytes());
    [&bytes[..], &directory, b"PK\x05\x06\0\0\0\0", &count, &count, &size, &start, &[0, 0]].concat()
}
