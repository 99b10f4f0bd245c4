//! A file with a checksum, which shows whether it was written completely: 48 bytes of header, then its body.
//!
//! | Bytes | What |
//! | --- | --- |
//! | 0–7 | `DBMKEPT` and a line feed |
//! | 8–11 | version of the format |
//! | 12–15 | CRC-32 of all other bytes but the first eight |
//! | 16–23 | number: of the two checkpoint files, the one with the higher number is the later |
//! | 24–31 | length of the body |
//! | 32–39 | when it was written, in milliseconds since 1970, as a float |
//! | 40–43 | gradient steps taken |
//! | 44–47 | zero |
//!
//! Numbers are little-endian. The first 16 bytes are the same in every version.

use crc32fast::Hasher;

pub const HEADER: usize = 48;
const MAGIC: &[u8; 8] = b"DBMKEPT\n";
const FORMAT: u32 = 1;

/// What a header says about its body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FileLabel {
    pub number: u64,
    pub step: u32,
    pub written: f64,
}

/// Why a file cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// It was not written completely, or has changed since.
    Incomplete,
    /// It is complete, but of an unknown version.
    Version(u32),
}

/// The header to write before a body, which may be written in parts.
pub fn header(label: &FileLabel, body: &[&[u8]]) -> [u8; HEADER] {
    let length: usize = body.iter().map(|part| part.len()).sum();
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    bytes[16..24].copy_from_slice(&label.number.to_le_bytes());
    bytes[24..32].copy_from_slice(&(length as u64).to_le_bytes());
    bytes[32..40].copy_from_slice(&label.written.to_le_bytes());
    bytes[40..44].copy_from_slice(&label.step.to_le_bytes());
    let mut hasher = Hasher::new();
    hasher.update(&bytes[8..12]);
    hasher.update(&bytes[16..]);
    body.iter().for_each(|part| hasher.update(part));
    bytes[12..16].copy_from_slice(&hasher.finalize().to_le_bytes());
    bytes
}

/// What a header says, unverified: enough to tell which of several files to open first.
pub fn peek(bytes: &[u8]) -> Option<FileLabel> {
    let header: &[u8; HEADER] = bytes.first_chunk()?;
    (header.starts_with(MAGIC) && four(header, 8) == FORMAT).then(|| FileLabel {
        number: eight(header, 16),
        step: four(header, 40),
        written: f64::from_bits(eight(header, 32)),
    })
}

/// The label and the body of a complete file.
pub fn open(mut bytes: Vec<u8>) -> Result<(FileLabel, Vec<u8>), Damage> {
    let header: [u8; HEADER] = *bytes.first_chunk().ok_or(Damage::Incomplete)?;
    let mut hasher = Hasher::new();
    hasher.update(&header[8..12]);
    hasher.update(&bytes[16..]);
    if !header.starts_with(MAGIC) || four(&header, 12) != hasher.finalize() {
        return Err(Damage::Incomplete);
    }
    if four(&header, 8) != FORMAT {
        return Err(Damage::Version(four(&header, 8)));
    }
    let label = peek(&bytes).filter(|_| eight(&header, 24) == (bytes.len() - HEADER) as u64).ok_or(Damage::Incomplete)?;
    bytes.drain(..HEADER);
    Ok((label, bytes))
}

fn four(header: &[u8; HEADER], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| header[at + i]))
}

fn eight(header: &[u8; HEADER], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| header[at + i]))
}
