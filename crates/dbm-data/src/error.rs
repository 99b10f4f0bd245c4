//! Errors, each with what was expected, what came, and what to do.

use dbm_core::DbmError;
use std::cmp::Ordering;
use thiserror::Error;

/// More bytes of data than this are refused, packed or not: 2^30, 22 times MNIST.
pub const MAX_DATA: usize = 1 << 30;

/// An error of this crate. `name` is the file's, as the caller gave it.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DataError {
    /// The bytes are not in any accepted format.
    #[error(
        "{name}: {looks_like}; accepted are tables (CSV, TSV, ARFF, rows of JSON), IDX (MNIST's format), NPY, NPZ, PNG and JPEG files, any of them in gzip or ZIP"
    )]
    Unrecognized {
        /// The file's name.
        name: String,
        /// What the bytes look like, in words.
        looks_like: String,
    },
    /// The bytes, or one part of them (a cell or row of a table, a tensor or metadata entry of a checkpoint), are invalid.
    #[error("{name}: expected {expected}, but {got}; {advice}")]
    Format {
        /// The file's name, followed by the part if it is only one: `x.csv: line 3, column 2 ("age")`.
        name: String,
        /// What was expected, and where.
        expected: String,
        /// What was found.
        got: String,
        /// What to do.
        advice: &'static str,
    },
    /// A model without its run.
    #[error(
        "the checkpoint holds weights only: its run cannot be resumed without its {missing}; begin a new run, or open a full checkpoint"
    )]
    WeightsOnly {
        /// The missing part of the run.
        missing: &'static str,
    },
    /// An error of `dbm-core`.
    #[error("{name}: {source}")]
    Refused {
        /// The file or other source of the values.
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

    pub(crate) fn part(
        name: &str,
        part: &str,
        expected: impl Into<String>,
        got: impl Into<String>,
        advice: &'static str,
    ) -> Self {
        Self::format(&format!("{name}: {part}"), expected, got, advice)
    }

    /// A data file without values.
    pub(crate) fn empty(name: &str) -> Self {
        Self::format(name, "at least one example", "the file holds none", "choose another file")
    }

    /// Labels that do not belong to the images in the file of this name.
    pub(crate) fn label_count(name: &str, images: usize, labels: usize) -> Self {
        let expected = format!("one label for each of {images} examples");
        Self::format(name, expected, format!("got {labels}"), "load the two files of one data set")
    }

    /// There are fewer bytes than the part called `what` takes.
    pub(crate) fn truncated(name: &str, what: &str, expected: u128, got: usize) -> Self {
        let got = format!("only {got} are there");
        Self::format(name, format!("{expected} bytes for {what}"), got, "the file is cut short, fetch it again")
    }

    /// More data than this program takes into memory.
    pub(crate) fn too_large(name: &str, needed: u128) -> Self {
        let got = format!("{needed} are needed");
        Self::format(name, format!("at most {MAX_DATA} bytes"), got, "use fewer or smaller examples")
    }

    /// The machine, or the tab, is out of memory.
    pub(crate) fn memory(name: &str, needed: usize) -> Self {
        let advice = "close other programs, or use a smaller file";
        Self::format(name, format!("room for {needed} bytes"), "the memory is full", advice)
    }

    pub(crate) fn out_of_range(what: &'static str, expected: &'static str, got: &impl ToString) -> Self {
        Self::OutOfRange { what, expected, got: got.to_string() }
    }
}

/// This many zeros, or an error if there is no room for them.
pub(crate) fn zeros(name: &str, needed: usize) -> Result<Vec<u8>, DataError> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(needed).map_err(|_| DataError::memory(name, needed))?;
    bytes.resize(needed, 0);
    Ok(bytes)
}

/// Accepts as many bytes as were announced. `what` is the part that takes them.
pub(crate) fn check_length(name: &str, what: &str, expected: u128, got: usize) -> Result<(), DataError> {
    match (got as u128).cmp(&expected) {
        Ordering::Less => Err(DataError::truncated(name, what, expected, got)),
        Ordering::Equal => Ok(()),
        Ordering::Greater => {
            let expected = format!("{expected} bytes of data, as its header announces");
            Err(DataError::format(name, expected, "more follow", "the header or the file is wrong, fetch it again"))
        }
    }
}

/// Accepts sizes up to [`MAX_DATA`].
pub(crate) fn check_size(name: &str, needed: u128) -> Result<(), DataError> {
    if needed > MAX_DATA as u128 { Err(DataError::too_large(name, needed)) } else { Ok(()) }
}
