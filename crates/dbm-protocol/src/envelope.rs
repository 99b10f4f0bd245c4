//! The one form of all messages between the page and its workers, in both directions.

use crate::VERSION;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A message: its version, the request it belongs to, and what it says.
///
/// The page sends an `Envelope<R>` of a [`Request`] `R`, with an id of its own choosing; the worker sends `Envelope<Reply<R::Answer>>` back.
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
    /// The request was refused, or failed: what was expected, what came, what to do. Without an id, what was going on
    /// unasked has failed. For the visitor, as text.
    Failed(String),
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
        result.map_or_else(Self::Failed, Self::Answer)
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

/// What can be asked of the workers of a role, by one client for all roles.
pub trait Request: Body {
    /// What such a worker answers, and says unasked.
    type Answer: Body;
}
