//! Data sets by name: a folder, a file, or one of the generated ones.

use crate::error::CliError;
use crate::files;
use clap::{Args, ValueEnum};
use dbm_data::idx::Idx;
use dbm_data::{Dataset, bars, digits, load};
use sha2::{Digest, Sha256};
use std::path::Path;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Split {
    Train,
    Test,
}

#[derive(Args)]
pub struct DataArgs {
    /// A folder with MNIST's IDX files; a file (IDX, gzip of IDX, CSV of 0/1 rows); or `digits` or `bars`, which are generated
    #[arg(long, value_name = "DIR|FILE|digits|bars")]
    pub data: String,
    #[command(flatten)]
    pub reading: Reading,
}

/// How data are read, or how many are made.
#[derive(Args, Clone, Copy)]
pub struct Reading {
    /// 8-bit values above this are high
    #[arg(long, default_value_t = dbm_data::THRESHOLD, value_name = "GREY")]
    pub binarize: u8,
    /// How many digits to generate, with `--data digits`
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    pub digits: usize,
}

impl DataArgs {
    pub fn load(&self, split: Split) -> Result<Dataset, CliError> {
        let path = Path::new(&self.data);
        if path.is_dir() {
            return self.load_folder(path, split);
        }
        match (self.data.as_str(), path.exists()) {
            // The test digits are other digits of the same hands.
            ("digits", false) => Ok(digits::dataset(self.reading.digits, if split == Split::Train { 1 } else { 2 })?),
            ("bars", false) => Ok(bars::dataset(4)?),
            (_, true) => Ok(load(&self.data, &files::read(path)?, self.reading.binarize)?),
            _ => Err(CliError::Input(format!(
                "--data {}: there is no such file or folder; give one, or `digits` or `bars`",
                self.data
            ))),
        }
    }

    fn load_folder(&self, folder: &Path, split: Split) -> Result<Dataset, CliError> {
        let prefix = if split == Split::Train { "train" } else { "t10k" };
        let find = |what: &str| {
            let names = [format!("{prefix}-{what}-ubyte.gz"), format!("{prefix}-{what}-ubyte"), format!("{prefix}-{what}.ubyte")];
            names.into_iter().map(|name| folder.join(name)).find(|path| path.exists())
        };
        let Some(images) = find("images-idx3") else {
            return Err(CliError::Input(format!(
                "--data {}: this folder has no {prefix}-images-idx3-ubyte (or .gz); give the folder with MNIST's files",
                self.data
            )));
        };
        let idx = |path: &Path| -> Result<Idx, CliError> { Ok(Idx::read(&path.display().to_string(), &files::read(path)?)?) };
        let labels = find("labels-idx1").map(|path| idx(&path)).transpose()?;
        Ok(Dataset::from_idx(&images.display().to_string(), idx(&images)?, labels, self.reading.binarize)?)
    }
}

/// SHA-256 of the examples as bytes 0 and 1, row after row: tells whether a run goes on with the data it was begun with.
pub fn fingerprint(data: &Dataset) -> String {
    let mut hash = Sha256::new();
    for row in 0..data.examples.len() {
        hash.update(data.examples.row(row));
    }
    hash.finalize().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
