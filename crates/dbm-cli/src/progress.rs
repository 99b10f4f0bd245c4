//! Progress bars over steps.

use indicatif::{ProgressBar, ProgressStyle};

/// Of `steps` steps; hidden where JSON is printed.
pub fn steps_bar(steps: u64, json: bool) -> ProgressBar {
    let bar = if json { ProgressBar::hidden() } else { ProgressBar::new(steps) };
    let style = ProgressStyle::with_template("{pos:>6}/{len} steps {wide_bar} {per_sec:>12}, {eta} left  {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
