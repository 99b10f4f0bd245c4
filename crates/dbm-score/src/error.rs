//! Errors, each with what was expected, what came, and what to do.

use thiserror::Error;

/// An error of this crate.
#[derive(Debug, Error)]
pub enum ScoreError {
    /// A file of weights that does not belong to such a classifier.
    #[error("{name} is no classifier of this program: {what}; use the file as `dbm classifier` wrote it")]
    Weights {
        /// The file's name.
        name: String,
        /// What does not fit.
        what: String,
    },
    /// Values that are not whole pictures.
    #[error("{what} should have {expected} values, but got {got}; give whole pictures of 28 x 28")]
    Shape {
        /// What the values are, in words.
        what: &'static str,
        /// Number of values expected.
        expected: usize,
        /// Number of values that came.
        got: usize,
    },
    /// Too few pictures for a score.
    #[error("{what} should be at least {least}, but got {got}; give more pictures")]
    TooFew {
        /// What there are too few of, in words.
        what: &'static str,
        /// The minimum number.
        least: usize,
        /// How many came.
        got: usize,
    },
    /// A label that is no digit.
    #[error("labels should be digits from 0 to 9, but got {0}; give pictures of digits")]
    Label(u8),
    /// A setting outside its range.
    #[error("{name} should be {expected}, but is {got}; change it and try again")]
    Setting {
        /// The setting's name.
        name: &'static str,
        /// Its range, in words.
        expected: &'static str,
        /// The value that came.
        got: String,
    },
    /// The training library failed.
    #[cfg(feature = "training")]
    #[error("the classifier could not be trained: {0}; try again with fewer threads or more memory")]
    Training(#[from] candle_core::Error),
}

/// The number of rows of `width` in this many values of `what`: a whole number, and at least `least`; each row is one of `things`.
pub(crate) fn whole_rows(
    (what, got): (&'static str, usize),
    width: usize,
    (things, least): (&'static str, usize),
) -> Result<usize, ScoreError> {
    let count = got.checked_div(width).unwrap_or(0);
    match count * width {
        _ if count < least => Err(ScoreError::TooFew { what: things, least, got: count }),
        expected if expected != got => Err(ScoreError::Shape { what, expected, got }),
        _ => Ok(count),
    }
}
