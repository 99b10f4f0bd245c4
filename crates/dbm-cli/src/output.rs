//! What pictures or values are written as.

use dbm_experiments::Error;
use std::path::Path;

/// By the ending of the file's name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Npy,
    Png,
    Csv,
}

impl Format {
    pub fn of(path: &Path) -> Result<Self, Error> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("npy") => Ok(Self::Npy),
            Some("png") => Ok(Self::Png),
            Some("csv") => Ok(Self::Csv),
            _ => Err(Error::Usage(format!(
                "--out should end in .npy or .png, or .csv for a table's model, but is {}",
                path.display()
            ))),
        }
    }
}
