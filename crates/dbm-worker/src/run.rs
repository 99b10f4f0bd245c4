//! The run at work: pretraining if it begins so, then a trainer, the step it is in the middle of, and what the page wants to know
//! of it.

use crate::clock::now;
use crate::pool::{Order, PeerMessage, Progress, Replica, Session, WorkerPool};
use crate::recent::RecentPhase;
use crate::sources::Material;
use dbm_core::complete::SamplingSchedule;
use dbm_core::gradient::PhaseInfo;
use dbm_core::pretrain::{PretrainSettings, Pretrainer};
use dbm_core::{Dbm, DbmError, Examples, Footprint, Part, Settings, Shards, Trainer, exact, init, signals};
use dbm_data::raw::Visible;
use dbm_data::{Checkpoint, DataError, Precision};
use dbm_protocol::{Activity, Initialization, Metrics, ModelInfo, Pretraining, RunPlan, Signals};
use std::collections::{BTreeMap, VecDeque};

/// Steps a second are measured over this many seconds.
const RATE_SECONDS: f64 = 2.0;

/// Examples of a minibatch of pretraining, which is computed in one piece, unlike a gradient step.
const PRETRAINING_BATCH: usize = 100;

/// Bytes that a run may take by its footprint. WebAssembly addresses 4 GiB; a run as large as this, its snapshot (for Adam, three
/// quarters of it) and the run before it, which Undo keeps, make 2.75 times this, and half a gibibyte is left for all else.
const MEMORY: u128 = (7 << 29) * 4 / 11;

/// Bytes that all replicas of a run may take together: a tab has more than one WebAssembly memory, and a machine less than all of them.
const POOL_MEMORY: u128 = 4 << 30;

pub struct Run {
    pub material: Material,
    pub plan: RunPlan,
    stage: Stage,
    positive: RecentPhase,
    negative: RecentPhase,
    finished_at: VecDeque<f64>,
    signals: Option<Signals>,
    activities: Vec<Activity>,
    update_seconds: f64,
    /// What to go back to where helpers are lost with their part of the run: a checkpoint; empty for the beginning.
    kept: Vec<u8>,
    alone: AloneSteps,
}

/// How long steps take on this worker alone: sharing tiny ones would cost more than it gains.
#[derive(Default)]
struct AloneSteps {
    seconds: f64,
    count: u32,
    shortest: Option<f64>,
}

/// Parameters times examples of a step that is long beyond doubt: it is shared from the first.
const SURELY_LONG: usize = 20_000_000;
/// Steps to time before sharing, so that the first one, which warms caches, does not decide.
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

/// The latest gradient step of a run.
pub struct LastStep<'a> {
    pub positive: &'a PhaseInfo,
    pub negative: &'a PhaseInfo,
    pub update_seconds: f64,
}

/// Examples that a look at the signals takes.
const LOOK_EXAMPLES: usize = 50;

/// The exact log-likelihood is looked at where it takes no more than this, some hundredths of a second.
const LIKELIHOOD_TERMS: f64 = 5e6;

/// Share of the last look in the pseudo-likelihood shown: one look is noisy.
const LOOK_SHARE: f64 = 0.2;

/// A worker that dies while it pretrains leaves nothing behind: the next one begins pretraining anew. Snapshots begin with training.
enum Stage {
    Pretraining(Box<Pretrainer>),
    /// Pausing leaves a step under way as it is, so pausing changes no bit.
    Training(Box<Replica>),
}

impl Stage {
    fn training(trainer: Trainer) -> Self {
        Self::Training(Box::new(Replica::alone(trainer)))
    }
}

/// How far [`Run::advance`] got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// There is more to do of the present step.
    Goes,
    /// There is nothing to do until a message comes.
    Waits,
    /// A step is done.
    Finished,
}

impl Run {
    /// A run that has done nothing yet, on this data.
    pub fn new(material: Material, mut plan: RunPlan) -> Result<Self, DbmError> {
        let data = &material.data;
        plan.settings.image = data.image;
        let stage = if let Initialization::Pretrained { steps, learning_rate } = plan.start {
            let sizes = sizes(&plan, &data.examples)?;
            let Settings { batch, seed, .. } = plan.settings;
            let batch = batch.min(PRETRAINING_BATCH);
            let settings =
                PretrainSettings { steps: u64::from(steps), learning_rate, batch, seed, ..PretrainSettings::default() };
            Stage::Pretraining(Box::new(Pretrainer::new(&sizes, plan.units, settings)?))
        } else {
            Stage::training(first(&plan, &data.examples)?)
        };
        Ok(Self::of(material, plan, stage))
    }

