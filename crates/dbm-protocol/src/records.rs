//! Parts of messages that several roles share: files, data, runs and pictures.

use dbm_data::coding::Greys;
use dbm_data::raw::{Reading, Visible};
use serde::{Deserialize, Serialize};

/// A file of the visitor's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedBytes {
    /// Its name on the visitor's system: shown as text only.
    pub name: String,
    /// Its content.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// Source of a data set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "there is one for each request")]
pub enum DataSource {
    /// Generated digits, 28 x 28.
    Digits {
        /// Number of digits.
        count: u32,
        /// Seed of the generator.
        seed: u32,
    },
    /// Every bars-and-stripes pattern of 4 x 4.
    Bars,
    /// Examples of the visitor's, read and encoded by a files worker.
    Examples(EncodedData),
}

/// Examples that the second worker has read and encoded, for the first to train on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncodedData {
    /// Their name, as text.
    pub name: String,
    /// Bits per example.
    pub width: u32,
    /// The bits, in the form of `Examples::packed`.
    #[serde(with = "serde_bytes")]
    pub packed: Vec<u8>,
    /// `Examples::known_packed`; empty if nothing is missing.
    #[serde(with = "serde_bytes")]
    pub known: Vec<u8>,
    /// The grey levels from which a run draws bits at every visit, one per bit, and their top; empty if it does not.
    #[serde(with = "serde_bytes", default)]
    pub greys: Vec<u8>,
    /// The level that is always drawn high.
    #[serde(default)]
    pub grey_top: u8,
    /// Rows and columns of values, if an example is an image.
    pub image: Option<(u32, u32)>,
    /// Bits per value, 1 to 8.
    pub depth: u8,
    /// Which known bits are withheld from training, to test answers with; packed likewise, empty for none.
    #[serde(with = "serde_bytes")]
    pub held_back: Vec<u8>,
    /// What the bits stand for, if known.
    pub visible: Option<Visible>,
    /// The file itself, if it is a table, so that its gaps can be filled in; empty otherwise.
    #[serde(with = "serde_bytes")]
    pub table: Vec<u8>,
    /// How it was read.
    #[serde(default)]
    pub reading: Box<Reading>,
    /// `dbm_data::Dataset::sha256`, as `dbm read` prints it.
    #[serde(default)]
    pub sha256: String,
}

/// The state of a run at one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Gradient steps taken.
    pub step: u32,
    /// Everything that the run needs to continue: a safetensors file.
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
    /// Which model's samples, if they are samples.
    pub model: ModelChoice,
    /// Gradient steps at that time.
    pub step: u32,
    /// Number of pictures or rows.
    pub count: u32,
    /// Rows and columns of each; bits that are no image have one row.
    pub image: (u32, u32),
    /// The units per value, side by side in the columns.
    pub greys: Greys,
    /// One byte per bit, 0 or 1, `count * rows * columns`.
    #[serde(with = "serde_bytes")]
    pub bits: Vec<u8>,
}
