//! What the computing worker asks of the worker that has the GPU, and what that answers.
//!
//! Each message carries as its id the number of the session that it belongs to: one run on the device. Of a session that has ended nothing is wanted any more.

use crate::{Body, Request};
use dbm_core::gradient::Info;
use serde::{Deserialize, Serialize};

/// What can be asked of the worker that has the GPU, one thing at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GpuCommand {
    /// Puts a run on the device, in place of the one that may be there. Answer: [`GpuEvent::Opened`].
    Open(Box<RunForGpu>),
    /// One gradient step. Answer: [`GpuEvent::Stepped`].
    Step,
    /// The run as it stands. Answer: [`GpuEvent::Saved`].
    Save,
}

/// A run as it stands, and its data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunForGpu {
    /// Bits of an example.
    pub width: u32,
    /// The data: `Examples::packed`.
    #[serde(with = "serde_bytes")]
    pub packed: Vec<u8>,
    /// Which of its bits are known: `Examples::known_packed`, empty where all are.
    #[serde(with = "serde_bytes")]
    pub known: Vec<u8>,
    /// All that the run needs to go on: a safetensors file.
    #[serde(with = "serde_bytes")]
    pub checkpoint: Vec<u8>,
}

/// What it answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GpuEvent {
    /// The run is on the device, which calls itself so.
    Opened(String),
    /// What happened in the step; chains to be shown are in it a few times a second.
    Stepped(Box<Info>),
    /// A safetensors file with all that the run needs to go on, here or elsewhere.
    Saved(#[serde(with = "serde_bytes")] Vec<u8>),
}

impl Body for GpuCommand {
    fn bulk(&mut self) -> Option<&mut Vec<u8>> {
        if let Self::Open(run) = self { Some(&mut run.checkpoint) } else { None }
    }
}

impl Body for GpuEvent {
    fn bulk(&mut self) -> Option<&mut Vec<u8>> {
        if let Self::Saved(checkpoint) = self { Some(checkpoint) } else { None }
    }
}

impl Request for GpuCommand {
    type Answer = GpuEvent;
}
