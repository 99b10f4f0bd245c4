//! What a command prints.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// Prints a line. If nobody reads it any more, as after `| head`, the command still does its work and writes its files.
///
/// # Panics
/// If the output cannot be written for another reason, as `println!`.
pub fn line(text: Arguments) {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => panic!("standard output: {error}"),
        _ => {}
    }
}

/// As `println!`, also if nobody reads it any more.
#[macro_export]
macro_rules! say {
    ($($arguments:tt)*) => { $crate::say::line(format_args!($($arguments)*)) };
}
