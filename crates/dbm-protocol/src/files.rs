//! The messages between the page and its second worker, which reads files, writes them, and keeps the run.
//!
//! The worker speaks first: [`FilesEvent::Ready`]. Every [`FilesRequest`] ends with one event that carries its id; long ones send
//! [`FilesEvent::Progress`] before. The page cancels by ending the worker: nothing it does leaves anything half done.

use crate::{DataSource, RunPlan};
use serde::{Deserialize, Serialize};

/// One question of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilesRequest {
    /// [`crate::VERSION`] of the sender.
    pub version: u32,
    /// Chosen by the page, increasing.
    pub id: u32,
    /// The question itself.
    pub command: FilesCommand,
}

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FilesCommand {
    /// Whether a run of an earlier visit can be gone on with. Answer: [`FilesEvent::Found`].
    Find,
    /// Takes that run over. Answer: [`FilesEvent::Taken`].
    Take,
    /// Begins to keep a run. Of this tab's runs only the latest is kept: the one before goes when the first [`FilesCommand::Keep`] of this one
    /// has been written, unless it was taken over from an earlier visit and has not been trained since. Answer: [`FilesEvent::Done`].
    Begin {
        /// Name of its data, to describe it by.
        data: String,
        /// Layer sizes, the visible one first.
        sizes: Vec<u32>,
        /// Its data.
        source: DataSource,
        /// What it was begun with.
        plan: Box<RunPlan>,
    },
    /// Keeps the latest checkpoint of the run begun or taken last. Answer: [`FilesEvent::Kept`].
    Keep {
        /// Gradient steps taken.
        step: u32,
        /// [`crate::Event::Snapshot`]'s bytes.
        #[serde(with = "serde_bytes")]
        checkpoint: Vec<u8>,
    },
    /// Lets the run that was found go: no visit is offered it again, and the next one deletes it. Answer: [`FilesEvent::Done`].
    Forget {
        /// Deletes it at once, and there is no [`FilesCommand::Recall`].
        for_good: bool,
    },
    /// Takes that back. Answer: [`FilesEvent::Found`].
    Recall,
}

/// One message of the second worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilesMessage {
    /// [`crate::VERSION`] of the sender.
    pub version: u32,
    /// The request this answers, if any.
    pub id: Option<u32>,
    /// What happened.
    pub event: FilesEvent,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FilesEvent {
    /// The worker listens; its first message.
    Ready,
    /// The request has been carried out and has no other answer.
    Done,
    /// The request was refused: what was expected, what came, what to do. Nothing has changed.
    Failed {
        /// For the visitor, as text.
        message: String,
    },
    /// A long request is at work.
    Progress {
        /// What is being done, in words.
        stage: String,
        /// Parts done,
        done: f64,
        /// of this many; 0 where that is unknown.
        total: f64,
    },
    /// What there is of an earlier visit.
    Found {
        /// The latest that no tab has open, or else one that another tab has.
        run: Option<KeptRun>,
        /// What the visitor should know besides, as text.
        note: Option<String>,
    },
    /// The run of an earlier visit.
    Taken {
        /// Its data.
        source: DataSource,
        /// What it was begun with.
        plan: Box<RunPlan>,
        /// Gradient steps taken.
        step: u32,
        /// Its latest checkpoint.
        #[serde(with = "serde_bytes")]
        checkpoint: Vec<u8>,
    },
    /// What would be found again now.
    Kept {
        /// Gradient steps that the run had taken; `None` where nothing of it could be written so far.
        step: Option<u32>,
        /// Why that is not the checkpoint just sent, if it is not; as text.
        trouble: Option<String>,
    },
}

/// A run that was kept, described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptRun {
    /// Name of its data, to show as text.
    pub data: String,
    /// Layer sizes, the visible one first.
    pub sizes: Vec<u32>,
    /// Gradient steps taken.
    pub step: u32,
    /// When it was written, in milliseconds since 1970.
    pub written: f64,
    /// Whether another tab has it open; then it cannot be taken.
    pub elsewhere: bool,
}

/// Examples that the second worker has read and made binary, for the first to train on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EncodedData {
    /// What to call them, as text.
    pub name: String,
    /// Bits an example.
    pub width: u32,
    /// `Examples::packed`.
    #[serde(with = "serde_bytes")]
    pub packed: Vec<u8>,
    /// `Examples::known_packed`; empty where nothing is missing.
    #[serde(with = "serde_bytes")]
    pub known: Vec<u8>,
    /// Rows and columns of values, where an example is an image.
    pub image: Option<(u32, u32)>,
    /// Bits a value, 1 to 8.
    pub depth: u8,
    /// What the bits stand for: `dbm_data::raw::Visible` as JSON; empty where nothing is known.
    pub visible: String,
}
