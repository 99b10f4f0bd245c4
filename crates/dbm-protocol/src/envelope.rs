//! The one form of all messages between the page and its workers, in both directions.

use crate::VERSION;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A message: its version, the request it belongs to, and its content.
///
/// The page sends an `Envelope<R>` of a [`Request`] `R` with an id of its choice; the worker sends `Envelope<Reply<R::Answer>>` back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope<B> {
    /// [`VERSION`] of the sender; first on the wire, and checked first.
    pub version: u32,
    /// The request: chosen by the page, increasing, and repeated by every message that answers it. `None` for unrequested messages of a
    /// worker.
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
    /// The worker is listening; its first message.
    Ready,
    /// Progress of a long request.
    Progress {
        /// What is being done, in words; empty if the request says it.
        stage: String,
        /// Parts done.
        done: u32,
        /// Total parts; 0 if unknown.
        total: u32,
    },
    /// The request was refused or failed: what was expected, what came, what to do. Without an id, unrequested work has failed. For the
    /// visitor, as text.
    Failed(String),
    /// The answer, which ends the request; without an id, an unrequested report.
    Answer(A),
}

impl<A> Reply<A> {
    /// This many parts of the total are done.
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

/// Content of an [`Envelope`].
pub trait Body: Serialize + DeserializeOwned {
    /// The one large array of bytes in it, if it has one: a model or a checkpoint. It is sent separately and not copied.
    fn bulk(&mut self) -> Option<&mut Vec<u8>> {
        None
    }
}

impl<A: Body> Body for Reply<A> {
    fn bulk(&mut self) -> Option<&mut Vec<u8>> {
        if let Self::Answer(answer) = self { answer.bulk() } else { None }
    }
}

/// Requests to the workers of a role, so that one client serves all roles.
pub trait Request: Body {
    /// What such a worker sends, as an answer or unrequested.
    type Answer: Body;
}
