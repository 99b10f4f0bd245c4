//! Progress on the terminal.

use dbm_experiments::ProgressReport;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often a line reports progress if there is no terminal for a bar.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// A bar for the work under way; lines if the output goes into a file; nothing if JSON is printed.
pub struct Terminal {
    json: bool,
    bar: Mutex<ProgressBar>,
    /// When the last line was printed, if there is no terminal.
    line: Option<Mutex<Instant>>,
}

impl Terminal {
    pub fn new(json: bool) -> Self {
        let line = (!json && !stderr().is_terminal()).then(|| Mutex::new(Instant::now()));
        Self { json, bar: Mutex::new(ProgressBar::hidden()), line }
    }

    fn bar(&self) -> MutexGuard<'_, ProgressBar> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgressReport for Terminal {
    fn begin(&self, unit: &str, total: u64) {
        if !self.json {
            let style = ProgressStyle::with_template("{pos:>6}/{len} {prefix} {wide_bar} {per_sec:>12}, {eta} left  {msg}");
            let bar = ProgressBar::new(total).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            *self.bar() = bar.with_prefix(unit.to_string());
        }
    }

    fn advance(&self, parts: u64) {
        let bar = self.bar();
        bar.inc(parts);
        if let Some(line) = &self.line {
            let mut printed = line.lock().unwrap_or_else(PoisonError::into_inner);
            if printed.elapsed() >= LINE_EVERY {
                *printed = Instant::now();
                let (done, total, unit) = (bar.position(), bar.length().unwrap_or_default(), bar.prefix());
                eprintln!("{done} of {total} {unit}, {:.1} a second  {}", bar.per_sec(), bar.message());
            }
        }
    }

    fn resume(&self, parts: u64) {
        let bar = self.bar();
        bar.set_position(parts);
        bar.reset_eta();
    }

    fn message(&self, text: String) {
        self.bar().set_message(text);
    }

    fn end(&self) {
        self.bar().finish_and_clear();
    }

    fn say(&self, line: &str) {
        if !self.json {
            eprintln!("{line}");
        }
    }
}
