//! What the page is told of a run: its signals, its rate, and what its recent steps did.

use super::Run;
use crate::pool::Replica;
use crate::view::{View, about};
use dbm_core::gradient::PhaseInfo;
use dbm_core::signals::Signals;
use dbm_core::{Dbm, exact};
use dbm_protocol::{Initialization, Metrics, ModelChoice, ModelInfo, Pretraining, RunSignals};
use std::rc::Rc;

/// Examples that a look at the signals takes.
const LOOK_EXAMPLES: usize = 50;
/// The exact log-likelihood is looked at where it takes no more than this, some hundredths of a second.
const LIKELIHOOD_TERMS: f64 = 5e6;
/// Share of the last look in the pseudo-likelihood shown: one look is noisy.
const LOOK_SHARE: f64 = 0.2;

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

    /// The model as it stands, for requests.
    pub fn view(&self) -> View {
        View {
            model: Rc::new(self.model()),
            choice: ModelChoice::Training,
            image: self.material.data.image,
            depth: self.material.depth(),
            step: self.steps(),
            schedule: self.schedule(),
        }
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
