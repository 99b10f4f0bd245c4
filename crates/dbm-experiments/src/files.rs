//! Reading and writing files, completely or not at all.

use crate::Error;
use dbm_core::Trainer;
use dbm_data::columns::Table;
use dbm_data::raw::{Reading, Visible};
use dbm_data::{Checkpoint, Dataset, Precision, load_table};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The bytes of a file.
///
/// # Errors
/// [`Error::Read`].
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::Read { path: path.into(), source })
}

/// Writes a file, completely or not at all.
///
/// # Errors
/// [`Error::Write`].
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_with(path, |file| file.write_all(bytes))
}

/// Writes a temporary file next to the target and renames it, so that a full disk or a kill leaves the old file unchanged.
///
/// # Errors
/// [`Error::Write`].
pub fn write_with(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Error> {
    let failed = |source| Error::Write { path: path.into(), source };
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let beside = PathBuf::from(beside);
    File::create(&beside).and_then(|mut file| write(&mut file)).map_err(failed)?;
    std::fs::rename(&beside, path).map_err(failed)
}

/// Checks that a file could be written there, before the work and not after it.
///
/// # Errors
/// [`Error::Write`].
pub fn check_writable(path: &Path) -> Result<(), Error> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let problem = if path.is_dir() {
        Some((io::ErrorKind::IsADirectory, "it is a folder"))
    } else if !folder.is_dir() {
        Some((io::ErrorKind::NotFound, "its folder does not exist"))
    } else {
        None
    };
    match problem {
        Some((kind, text)) => Err(Error::Write { path: path.into(), source: io::Error::new(kind, text) }),
        None => Ok(()),
    }
}

/// A checkpoint from its file.
///
/// # Errors
/// Those of reading and parsing.
pub fn read_checkpoint(path: &Path) -> Result<Checkpoint, Error> {
    Ok(Checkpoint::read(&path.display().to_string(), &read(path)?)?)
}

/// Writes a run in its present state, with these notes and the meaning of its visible units.
///
/// # Errors
/// Those of checkpoints, and [`Error::Write`].
pub fn write_run(
    path: &Path,
    run: &Trainer,
    data: &Dataset,
    notes: impl IntoIterator<Item = (String, String)>,
) -> Result<(), Error> {
    let visible = data.visible.iter().map(|visible| (Visible::NOTE.to_string(), visible.to_json()));
    let notes = notes.into_iter().chain(visible).collect();
    let file = Checkpoint::from_snapshot(run.view(), data.image, notes).lay_out(Precision::Full)?;
    write_with(path, |out| file.write_to(out))
}

/// A table from its file, and what the user should know of how it was read.
///
/// # Errors
/// Those of reading and parsing.
pub fn read_table(path: &Path, asked: &Reading) -> Result<(Table, Vec<String>), Error> {
    Ok(load_table(&path.display().to_string(), &read(path)?, asked)?)
}
