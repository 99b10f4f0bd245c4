//! A run whose steps the GPU takes, and the messages to and from the worker that has the GPU.
//!
//! That worker has the run. Its [`super::Replica`] stays here as of the last checkpoint, for looking, for sampling, and for resuming if the
//! device is lost. Such a run is not shared.

use super::worker_pool::WorkerPool;
use crate::begin::restored;
use crate::clock::now;
use dbm_core::gradient::Info;
use dbm_core::{DbmError, Examples, StepInfo, Trainer};
use dbm_data::DataError;
use dbm_protocol::{GpuCommand, GpuEvent, RunForGpu};

/// A device that is silent for this many seconds counts as lost.
const PATIENCE: f64 = 600.0;

/// What the device is doing.
enum DeviceState {
    /// Loading the run.
    Opens,
    /// Nothing.
    Rests,
    Steps,
    /// It has finished a step that has not been reported yet.
    Stepped(Box<Info>),
    Saves,
}

/// The steps of a run on the GPU.
pub struct OnGpu {
    /// Steps taken.
    steps: u64,
    /// How many of them the run that is here includes.
    saved: u64,
    session: u32,
    stage: DeviceState,
    /// Since when an answer has been awaited.
    since: f64,
    /// Name that the device gives itself; empty until it has the run.
    device: String,
}

impl OnGpu {
    /// Puts a run, which has taken this many steps, on the device, whose worker is up. `checkpoint` is the complete run.
    pub fn open(steps: u64, data: &Examples, checkpoint: Vec<u8>, pool: &mut WorkerPool) -> Self {
        let session = pool.next_of_gpu();
        let known = data.known_packed().map(<[u8]>::to_vec).unwrap_or_default();
        let run = RunForGpu { width: data.width() as u32, packed: data.packed().to_vec(), known, checkpoint };
        pool.ask_gpu(session, GpuCommand::Open(Box::new(run)));
        Self { steps, saved: steps, session, stage: DeviceState::Opens, since: now(), device: String::new() }
    }

    /// Steps taken, including those since the last checkpoint.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Name that the device gives itself; empty until it has the run.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Requests a step, or returns the one that is done; `None` while there is nothing to do until the device answers.
    pub fn advance(&mut self, pool: &mut WorkerPool) -> Option<StepInfo> {
        match std::mem::replace(&mut self.stage, DeviceState::Rests) {
            DeviceState::Rests => {
                self.ask(GpuCommand::Step, DeviceState::Steps, pool);
                None
            }
            DeviceState::Stepped(info) => {
                self.steps += 1;
                Some(StepInfo { step: self.steps, info: *info, ..StepInfo::default() })
            }
            waiting => {
                self.stage = waiting;
                None
            }
        }
    }

    /// Begins to bring the complete run here.
    pub fn save(&mut self, pool: &mut WorkerPool) {
        self.ask(GpuCommand::Save, DeviceState::Saves, pool);
    }

    fn ask(&mut self, command: GpuCommand, stage: DeviceState, pool: &mut WorkerPool) {
        (self.stage, self.since) = (stage, now());
        pool.ask_gpu(self.session, command);
    }

    /// Takes in an answer of the device's worker; returns the run in its present state, if that was requested. Messages of another session
    /// are dropped.
    pub fn receive(&mut self, session: u32, event: GpuEvent) -> Result<Option<Trainer>, DataError> {
        if session != self.session {
            return Ok(None);
        }
        let refused = |what: String| Err(DataError::refused("the GPU's answer")(DbmError::Replica { what }));
        match (event, &self.stage) {
            (GpuEvent::Opened(device), DeviceState::Opens) => (self.device, self.stage) = (device, DeviceState::Rests),
            (GpuEvent::Stepped(info), DeviceState::Steps) => self.stage = DeviceState::Stepped(info),
            (GpuEvent::Saved(checkpoint), DeviceState::Saves) => {
                let trainer = restored(&checkpoint)?;
                if trainer.steps() != self.steps {
                    return refused(format!("a run at step {}", trainer.steps()));
                }
                (self.saved, self.stage) = (self.steps, DeviceState::Rests);
                return Ok(Some(trainer));
            }
            _ => return refused("an answer to nothing".into()),
        }
        Ok(None)
    }

    /// Whether a message belongs to this session.
    pub fn is_of(&self, session: u32) -> bool {
        session == self.session
    }

    pub fn between_steps(&self) -> bool {
        matches!(self.stage, DeviceState::Opens | DeviceState::Rests | DeviceState::Saves)
    }

    /// Parts done of a step under way, and the total.
    pub fn parts(&self) -> Option<(u32, u32)> {
        matches!(self.stage, DeviceState::Steps).then_some((0, 1))
    }

    /// Whether it must come to rest before it can take another request.
    pub fn is_committed(&self) -> bool {
        matches!(self.stage, DeviceState::Opens | DeviceState::Steps | DeviceState::Stepped(_))
    }

    /// Whether nothing can be done until the device answers.
    pub fn waits(&self) -> bool {
        matches!(self.stage, DeviceState::Opens | DeviceState::Steps | DeviceState::Saves)
    }

    /// Whether the complete run is here in its present state.
    pub fn is_whole(&self) -> bool {
        matches!(self.stage, DeviceState::Rests) && self.steps == self.saved
    }

    pub fn is_gathering(&self) -> bool {
        matches!(self.stage, DeviceState::Saves)
    }

    /// Whether the device has been silent for longer than anything takes.
    pub fn is_silent(&self) -> bool {
        self.waits() && now() - self.since > PATIENCE
    }
}
