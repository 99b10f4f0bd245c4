//! A run at work: pretraining if it begins with that, and then a trainer, alone, shared with helpers, or on the GPU.
//!
//! It advances in pieces, as many per slice of work as fit: a minibatch of pretraining, or a shard of a gradient step. Pausing leaves a
//! step under way as it is, so pausing changes no bit.

mod looks;
mod recent;
mod report;
mod seen;

use crate::begin::{SNAPSHOT, begin, restored, shards};
use crate::clock::now;
use crate::pool::{OnGpu, Order, PeerMessage, Replica, ReplicaProgress, SharedRun, WorkerPool};
use crate::sources::TrainingData;
use dbm_core::complete::SamplingSchedule;
use dbm_core::pretrain::Pretrainer;
use dbm_core::settings::{Initialization, RunPlan};
use dbm_core::{Dbm, DbmError, Footprint, ReplicaPart, Trainer};
use dbm_data::raw::Visible;
use dbm_data::{Backends, Checkpoint, DataError, Precision};
use dbm_engine::{Begun, layers};
use dbm_protocol::GpuEvent;
use seen::Seen;
use std::collections::BTreeMap;

/// Bytes that all replicas of a run may take together: a tab has more than one WebAssembly memory, and a machine has less memory than all
/// of them together.
const POOL_MEMORY: u128 = 4 << 30;

/// How a run's file names what computes here: the core's kernels, on one worker or many.
const PROCESSOR: &str = "fast";

pub struct Run {
    pub material: TrainingData,
    pub plan: RunPlan,
    stage: RunStage,
    /// Set if the GPU takes the steps: the trainer here is then the run as of its last checkpoint.
    on_gpu: Option<OnGpu>,
    /// What has computed it so far.
    backends: Backends,
    seen: Seen,
    /// What to return to if helpers are lost with their part of the run: a checkpoint; empty for the beginning.
    kept: Vec<u8>,
    alone: AloneSteps,
}

/// A worker that dies while pretraining leaves nothing behind: the next one begins pretraining again. Snapshots begin with training.
enum RunStage {
    Pretraining(Box<Pretrainer>),
    Training(Box<Replica>),
}

impl RunStage {
    fn of(begun: Begun) -> Self {
        match begun {
            Begun::Pretraining(pretrainer) => Self::Pretraining(pretrainer),
            Begun::Training(trainer) => Self::training(*trainer),
        }
    }

    fn training(trainer: Trainer) -> Self {
        Self::Training(Box::new(Replica::alone(trainer)))
    }
}

/// How long steps take on this worker alone: sharing tiny ones would cost more than it gains.
#[derive(Default)]
struct AloneSteps {
    seconds: f64,
    count: u32,
    shortest: Option<f64>,
}

/// Parameters times examples from which a step is certainly long: it is shared from the first step.
const SURELY_LONG: usize = 20_000_000;
/// Steps to time before sharing, so that the first one, which warms the caches, does not decide.
const TIMED_STEPS: u32 = 3;

impl AloneSteps {
    fn add(&mut self, seconds: f64, finished: bool) {
        self.seconds += seconds;
        if finished {
            self.shortest = Some(self.shortest.map_or(self.seconds, |shortest| shortest.min(self.seconds)));
            (self.seconds, self.count) = (0.0, self.count + 1);
        }
    }

    fn shortest(&self) -> Option<f64> {
        self.shortest.filter(|_| self.count >= TIMED_STEPS)
    }
}

/// How far [`Run::advance_until`] got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// There is more to do in the present step.
    Goes,
    /// There is nothing to do until a message comes.
    Waits,
    /// A step is done.
    Finished,
}

impl Run {
    /// A run that has done nothing yet, on this data.
    pub fn new(material: TrainingData, mut plan: RunPlan) -> Result<Self, DbmError> {
        plan.settings.image = material.data.image;
        let stage = RunStage::of(begin(&plan, &material.data.examples)?);
        Ok(Self::of(material, plan, stage))
    }

