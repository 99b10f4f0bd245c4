//! What the page is told of a run: its signals, its rate, and what its recent steps did.

use super::Run;
use super::recent::RecentPhase;
use crate::clock::now;
use crate::pool::Replica;
use crate::view::about;
use dbm_core::gradient::PhaseInfo;
use dbm_core::signals::{Activity, Signals};
use dbm_core::{Dbm, StepInfo, exact};
use dbm_protocol::{Initialization, Metrics, ModelInfo, Pretraining, RunSignals};
use std::collections::VecDeque;

/// Steps a second are measured over this many seconds.
const RATE_SECONDS: f64 = 2.0;
/// Examples that a look at the signals takes.
const LOOK_EXAMPLES: usize = 50;
/// The exact log-likelihood is looked at where it takes no more than this, some hundredths of a second.
const LIKELIHOOD_TERMS: f64 = 5e6;
/// Share of the last look in the pseudo-likelihood shown: one look is noisy.
const LOOK_SHARE: f64 = 0.2;

/// What was seen of a run.
#[derive(Default)]
pub(super) struct Seen {
    positive: RecentPhase,
    negative: RecentPhase,
    /// When the steps of the last seconds ended.
    ended_at: VecDeque<f64>,
    look: Option<RunSignals>,
    activities: Vec<Activity>,
    update_seconds: f64,
}

impl Seen {
    /// Takes in what a gradient step did.
    pub(super) fn step(&mut self, step: StepInfo) {
        self.positive.push(step.info.positive);
        self.negative.push(step.info.negative);
        self.update_seconds = step.update_seconds;
    }

    /// A step has ended, of training or pretraining.
    pub(super) fn count(&mut self) {
        let time = now();
        self.ended_at.push_back(time);
        // The last two stay however long ago they were: of slow steps one wants to know the rate as well.
        while self.ended_at.len() > 2 && self.ended_at.front().is_some_and(|&first| first < time - RATE_SECONDS) {
            self.ended_at.pop_front();
        }
    }

    /// Forgets how fast the run was.
    pub(super) fn rest(&mut self) {
        self.ended_at.clear();
    }

    fn rate(&self) -> f64 {
        match (self.ended_at.front(), self.ended_at.back()) {
            (Some(first), Some(last)) if last > first => (self.ended_at.len() - 1) as f64 / (last - first),
            _ => 0.0,
        }
    }
}

/// The latest gradient step of a run.
pub struct LastStep<'a> {
    pub positive: &'a PhaseInfo,
    pub negative: &'a PhaseInfo,
    pub update_seconds: f64,
}

impl Run {
    /// Looks at how the model does on the data; [`Run::metrics`] says it.
    pub fn look(&mut self) {
        let (seed, step, model) = (self.plan.settings.seed, self.steps(), self.model());
        let examples = &self.material.data.examples;
        let Ok(mut signals) = Signals::of(&model, examples, LOOK_EXAMPLES, seed, u64::from(step)) else {
            return; // never: the model was made as wide as these data
        };
        let small =
            examples.known_packed().is_none() && exact::likelihood_terms(model.sizes(), examples.len()) <= LIKELIHOOD_TERMS;
        self.seen.activities = std::mem::take(&mut signals.activities);
        let now = signals.pseudo_log_likelihood;
        let smooth = |last: RunSignals| last.pseudo_log_likelihood + LOOK_SHARE * (now - last.pseudo_log_likelihood);
        self.seen.look = Some(RunSignals {
            step,
            reconstruction_error: signals.reconstruction_error,
            pseudo_log_likelihood: self.seen.look.map_or(now, smooth),
            free_energy: signals.free_energy,
            free_energy_of_samples: None,
            log_likelihood: if small { exact::log_likelihood(&model, examples).ok() } else { None },
        });
    }

    /// Takes in the mean free energy of samples of the run as it was at this step; whether that belongs to the last look.
    pub fn look_at_samples(&mut self, step: u32, free_energy: f64) -> bool {
        let look = self.seen.look.as_mut().filter(|look| look.step == step);
        look.map(|look| look.free_energy_of_samples = Some(free_energy)).is_some()
    }

    /// What the latest gradient step did; none before the first.
    pub fn last_step(&self) -> Option<LastStep<'_>> {
        let (positive, negative) = (self.seen.positive.last()?, self.seen.negative.last()?);
        Some(LastStep { positive, negative, update_seconds: self.seen.update_seconds })
    }

    pub fn about(&self) -> ModelInfo {
        let data = &self.material.data;
        let of = |model: &Dbm| about(model, data.image, data.visible.as_ref());
        // Of a run in training only the shape is told: a copy with the average would be two more copies of the parameters.
        let info = self.replica().map_or_else(|| of(&self.model()), |replica| of(replica.trainer().model()));
        ModelInfo { steps: self.steps(), resumable: true, settings: Some(self.plan.settings.clone()), ..info }
    }

    pub fn metrics(&self, running: bool) -> Metrics {
        let (settings, seen) = (&self.plan.settings, &self.seen);
        Metrics {
            running,
            step: self.steps(),
            pretraining: self.pretraining(),
            parts: self.replica().and_then(Replica::parts),
            workers: self.workers() as u32,
            steps_per_second: if running { seen.rate() } else { 0.0 },
            checksum: if running || self.is_pretraining() { String::new() } else { format!("{:016x}", self.model().checksum()) },
            signals: seen.look,
            activities: seen.activities.clone(),
            recent_steps: seen.negative.len() as u32,
            positive: seen.positive.metrics(settings),
            negative: seen.negative.metrics(settings),
        }
    }

    fn pretraining(&self) -> Option<Pretraining> {
        let Initialization::Pretrained { steps, .. } = self.plan.start else { return None };
        let layers = self.plan.hidden.len() as u32;
        Some(self.pretrainer().map_or(Pretraining { layer: layers, layers, step: steps, steps }, |pretrainer| {
            let before = pretrainer.layer() as u64 * u64::from(steps);
            let step = pretrainer.steps_done().saturating_sub(before) as u32;
            Pretraining { layer: pretrainer.layer() as u32 + 1, layers, step, steps }
        }))
    }
}
