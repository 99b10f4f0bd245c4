//! What can be refused, each with what was expected, what came, and what to do.

use dbm_core::DbmError;
use std::cmp::Ordering;
use thiserror::Error;

/// A refusal by this crate. `name` is the file's, as the caller gave it.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DataError {
    /// The bytes are of no accepted format.
    #[error(
        "{name}: {looks_like}; accepted are CSV or TSV text, IDX (MNIST's format), NPY, NPZ, PNG and JPEG files, any of them in gzip or ZIP"
    )]
    Unrecognized {
        /// The file's name.
        name: String,
        /// What the bytes look like, in words.
        looks_like: String,
    },
    /// The bytes end early.
    #[error("{name}: {what} should take {expected} bytes, but only {got} are there; the file is cut short, fetch it again")]
    Truncated {
        /// The file's name.
        name: String,
        /// The part that is cut short.
        what: &'static str,
        /// Bytes the part should take.
        expected: u128,
        /// Bytes that are there.
        got: u128,
    },
    /// More bytes came than the header announces.
    #[error(
        "{name}: the header announces {expected} bytes of data, but more follow; the header or the file is wrong, fetch it again"
    )]
    Trailing {
        /// The file's name.
        name: String,
        /// Bytes of data announced.
        expected: u128,
    },
    /// The data is larger than what this program takes into memory.
    #[error("{name}: {needed} bytes are needed, more than the {limit} this program takes; use fewer or smaller examples")]
    TooLarge {
        /// The file's name.
        name: String,
        /// Bytes needed, or announced.
        needed: u128,
        /// The most bytes that are accepted.
        limit: u128,
    },
    /// The machine, or the tab, has no room left.
    #[error("{name}: room for {needed} bytes is needed, but the memory is full; close other things, or use a smaller file")]
    Memory {
        /// The file's name.
        name: String,
        /// Bytes that would be needed.
        needed: usize,
    },
    /// The bytes do not follow their format.
    #[error("{name}: expected {expected}, but {got}; {advice}")]
    Format {
        /// The file's name.
        name: String,
        /// What should stand there, and where.
        expected: String,
        /// What stands there.
        got: String,
        /// What to do.
        advice: &'static str,
    },
    /// One part of a file is missing, or not what it should be: a cell or row of a table, a tensor or a metadata entry of a checkpoint.
    #[error("{name}: {part}: expected {expected}, but {got}; {advice}")]
    Part {
        /// The file's name.
        name: String,
        /// The part: `line 3, column 2 ("age")`, `tensor weight.0`.
        part: String,
        /// What should be there.
        expected: String,
        /// What is there.
        got: String,
        /// What to do.
        advice: &'static str,
    },
    /// A data file without values.
    #[error("{name}: expected at least one example, but the file holds none; choose another file")]
    Empty {
        /// The file's name.
        name: String,
    },
    /// A file of labels where examples should be.
    #[error(
        "{name}: expected examples, but this file holds one number for each of {count}: labels; load the images it belongs to"
    )]
    LabelsAlone {
        /// The file's name.
        name: String,
        /// How many labels it holds.
        count: usize,
    },
    /// Labels that do not belong to the images.
    #[error("{name}: expected one label for each of {images} examples, but {labels} came; load the two files of one data set")]
    LabelCount {
        /// The images' file.
        name: String,
        /// How many images came.
        images: usize,
        /// How many labels came.
        labels: usize,
    },
    /// A model without its run.
    #[error(
        "the checkpoint holds weights only, cannot resume: its {missing} is not in it; begin a new run, or open a full checkpoint"
    )]
    WeightsOnly {
        /// The part of the run that is not there.
        missing: &'static str,
    },
    /// A refusal by `dbm-core`.
    #[error("{name}: {source}")]
    Refused {
        /// The file, or whatever the values came from.
        name: String,
        /// The core's error.
        source: DbmError,
    },
    /// An argument outside its range.
    #[error("{what} should be {expected}, but is {got}; change it and try again")]
    OutOfRange {
        /// What the argument is, in words.
        what: &'static str,
        /// Its range, in words.
        expected: &'static str,
        /// The value that came.
        got: String,
    },
}

impl DataError {
    /// For `map_err` on results of `dbm-core`.
    pub fn refused(name: &str) -> impl FnOnce(DbmError) -> Self {
        move |source| Self::Refused { name: name.into(), source }
    }

    pub(crate) fn format(name: &str, expected: impl Into<String>, got: impl Into<String>, advice: &'static str) -> Self {
        Self::Format { name: name.into(), expected: expected.into(), got: got.into(), advice }
    }

    pub(crate) fn truncated(name: &str, what: &'static str, expected: u128, got: usize) -> Self {
        Self::Truncated { name: name.into(), what, expected, got: got as u128 }
    }

    pub(crate) fn part(name: &str, part: String, expected: impl Into<String>, got: String, advice: &'static str) -> Self {
        Self::Part { name: name.into(), part, expected: expected.into(), got, advice }
    }

    pub(crate) fn out_of_range(what: &'static str, expected: &'static str, got: &impl ToString) -> Self {
        Self::OutOfRange { what, expected, got: got.to_string() }
    }
}

/// So many zeros, or an error where there is no room for them.
///
/// # Errors
/// [`DataError::Memory`].
pub(crate) fn zeros(name: &str, needed: usize) -> Result<Vec<u8>, DataError> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(needed).map_err(|_| DataError::Memory { name: name.into(), needed })?;
    bytes.resize(needed, 0);
    Ok(bytes)
}

/// Accepts as many bytes as were announced. `what` is the part that takes them.
///
/// # Errors
/// [`DataError::Truncated`] for fewer, [`DataError::Trailing`] for more.
pub(crate) fn check_length(name: &str, what: &'static str, expected: u128, got: usize) -> Result<(), DataError> {
    match (got as u128).cmp(&expected) {
        Ordering::Less => Err(DataError::truncated(name, what, expected, got)),
        Ordering::Equal => Ok(()),
        Ordering::Greater => Err(DataError::Trailing { name: name.into(), expected }),
    }
}

/// Accepts sizes up to [`MAX_DATA`](crate::MAX_DATA).
///
/// # Errors
/// [`DataError::TooLarge`].
pub(crate) fn check_size(name: &str, needed: u128) -> Result<(), DataError> {
    let limit = crate::MAX_DATA as u128;
    if needed > limit { Err(DataError::TooLarge { name: name.into(), needed, limit }) } else { Ok(()) }
}