    /// A run where its snapshot left it.
    pub fn restore(material: Material, mut plan: RunPlan, checkpoint: &[u8]) -> Result<Self, DataError> {
        let trainer = restored(checkpoint)?;
        plan.settings = trainer.settings().clone();
        let sizes: Vec<u32> = trainer.model().sizes().iter().map(|&size| size as u32).collect();
        let (expected, got) = (trainer.model().n_visible(), material.data.examples.width());
        if got != expected {
            let source = DbmError::Shape { what: "a row of the data set".into(), expected, got };
            return Err(DataError::Refused { name: SNAPSHOT.into(), source });
        }
        plan.hidden = sizes[1..].to_vec();
        plan.units = trainer.model().units();
        Ok(Self::of(material, plan, Stage::training(trainer)))
    }

    fn of(material: Material, plan: RunPlan, stage: Stage) -> Self {
        Self {
            material,
            plan,
            stage,
            positive: RecentPhase::default(),
            negative: RecentPhase::default(),
            finished_at: VecDeque::new(),
            signals: None,
            activities: Vec::new(),
            update_seconds: 0.0,
            kept: Vec::new(),
            alone: AloneSteps::default(),
        }
    }

    /// Looks at how the model does on the data; [`Run::metrics`] tells.
    pub fn look(&mut self) {
        let (seed, step, model) = (self.plan.settings.seed, self.steps(), self.model());
        let examples = &self.material.data.examples;
        let Ok(seen) = signals::Signals::of(&model, examples, LOOK_EXAMPLES, seed, u64::from(step)) else {
            return; // never: the model was made as wide as these data
        };
        let small =
            examples.known_packed().is_none() && exact::likelihood_terms(model.sizes(), examples.len()) <= LIKELIHOOD_TERMS;
        let smooth = |before: f64| before + LOOK_SHARE * (seen.pseudo_log_likelihood - before);
        self.signals = Some(Signals {
            reconstruction_error: seen.reconstruction_error,
            pseudo_log_likelihood: self.signals.map_or(seen.pseudo_log_likelihood, |last| smooth(last.pseudo_log_likelihood)),
            step,
            free_energy: seen.free_energy,
            free_energy_of_samples: None,
            log_likelihood: if small { exact::log_likelihood(&model, examples).ok() } else { None },
        });
        let told = |signals::Activity { bins, low, high }| Activity { bins, low, high };
        self.activities = seen.activities.into_iter().map(told).collect();
    }

    /// Takes in the mean free energy of samples of the run as it was at this step; whether that belongs to the last look.
    pub fn look_at_samples(&mut self, step: u32, free_energy: f64) -> bool {
        let seen = self.signals.as_mut().filter(|seen| seen.step == step);
        seen.map(|seen| seen.free_energy_of_samples = Some(free_energy)).is_some()
    }

    /// One shard of the present step, begun if need be, or one minibatch of pretraining. Helpers who share the run are told of each step.
    pub fn advance(&mut self, pool: &mut WorkerPool) -> Result<Advance, DbmError> {
        match &mut self.stage {
            Stage::Pretraining(pretrainer) => {
                pretrainer.step(&self.material.data.examples)?;
                if pretrainer.is_done() {
                    self.stage = Stage::training(Trainer::new(pretrainer.model(), self.plan.settings.clone())?);
                    self.finished_at.clear();
                    return Ok(Advance::Finished);
                }
            }
            Stage::Training(replica) => {
                let (of, started) = (replica.count(), now());
                if of > 1 && replica.between_steps() {
                    pool.order(of, Order::Step);
                }
                let mut messages = Vec::new();
                let progress = replica.advance(&self.material.data.examples, &mut messages);
                pool.send(of, messages);
                let progress = match progress {
                    Ok(progress) => progress,
                    Err(error) => {
                        replica.go_alone();
                        return Err(error);
                    }
                };
                if of == 1 {
                    self.alone.add(now() - started, matches!(progress, Progress::Finished(_)));
                }
                let step = match progress {
                    Progress::Goes => return Ok(Advance::Goes),
                    Progress::Waits => return Ok(Advance::Waits),
                    Progress::Finished(step) => step,
                };
                self.positive.push(step.info.positive);
                self.negative.push(step.info.negative);
                self.update_seconds = step.update_seconds;
            }
        }
        let time = now();
        self.finished_at.push_back(time);
        // The last two stay however long ago they were: of slow steps one wants to know the rate as well.
        while self.finished_at.len() > 2 && self.finished_at.front().is_some_and(|&first| first < time - RATE_SECONDS) {
            self.finished_at.pop_front();
        }
        Ok(Advance::Finished)
    }

