//! State shared while one set of files is read.

use super::limits::Budget;
use crate::interpretation::{Doubt, Reading};

/// State shared while one set of files is read.
pub(super) struct ReadingState<'r> {
    /// How the visitor wants the files read.
    pub asked: &'r Reading,
    /// What has been decided so far.
    pub reading: Reading,
    /// Number of bytes received, before unpacking.
    pub received: usize,
    /// The remaining budget for unpacking.
    pub budget: Budget,
    /// What the visitor should know, one sentence each.
    pub notes: Vec<String>,
    /// What may have been misread.
    pub doubts: Vec<Doubt>,
    /// Receives the progress: what is being done, how much of it is done, and out of how much.
    pub report: &'r mut dyn FnMut(&str, u64, u64),
}
