//! The run at work: pretraining if it begins so, then a trainer, the step it is in the middle of, and what the page wants to know
//! of it.

use crate::clock::{Tab, now};
use crate::recent::RecentPhase;
use dbm_core::gradient::{Estimate, PhaseInfo};
use dbm_core::pretrain::{PretrainSettings, Pretrainer};
use dbm_core::{Dbm, DbmError, Footprint, Settings, Shards, Trainer, init, signals};
use dbm_data::checkpoint::Contents;
use dbm_data::{Checkpoint, DataError, Dataset, Precision};
use dbm_protocol::{About, Metrics, Pretraining, RunPlan, Signals, Start};
use std::collections::{BTreeMap, VecDeque};

/// Steps a second are measured over this many seconds.
const RATE_SECONDS: f64 = 2.0;

/// Examples of a minibatch of pretraining, which is computed in one piece, unlike a gradient step.
const PRETRAINING_BATCH: usize = 100;

/// Bytes that a run may take by its footprint. WebAssembly addresses 4 GiB; a run as large as this, its snapshot (for Adam, three
/// quarters of it) and the run before it, which Undo keeps, make 2.75 times this, and half a gibibyte is left for all else.
const MEMORY: u128 = (7 << 29) * 4 / 11;

pub struct Run {
    pub data: Dataset,
    pub plan: RunPlan,
    stage: Stage,
    positive: RecentPhase,
    negative: RecentPhase,
    finished_at: VecDeque<f64>,
    signals: Option<Signals>,
    update_seconds: f64,
}

/// The latest gradient step of a run.
pub struct LastStep<'a> {
    pub positive: &'a PhaseInfo,
    pub negative: &'a PhaseInfo,
    pub update_seconds: f64,
}

/// Examples that a look at the signals takes.
const LOOK_EXAMPLES: usize = 50;

/// Share of the last look in the pseudo-likelihood shown: one look is noisy.
const LOOK_SHARE: f64 = 0.2;

/// A worker that dies while it pretrains leaves nothing behind: the next one begins pretraining anew. Snapshots begin with training.
enum Stage {
    Pretraining(Box<Pretrainer>),
    Training {
        trainer: Box<Trainer>,
        /// A step begun: its shards, and the estimates so far. Pausing leaves it as it is, so pausing changes no bit.
        underway: Option<(Shards, Vec<Estimate>)>,
    },
}

impl Stage {
    fn training(trainer: Trainer) -> Self {
        Self::Training { trainer: Box::new(trainer), underway: None }
    }
}

impl Run {
    /// A run that has done nothing yet, on this data.
    pub fn new(data: Dataset, mut plan: RunPlan) -> Result<Self, DbmError> {
        plan.settings.image = data.image;
        let n = data.examples.width();
        plan.settings.check(n)?;
        let sizes: Vec<usize> = std::iter::once(n).chain(plan.hidden.iter().map(|&size| size as usize)).collect();
        Footprint::of(&sizes, &plan.settings, data.examples.len(), 1).check(MEMORY)?;
        let (units, settings) = (plan.units, &plan.settings);
        let stage = match plan.start {
            Start::Orthogonal => {
                Stage::training(Trainer::new(init::orthogonal(&sizes, units, settings.seed)?, settings.clone())?)
            }
            Start::Gaussian { deviation } => {
                if !(deviation > 0.0 && deviation <= 1.0) {
                    let expected = "a number above 0 and at most 1";
                    return Err(DbmError::Setting { name: "deviation of the start", expected, got: deviation.to_string() });
                }
                Stage::training(Trainer::new(init::gaussian(&sizes, units, deviation, settings.seed)?, settings.clone())?)
            }
            Start::Pretrained { steps, learning_rate } => {
                let batch = settings.batch.min(PRETRAINING_BATCH);
                let seed = settings.seed;
                let settings =
                    PretrainSettings { steps: u64::from(steps), learning_rate, batch, seed, ..PretrainSettings::default() };
                Stage::Pretraining(Box::new(Pretrainer::new(&sizes, units, settings)?))
            }
        };
        Ok(Self::of(data, plan, stage))
    }

    /// A run where its snapshot left it.
    pub fn restore(data: Dataset, mut plan: RunPlan, checkpoint: &[u8]) -> Result<Self, DataError> {
        let snapshot = Checkpoint::read("the snapshot of the run", checkpoint)?.into_snapshot()?;
        plan.settings = snapshot.settings.clone();
        let trainer = Trainer::restore(snapshot).map_err(DataError::refused("the snapshot of the run"))?;
        Ok(Self::of(data, plan, Stage::training(trainer)))
    }

    fn of(data: Dataset, plan: RunPlan, stage: Stage) -> Self {
        Self {
            data,
            plan,
            stage,
            positive: RecentPhase::default(),
            negative: RecentPhase::default(),
            finished_at: VecDeque::new(),
            signals: None,
            update_seconds: 0.0,
        }
    }

