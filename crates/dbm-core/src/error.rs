//! What can be refused, each with what was expected, what came, and what to do.

use crate::Footprint;
use crate::footprint::format_bytes;
use thiserror::Error;

/// A refusal by this crate. Nothing is changed by a call that returns one.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DbmError {
    /// A model needs a visible and at least one hidden layer.
    #[error("a model needs a visible layer and at least one hidden layer, but {0} layer sizes came; name at least two")]
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
        /// The sizes asked for.
        sizes: Vec<usize>,
        /// How many parameters they need.
        needed: u128,
        /// How many are accepted.
        limit: u128,
    },
    /// A run that would not fit into memory.
    #[error(
        "a model of {} needs {} of memory to train: {} for its {} parameters with what the optimizer keeps of each, {} for the states of a batch, {} for data and scratch; the limit is {}; choose smaller layers or a smaller batch",
        names(&footprint.sizes), format_bytes(footprint.total()), format_bytes(footprint.copies), counted(footprint.parameters),
        format_bytes(footprint.states), format_bytes(footprint.data.saturating_add(footprint.scratch)), format_bytes(*limit)
    )]
    Memory {
        /// What it would need.
        footprint: Box<Footprint>,
        /// Bytes there are.
        limit: u128,
    },
    /// Parameters whose shape is not the model's.
    #[error("{what} should have {expected} values, but {got} came; the file or message does not belong to this model")]
    Shape {
        /// Which tensor, batch or mask.
        what: String,
        /// Values expected.
        expected: usize,
        /// Values received.
        got: usize,
    },
    /// NaN or infinity among parameters.
    #[error("{what} holds a value that is not finite; use a file from an intact run, or a lower learning rate")]
    NotFinite {
        /// Which tensor.
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
    /// Training ran away.
    #[error(
        "training diverged at step {step}: the parameters or energies are no longer finite or are beyond all bounds; reset with a lower learning rate"
    )]
    Diverged {
        /// Steps taken before.
        step: u64,
    },
    /// What one replica of a run sent another that is not of this run.
    #[error("replicas of a run do not fit together: {what} came; begin the run anew")]
    Replica {
        /// What came.
        what: String,
    },
    /// A data set without examples.
    #[error("the data set has no examples; load one with at least one row")]
    NoExamples,
    /// A layer that the model does not have.
    #[error("layer {layer} was asked for, but the model's layers are 0, the visible one, to {last}; choose one of these")]
    NoSuchLayer {
        /// The layer asked for.
        layer: usize,
        /// The model's last layer.
        last: usize,
    },
    /// A model or question too large for exact enumeration.
    #[error("exact enumeration over {units} units was asked for, but at most {limit} are feasible; use a smaller model")]
    TooManyUnits {
        /// Units to enumerate.
        units: usize,
        /// The limit.
        limit: usize,
    },
}

/// A number that may be beyond all numbers.
fn counted(number: u128) -> String {
    if number == u128::MAX { "more than 10^38".into() } else { number.to_string() }
}

/// Layer sizes as they are spoken of, `784-500-500`.
fn names(sizes: &[usize]) -> String {
    sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join("-")
}
