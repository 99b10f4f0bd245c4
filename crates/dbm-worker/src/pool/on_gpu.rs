//! A run whose steps the GPU takes, and what goes between here and the worker that has the GPU.
//!
//! That worker has the run; here stays its [`super::Replica`] as it was at the last checkpoint: what is looked at, drawn from, and gone on with if the device is lost. Nobody shares such a run.

use super::worker_pool::WorkerPool;
use crate::begin::restored;
use crate::clock::now;
use dbm_core::gradient::Info;
use dbm_core::{DbmError, Examples, StepInfo, Trainer};
use dbm_data::DataError;
use dbm_protocol::{GpuCommand, GpuEvent, RunForGpu};

/// A device that says nothing for so many seconds counts as lost.
const PATIENCE: f64 = 600.0;

/// What the device is at.
enum Stage {
    /// The run is being put on it.
    Opens,
    /// Nothing.
    Rests,
    Steps,
    /// It is done with a step, of which this is not yet told.
    Stepped(Box<Info>),
    Saves,
}

/// The steps of a run on the GPU.
pub struct OnGpu {
    /// Steps taken,
    steps: u64,
    /// of which the run that is here has so many.
    saved: u64,
    session: u32,
    stage: Stage,
    /// Since when an answer is awaited.
    since: f64,
    /// What the device calls itself; empty until it has the run.
    device: String,
}

impl OnGpu {
    /// Has a run, which has taken so many steps, put on the device, whose worker is up. `checkpoint` is all of it.
    pub fn open(steps: u64, data: &Examples, checkpoint: Vec<u8>, pool: &mut WorkerPool) -> Self {
        let session = pool.next_of_gpu();
        let known = data.known_packed().map(<[u8]>::to_vec).unwrap_or_default();
        let run = RunForGpu { width: data.width() as u32, packed: data.packed().to_vec(), known, checkpoint };
        pool.ask_gpu(session, GpuCommand::Open(Box::new(run)));
        Self { steps, saved: steps, session, stage: Stage::Opens, since: now(), device: String::new() }
    }

    /// Steps taken, with those since the last checkpoint.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What the device calls itself; empty until it has the run.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Asks for a step, or gives the one that is done; none while there is nothing to do until the device answers.
    pub fn advance(&mut self, pool: &mut WorkerPool) -> Option<StepInfo> {
        match std::mem::replace(&mut self.stage, Stage::Rests) {
            Stage::Rests => {
                self.ask(GpuCommand::Step, Stage::Steps, pool);
                None
            }
            Stage::Stepped(info) => {
                self.steps += 1;
                Some(StepInfo { step: self.steps, info: *info, ..StepInfo::default() })
            }
            waiting => {
                self.stage = waiting;
                None
            }
        }
    }

    /// Begins to bring all of it here.
    pub fn save(&mut self, pool: &mut WorkerPool) {
        self.ask(GpuCommand::Save, Stage::Saves, pool);
    }

    fn ask(&mut self, command: GpuCommand, stage: Stage, pool: &mut WorkerPool) {
        (self.stage, self.since) = (stage, now());
        pool.ask_gpu(self.session, command);
    }

    /// Takes in what the device's worker answered: the run as it stands, where that was asked for. What is of another session is dropped.
    pub fn receive(&mut self, session: u32, event: GpuEvent) -> Result<Option<Trainer>, DataError> {
        if session != self.session {
            return Ok(None);
        }
        let refused = |what: String| Err(DataError::refused("the GPU's answer")(DbmError::Replica { what }));
        match (event, &self.stage) {
            (GpuEvent::Opened(device), Stage::Opens) => (self.device, self.stage) = (device, Stage::Rests),
            (GpuEvent::Stepped(info), Stage::Steps) => self.stage = Stage::Stepped(info),
            (GpuEvent::Saved(checkpoint), Stage::Saves) => {
                let trainer = restored(&checkpoint)?;
                if trainer.steps() != self.steps {
                    return refused(format!("a run at step {}", trainer.steps()));
                }
                (self.saved, self.stage) = (self.steps, Stage::Rests);
                return Ok(Some(trainer));
            }
            _ => return refused("an answer to nothing".into()),
        }
        Ok(None)
    }

    /// Whether a message of this session is meant.
    pub fn is_of(&self, session: u32) -> bool {
        session == self.session
    }

    pub fn between_steps(&self) -> bool {
        matches!(self.stage, Stage::Opens | Stage::Rests | Stage::Saves)
    }

    /// Of a step that is under way, parts done, and of how many.
    pub fn parts(&self) -> Option<(u32, u32)> {
        matches!(self.stage, Stage::Steps).then_some((0, 1))
    }

    /// Whether it must come to rest before it can be asked for more than it does.
    pub fn is_committed(&self) -> bool {
        matches!(self.stage, Stage::Opens | Stage::Steps | Stage::Stepped(_))
    }

    /// Whether nothing can be done until the device answers.
    pub fn waits(&self) -> bool {
        matches!(self.stage, Stage::Opens | Stage::Steps | Stage::Saves)
    }

    /// Whether all of it is here, as it stands.
    pub fn is_whole(&self) -> bool {
        matches!(self.stage, Stage::Rests) && self.steps == self.saved
    }

    pub fn is_gathering(&self) -> bool {
        matches!(self.stage, Stage::Saves)
    }

    /// Whether the device has been silent for longer than anything takes.
    pub fn is_silent(&self) -> bool {
        self.waits() && now() - self.since > PATIENCE
    }
}
