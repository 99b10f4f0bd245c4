//! What the clients of their own still take.

use dbm_protocol::{Command, Computing};

/// What Trunk's loader for the worker is called, beside the page. Versioned: its name carries no hash.
pub const WORKER: &str = concat!("./dbm-worker-wasm_loader.js?v=", env!("CARGO_PKG_VERSION"));
/// How often silence is looked for.
pub const TICK: std::time::Duration = std::time::Duration::from_secs(2);
/// Ticks without a word, while work is under way, after which a worker counts as lost.
pub const PATIENCE: u32 = 30;

/// Ticks of silence that a command is allowed besides.
pub fn leave(command: &Command) -> u32 {
    <Computing as crate::worker::client::Served>::startup_grace(command)
}

pub use crate::ui::problem::words;
