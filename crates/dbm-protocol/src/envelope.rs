//! The one form of all messages between the page and its workers, in both directions.

use crate::{Command, DiagnosticsCommand, DiagnosticsEvent, Event, FilesCommand, FilesEvent, VERSION};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A message: its version, the request it belongs to, and what it says.
///
/// The page sends an `Envelope<R::Command>` to a worker of [`Role`] `R`, with an id of its own choosing; the worker sends `Envelope<Reply<R::Answer>>` back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope<B> {
    /// [`VERSION`] of the sender; first on the wire, and looked at first.
    pub version: u32,
    /// The request: chosen by the page, increasing, and repeated by every message that answers. `None` for what a worker sends unasked.
    pub id: Option<u32>,
    /// The command or reply itself.
    pub body: B,
}

impl<B> Envelope<B> {
    /// A message of this build.
    pub fn new(id: Option<u32>, body: B) -> Self {
        Self { version: VERSION, id, body }
    }
}

/// What any worker sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply<A> {
    /// The worker listens; its first message.
    Ready,
    /// A request takes long, and is this far.
    Progress {
        /// What is being done, in words; empty where the request says it.
        stage: String,
        /// Parts that are done,
        done: u32,
        /// of this many; 0 where that is unknown.
        total: u32,
    },
    /// The request was refused, or failed: what was expected, what came, what to do. Without an id, what was going on unasked has failed.
    Failed {
        /// For the visitor, as text.
        message: String,
    },
    /// The answer, which ends the request; or, without an id, what the worker reports unasked.
    Answer(A),
}

impl<A> Reply<A> {
    /// So many parts done of so many.
    pub fn progress(done: u32, total: u32) -> Self {
        Self::Progress { stage: String::new(), done, total }
    }
}

impl<A> From<A> for Reply<A> {
    fn from(answer: A) -> Self {
        Self::Answer(answer)
    }
}

impl<A> From<Result<A, String>> for Reply<A> {
    fn from(result: Result<A, String>) -> Self {
        result.map_or_else(|message| Self::Failed { message }, Self::Answer)
    }
}

/// What an [`Envelope`] can hold.
pub trait Body: Serialize + DeserializeOwned {
    /// The one large array of bytes in it, if it has one: a model or a checkpoint. It travels beside the rest and is not copied.
    fn bulk(&mut self) -> Option<&mut Vec<u8>> {
        None
    }
}

impl<A: Body> Body for Reply<A> {
    fn bulk(&mut self) -> Option<&mut Vec<u8>> {
        if let Self::Answer(answer) = self { answer.bulk() } else { None }
    }
}

/// What a worker is for: the commands that it takes and the answers that it gives.
pub trait Role {
    /// What can be asked of it.
    type Command: Body;
    /// What it can answer.
    type Answer: Body;
}

/// The role of the worker that owns the models and the run.
#[derive(Clone, Copy, Debug)]
pub enum Computing {}

impl Role for Computing {
    type Command = Command;
    type Answer = Event;
}

/// The role of the workers that read the visitor's files, write them, and keep the run.
#[derive(Clone, Copy, Debug)]
pub enum Files {}

impl Role for Files {
    type Command = FilesCommand;
    type Answer = FilesEvent;
}

/// The role of the workers that measure couplings and estimators at parameters that stand still. Such a worker holds nothing: a command says all that it needs.
#[derive(Clone, Copy, Debug)]
pub enum Diagnostics {}

impl Role for Diagnostics {
    type Command = DiagnosticsCommand;
    type Answer = DiagnosticsEvent;
}
