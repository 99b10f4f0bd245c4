//! Reports of how far long work has come.

/// Receives reports of one piece of work at a time: it begins, some or all of its parts are done, it ends.
pub trait Progress: Send + Sync {
    /// Work begins of `total` parts, whose name is `unit`.
    fn begin(&self, unit: &str, total: u64);

    /// So many more parts are done.
    fn advance(&self, parts: u64);

    /// So many parts were done before, in an earlier run of the program.
    fn resume(&self, parts: u64);

    /// What the work shows besides, in a line.
    fn message(&self, text: String);

    /// The work is done.
    fn end(&self);

    /// A line for whoever watches.
    fn say(&self, line: &str);
}

/// Drops all reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn resume(&self, _: u64) {}
    fn message(&self, _: String) {}
    fn end(&self) {}
    fn say(&self, _: &str) {}
}
