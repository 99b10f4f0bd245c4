//! Detects the format of a file from its first bytes; its name does not matter.

use crate::DataError;
use crate::gzip::is_gzip;
use crate::idx::is_idx;
use crate::text::{self, is_binary};

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileFormat {
    Idx,
    Npy,
    Zip,
    Picture,
    Text,
}

/// Number of bytes examined.
pub(crate) const PEEK: usize = 1024;

/// The format of a file that begins like this, with gzip already unpacked.
///
/// # Errors
/// [`DataError::Unrecognized`] saying what it looks like, [`DataError::Format`] if it is empty.
pub(crate) fn recognize(name: &str, head: &[u8]) -> Result<FileFormat, DataError> {
    if head.is_empty() {
        return Err(DataError::empty(name));
    }
    let unrecognized = |looks_like: String| DataError::Unrecognized { name: name.into(), looks_like };
    if is_idx(head) {
        return Ok(FileFormat::Idx);
    }
    let starts = |magic: &[u8]| head.starts_with(magic);
    if starts(b"\x93NUMPY") {
        return Ok(FileFormat::Npy);
    }
    if starts(b"PK\x03\x04") || starts(b"PK\x05\x06") {
        return Ok(FileFormat::Zip);
    }
    if starts(b"\x89PNG") || starts(b"\xff\xd8\xff") {
        return Ok(FileFormat::Picture);
    }
    if let Some(kind) = looks_like(head) {
        return Err(unrecognized(format!("it looks like {kind}")));
    }
    if starts(b"\xff\xfe") || starts(b"\xfe\xff") || text::wide(head).is_some() {
        return Ok(FileFormat::Text);
    }
    let end = head.len() - text::padding(head);
    match head[..end].iter().take(PEEK).position(|&byte| is_binary(byte)) {
        Some(at) => Err(unrecognized(format!("the bytes match no known format, and are not text from byte {at} on"))),
        None => Ok(FileFormat::Text),
    }
}

/// Formats that are recognized but not accepted.
fn looks_like(head: &[u8]) -> Option<&'static str> {
    const KNOWN: [(&[u8], &str); 23] = [
        (b"GIF87a", "a GIF image; save it as PNG"),
        (b"GIF89a", "a GIF image; save it as PNG"),
        (b"II*\0", "a TIFF image; save it as PNG"),
        (b"MM\0*", "a TIFF image; save it as PNG"),
        (b"\x89HDF", "an HDF5 file; save its array with numpy.save"),
        (b"%PDF", "a PDF document"),
        (b"PAR1\x15", "a Parquet table; save it as CSV"),
        (b"ARROW1\0", "an Arrow table; save it as CSV"),
        (b"\x28\xb5\x2f\xfd", "Zstandard data; unpack it first"),
        (b"BZh91AY&SY", "bzip2 data; unpack it first"),
        (b"\xfd7zXZ", "xz data; unpack it first"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
        (b"Rar!\x1a\x07", "a RAR archive; unpack it first"),
        (b"MATLAB 5.0", "a MATLAB file; write its table by writetable, or its array as CSV by writematrix"),
        (b"<stata_dta>", "a Stata file; save its table as CSV, by `export delimited`"),
        (b"$FL2", "an SPSS file; save its table as CSV"),
        (b"$FL3", "an SPSS file; save its table as CSV"),
        (b"RDX3", "a file of R; write its table by write.csv"),
        (b"ORC\x0a", "an ORC table; save it as CSV"),
        (
            b"\x00\x05\x16",
            "a fork that macOS keeps next to a file (its name begins with ._), which holds no data; choose the file without ._",
        ),
        (b"\xd0\xcf\x11\xe0", "a document of Microsoft Office; save it as CSV"),
        (b"SQLite format 3", "an SQLite database; save its table as CSV"),
        (b"\x80\x04\x95", "a Python pickle; save its array with numpy.save"),
    ];
    if is_gzip(head) {
        return Some("gzip inside gzip; unpack it once");
    }
    if let Some((_, kind)) = KNOWN.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(kind);
    }
    let at = |place: usize, what: &[u8]| head.get(place..).is_some_and(|rest| rest.starts_with(what));
    if at(8, b"{\"") && at(4, &[0; 4]) {
        return Some("a safetensors file, which holds a model and no data: open it as a model");
    }
    if head.starts_with(b"RIFF") && at(8, b"WEBP") {
        return Some("a WebP image; save it as PNG");
    }
    if at(4, b"ftypavif") || at(4, b"ftypheic") {
        return Some("an AVIF or HEIC image; save it as PNG");
    }
    if head.starts_with(b"BM") && at(6, &[0; 4]) {
        return Some("a BMP image; save it as PNG");
    }
    if at(257, b"ustar") {
        return Some("a tar archive; make it a ZIP");
    }
    let text = head.trim_ascii_start();
    let markup = |rest: &[u8]| rest.first().is_some_and(|&byte| byte.is_ascii_alphabetic() || b"!?".contains(&byte));
    if text.strip_prefix(b"<").is_some_and(markup) {
        return Some("a web page, SVG or XML");
    }
    if text.starts_with(b"version https://git-lfs.github.com/spec/") {
        return Some(
            "a pointer of Git LFS, and not the file that it stands for; get that by `git lfs pull`, or from the project's page",
        );
    }
    // Stata's older files: their version, byte order and kind of file.
    if matches!(head, [0x69 | 0x6c | 0x6e..=0x73, 1 | 2, 1, 0, ..]) {
        return Some("a Stata file; save its table as CSV, by `export delimited`");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_known_by_their_beginning() {
        for (head, kind) in [
            (&b"\0\0\x08\x03"[..], FileFormat::Idx),
            (b"\x93NUMPY\x01\0", FileFormat::Npy),
            (b"PK\x03\x04", FileFormat::Zip),
            (b"PK\x05\x06", FileFormat::Zip),
            (b"\x89PNG\r\n", FileFormat::Picture),
            (b"\xff\xd8\xff\xe0", FileFormat::Picture),
            (b"\xff\xfe0\0", FileFormat::Text),
            (b"0,1\n", FileFormat::Text),
            // Headers that are easily mistaken for something else.
            (b"BMI,age\n", FileFormat::Text),
            (b"PAR1,PAR2\n", FileFormat::Text),
            (b"<5,>5\n", FileFormat::Text),
            (b"Gr\xf6\xdfe,x\n", FileFormat::Text),
        ] {
            assert_eq!(recognize("x", head), Ok(kind), "{head:?}");
        }
    }
}