    /// Looks at how the model does on the data; [`Run::metrics`] tells.
    pub fn look(&mut self) {
        let (seed, step) = (self.plan.settings.seed, u64::from(self.steps()));
        let Ok(seen) = signals::Signals::of(&self.model(), &self.data.examples, LOOK_EXAMPLES, seed, step) else {
            return; // never: the model was made as wide as these data
        };
        let smooth = |before: f64| before + LOOK_SHARE * (seen.pseudo_log_likelihood - before);
        self.signals = Some(Signals {
            reconstruction_error: seen.reconstruction_error,
            pseudo_log_likelihood: self.signals.map_or(seen.pseudo_log_likelihood, |last| smooth(last.pseudo_log_likelihood)),
        });
    }

    /// One shard of the present step, begun if need be, or one minibatch of pretraining; true where that finished a step of either.
    pub fn advance(&mut self) -> Result<bool, DbmError> {
        match &mut self.stage {
            Stage::Pretraining(pretrainer) => {
                pretrainer.step(&self.data.examples)?;
                if pretrainer.is_done() {
                    self.stage = Stage::training(Trainer::new(pretrainer.model(), self.plan.settings.clone())?);
                    self.finished_at.clear();
                    return Ok(true);
                }
            }
            Stage::Training { trainer, underway } => {
                let (shards, mut estimates) = match underway.take() {
                    Some(underway) => underway,
                    None => (trainer.begin(&self.data.examples)?, Vec::new()),
                };
                estimates.push(trainer.estimate(&shards, estimates.len(), &now));
                if estimates.len() < shards.count() {
                    *underway = Some((shards, estimates));
                    return Ok(false);
                }
                let step = trainer.finish(&shards, estimates, &Tab)?;
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
        Ok(true)
    }

    /// Forgets how fast it was: the clock went on while it stood.
    pub fn rest(&mut self) {
        self.finished_at.clear();
    }

    /// Gradient steps taken.
    pub fn steps(&self) -> u32 {
        match &self.stage {
            Stage::Pretraining(_) => 0,
            Stage::Training { trainer, .. } => trainer.steps().min(u64::from(u32::MAX)) as u32,
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
            Stage::Training { trainer, .. } => trainer.averaged_model(),
        }
    }

    /// What [`Run::restore`] goes on from; none while it pretrains.
    pub fn checkpoint(&self) -> Result<Option<Vec<u8>>, DataError> {
        match &self.stage {
            Stage::Pretraining(_) => Ok(None),
            Stage::Training { trainer, .. } => {
                Contents::of_run(trainer.view(), self.data.image, &BTreeMap::new()).to_bytes(Precision::Full).map(Some)
            }
        }
    }

    pub fn about(&self) -> About {
        let of = |model: &Dbm| about(model, self.data.image, self.steps(), Some(self.plan.settings.clone()));
        match &self.stage {
            Stage::Pretraining(pretrainer) => of(&pretrainer.model()),
            // Its shape is all that is told: a copy with the average would be two more copies of the parameters.
            Stage::Training { trainer, .. } => of(trainer.model()),
        }
    }

    pub fn metrics(&self, running: bool) -> Metrics {
        let settings = &self.plan.settings;
        let rate = match (self.finished_at.front(), self.finished_at.back()) {
            (Some(first), Some(last)) if running && last > first => (self.finished_at.len() - 1) as f64 / (last - first),
            _ => 0.0,
        };
        let parts = match &self.stage {
            Stage::Training { underway: Some((shards, estimates)), .. } => Some((estimates.len() as u32, shards.count() as u32)),
            _ => None,
        };
        Metrics {
            running,
            step: self.steps(),
            pretraining: self.pretraining(),
            parts,
            steps_per_second: rate,
            signals: self.signals,
            recent_steps: self.negative.len() as u32,
            positive: self.positive.metrics(settings),
            negative: self.negative.metrics(settings),
        }
    }

    fn pretraining(&self) -> Option<Pretraining> {
        let Start::Pretrained { steps, .. } = self.plan.start else { return None };
        let layers = self.plan.hidden.len() as u32;
        Some(match &self.stage {
            Stage::Pretraining(pretrainer) => {
                let before = pretrainer.layer() as u64 * u64::from(steps);
                let step = pretrainer.steps_done().saturating_sub(before) as u32;
                Pretraining { layer: pretrainer.layer() as u32 + 1, layers, step, steps }
            }
            Stage::Training { .. } => Pretraining { layer: layers, layers, step: steps, steps },
        })
    }
}

/// A model in the protocol's words.
pub fn about(model: &Dbm, image: Option<(usize, usize)>, steps: u32, settings: Option<Settings>) -> About {
    About {
        sizes: model.sizes().iter().map(|&size| size as u32).collect(),
        units: model.units(),
        image: image.map(|(rows, columns)| (rows as u32, columns as u32)),
        steps,
        settings,
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
        let data = dbm_data::bars::dataset(4).unwrap();
        let plan =
            RunPlan { hidden: vec![u32::MAX; 3], units: Units::Signs, start: Start::Orthogonal, settings: Settings::default() };
        let Err(refused) = Run::new(data, plan) else { panic!("accepted") };
        let said = refused.to_string();
        assert!(
            said.contains("16-4294967295-") && said.contains("EB of memory") && said.contains("the limit is 1.4 GB"),
            "{said}"
        );
    }
}