    /// A run resumed from its snapshot, on the processor.
    pub fn restore(material: TrainingData, mut plan: RunPlan, checkpoint: &[u8]) -> Result<Self, DataError> {
        let checkpoint = Checkpoint::read(SNAPSHOT, checkpoint)?;
        let mut backends = Backends::from_notes(SNAPSHOT, &checkpoint.notes)?;
        backends.computed_by(checkpoint.step, PROCESSOR);
        let trainer = Trainer::restore(checkpoint.into_snapshot()?).map_err(DataError::refused(SNAPSHOT))?;
        plan.settings = trainer.settings().clone();
        let (expected, got) = (trainer.model().n_visible(), material.data.examples.width());
        if got != expected {
            let source = DbmError::Shape { what: "a row of the data set".into(), expected, got };
            return Err(DataError::Refused { name: SNAPSHOT.into(), source });
        }
        plan.hidden = trainer.model().sizes()[1..].iter().map(|&size| size as u32).collect();
        plan.units = trainer.model().units();
        Ok(Self { backends, ..Self::of(material, plan, RunStage::training(trainer)) })
    }

    fn of(material: TrainingData, plan: RunPlan, stage: RunStage) -> Self {
        let (on_gpu, seen, alone) = Default::default();
        let mut backends = Backends::default();
        backends.computed_by(0, PROCESSOR);
        Self { material, plan, stage, on_gpu, backends, seen, kept: Vec::new(), alone }
    }

    /// The trainer with everything that shares it; `None` while the run pretrains.
    fn replica(&self) -> Option<&Replica> {
        if let RunStage::Training(replica) = &self.stage { Some(replica) } else { None }
    }

    fn replica_mut(&mut self) -> Option<&mut Replica> {
        if let RunStage::Training(replica) = &mut self.stage { Some(replica) } else { None }
    }

    fn pretrainer(&self) -> Option<&Pretrainer> {
        if let RunStage::Pretraining(pretrainer) = &self.stage { Some(pretrainer) } else { None }
    }

    /// Advances until the clock shows `until`, the step is done, or there is something to send to helpers, which may be waiting for it.
    pub fn advance_until(&mut self, until: f64, pool: &mut WorkerPool) -> Result<Advance, DbmError> {
        loop {
            let advance = self.advance(pool)?;
            if advance != Advance::Goes || now() >= until || pool.has_outgoing() {
                return Ok(advance);
            }
        }
    }

    /// One shard of the present step, which is begun if necessary, or one minibatch of pretraining. Helpers that share the run are notified
    /// of each step.
    fn advance(&mut self, pool: &mut WorkerPool) -> Result<Advance, DbmError> {
        if let Some(on_gpu) = &mut self.on_gpu {
            let Some(step) = on_gpu.advance(pool) else { return Ok(Advance::Waits) };
            self.seen.step(step, self.material.data.examples.width());
            self.seen.count();
            return Ok(Advance::Finished);
        }
        match &mut self.stage {
            RunStage::Pretraining(pretrainer) => {
                pretrainer.step(&self.material.data.examples)?;
                if pretrainer.is_done() {
                    self.stage = RunStage::training(Trainer::new(pretrainer.model(), self.plan.settings.clone())?);
                    self.seen.rest();
                    return Ok(Advance::Finished);
                }
            }
            RunStage::Training(replica) => {
                let (of, started) = (replica.count(), now());
                if of > 1 && replica.between_steps() {
                    pool.order(of, Order::Step);
                }
                let mut messages = Vec::new();
                let progress = replica.advance(&self.material.data.examples, &mut messages);
                pool.send(of, messages);
                let progress = progress.inspect_err(|_| replica.go_alone())?;
                if of == 1 {
                    self.alone.add(now() - started, matches!(progress, ReplicaProgress::Finished(_)));
                }
                match progress {
                    ReplicaProgress::Goes => return Ok(Advance::Goes),
                    ReplicaProgress::Waits => return Ok(Advance::Waits),
                    ReplicaProgress::Finished(step) => self.seen.step(*step, replica.trainer().model().n_visible()),
                }
            }
        }
        self.seen.count();
        Ok(Advance::Finished)
    }

    /// Whether steps are long enough to share, and this is the moment to start.
    pub fn wants_helpers(&self, pool: &WorkerPool) -> bool {
        self.on_gpu.is_none()
            && self.replica().is_some_and(|replica| {
                let work = replica.trainer().model().n_parameters() * self.plan.settings.batch;
                let long = work >= SURELY_LONG || self.alone.shortest().is_some_and(|seconds| seconds >= pool.pays_from());
                replica.count() == 1 && replica.between_steps() && shards(&self.plan) > 1 && long
            })
    }

