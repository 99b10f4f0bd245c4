//! The errors of this crate: each says what was expected, what came and what to do.

use thiserror::Error;

/// An error of this crate. A call that returns one has changed nothing.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DbmError {
    /// A model needs a visible and at least one hidden layer.
    #[error("a model needs a visible layer and at least one hidden layer, but got {0} layer sizes; name at least two")]
    TooFewLayers(usize),
    /// A layer of size zero.
    #[error("layer {layer} has size 0; every layer needs at least one unit")]
    EmptyLayer {
        /// Which layer, 0 being the visible one.
        layer: usize,
    },
    /// A model whose parameters would not fit.
    #[error("layers {sizes:?} need {} parameters, {} for one copy of them, more than the {limit} parameters this program accepts; choose smaller layers", counted(*needed), format_bytes(needed.saturating_mul(4)))]
    TooLarge {
        /// The requested sizes.
        sizes: Vec<usize>,
        /// How many parameters they need.
        needed: u128,
        /// The largest number accepted.
        limit: u128,
    },
    /// A run that would not fit into memory.
    #[error("{needs}; the limit is {}; choose smaller layers or a smaller batch", format_bytes(*limit))]
    Memory {
        /// What needs how much memory, and for what.
        needs: String,
        /// Bytes available.
        limit: u128,
    },
    /// Parameters whose shape is not the model's.
    #[error("{what} should have {expected} values, but got {got}; the file or message does not belong to this model")]
    Shape {
        /// Which tensor, batch or mask.
        what: String,
        /// How many values there should be.
        expected: usize,
        /// How many came.
        got: usize,
    },
    /// NaN or infinity among parameters.
    #[error("{what} holds a value that is not finite; use a file from an intact run, or a lower learning rate")]
    NotFinite {
        /// Which tensor holds it.
        what: String,
    },
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
    /// Training diverged.
    #[error(
        "training diverged at step {step}: the parameters or energies are no longer finite, or too large; reset with a lower learning rate"
    )]
    Diverged {
        /// Steps taken before.
        step: u64,
    },
    /// Data from another replica that do not belong to this run.
    #[error("replicas of a run do not fit together: got {what}; start the run over")]
    Replica {
        /// What came.
        what: String,
    },
    /// A data set without examples.
    #[error("the data set has no examples; load one with at least one row")]
    NoExamples,
    /// A model or question too large for exact enumeration.
    #[error("exact enumeration over {units} units is not feasible, only up to {limit}; use a smaller model")]
    TooManyUnits {
        /// Units to enumerate.
        units: usize,
        /// The largest number that is feasible.
        limit: usize,
    },
}

impl DbmError {
    /// Accepts a tensor, batch or mask of the size expected.
    pub(crate) fn check_shape(what: &str, expected: usize, got: usize) -> Result<(), Self> {
        if expected == got { Ok(()) } else { Err(Self::Shape { what: what.into(), expected, got }) }
    }
}

/// Accepts a number within its range.
pub(crate) fn within(name: &'static str, expected: &'static str, value: f64, ok: bool) -> Result<(), DbmError> {
    if ok { Ok(()) } else { Err(DbmError::Setting { name, expected, got: value.to_string() }) }
}

/// A number that may be the largest there is, which stands for anything larger.
pub(crate) fn counted(number: u128) -> String {
    if number == u128::MAX { "more than 10^38".into() } else { number.to_string() }
}

/// Bytes in words: `26.3 MB`, in powers of 1000. The largest u128 stands for anything larger.
pub fn format_bytes(bytes: u128) -> String {
    const UNITS: [&str; 9] = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"];
    if bytes == u128::MAX {
        return "more than 10^14 YB".into();
    }
    let (mut value, mut unit) = (bytes as f64, 0);
    // What would round to 1000.0 of a unit is 1.0 of the next.
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1e3;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_in_three_digits_or_so() {
        let text = [999, 1000, 25_600_000, 999_960, 3_999_999_999].map(format_bytes);
        assert_eq!(text, ["999 bytes", "1.0 kB", "25.6 MB", "1.0 MB", "4.0 GB"]);
        assert!(format_bytes(u128::MAX).starts_with("more than") && format_bytes(u128::MAX / 2).ends_with(" YB"));
    }
}
