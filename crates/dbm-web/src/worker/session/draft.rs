//! The settings form as the visitor typed it, and the run it asks for once every field makes sense.

mod address;

use crate::ui::number::{decimal, listed};
use crate::ui::texts::rows;
use dbm_core::gradient::{CENTERING_RATE, EstimatorKind, EstimatorSettings, SmcPath};
use dbm_core::mask::Masks;
use dbm_core::words::{Setting, StartKind};
use dbm_core::{OptimizerMethod, OptimizerSettings, Settings, Units};
use dbm_protocol::{Initialization, RunPlan};

/// Standard deviation of the Gaussian start (Hinton 2012).
const DEVIATION: f64 = 0.01;

/// The usual text of each setting, by its key: for pictures of digits, and for bars and stripes.
const SUITED: &str = include_str!("draft/suited.txt");

/// The form as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Kind of units.
    pub units: Units,
    /// The optimizer that makes steps of gradients.
    pub method: OptimizerMethod,
    /// Whether to train in the centered parametrization.
    pub centered: bool,
    /// How the parameters begin.
    pub start: StartKind,
    /// Whether half of each state is replaced by its conditional means.
    pub marginalize: bool,
    /// What the conditional share of a batch hides.
    pub masks: Masks,
    /// What the particles of UCD-SMC are taken along.
    pub path: SmcPath,
    estimator: EstimatorKind,
    texts: [String; Setting::ALL.len()],
}

impl Default for Draft {
    fn default() -> Self {
        Self::digits()
    }
}

impl Draft {
    /// What suits pictures of digits, in a browser: a first layer as wide as the picture, and shapes within seconds.
    pub fn digits() -> Self {
        Self::suited(|[_key, digits, _bars]| digits)
    }

    /// What suits the data of this name in an address; of the visitor's own data nothing is known there.
    pub fn suiting(data: &str) -> Self {
        if data == "bars" { Self::bars() } else { Self::digits() }
    }

    /// What suits a table of so many bits, as the command `dbm impute` has it: there the quiet gradient of contrastive divergence fills gaps better
    /// than the unbiased ones after as many steps.
    pub fn table(width: u32) -> Self {
        let mut draft = Self::digits();
        draft.estimator = EstimatorKind::Cd;
        let hidden = (4 * width).clamp(32, 500).to_string();
        for (setting, text) in [
            (Setting::Hidden, &*hidden),
            (Setting::LearningRate, "0.002"),
            (Setting::K, "5"),
            (Setting::WeightDecay, "0"),
            (Setting::Conditional, "0"),
        ] {
            draft.set(setting, text.into());
        }
        draft
    }

    /// What suits bars and stripes: 28 units in all, where couplings do happen.
    pub fn bars() -> Self {
        Self::suited(|[_key, _digits, bars]| bars)
    }

