//! The environment of every command.

use crate::progress::Terminal;
use dbm_experiments::memory::Limit;
use dbm_experiments::say;
use dbm_experiments::{Error, Workbench};
use serde_json::Value;

/// The session, and the output format.
pub struct Context {
    pub session: Workbench,
    /// JSON, one object per line, instead of words.
    pub json: bool,
}

impl Context {
    pub fn new(threads: Option<usize>, memory: Option<u128>, json: bool) -> Result<Self, Error> {
        let progress = Box::new(Terminal::new(json));
        Ok(Self { session: Workbench::new(threads, Limit::new(memory), progress)?, json })
    }

    /// Prints a command's result: fields, or words.
    pub fn done(&self, fields: Value, words: impl FnOnce() -> String) {
        self.tell("done", fields, words);
    }

    /// Prints an event: its fields, or words.
    pub fn tell(&self, event: &str, mut fields: Value, words: impl FnOnce() -> String) {
        if self.json {
            fields["event"] = event.into();
            say!("{fields}");
        } else {
            say!("{}", words());
        }
    }
}
