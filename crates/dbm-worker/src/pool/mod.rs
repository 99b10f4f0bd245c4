//! One run on several workers, each with a replica of it; the bits are those of a run alone.
//!
//! The coordinator, which answers the page, is replica 0 and has a [`WorkerPool`] of helpers, started once steps prove long. It tells them what to do by [`Order`]s. All replicas
//! send each other what they computed as [`PeerMessage`]s: the estimates of their shards, and then the rows of the weights that each updates, so that the update is
//! shared too. Each replica keeps the optimizer's state of its own rows; for a checkpoint, and before a run is put aside, the coordinator gathers it.
//!
//! A helper that dies takes its part of that state along. The run then goes back to its last checkpoint, on the coordinator alone, and new helpers are started; after three losses it
//! stays alone. Helpers have room for one run. Nothing here is of the browser: `shell` carries orders and messages, which may come in any order.
//!
//! Where the visitor has chosen the GPU, another worker takes all steps there, and nothing is shared: `on_gpu`.

mod helper;
mod on_gpu;
mod replica;
mod worker_pool;

pub use helper::Helper;
pub use on_gpu::OnGpu;
pub use replica::{Progress, Replica};
pub use worker_pool::{Outgoing, WorkerPool};

use dbm_core::settings::RunPlan;
use serde::{Deserialize, Serialize};

/// What one worker of a pool sends another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PoolMessage {
    /// A helper is there: its first message.
    Greeting,
    /// Which replica a helper is, 1 and up; its ports to the other helpers go beside.
    Introduction(usize),
    /// What the coordinator has its helpers do.
    Order(Order),
    /// What a replica computed; its bytes go beside.
    Computed(PeerMessage),
}

/// What one replica computed, for the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerMessage {
    /// Of which session: messages of one that has ended are dropped.
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
    /// The rows of the weights that a replica updates, f32s in the order of the machine.
    Rows,
    /// The optimizer's state of these rows, likewise; to the coordinator alone.
    Optimizer,
}

/// What the coordinator has its helpers do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Order {
    /// Take part in a session.
    Join(Box<Session>),
    /// One gradient step.
    Step,
    /// Send the optimizer's state of one's own part.
    Gather,
}

/// A run that helpers join, as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Its number, rising.
    pub number: u32,
    /// How many replicas take part, the coordinator included.
    pub of: usize,
    /// What the run was begun with.
    pub plan: RunPlan,
    /// Bits of an example.
    pub width: usize,
    /// The data: `Examples::packed`.
    #[serde(with = "serde_bytes")]
    pub packed: Vec<u8>,
    /// Which of its bits are known: `Examples::known_packed`, empty where all are.
    #[serde(with = "serde_bytes")]
    pub known: Vec<u8>,
    /// Whether the run is as it begins: then its model says all.
    pub fresh: bool,
    /// The model of a run as it begins, and a checkpoint of any other. Orthogonal weights take a wide model minutes, and are not made anew.
    #[serde(with = "serde_bytes")]
    pub checkpoint: Vec<u8>,
}

#[cfg(test)]
mod gpu_tests;
#[cfg(test)]
mod tests;
