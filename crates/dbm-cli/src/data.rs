//! Data sets by name: a folder, a file, or one of the generated ones.

use crate::error::CliError;
use crate::files;
use crate::model::visible;
use clap::{Args, ValueEnum};
use dbm_data::idx::Idx;
use dbm_data::raw::Visible;
use dbm_data::{Checkpoint, Dataset, bars, digits, load, target};
use sha2::{Digest, Sha256};
use std::path::Path;

/// Which random target `--data target` means.
const TARGET_SEED: u64 = 1;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Split {
    Train,
    Test,
}

#[derive(Args)]
pub struct DataArgs {
    /// A folder with MNIST's IDX files; a file (IDX, gzip of IDX, or a table as CSV); or one of these words, for generated data:
    /// `digits`, `bars`, `target` (1000 draws from a random distribution over 12 bits); a file of such a name is `./digits`
    #[arg(long, value_name = "DIR|FILE|digits|bars|target")]
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
        let training = split == Split::Train;
        // Words come before paths: in a checkout of a Rust project there is a folder `target`.
        match self.data.as_str() {
            // The test digits are other digits of the same hands.
            "digits" => Ok(digits::dataset(self.reading.digits, if training { 1 } else { 2 })?),
            "bars" => Ok(bars::dataset(4)?),
            // The test draws are other draws from the same target.
            "target" => Ok(if training { target::dataset(TARGET_SEED) } else { target::held_out(TARGET_SEED) }?),
            _ if path.is_dir() => self.load_folder(path, split),
            _ if path.exists() => Ok(load(&self.data, &files::read(path)?, self.reading.binarize)?),
            _ => Err(CliError::Input(format!(
                "--data {}: there is no such file or folder; give one, or `digits`, `bars` or `target`",
                self.data
            ))),
        }
    }

    /// The same for a model: a table is read by the columns of the one that the model was trained on.
    pub fn load_for(&self, checkpoint: &Checkpoint, split: Split) -> Result<Dataset, CliError> {
        let data = self.load(split)?;
        match (visible(checkpoint)?, &data.visible) {
            (Some(Visible::Table(columns)), Some(Visible::Table(own))) if columns != *own => {
                let image = data.image;
                Ok(Dataset { image, ..files::read_table(Path::new(&self.data))?.encode_as(&self.data, &columns)? })
            }
            _ => Ok(data),
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
    if let Some(known) = data.examples.known_packed() {
        hash.update(known);
    }
    hash.finalize().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Refuses examples with gaps, for a command that needs whole ones: `why` says what for.
pub fn without_gaps(data: &Dataset, why: &str) -> Result<(), CliError> {
    match data.examples.missing() {
        0 => Ok(()),
        missing => Err(CliError::Input(format!(
            "{missing} of the {} bits of {} are missing, but {why}; give data without gaps",
            data.examples.len() * data.examples.width(),
            data.name
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_refused_with_their_number_and_tell_data_apart() {
        let whole = bars::dataset(4).expect("bars and stripes");
        let marks: Vec<u8> = (0..whole.examples.len() * 16).map(|i| u8::from(i % 100 != 0)).collect();
        let examples = whole.examples.clone().with_gaps(&marks).expect("one mark a bit");
        let gaps = Dataset { examples, ..bars::dataset(4).expect("bars and stripes") };
        assert!(without_gaps(&whole, "").is_ok());
        let said = without_gaps(&gaps, "this is a test").map_err(|error| error.to_string());
        assert!(said.is_err_and(|said| said.contains("5 of the 480 bits") && said.contains("this is a test")));
        // A high bit that is missing is not one that is low.
        let lows: Vec<u8> = (0..gaps.examples.len()).flat_map(|row| gaps.examples.row(row)).collect();
        let low = Dataset { examples: dbm_core::Examples::from_bits(16, &lows).expect("rows of 16"), ..whole };
        assert_ne!(fingerprint(&gaps), fingerprint(&low));
    }
}
