//! Why other data come into use.

use super::held::{DataChoice, Upload};

/// Why other data, or a run on them, come into use.
pub(super) enum Change {
    /// The visitor chose a data set that is at hand.
    Chosen(DataChoice),
    /// The visitor's own data were read.
    Uploaded(Upload),
    /// A kept run goes on, on data that are at hand or become an upload.
    KeptRun {
        /// Its data, where they are at hand,
        choice: DataChoice,
        /// or else these.
        upload: Option<Upload>,
        /// Gradient steps that it has taken.
        step: u32,
    },
    /// What was replaced last is put back.
    Undone,
    /// A new worker has the data and the run of the lost one.
    Restored,
    /// The run of an opened model goes on.
    Resumed,
}