    /// Shares the run with helpers, which are up, on at most `most` replicas; between two steps.
    pub fn share(&mut self, pool: &mut WorkerPool, most: usize) -> Result<(), DataError> {
        let of = most.min(pool.most()).min(self.most_replicas());
        let fresh = self.steps() == 0 && !matches!(self.plan.start, Initialization::Pretrained { .. });
        let RunStage::Training(replica) = &mut self.stage else { return Ok(()) };
        if of < 2 {
            return Ok(());
        }
        let whole = Checkpoint::from_snapshot(replica.trainer().view(), self.material.data.image, BTreeMap::new());
        let checkpoint = if fresh { whole.without_run() } else { whole }.to_bytes(Precision::Full)?;
        self.kept = if fresh { Vec::new() } else { checkpoint.clone() };
        let (plan, examples) = (self.plan.clone(), &self.material.data.examples);
        let (width, packed) = (examples.width(), examples.packed().to_vec());
        let known = examples.known_packed().map(<[u8]>::to_vec).unwrap_or_default();
        let groups = examples.groups().to_vec();
        let number = pool.join(SharedRun { number: 0, of, plan, width, packed, known, groups, fresh, checkpoint });
        replica.share(number, ReplicaPart { index: 0, of });
        Ok(())
    }

    /// Whether the GPU is to take the steps but does not yet: for an unshared run, between two steps. A run that pretrains moves there
    /// afterwards.
    pub fn wants_gpu(&self, pool: &WorkerPool) -> bool {
        let alone = |replica: &Replica| replica.count() == 1 && replica.between_steps();
        pool.is_gpu_chosen() && self.on_gpu.is_none() && self.replica().is_some_and(alone)
    }

    /// Puts the run on the GPU, whose worker is up, if it [wants to be there](Run::wants_gpu).
    pub fn go_to_gpu(&mut self, pool: &mut WorkerPool) -> Result<(), DataError> {
        if let Some(checkpoint) = self.checkpoint()? {
            self.on_gpu = Some(OnGpu::open(self.steps().into(), &self.material.data.examples, checkpoint, pool));
            self.rest();
        }
        Ok(())
    }

    /// Continues on the processor, from the last checkpoint. Returns the step of that checkpoint.
    pub fn leave_gpu(&mut self) -> u32 {
        if self.on_gpu.take().is_some() {
            self.backends.computed_by(self.steps().into(), PROCESSOR);
            self.rest();
        }
        self.steps()
    }

    /// What computed the run, in words, if the GPU has taken steps; empty otherwise.
    pub fn computed_by(&self) -> String {
        let words = |name: &str| match name.strip_prefix("gpu: ") {
            Some(device) => format!("the GPU ({device})"),
            None => "the processor".into(),
        };
        let words = self.backends.in_words(words);
        if words.contains("the GPU") { words } else { String::new() }
    }

    /// The run's steps on the GPU, if it takes them.
    pub fn on_gpu(&self) -> Option<&OnGpu> {
        self.on_gpu.as_ref()
    }

    /// Takes in an answer of the GPU's worker.
    pub fn receive_from_gpu(&mut self, session: u32, event: GpuEvent) -> Result<(), DataError> {
        let Some(on_gpu) = &mut self.on_gpu else { return Ok(()) };
        let opened = matches!(event, GpuEvent::Opened(_));
        if let Some(trainer) = on_gpu.receive(session, event)? {
            self.stage = RunStage::training(trainer);
        } else if opened {
            self.backends.computed_by(on_gpu.steps(), &format!("gpu: {}", on_gpu.device()));
        }
        Ok(())
    }

    /// Whether the model that is here is that of the present step.
    pub fn is_present(&self) -> bool {
        self.on_gpu().is_none_or(OnGpu::is_whole)
    }

    pub fn between_steps(&self) -> bool {
        self.replica().is_none_or(Replica::between_steps) && self.on_gpu().is_none_or(OnGpu::between_steps)
    }

    /// The number of replicas for which a step has shards and the run has memory.
    pub fn most_replicas(&self) -> usize {
        let examples = &self.material.data.examples;
        let sizes = layers(&self.plan, examples.width());
        let one = Footprint::of_data(&sizes, &self.plan.settings, examples, 1).total();
        usize::try_from(POOL_MEMORY / one.max(1)).map_or(usize::MAX, |most| most.max(1)).min(shards(&self.plan))
    }

    /// How many workers share the run.
    pub fn workers(&self) -> usize {
        self.replica().map_or(1, Replica::count)
    }

