//! What can be refused, each with what was expected, what came, and what to do.

use dbm_core::DbmError;
use thiserror::Error;

/// A refusal by this crate. `name` is the file's, as the caller gave it.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DataError {
    /// Bytes of no accepted kind.
    #[error(
        "{name}: {looks_like}; accepted are CSV or TSV text, IDX (MNIST's format), NPY, NPZ, PNG and JPEG files, any of them in gzip or ZIP"
    )]
    Unrecognized {
        /// The file.
        name: String,
        /// What the bytes look like, in words.
        looks_like: String,
    },
    /// Bytes that end early.
    #[error("{name}: {what} should take {expected} bytes, but only {got} are there; the file is cut short, fetch it again")]
    Truncated {
        /// The file.
        name: String,
        /// Which part.
        what: &'static str,
        /// Bytes the part should take.
        expected: u128,
        /// Bytes that are there.
        got: u128,
    },
    /// More bytes than the header announces.
    #[error(
        "{name}: the header announces {expected} bytes of data, but more follow; the header or the file is wrong, fetch it again"
    )]
    Trailing {
        /// The file.
        name: String,
        /// Bytes of data announced.
        expected: u128,
    },
    /// A size beyond what this program takes into memory.
    #[error("{name}: {needed} bytes are needed, more than the {limit} this program takes; use fewer or smaller examples")]
    TooLarge {
        /// The file.
        name: String,
        /// Bytes needed, or announced.
        needed: u128,
        /// Bytes accepted.
        limit: u128,
    },
    /// More than the machine, or the tab, still has room for.
    #[error("{name}: room for {needed} bytes is needed, but the memory is full; close other things, or use a smaller file")]
    Memory {
        /// The file.
        name: String,
        /// Bytes needed.
        needed: usize,
    },
    /// A gzip stream that does not unpack.
    #[error("{name}: expected intact gzip data, but it fails after {at} unpacked bytes ({reason}); fetch the file again")]
    Gzip {
        /// The file.
        name: String,
        /// Bytes unpacked before.
        at: usize,
        /// The decoder's words.
        reason: String,
    },
    /// Bytes that do not follow their format.
    #[error("{name}: expected {expected}, but {got}; {advice}")]
    Format {
        /// The file.
        name: String,
        /// What should stand there, and where.
        expected: String,
        /// What stands there.
        got: String,
        /// What to do.
        advice: &'static str,
    },
    /// A data file without values.
    #[error("{name}: expected at least one example, but the file holds none; choose another file")]
    Empty {
        /// The file.
        name: String,
    },
    /// A file of labels where examples should be.
    #[error(
        "{name}: expected examples, but this file holds one number for each of {count}: labels; load the images it belongs to"
    )]
    LabelsAlone {
        /// The file.
        name: String,
        /// How many labels.
        count: usize,
    },
    /// Labels that do not belong to the images.
    #[error("{name}: expected one label for each of {images} examples, but {labels} came; load the two files of one data set")]
    LabelCount {
        /// The images' file.
        name: String,
        /// How many images.
        images: usize,
        /// How many labels.
        labels: usize,
    },
    /// A table's cell that the columns of a model have no bits for.
    #[error(
        "{name}: line {line}, column {column}: expected {expected}, but {got:?} came; correct it, write NA where it is \
         unknown, or train a model on this table"
    )]
    Cell {
        /// The file.
        name: String,
        /// Line of the file, from 1.
        line: u64,
        /// Number from 1 and name of the column.
        column: String,
        /// What may stand there.
        expected: String,
        /// The cell, cut to a readable length.
        got: String,
    },
    /// A table's row of another width than the first.
    #[error(
        "{name}: line {line}: expected {expected} columns as in the first row, but {got} came; every row needs the same number"
    )]
    Ragged {
        /// The file.
        name: String,
        /// Line of the file, from 1.
        line: u64,
        /// Columns of the first row.
        expected: usize,
        /// Columns of this one.
        got: usize,
    },
    /// A tensor of a checkpoint that is missing, or should not be there, or is not what it should be.
    #[error("{name}: tensor {tensor}: expected {expected}, but {got}; {advice}")]
    Tensor {
        /// The file.
        name: String,
        /// The tensor.
        tensor: String,
        /// What should be.
        expected: String,
        /// What is.
        got: String,
        /// What to do.
        advice: &'static str,
    },
    /// Metadata of a checkpoint that is missing or not what it should be.
    #[error("{name}: metadata entry `{key}`: expected {expected}, but {got}; {advice}")]
    Metadata {
        /// The file.
        name: String,
        /// The entry.
        key: String,
        /// What should be.
        expected: &'static str,
        /// What is.
        got: String,
        /// What to do.
        advice: &'static str,
    },
    /// A model without its run.
    #[error(
        "the checkpoint holds weights only, cannot resume: its {missing} is not in it; begin a new run, or open a full checkpoint"
    )]
    WeightsOnly {
        /// What is not there.
        missing: &'static str,
    },
    /// What `dbm-core` refuses.
    #[error("{name}: {source}")]
    Refused {
        /// The file, or whatever the values came from.
        name: String,
        /// Its refusal.
        source: DbmError,
    },
    /// A picture or data set that cannot be made as asked.
    #[error("{what} should be {expected}, but is {got}; change it and try again")]
    Asked {
        /// What was asked for.
        what: &'static str,
        /// Its range, in words.
        expected: &'static str,
        /// What came.
        got: String,
    },
}

impl DataError {
    /// For `map_err` on results of `dbm-core`.
    pub fn refused(name: &str) -> impl FnOnce(DbmError) -> Self {
        move |source| Self::Refused { name: name.into(), source }
    }
}
