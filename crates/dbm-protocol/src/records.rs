//! What messages of several roles are about: files, data, runs and pictures.

use dbm_data::coding::Greys;
use dbm_data::raw::Visible;
use serde::{Deserialize, Serialize};

/// A file of the visitor's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedBytes {
    /// As the visitor's system calls it: shown as text only.
    pub name: String,
    /// All of it.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// Where a data set comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DataSource {
    /// Generated digits, 28 x 28.
    Digits {
        /// How many digits.
        count: u32,
        /// Seed of the generator.
        seed: u32,
    },
    /// Every bars-and-stripes pattern of 4 x 4.
    Bars,
    /// Examples of the visitor's, read and made binary by a files worker.
    Examples(EncodedData),
}

/// Examples that the second worker has read and made binary, for the first to train on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncodedData {
    /// What to call them, as text.
    pub name: String,
    /// Bits an example.
    pub width: u32,
    /// The bits as `Examples::packed` has them.
    #[serde(with = "serde_bytes")]
    pub packed: Vec<u8>,
    /// `Examples::known_packed`; empty where nothing is missing.
    #[serde(with = "serde_bytes")]
    pub known: Vec<u8>,
    /// Rows and columns of values, where an example is an image.
    pub image: Option<(u32, u32)>,
    /// Bits a value, 1 to 8.
    pub depth: u8,
    /// Which known bits are held back from training, packed likewise, to test answers with; empty for none.
    #[serde(with = "serde_bytes")]
    pub held_back: Vec<u8>,
    /// What the bits stand for, where that is known.
    pub visible: Option<Visible>,
    /// The file itself, where it is a table, for its gaps to be filled in; empty otherwise.
    #[serde(with = "serde_bytes")]
    pub table: Vec<u8>,
}

/// A run as it stood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Gradient steps taken.
    pub step: u32,
    /// All that the run needs to go on: a safetensors file.
    #[serde(with = "serde_bytes")]
    pub checkpoint: Vec<u8>,
}

/// Which of the two models the worker holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ModelChoice {
    /// The one read from a file.
    #[default]
    Pretrained,
    /// The one being trained.
    Training,
}

/// Pictures or rows of bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// Whose samples, where they are samples.
    pub model: ModelChoice,
    /// Gradient steps at that time.
    pub step: u32,
    /// How many pictures or rows.
    pub count: u32,
    /// Rows and columns of each; a row of bits that is no image has one row.
    pub image: (u32, u32),
    /// The units of a value, side by side in the columns.
    pub greys: Greys,
    /// One byte a bit, 0 or 1, `count * rows * columns`.
    #[serde(with = "serde_bytes")]
    pub bits: Vec<u8>,
}
