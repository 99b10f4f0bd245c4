//! Several files in one, for a single download.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::{CompressionMethod, Error, ZipArchiveWriter};
use std::io::Write;

/// A ZIP file of these files, by name.
///
/// ```
/// use dbm_data::raw::{File, Reading, read};
/// let bytes = dbm_data::archive(&[("one.csv".into(), b"a,b\n0,1\n1,0\n".to_vec())])?;
/// let raw = read(&[File { name: "all.zip".into(), bytes }], &Reading::default(), &mut |_, _, _| {})?;
/// assert_eq!(raw.summary()?.count, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// For names and sizes that such a file cannot have.
pub fn archive(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, Error> {
    let mut archive = ZipArchiveWriter::new(Vec::new());
    for (name, bytes) in files {
        let (mut entry, config) = archive.new_file(name.as_str()).compression_method(CompressionMethod::DEFLATE).start()?;
        let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
        writer.write_all(bytes)?;
        let (encoder, output) = writer.finish()?;
        encoder.finish()?;
        entry.finish(output)?;
    }
    archive.finish()
}
