//! Reports of a run to the page: its signals, its rate, and what its recent steps did.

use super::looks::{self, Look};
use super::seen::SHOWN;
use super::{Run, RunStage};
use crate::clock::now;
use crate::pool::{OnGpu, Replica};
use crate::sources::shape;
use crate::view::{View, about, classes};
use dbm_core::gradient::SmcPath;
use dbm_core::settings::Initialization;
use dbm_core::signals::{Signals, mean_free_energy};
use dbm_core::{Dbm, exact};
use dbm_protocol::{Grid, LadderMetrics, Metrics, ModelChoice, ModelInfo, Pretraining};
use std::rc::Rc;

/// The exact log-likelihood is computed if it takes no more than this, some hundredths of a second.
const LIKELIHOOD_TERMS: f64 = 2e6;

impl Run {
    /// Looks at how the model does on some of the data, for about as long as [`super::looks`] says; [`Run::metrics`] reports it.
    pub fn look(&mut self) {
        let started = now();
        let (seed, step, count) = (self.plan.settings.seed, self.steps_here(), self.looked_at());
        let Self { material, stage, seen, .. } = self;
        let examples = &material.data.examples;
        let part = seen.looks.next_part(count);
        let samples = seen.visible_bits(examples.width(), part.clone());
        let look = |model: &Dbm| {
            let small =
                examples.known_packed().is_none() && exact::likelihood_terms(model.sizes(), examples.len()) <= LIKELIHOOD_TERMS;
            Look {
                step,
                // This fails if nothing is known of these examples.
                signals: Signals::of_part(model, examples, count, part.clone(), seed, u64::from(step)).ok(),
                free_energy_of_samples: samples.map(|bits| mean_free_energy(model, &bits)),
                log_likelihood: if small { exact::log_likelihood(model, examples).ok() } else { None },
                part,
            }
        };
        let look = match stage {
            RunStage::Pretraining(pretrainer) => look(&pretrainer.model()),
            RunStage::Training(replica) => replica.with_averaged_model(look),
        };
        seen.looks.take(look, count, now() - started);
    }

    /// Whether all examples that are looked at have been looked at in the run's present state.
    pub fn is_looked_at(&self) -> bool {
        self.seen.looks.are_whole_at(self.steps_here(), self.looked_at())
    }

    fn looked_at(&self) -> usize {
        self.material.data.examples.len().min(looks::EXAMPLES)
    }

    /// Takes in the mean free energy of samples drawn from the run at this step; returns whether it belongs to the last look.
    pub fn look_at_samples(&mut self, step: u32, free_energy: f64) -> bool {
        self.seen.looks.take_drawn(step, free_energy)
    }

    /// What the free chains of the latest steps look like; `None` before the first step, and if all of them are clamped to what is known.
    pub fn visible_samples(&self) -> Option<Grid> {
        self.visible_chains(SHOWN)
    }

    /// The same for the persistent chains that the latest step left, if there are any.
    pub fn persistent_samples(&self) -> Option<Grid> {
        let persist = self.plan.settings.estimator.kind.descriptor().persistent;
        self.visible_chains(self.seen.latest_chains).filter(|_| persist)
    }

    fn visible_chains(&self, count: usize) -> Option<Grid> {
        let data = &self.material.data;
        let bits = self.seen.visible_bits(data.examples.width(), 0..count)?;
        let count = (bits.len() / data.examples.width()) as u32;
        let (image, greys) = (shape(data.image, data.examples.width()), self.material.greys());
        Some(Grid { model: ModelChoice::Training, step: self.steps(), count, image, greys, bits })
    }

    /// The model in its present state, for requests.
    pub fn view(&self) -> View {
        let model = self.model();
        View {
            classes: classes(&model, Some(&self.plan.settings)),
            predicts: self.plan.settings.trains_predictions(),
            model: Rc::new(model),
            choice: ModelChoice::Training,
            image: self.material.data.image,
            greys: self.material.greys(),
            step: self.steps_here(),
            schedule: self.schedule(),
        }
    }

    pub fn about(&self) -> ModelInfo {
        let data = &self.material.data;
        let settings = &self.plan.settings;
        let of = |model: &Dbm| {
            let classes = classes(model, Some(settings)) as u32;
            ModelInfo { classes, ..about(model, data.image, data.visible.as_ref()) }
        };
        // During training only the shape is sent: the average would take two more copies of the parameters.
        let info = self.replica().map_or_else(|| of(&self.model()), |replica| of(replica.trainer().model()));
        ModelInfo { steps: self.steps(), resumable: info.classes == 0, settings: Some(settings.clone()), ..info }
    }

    pub fn metrics(&self, running: bool) -> Metrics {
        let (settings, seen) = (&self.plan.settings, &self.seen);
        Metrics {
            running,
            step: self.steps(),
            pretraining: self.pretraining(),
            parts: self.replica().and_then(Replica::parts).or_else(|| self.on_gpu.as_ref().and_then(OnGpu::parts)),
            workers: self.workers() as u32,
            gpu: false, // the coordinator knows
            computed_by: self.computed_by(),
            steps_per_second: if running { seen.rate() } else { 0.0 },
            checksum: if running || self.is_pretraining() || !self.is_present() {
                String::new()
            } else {
                format!("{:016x}", self.model().checksum())
            },
            signals: seen.looks.signals(),
            activities: seen.looks.activities(),
            recent_steps: seen.negative.len() as u32,
            positive: seen.positive.metrics(settings),
            negative: seen.negative.metrics(settings),
            ladder: self.ladder(),
        }
    }

    /// The ladder that the run climbs, unless it is the one rung that a path of temperatures begins at.
    fn ladder(&self) -> Option<LadderMetrics> {
        let estimator = &self.plan.settings.estimator;
        if !estimator.kind.descriptor().persistent && estimator.path == SmcPath::Temperatures {
            return None;
        }
        let ladder = self.replica()?.trainer().ladder()?;
        Some(LadderMetrics { accepted: ladder.accepted().to_vec(), rate: ladder.rate })
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
