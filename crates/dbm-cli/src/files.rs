//! Files in and out: whole or not at all.

use crate::error::CliError;
use dbm_data::columns::Table;
use dbm_data::{Checkpoint, load_table};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    std::fs::read(path).map_err(|source| CliError::Read { path: path.into(), source })
}

pub fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    write_with(path, |file| file.write_all(bytes))
}

/// Writes beside the target and renames, so that a full disk or a kill leaves the old file as it was.
pub fn write_with(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), CliError> {
    let failed = |source| CliError::Write { path: path.into(), source };
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let beside = PathBuf::from(beside);
    File::create(&beside).and_then(|mut file| write(&mut file)).map_err(failed)?;
    std::fs::rename(&beside, path).map_err(failed)
}

/// That a file could be written there, found out before the work and not after it.
pub fn check_writable(path: &Path) -> Result<(), CliError> {
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
        Some((kind, text)) => Err(CliError::Write { path: path.into(), source: io::Error::new(kind, text) }),
        None => Ok(()),
    }
}

pub fn read_checkpoint(path: &Path) -> Result<Checkpoint, CliError> {
    Ok(Checkpoint::read(&path.display().to_string(), &read(path)?)?)
}

pub fn read_table(path: &Path) -> Result<Table, CliError> {
    Ok(load_table(&path.display().to_string(), &read(path)?)?)
}

/// What pictures or values should be written as, by the ending of the file's name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Npy,
    Png,
    Csv,
}

impl Format {
    pub fn of(path: &Path) -> Result<Self, CliError> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("npy") => Ok(Self::Npy),
            Some("png") => Ok(Self::Png),
            Some("csv") => Ok(Self::Csv),
            _ => Err(CliError::Usage(format!(
                "--out should end in .npy or .png, or .csv for a table's model, but is {}",
                path.display()
            ))),
        }
    }
}