    /// Whether steps are long enough to be shared, and this is the moment to.
    pub fn wants_helpers(&self, pool: &WorkerPool) -> bool {
        match &self.stage {
            Stage::Pretraining(_) => false,
            Stage::Training(replica) => {
                let work = replica.trainer().model().n_parameters() * self.plan.settings.batch;
                let long = work >= SURELY_LONG || self.alone.shortest().is_some_and(|seconds| seconds >= pool.pays_from());
                replica.count() == 1 && replica.between_steps() && shards(&self.plan) > 1 && long
            }
        }
    }

    /// Shares the run with helpers, who are up, on at most `most` replicas; between two steps.
    pub fn share(&mut self, pool: &mut WorkerPool, most: usize) -> Result<(), DataError> {
        let of = most.min(pool.most()).min(self.most_replicas());
        let fresh = self.steps() == 0 && !matches!(self.plan.start, Initialization::Pretrained { .. });
        let Stage::Training(replica) = &self.stage else { return Ok(()) };
        if of < 2 {
            return Ok(());
        }
        let whole = Checkpoint::from_snapshot(replica.trainer().view(), self.material.data.image, BTreeMap::new());
        let checkpoint = if fresh { whole.without_run() } else { whole }.to_bytes(Precision::Full)?;
        self.kept = if fresh { Vec::new() } else { checkpoint.clone() };
        let (plan, examples) = (self.plan.clone(), &self.material.data.examples);
        let (width, packed) = (examples.width(), examples.packed().to_vec());
        let known = examples.known_packed().map(<[u8]>::to_vec).unwrap_or_default();
        let number = pool.join(Session { number: 0, of, plan, width, packed, known, fresh, checkpoint });
        if let Stage::Training(replica) = &mut self.stage {
            replica.share(number, Part { index: 0, of });
        }
        Ok(())
    }

    pub fn between_steps(&self) -> bool {
        !matches!(&self.stage, Stage::Training(replica) if !replica.between_steps())
    }

    /// How many replicas a step has shards and the run has memory for.
    pub fn most_replicas(&self) -> usize {
        let examples = &self.material.data.examples;
        let sizes = layers(&self.plan, examples.width());
        let one = Footprint::of_data(&sizes, &self.plan.settings, examples, 1).total();
        usize::try_from(POOL_MEMORY / one.max(1)).map_or(usize::MAX, |most| most.max(1)).min(shards(&self.plan))
    }

    /// How many workers share the run.
    pub fn workers(&self) -> usize {
        match &self.stage {
            Stage::Pretraining(_) => 1,
            Stage::Training(replica) => replica.count(),
        }
    }

    /// Whether the run must finish its step before it can be looked at.
    pub fn is_committed(&self) -> bool {
        matches!(&self.stage, Stage::Training(replica) if replica.is_committed())
    }

    /// Whether all of the run is here, so that it can be put away or replaced.
    pub fn is_whole(&self) -> bool {
        !matches!(&self.stage, Stage::Training(replica) if !replica.is_whole())
    }

    /// Begins to bring all of it here, unless that is so or begun; not while committed.
    pub fn gather(&mut self, pool: &mut WorkerPool) {
        if let Stage::Training(replica) = &mut self.stage
            && !replica.is_whole()
            && !replica.is_gathering()
        {
            replica.gather();
            pool.order(replica.count(), Order::Gather);
        }
    }

    pub fn is_gathering(&self) -> bool {
        matches!(&self.stage, Stage::Training(replica) if replica.is_gathering())
    }

    /// Takes in what a helper sent.
    pub fn receive(&mut self, message: PeerMessage) -> Result<(), DbmError> {
        match &mut self.stage {
            Stage::Training(replica) => replica.receive(message),
            Stage::Pretraining(_) => Ok(()),
        }
    }

    /// Goes on alone; where helpers took a part of the run with them, from what was kept. Gives the step it stands at.
    pub fn lose_helpers(&mut self) -> Result<u32, DataError> {
        let Stage::Training(replica) = &mut self.stage else { return Ok(0) };
        if replica.is_whole() {
            replica.go_alone();
        } else {
            self.stage = Stage::training(trainer(&self.plan, &self.material.data.examples, &self.kept)?);
        }
        self.rest();
        Ok(self.steps())
    }

