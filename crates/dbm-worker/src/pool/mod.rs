//! One run on several workers, each with a replica of it; the bits are those of a run on one worker.
//!
//! The coordinator, which answers the page, is replica 0 and has a [`WorkerPool`] of helpers, started once steps prove long. It directs
//! them by [`Order`]s. All replicas send each other what they computed as [`PeerMessage`]s: the estimates of their shards, and then the
//! rows of the weights that each updates, so that the update is shared too. Each replica keeps the optimizer's state of its own rows; the
//! coordinator gathers it for a checkpoint and before a run is put aside.
//!
//! A helper that dies takes its part of that state along. The run then returns to its last checkpoint, on the coordinator alone, and new
//! helpers are started; after three losses the coordinator stays alone. Helpers have room for one run. Nothing here depends on the browser:
//! `shell` carries orders and messages, which may arrive in any order.
//!
//! If the visitor has chosen the GPU, another worker takes all steps there, and nothing is shared: `on_gpu`.

mod helper;
mod on_gpu;
mod replica;
mod worker_pool;

pub use helper::Helper;
pub use on_gpu::OnGpu;
pub use replica::{Replica, ReplicaProgress};
pub use worker_pool::{Outgoing, WorkerPool};

use dbm_core::Group;
use dbm_core::settings::RunPlan;
use serde::{Deserialize, Serialize};

/// What one worker of a pool sends another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PoolMessage {
    /// A helper has started: its first message.
    Greeting,
    /// Number of the helper's replica, 1 and up; its ports to the other helpers are sent alongside.
    Introduction(usize),
    /// An order from the coordinator to its helpers.
    Order(Order),
    /// What a replica computed; the bytes are sent alongside.
    Computed(PeerMessage),
}

/// What one replica computed, for the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerMessage {
    /// Number of the session: messages of a session that has ended are dropped.
    pub session: u32,
    /// Steps that the run had taken.
    pub step: u64,
    pub kind: Kind,
    /// Number of the shard, or of the part of the weights.
    pub index: usize,
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// What a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// The estimate of a shard, in `postcard`.
    Estimate,
    /// The rows of the weights that a replica updates, f32s in native byte order.
    Rows,
    /// The optimizer's state of these rows, likewise; sent to the coordinator alone.
    Optimizer,
}

/// An order from the coordinator to its helpers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Order {
    /// Take part in a session.
    Join(Box<SharedRun>),
    /// One gradient step.
    Step,
    /// Send the optimizer's state of the helper's own part.
    Gather,
}

/// A run that helpers join, in its present state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SharedRun {
    /// Its number; increasing.
    pub number: u32,
    /// Number of replicas, including the coordinator.
    pub of: usize,
    /// What the run was begun with.
    pub plan: RunPlan,
    /// Bits per example.
    pub width: usize,
    /// The data: `Examples::packed`.
    #[serde(with = "serde_bytes")]
    pub packed: Vec<u8>,
    /// Which of its bits are known: `Examples::known_packed`, empty if all are.
    #[serde(with = "serde_bytes")]
    pub known: Vec<u8>,
    /// Which of its bits stand for one value together: `Examples::groups`.
    pub groups: Vec<Group>,
    /// Whether the run is at its beginning: then its model is enough.
    pub fresh: bool,
    /// The model of a run at its beginning, otherwise a checkpoint. Orthogonal weights take minutes for a wide model, so they are not
    /// computed again.
    #[serde(with = "serde_bytes")]
    pub checkpoint: Vec<u8>,
}

#[cfg(test)]
mod gpu_tests;
#[cfg(test)]
mod tests;
