//! State shared while one set of files is read.

use super::limits::Budget;

/// State shared while one set of files is read.
pub(super) struct ReadingState<'r> {
    /// The remaining budget for unpacking.
    pub budget: Budget,
    /// What the visitor should know, one sentence each.
    pub notes: Vec<String>,
    /// Receives the progress: what is being done, how much of it is done, and out of how much.
    pub report: &'r mut dyn FnMut(&str, u64, u64),
}
