//! Reports of how far long work has come.

/// Receives reports of one piece of work at a time: it begins, some or all of its parts are done, it ends. What is not received is dropped.
pub trait Progress: Send + Sync {
    /// Work begins of `total` parts, whose name is `unit`.
    fn begin(&self, _unit: &str, _total: u64) {}

    /// So many more parts are done.
    fn advance(&self, _parts: u64) {}

    /// So many parts were done before, in an earlier run of the program.
    fn resume(&self, _parts: u64) {}

    /// What the work shows besides, in a line.
    fn message(&self, _text: String) {}

    /// The work is done.
    fn end(&self) {}

    /// A line for whoever watches.
    fn say(&self, _line: &str) {}
}

/// Drops all reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}