    fn suited(of: fn([&'static str; 3]) -> &'static str) -> Self {
        let text = |setting: Setting| rows(SUITED).find(|row| row[0] == setting.words().key).map_or("", of);
        Self {
            units: Units::Signs,
            method: OptimizerMethod::Adam,
            centered: false,
            start: StartKind::Orthogonal,
            marginalize: true,
            masks: Masks::Mixed,
            path: SmcPath::default(),
            estimator: EstimatorKind::UcdLmi,
            texts: Setting::ALL.map(|setting| text(setting).into()),
        }
    }

    /// The form that asks for a run which exists; what that run does not have is as suggested.
    pub fn of(plan: &RunPlan) -> Self {
        let s = &plan.settings;
        let e = &s.estimator;
        let mut draft = Self {
            units: plan.units,
            method: s.optimizer.method,
            centered: e.centering.is_some(),
            marginalize: s.marginalize,
            masks: s.masks,
            path: e.path,
            estimator: e.kind,
            ..Self::default()
        };
        for (setting, text) in [
            (Setting::Hidden, listed(&plan.hidden, ", ")),
            (Setting::LearningRate, s.optimizer.learning_rate.to_string()),
            (Setting::RateDecay, s.optimizer.decay_steps.to_string()),
            (Setting::Batch, s.batch.to_string()),
            (Setting::Seed, s.seed.to_string()),
            (Setting::WeightDecay, s.optimizer.weight_decay.to_string()),
            (Setting::Average, s.average.map(|decay| decay.to_string()).unwrap_or_default()),
            (Setting::Conditional, s.conditional.to_string()),
            (Setting::MaxSweeps, s.max_sweeps.to_string()),
            (Setting::MaxMeeting, s.max_meeting.to_string()),
            (Setting::K, e.k.to_string()),
            (Setting::ModeSweeps, e.mode_sweeps.to_string()),
            (Setting::MaxTries, e.max_tries.to_string()),
            (Setting::MeanFieldSweeps, e.mean_field_sweeps.to_string()),
            (Setting::Particles, e.particles.to_string()),
            (Setting::SmcSteps, e.smc_steps.to_string()),
            (Setting::AverageFrom, e.average_from.to_string()),
            (Setting::AverageTo, e.average_to.to_string()),
            (Setting::LadderEvery, e.ladder_every.to_string()),
            (Setting::CenteringRate, e.centering.unwrap_or(CENTERING_RATE).to_string()),
            (Setting::Momentum, s.optimizer.momentum.to_string()),
        ] {
            draft.set(setting, text);
        }
        match plan.start {
            Initialization::Orthogonal => {}
            Initialization::Gaussian { .. } => draft.start = StartKind::Gaussian,
            Initialization::Independent => draft.start = StartKind::Independent,
            Initialization::Pretrained { steps, learning_rate } => {
                draft.start = StartKind::Pretrained;
                draft.set(Setting::PretrainingSteps, steps.to_string());
                draft.set(Setting::PretrainingRate, learning_rate.to_string());
            }
        }
        draft
    }

    /// What is typed in a field.
    pub fn text(&self, setting: Setting) -> &str {
        &self.texts[setting as usize]
    }

    /// Types something else into it.
    pub fn set(&mut self, setting: Setting, text: String) {
        self.texts[setting as usize] = text;
    }

    /// The estimator of the gradient.
    pub fn estimator(&self) -> EstimatorKind {
        self.estimator
    }

    /// Chooses another estimator. Where the cap on meeting is what was suggested for the one before, it becomes what is suggested
    /// for this one; what the visitor typed stays. `visible` units are those of the data.
    pub fn choose_estimator(&mut self, kind: EstimatorKind, visible: u32) {
        let is_suggested = self.number(Setting::MaxMeeting) == Some(f64::from(self.suggested_meeting(visible)));
        // Tempering begins at independent units, and can begin nowhere else; the others can begin there too.
        if kind.descriptor().has_ladder && !self.estimator.descriptor().has_ladder {
            self.start = StartKind::Independent;
        }
        self.estimator = kind;
        if is_suggested {
            self.set(Setting::MaxMeeting, self.suggested_meeting(visible).to_string());
        }
    }

    /// A cap on meeting for this estimator and a model of this size.
    pub fn suggested_meeting(&self, visible: u32) -> u32 {
        let sizes: Vec<u64> = std::iter::once(visible).chain(self.hidden().unwrap_or_default()).map(u64::from).collect();
        let weights: u64 = sizes.windows(2).map(|pair| pair[0] * pair[1]).sum();
        (self.estimator.descriptor().suggested_max_meeting)(weights)
    }

    /// Whether couplings may run so long that the page seems to stand still.
    pub fn meeting_is_slow(&self, visible: u32) -> bool {
        let suggested = f64::from(self.suggested_meeting(visible));
        self.estimator.has(Setting::MaxTries) && self.number(Setting::MaxMeeting).is_some_and(|cap| cap > 5.0 * suggested)
    }

    /// Whether the chosen run has such a setting; what is typed in the others does not matter.
    pub fn applies(&self, setting: Setting) -> bool {
        match setting {
            Setting::MaxSweeps
            | Setting::ModeSweeps
            | Setting::MaxMeeting
            | Setting::K
            | Setting::MaxTries
            | Setting::MeanFieldSweeps
            | Setting::Particles
            | Setting::SmcSteps
            | Setting::AverageFrom
            | Setting::AverageTo
            | Setting::LadderEvery => self.estimator.has(setting),
            Setting::Momentum => self.method == OptimizerMethod::Sgd,
            Setting::CenteringRate => self.centered,
            Setting::PretrainingSteps | Setting::PretrainingRate => self.start == StartKind::Pretrained,
            _ => true,
        }
    }

    /// Whether runs of particles estimate the gradient.
    pub fn has_particles(&self) -> bool {
        self.estimator.has(Setting::Particles)
    }

    /// Whether some of each batch is masked.
    pub fn is_masked(&self) -> bool {
        self.estimator == EstimatorKind::Mp || self.number(Setting::Conditional).is_some_and(|share| share > 0.0)
    }

    /// Why a field does not make sense, if it does not: what was expected and what came.
    pub fn problem(&self, setting: Setting) -> Option<String> {
        let accepted = match setting {
            _ if !self.applies(setting) => true,
            Setting::Hidden => self.hidden().is_some(),
            _ if setting.may_be_blank() && self.text(setting).trim().is_empty() => true,
            _ => self.number(setting).is_some_and(|x| setting.accepts(x)),
        };
        (!accepted).then(|| format!("Expected {}; got “{}”.", setting.expected(), self.text(setting).trim()))
    }

    /// The run it asks for; `None` while a field does not make sense. Settings that the run does not have are as by default.
    pub fn plan(&self) -> Option<RunPlan> {
        if Setting::ALL.into_iter().any(|setting| self.problem(setting).is_some()) {
            return None;
        }
        let default = Settings::default();
        let estimator = EstimatorSettings {
            k: self.small(Setting::K, default.estimator.k)?,
            mode_sweeps: self.small(Setting::ModeSweeps, default.estimator.mode_sweeps)?,
            max_tries: self.small(Setting::MaxTries, default.estimator.max_tries)?,
            mean_field_sweeps: self.small(Setting::MeanFieldSweeps, default.estimator.mean_field_sweeps)?,
            particles: self.small(Setting::Particles, default.estimator.particles)?,
            smc_steps: self.small(Setting::SmcSteps, default.estimator.smc_steps)?,
            average_from: self.small(Setting::AverageFrom, default.estimator.average_from)?,
            average_to: self.small(Setting::AverageTo, default.estimator.average_to)?,
            path: if self.has_particles() { self.path } else { default.estimator.path },
            ladder_every: self.small(Setting::LadderEvery, default.estimator.ladder_every)?,
            centering: self.number(Setting::CenteringRate).filter(|_| self.centered),
            ..EstimatorSettings::new(self.estimator)
        };
        let optimizer = OptimizerSettings {
            method: self.method,
            learning_rate: self.number(Setting::LearningRate)?,
            weight_decay: self.number(Setting::WeightDecay)?,
            decay_steps: self.number(Setting::RateDecay)? as u64,
            momentum: if self.applies(Setting::Momentum) { self.number(Setting::Momentum)? } else { default.optimizer.momentum },
            ..OptimizerSettings::default()
        };
        let settings = Settings {
            optimizer,
            batch: self.number(Setting::Batch)? as usize,
            seed: self.number(Setting::Seed)? as u64,
            estimator,
            marginalize: self.marginalize,
            conditional: self.number(Setting::Conditional)?,
            masks: if self.is_masked() { self.masks } else { default.masks },
            average: self.number(Setting::Average),
            max_sweeps: self.small(Setting::MaxSweeps, default.max_sweeps)?,
            max_meeting: self.small(Setting::MaxMeeting, default.max_meeting)?,
            ..default
        };
        let start = match self.start {
            StartKind::Orthogonal => Initialization::Orthogonal,
            StartKind::Gaussian => Initialization::Gaussian { deviation: DEVIATION },
            StartKind::Independent => Initialization::Independent,
            StartKind::Pretrained => Initialization::Pretrained {
                steps: self.small(Setting::PretrainingSteps, 0)?,
                learning_rate: self.number(Setting::PretrainingRate)?,
            },
        };
        Some(RunPlan { hidden: self.hidden()?, units: self.units, start, settings })
    }

    /// A whole number of a field, or `otherwise` where the run has no such setting.
    fn small(&self, setting: Setting, otherwise: u32) -> Option<u32> {
        if self.applies(setting) { self.number(setting).map(|x| x as u32) } else { Some(otherwise) }
    }

    fn hidden(&self) -> Option<Vec<u32>> {
        let sizes = self.text(Setting::Hidden).split(',').map(|part| decimal(part).filter(|x| Setting::Hidden.accepts(*x)));
        let sizes: Vec<u32> = sizes.map(|size| size.map(|size| size as u32)).collect::<Option<_>>()?;
        (sizes.len() <= Setting::MOST_LAYERS).then_some(sizes)
    }

    fn number(&self, setting: Setting) -> Option<f64> {
        decimal(self.text(setting))
    }
}

/// Whether two plans ask for the same run; the image shape is the worker's to set.
pub fn same_run(a: &RunPlan, b: &RunPlan) -> bool {
    let without = |plan: &RunPlan| RunPlan { settings: Settings { image: None, ..plan.settings.clone() }, ..plan.clone() };
    without(a) == without(b)
}

#[cfg(test)]
mod tests;
