//! What reading one set of files carries along.

use super::limits::Budget;

/// What reading one set of files carries along.
pub(super) struct Session<'r> {
    /// What may still be unpacked.
    pub budget: Budget,
    /// What the visitor should know, a sentence each.
    pub notes: Vec<String>,
    /// Receives the progress: what is being done, how much of it is done, and out of how much.
    pub report: &'r mut dyn FnMut(&str, u64, u64),
}
