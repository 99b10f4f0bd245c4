//! What every command runs with.

use crate::progress::Terminal;
use dbm_experiments::memory::Limit;
use dbm_experiments::{Error, Session};
use serde_json::Value;

/// The session, and how the command speaks.
pub struct Context {
    pub session: Session,
    /// JSON, one object a line, in place of words.
    pub json: bool,
}

impl Context {
    pub fn new(threads: Option<usize>, memory: Option<u128>, json: bool) -> Result<Self, Error> {
        let progress = Box::new(Terminal::new(json));
        Ok(Self { session: Session::new(threads, Limit::new(memory), progress)?, json })
    }

    /// Prints what a command came to: fields, or words.
    pub fn done(&self, fields: Value, words: impl FnOnce() -> String) {
        self.tell("done", fields, words);
    }

    /// Prints an event: its fields, or words.
    pub fn tell(&self, event: &str, mut fields: Value, words: impl FnOnce() -> String) {
        if self.json {
            fields["event"] = event.into();
            println!("{fields}");
        } else {
            println!("{}", words());
        }
    }
}
