//! Progress bars.

use indicatif::{ProgressBar, ProgressStyle};

/// Of `steps` steps; hidden where JSON is printed.
pub fn steps_bar(steps: u64, json: bool) -> ProgressBar {
    let bar = if json { ProgressBar::hidden() } else { ProgressBar::new(steps) };
    let style = ProgressStyle::with_template("{pos:>6}/{len} steps {wide_bar} {per_sec:>12}, {eta} left  {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Of `length` things, called `what`; hidden where JSON is printed.
pub fn bar(length: usize, what: &str, json: bool) -> ProgressBar {
    let bar = if json { ProgressBar::hidden() } else { ProgressBar::new(length as u64) };
    let style = ProgressStyle::with_template("{pos:>7}/{len} {msg} {wide_bar} {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(what.to_string());
    bar
}
