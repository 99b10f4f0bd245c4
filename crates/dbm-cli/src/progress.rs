//! Progress on the terminal.

use dbm_experiments::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A bar for the work under way, or nothing where JSON is printed.
pub struct Terminal {
    json: bool,
    bar: Mutex<ProgressBar>,
}

impl Terminal {
    pub fn new(json: bool) -> Self {
        Self { json, bar: Mutex::new(ProgressBar::hidden()) }
    }

    fn bar(&self) -> MutexGuard<'_, ProgressBar> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Terminal {
    fn begin(&self, unit: &str, total: u64) {
        if !self.json {
            let style = ProgressStyle::with_template("{pos:>6}/{len} {prefix} {wide_bar} {per_sec:>12}, {eta} left  {msg}");
            let bar = ProgressBar::new(total).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            *self.bar() = bar.with_prefix(unit.to_string());
        }
    }

    fn advance(&self, parts: u64) {
        self.bar().inc(parts);
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
