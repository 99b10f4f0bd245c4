//! Requests of the computing worker to the worker that has the GPU, and the answers.
//!
//! The id of each message is the number of its session: one run on the device. Messages of a session that has ended are ignored.

use crate::{Body, Request};
use dbm_core::gradient::Info;
use serde::{Deserialize, Serialize};

/// Requests to the worker that has the GPU, one at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GpuCommand {
    /// Puts a run on the device, replacing any other. Answer: [`GpuEvent::Opened`].
    Open(Box<RunForGpu>),
    /// One gradient step. Answer: [`GpuEvent::Stepped`].
    Step,
    /// The run in its present state. Answer: [`GpuEvent::Saved`].
    Save,
}

/// A run in its present state, and its data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunForGpu {
    /// Bits per example.
    pub width: u32,
    /// The data: `Examples::packed`.
    #[serde(with = "serde_bytes")]
    pub packed: Vec<u8>,
    /// Which of its bits are known: `Examples::known_packed`, empty if all are.
    #[serde(with = "serde_bytes")]
    pub known: Vec<u8>,
    /// Everything that the run needs to continue: a safetensors file.
    #[serde(with = "serde_bytes")]
    pub checkpoint: Vec<u8>,
}

/// The answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GpuEvent {
    /// The run is on the device, which has this name.
    Opened(String),
    /// What happened in the step; it includes chains to show a few times a second.
    Stepped(Box<Info>),
    /// A safetensors file with everything that the run needs to continue, here or elsewhere.
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