    /// Whether the run must finish its step before it can be looked at.
    pub fn is_committed(&self) -> bool {
        self.replica().is_some_and(Replica::is_committed) || self.on_gpu().is_some_and(OnGpu::is_committed)
    }

    /// Whether the complete run is here, so that it can be written as a checkpoint or replaced.
    pub fn is_whole(&self) -> bool {
        self.replica().is_none_or(Replica::is_whole) && self.is_present()
    }

    pub fn is_gathering(&self) -> bool {
        self.replica().is_some_and(Replica::is_gathering) || self.on_gpu().is_some_and(OnGpu::is_gathering)
    }

    pub fn is_pretraining(&self) -> bool {
        self.replica().is_none()
    }

    /// Begins to bring the complete run here, unless it is here or on its way; not while committed.
    pub fn gather(&mut self, pool: &mut WorkerPool) {
        if self.is_whole() || self.is_gathering() {
            return;
        }
        if let Some(on_gpu) = &mut self.on_gpu {
            on_gpu.save(pool);
        } else if let Some(replica) = self.replica_mut() {
            replica.gather();
            pool.order(replica.count(), Order::Gather);
        }
    }

    /// Takes in a message from a helper.
    pub fn receive(&mut self, message: PeerMessage) -> Result<(), DbmError> {
        self.replica_mut().map_or(Ok(()), |replica| replica.receive(message))
    }

    /// Continues alone; from the last checkpoint if helpers took a part of the run with them. Returns the step it is at.
    pub fn lose_helpers(&mut self) -> Result<u32, DataError> {
        if self.is_whole() {
            self.go_alone();
        } else if self.kept.is_empty() {
            self.stage = RunStage::of(begin(&self.plan, &self.material.data.examples).map_err(DataError::refused("the run"))?);
        } else {
            self.stage = RunStage::training(restored(&self.kept)?);
        }
        self.rest();
        Ok(self.steps())
    }

    /// Ends sharing, or the GPU's part; the run must be complete.
    pub fn go_alone(&mut self) {
        self.leave_gpu();
        if let Some(replica) = self.replica_mut() {
            replica.go_alone();
        }
    }

    /// Discards the measured rate: the clock ran on while the run was paused.
    pub fn rest(&mut self) {
        self.seen.rest();
    }

    /// How its samples are drawn during training: as in training, except for the hundreds of sweeps that replace persistent chains, which
    /// would take longer than the steps between two looks.
    pub fn schedule(&self) -> SamplingSchedule {
        match SamplingSchedule::of_training(&self.plan.settings) {
            SamplingSchedule::Gibbs(_) | SamplingSchedule::ClassGibbs(_) => SamplingSchedule::Mode,
            schedule => schedule,
        }
    }

    /// Gradient steps taken.
    pub fn steps(&self) -> u32 {
        self.on_gpu().map_or_else(|| self.steps_here(), |on_gpu| on_gpu.steps().min(u64::from(u32::MAX)) as u32)
    }

    /// Gradient steps of the model that is here.
    pub fn steps_here(&self) -> u32 {
        self.replica().map_or(0, |replica| replica.trainer().steps().min(u64::from(u32::MAX)) as u32)
    }

    /// The model to sample from; while it pretrains, the model that the layers make so far.
    pub fn model(&self) -> Dbm {
        match &self.stage {
            RunStage::Pretraining(pretrainer) => pretrainer.model(),
            RunStage::Training(replica) => replica.trainer().averaged_model(),
        }
    }

    /// What [`Run::restore`] resumes from; `None` while it pretrains. The run must be complete.
    pub fn checkpoint(&self) -> Result<Option<Vec<u8>>, DataError> {
        let Some(replica) = self.replica() else { return Ok(None) };
        let data = &self.material.data;
        let visible = data.visible.iter().map(|visible| (Visible::NOTE.to_string(), visible.to_json()));
        let notes = visible.chain([(Backends::NOTE.to_string(), self.backends.to_json())]).collect();
        Checkpoint::from_snapshot(replica.trainer().view(), data.image, notes).to_bytes(Precision::Full).map(Some)
    }

    /// [`Run::checkpoint`] and, if the run is shared, what it returns to if helpers are lost.
    pub fn take_checkpoint(&mut self) -> Result<Option<Vec<u8>>, DataError> {
        let checkpoint = self.checkpoint()?;
        if let Some(checkpoint) = checkpoint.as_ref().filter(|_| self.workers() > 1) {
            self.kept.clone_from(checkpoint);
        }
        Ok(checkpoint)
    }
}