    /// Ends a shared run, which must be whole.
    pub fn go_alone(&mut self) {
        if let Stage::Training(replica) = &mut self.stage {
            replica.go_alone();
        }
    }

    /// Forgets how fast it was: the clock went on while it stood.
    pub fn rest(&mut self) {
        self.finished_at.clear();
    }

    /// How its samples are drawn while it goes on: as in training, but for the hundreds of sweeps that stand for persistent chains, which would take
    /// longer than the steps between two looks.
    pub fn walk(&self) -> SamplingSchedule {
        match SamplingSchedule::of_training(&self.plan.settings) {
            SamplingSchedule::Gibbs(_) => SamplingSchedule::Mode,
            walk => walk,
        }
    }

    /// Gradient steps taken.
    pub fn steps(&self) -> u32 {
        match &self.stage {
            Stage::Pretraining(_) => 0,
            Stage::Training(replica) => replica.trainer().steps().min(u64::from(u32::MAX)) as u32,
        }
    }

    /// What the latest gradient step did; none before the first.
    pub fn last_step(&self) -> Option<LastStep<'_>> {
        let (positive, negative) = (self.positive.last()?, self.negative.last()?);
        Some(LastStep { positive, negative, update_seconds: self.update_seconds })
    }

    pub fn is_pretraining(&self) -> bool {
        matches!(self.stage, Stage::Pretraining(_))
    }

    /// The model to sample from; while it pretrains, what the layers make together so far.
    pub fn model(&self) -> Dbm {
        match &self.stage {
            Stage::Pretraining(pretrainer) => pretrainer.model(),
            Stage::Training(replica) => replica.trainer().averaged_model(),
        }
    }

    /// What [`Run::restore`] goes on from; none while it pretrains. The run must be whole.
    pub fn checkpoint(&self) -> Result<Option<Vec<u8>>, DataError> {
        match &self.stage {
            Stage::Pretraining(_) => Ok(None),
            Stage::Training(replica) => {
                let (data, mut notes) = (&self.material.data, BTreeMap::new());
                if let Some(visible) = &data.visible {
                    notes.insert(Visible::NOTE.to_string(), visible.to_json());
                }
                Checkpoint::from_snapshot(replica.trainer().view(), data.image, notes).to_bytes(Precision::Full).map(Some)
            }
        }
    }

    /// [`Run::checkpoint`], and where the run is shared, what it goes back to if helpers are lost.
    pub fn take_checkpoint(&mut self) -> Result<Option<Vec<u8>>, DataError> {
        let checkpoint = self.checkpoint()?;
        if let Some(checkpoint) = checkpoint.as_ref().filter(|_| self.workers() > 1) {
            self.kept.clone_from(checkpoint);
        }
        Ok(checkpoint)
    }

    pub fn about(&self) -> ModelInfo {
        let Material { data, .. } = &self.material;
        let of = |model: &Dbm| ModelInfo {
            steps: self.steps(),
            resumable: true,
            settings: Some(self.plan.settings.clone()),
            ..about(model, data.image, data.visible.as_ref())
        };
        match &self.stage {
            Stage::Pretraining(pretrainer) => of(&pretrainer.model()),
            // Its shape is all that is told: a copy with the average would be two more copies of the parameters.
            Stage::Training(replica) => of(replica.trainer().model()),
        }
    }

    pub fn metrics(&self, running: bool) -> Metrics {
        let settings = &self.plan.settings;
        let rate = match (self.finished_at.front(), self.finished_at.back()) {
            (Some(first), Some(last)) if running && last > first => (self.finished_at.len() - 1) as f64 / (last - first),
            _ => 0.0,
        };
        let parts = match &self.stage {
            Stage::Training(replica) => replica.parts(),
            Stage::Pretraining(_) => None,
        };
        Metrics {
            running,
            step: self.steps(),
            pretraining: self.pretraining(),
            parts,
            workers: self.workers() as u32,
            steps_per_second: rate,
            checksum: if running || self.is_pretraining() { String::new() } else { format!("{:016x}", self.model().checksum()) },
            signals: self.signals,
            activities: self.activities.clone(),
            recent_steps: self.negative.len() as u32,
            positive: self.positive.metrics(settings),
            negative: self.negative.metrics(settings),
        }
    }

    fn pretraining(&self) -> Option<Pretraining> {
        let Initialization::Pretrained { steps, .. } = self.plan.start else { return None };
        let layers = self.plan.hidden.len() as u32;
        Some(match &self.stage {
            Stage::Pretraining(pretrainer) => {
                let before = pretrainer.layer() as u64 * u64::from(steps);
                let step = pretrainer.steps_done().saturating_sub(before) as u32;
                Pretraining { layer: pretrainer.layer() as u32 + 1, layers, step, steps }
            }
            Stage::Training(_) => Pretraining { layer: layers, layers, step: steps, steps },
        })
    }
}

