//! The run in training: a trainer, the step it is in the middle of, and what the page wants to know of it.

use crate::clock::{Tab, now};
use crate::recent::RecentPhase;
use dbm_core::gradient::Estimate;
use dbm_core::{Dbm, DbmError, Settings, Shards, Trainer, check_sizes, init};
use dbm_data::{Checkpoint, DataError, Dataset, Precision};
use dbm_protocol::{About, Metrics, RunPlan};
use std::collections::{BTreeMap, VecDeque};

/// Steps a second are measured over this many seconds.
const RATE_SECONDS: f64 = 2.0;

/// A run takes some 36 bytes a parameter at its worst, while a snapshot is made, and Undo keeps a second one: more than this
/// would not fit the 4 GB that a tab's WebAssembly can have.
const MAX_PARAMETERS: u128 = 40_000_000;

pub struct Run {
    pub data: Dataset,
    pub plan: RunPlan,
    trainer: Trainer,
    /// A step begun: its shards, and the estimates so far. Pausing leaves it as it is, so pausing changes no bit.
    underway: Option<(Shards, Vec<Estimate>)>,
    positive: RecentPhase,
    negative: RecentPhase,
    finished_at: VecDeque<f64>,
}

impl Run {
    /// A run at step 0 on this data.
    pub fn new(data: Dataset, mut plan: RunPlan) -> Result<Self, DbmError> {
        plan.settings.image = data.image;
        let n = data.examples.width();
        plan.settings.check(n)?;
        let sizes: Vec<usize> = std::iter::once(n).chain(plan.hidden.iter().map(|&size| size as usize)).collect();
        let needed = check_sizes(&sizes)? as u128;
        if needed > MAX_PARAMETERS {
            return Err(DbmError::TooLarge { sizes, needed, limit: MAX_PARAMETERS });
        }
        let model = init::orthogonal(&sizes, plan.units, plan.settings.seed)?;
        let trainer = Trainer::new(model, plan.settings.clone())?;
        Ok(Self::of(data, plan, trainer))
    }

    /// A run where its snapshot left it.
    pub fn restore(data: Dataset, mut plan: RunPlan, checkpoint: &[u8]) -> Result<Self, DataError> {
        let snapshot = Checkpoint::read("the snapshot of the run", checkpoint)?.snapshot()?;
        plan.settings = snapshot.settings.clone();
        let trainer = Trainer::restore(snapshot).map_err(DataError::refused("the snapshot of the run"))?;
        Ok(Self::of(data, plan, trainer))
    }

    fn of(data: Dataset, plan: RunPlan, trainer: Trainer) -> Self {
        Self {
            data,
            plan,
            trainer,
            underway: None,
            positive: RecentPhase::default(),
            negative: RecentPhase::default(),
            finished_at: VecDeque::new(),
        }
    }

    /// One shard of the present step, begun if need be; true where that finished the step.
    pub fn advance(&mut self) -> Result<bool, DbmError> {
        let (shards, mut estimates) = match self.underway.take() {
            Some(underway) => underway,
            None => (self.trainer.begin(&self.data.examples)?, Vec::new()),
        };
        estimates.push(self.trainer.estimate(&shards, estimates.len(), &now));
        if estimates.len() < shards.count() {
            self.underway = Some((shards, estimates));
            return Ok(false);
        }
        let step = self.trainer.finish(&shards, estimates, &Tab)?;
        self.positive.push(step.info.positive);
        self.negative.push(step.info.negative);
        let time = now();
        self.finished_at.push_back(time);
        while self.finished_at.front().is_some_and(|&first| first < time - RATE_SECONDS) {
            self.finished_at.pop_front();
        }
        Ok(true)
    }

    /// Forgets how fast it was: the clock went on while it stood.
    pub fn rest(&mut self) {
        self.finished_at.clear();
    }

    pub fn steps(&self) -> u32 {
        self.trainer.steps().min(u64::from(u32::MAX)) as u32
    }

    pub fn model(&self) -> Dbm {
        self.trainer.averaged_model()
    }

    pub fn checkpoint(&self) -> Result<Vec<u8>, DataError> {
        Checkpoint::from_snapshot(self.trainer.snapshot(), self.data.image, BTreeMap::new()).to_bytes(Precision::Full)
    }

    pub fn about(&self) -> About {
        about(self.trainer.model(), self.data.image, self.steps(), Some(self.trainer.settings().clone()))
    }

    pub fn metrics(&self, running: bool) -> Metrics {
        let settings = self.trainer.settings();
        let rate = match (self.finished_at.front(), self.finished_at.back()) {
            (Some(first), Some(last)) if running && last > first => (self.finished_at.len() - 1) as f64 / (last - first),
            _ => 0.0,
        };
        Metrics {
            running,
            step: self.steps(),
            steps_per_second: rate,
            recent_steps: self.negative.len() as u32,
            positive: self.positive.metrics(settings.max_meeting, settings.max_sweeps),
            negative: self.negative.metrics(settings.max_meeting, settings.max_sweeps),
        }
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
