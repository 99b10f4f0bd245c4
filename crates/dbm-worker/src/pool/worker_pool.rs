//! The coordinator's pool of helpers: whether there are any, and what is to be sent to them and to the worker that has the GPU.

use super::{Order, PeerMessage, PoolMessage, SharedRun};
use dbm_protocol::{Envelope, GpuCommand};

/// After this many losses the coordinator works alone.
const TRIES: u32 = 3;

/// What is to be done outside this worker.
#[derive(Debug, PartialEq)]
pub enum Outgoing {
    /// Start this many helpers and call [`WorkerPool::came_up`].
    StartHelpers(usize),
    /// End all helpers.
    StopHelpers,
    /// A message to helpers 1 up to, but not including, this number.
    Send(usize, PoolMessage),
    /// Start the worker that has the GPU and call [`WorkerPool::gpu_came_up`].
    StartGpu,
    /// End it.
    StopGpu,
    /// A command for it.
    AskGpu(Envelope<GpuCommand>),
}

#[derive(Default)]
pub struct WorkerPool {
    /// Maximum number of replicas, including the coordinator; 1 means the coordinator alone.
    most: usize,
    /// A step is shared if it takes one worker at least this many seconds.
    pays_from: f64,
    state: State,
    /// Replicas for which helpers are up or starting.
    helpers: usize,
    losses: u32,
    session: u32,
    gpu: GpuLink,
    outgoing: Vec<Outgoing>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    None,
    Coming,
    Up,
}

/// Whether the GPU is to be used, and the worker that has it.
#[derive(Default)]
struct GpuLink {
    chosen: bool,
    state: State,
    session: u32,
}

impl WorkerPool {
    pub fn new(most: usize, pays_from: f64) -> Self {
        Self { most, pays_from, ..Self::default() }
    }

    pub fn pays_from(&self) -> f64 {
        self.pays_from
    }

    /// How many replicas a run can have, including the coordinator.
    pub fn most(&self) -> usize {
        if self.losses < TRIES { self.most.max(1) } else { 1 }
    }

    /// Whether there are helpers for a run on `of` replicas; requests them if there are not.
    pub fn is_up(&mut self, of: usize) -> bool {
        let of = of.min(self.most());
        if self.state != State::None && self.helpers < of {
            self.outgoing.push(Outgoing::StopHelpers);
            self.state = State::None;
        }
        if self.state == State::None && of > 1 {
            (self.state, self.helpers) = (State::Coming, of);
            self.outgoing.push(Outgoing::StartHelpers(of - 1));
        }
        self.state == State::Up
    }

    /// All helpers are listening.
    pub fn came_up(&mut self) {
        self.state = State::Up;
    }

    /// One helper is lost, and with it the rest; false if they had never been up. Helpers that a browser cannot start are not requested
    /// again.
    pub fn lost(&mut self) -> bool {
        let were_up = std::mem::take(&mut self.state) == State::Up;
        self.losses = if were_up { self.losses + 1 } else { TRIES };
        self.outgoing.push(Outgoing::StopHelpers);
        were_up
    }

    /// Has helpers join a run; this pool assigns its number.
    pub fn join(&mut self, mut session: SharedRun) -> u32 {
        self.session += 1;
        session.number = self.session;
        self.order(session.of, Order::Join(Box::new(session)));
        self.session
    }

    /// An order to the helpers that share a run on `of` replicas.
    pub fn order(&mut self, of: usize, order: Order) {
        self.outgoing.push(Outgoing::Send(of, PoolMessage::Order(order)));
    }

    /// Messages to them.
    pub fn send(&mut self, of: usize, messages: Vec<PeerMessage>) {
        self.outgoing.extend(messages.into_iter().map(|message| Outgoing::Send(of, PoolMessage::Computed(message))));
    }

    /// Whether anything is to be sent.
    pub fn has_outgoing(&self) -> bool {
        !self.outgoing.is_empty()
    }

    /// What is to be sent, in order.
    pub fn take_outgoing(&mut self) -> Vec<Outgoing> {
        std::mem::take(&mut self.outgoing)
    }
}

/// The worker that has the GPU.
impl WorkerPool {
    /// Whether the GPU is to take the steps of runs.
    pub fn is_gpu_chosen(&self) -> bool {
        self.gpu.chosen
    }

    /// Chooses the GPU or the processor.
    pub fn choose_gpu(&mut self, chosen: bool) {
        self.gpu.chosen = chosen;
        if !chosen {
            self.end_gpu();
        }
    }

    /// Whether there is a worker for the GPU; requests one if there is none.
    pub fn is_gpu_up(&mut self) -> bool {
        if self.gpu.state == State::None {
            self.gpu.state = State::Coming;
            self.outgoing.push(Outgoing::StartGpu);
        }
        self.gpu.state == State::Up
    }

    /// Whether it is up or starting.
    pub fn is_gpu_asked(&self) -> bool {
        self.gpu.state != State::None
    }

    /// It is listening.
    pub fn gpu_came_up(&mut self) {
        self.gpu.state = State::Up;
    }

    /// Ends it, if there is one, and with it the run that it has.
    pub fn end_gpu(&mut self) {
        if self.gpu.state != State::None {
            self.gpu.state = State::None;
            self.outgoing.push(Outgoing::StopGpu);
        }
    }

    /// The number of the next run on it.
    pub(super) fn next_of_gpu(&mut self) -> u32 {
        self.gpu.session += 1;
        self.gpu.session
    }

    /// A command for a run on it.
    pub(super) fn ask_gpu(&mut self, session: u32, command: GpuCommand) {
        self.outgoing.push(Outgoing::AskGpu(Envelope::new(Some(session), command)));
    }
}