/// Units in each layer of a plan on `n` visible ones.
fn layers(plan: &RunPlan, n: usize) -> Vec<usize> {
    std::iter::once(n).chain(plan.hidden.iter().map(|&size| size as usize)).collect()
}

/// Layer sizes of a plan on these examples, where a run of them can be in one worker.
fn sizes(plan: &RunPlan, examples: &Examples) -> Result<Vec<usize>, DbmError> {
    plan.settings.check(examples.width())?;
    let sizes = layers(plan, examples.width());
    Footprint::of_data(&sizes, &plan.settings, examples, 1).check(MEMORY)?;
    Ok(sizes)
}

/// Shards of a step.
fn shards(plan: &RunPlan) -> usize {
    Shards::of_batch(plan.settings.batch)
}

/// A run at step 0 that does not begin with pretraining.
fn first(plan: &RunPlan, examples: &Examples) -> Result<Trainer, DbmError> {
    let sizes = sizes(plan, examples)?;
    let settings = &plan.settings;
    let model = match plan.start {
        Initialization::Gaussian { deviation } if !(deviation > 0.0 && deviation <= 1.0) => {
            let expected = "a number above 0 and at most 1";
            return Err(DbmError::Setting { name: "deviation of the start", expected, got: deviation.to_string() });
        }
        Initialization::Gaussian { deviation } => init::gaussian(&sizes, plan.units, deviation, settings.seed)?,
        Initialization::Orthogonal | Initialization::Pretrained { .. } => init::orthogonal(&sizes, plan.units, settings.seed)?,
    };
    Trainer::new(model, settings.clone())
}

const SNAPSHOT: &str = "the snapshot of the run";

/// A run where its checkpoint left it.
pub fn restored(checkpoint: &[u8]) -> Result<Trainer, DataError> {
    Trainer::restore(Checkpoint::read(SNAPSHOT, checkpoint)?.into_snapshot()?).map_err(DataError::refused(SNAPSHOT))
}

/// A run of this model at step 0.
pub fn begun(plan: &RunPlan, model: &[u8]) -> Result<Trainer, DataError> {
    let model = Checkpoint::read(SNAPSHOT, model)?.last_model()?;
    Trainer::new(model, plan.settings.clone()).map_err(DataError::refused(SNAPSHOT))
}

/// A run on these examples where its checkpoint left it; without one, as it begins.
fn trainer(plan: &RunPlan, examples: &Examples, checkpoint: &[u8]) -> Result<Trainer, DataError> {
    let begin = || first(plan, examples);
    if checkpoint.is_empty() { begin().map_err(DataError::refused("the run")) } else { restored(checkpoint) }
}

/// A model in the protocol's words.
pub fn about(model: &Dbm, image: Option<(usize, usize)>, visible: Option<&Visible>) -> ModelInfo {
    ModelInfo {
        sizes: model.sizes().iter().map(|&size| size as u32).collect(),
        units: model.units(),
        image: image.map(|(rows, columns)| (rows as u32, columns as u32)),
        steps: 0,
        depth: visible.map_or(1, Visible::depth) as u8,
        settings: None,
        resumable: false,
        visible: visible.map_or_else(String::new, Visible::to_json),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::Units;

    #[test]
    fn what_fits_an_instance_is_accepted_and_what_does_not_is_refused_with_its_size() {
        let fits = |hidden: &[usize]| {
            let sizes = [&[784], hidden].concat();
            Footprint::of(&sizes, &Settings::default(), 60_000, 1).check(MEMORY)
        };
        assert_eq!(fits(&[4000; 4]), Ok(()));
        assert!(fits(&[6000; 4]).is_err());
        let data = Material { data: dbm_data::bars::dataset(4).unwrap(), whole: None };
        let plan = RunPlan {
            hidden: vec![u32::MAX; 3],
            units: Units::Signs,
            start: Initialization::Orthogonal,
            settings: Settings::default(),
        };
        let Err(refused) = Run::new(data, plan) else { panic!("accepted") };
        let said = refused.to_string();
        assert!(
            said.contains("16-4294967295-") && said.contains("EB of memory") && said.contains("the limit is 1.4 GB"),
            "{said}"
        );
    }
}
