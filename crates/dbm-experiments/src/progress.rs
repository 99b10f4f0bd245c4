//! Progress reports of long work.

/// Receives reports of one piece of work at a time: it begins, parts of it are done, it ends. By default all reports are ignored.
pub trait ProgressReport: Send + Sync {
    /// Work with `total` parts begins; `unit` is their name.
    fn begin(&self, _unit: &str, _total: u64) {}

    /// This many more parts are done.
    fn advance(&self, _parts: u64) {}

    /// This many parts were done before, in an earlier run of the program.
    fn resume(&self, _parts: u64) {}

    /// A further line of information about the work.
    fn message(&self, _text: String) {}

    /// The work is done.
    fn end(&self) {}

    /// A line for the user.
    fn say(&self, _line: &str) {}
}

/// Ignores all reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl ProgressReport for Silent {}
