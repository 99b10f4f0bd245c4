//! The settings form as the visitor typed it, and the run it asks for once every field makes sense.

mod address;

use crate::ui::number::decimal;
use dbm_core::gradient::{CENTERING_RATE, EstimatorKind, EstimatorSettings};
use dbm_core::{OptimizerMethod, OptimizerSettings, Settings, Units};
use dbm_protocol::{Initialization, RunPlan};
use std::str::FromStr;

/// The largest hidden layer the form accepts.
const WIDEST: u32 = 4000;
/// The most hidden layers the form accepts.
const DEEPEST: usize = 4;
/// The largest seed that travels exactly as a JavaScript number.
const LARGEST_SEED: u64 = (1 << 53) - 1;
/// The most Gibbs sweeps the form accepts: a shard of a step makes all of them in one piece.
const MOST_SWEEPS: u64 = 1000;
/// Standard deviation of the Gaussian start (Hinton 2012).
pub const DEVIATION: f64 = 0.01;

/// A field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Sizes of the hidden layers.
    Hidden,
    /// Step size.
    Rate,
    /// Examples a step.
    Batch,
    /// Seed of the run.
    Seed,
    /// L2 penalty.
    WeightDecay,
    /// Decay of the averaged weights; blank for none.
    Average,
    /// Share of the batch with a mask.
    Conditional,
    /// Cap on a search.
    MaxSweeps,
    /// Cap on a coupling.
    MaxMeeting,
    /// Gibbs sweeps a step.
    K,
    /// Cap on the tries of one draw of a Gibbs coupling.
    MaxTries,
    /// Cap on a mean-field iteration.
    MeanFieldSweeps,
    /// Rate of the centering offsets.
    CenteringRate,
    /// Minibatches of pretraining, each layer.
    PretrainingSteps,
    /// Step size of pretraining.
    PretrainingRate,
}

impl Field {
    /// All of them, as the form keeps their texts.
    pub const ALL: [Self; 15] = [
        Self::Hidden,
        Self::Rate,
        Self::Batch,
        Self::Seed,
        Self::WeightDecay,
        Self::Average,
        Self::Conditional,
        Self::MaxSweeps,
        Self::MaxMeeting,
        Self::K,
        Self::MaxTries,
        Self::MeanFieldSweeps,
        Self::CenteringRate,
        Self::PretrainingSteps,
        Self::PretrainingRate,
    ];
}

/// What suits any data.
fn common(field: Field) -> &'static str {
    match field {
        Field::Seed | Field::K => "1",
        Field::MaxSweeps => "1000",
        Field::MaxMeeting => "100000",
        Field::MaxTries => "10000",
        Field::MeanFieldSweeps => "100",
        Field::CenteringRate => "0.01",
        Field::PretrainingSteps => "500",
        _ => "",
    }
}

/// How the parameters begin; what some ways need besides is in their fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartKind {
    /// Semi-orthogonal weights.
    #[default]
    Orthogonal,
    /// Gaussian weights of deviation [`DEVIATION`].
    Gaussian,
    /// Greedy layer-wise pretraining.
    Pretrained,
}

/// The form as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Kind of units.
    pub units: Units,
    /// Which optimizer.
    pub method: OptimizerMethod,
    /// Whether to train in the centered parametrization.
    pub centered: bool,
    /// How the parameters begin.
    pub start: StartKind,
    /// Whether half of each state is replaced by its conditional means.
    pub marginalize: bool,
    estimator: EstimatorKind,
    texts: [String; Field::ALL.len()],
}

impl Default for Draft {
    fn default() -> Self {
        Self::digits()
    }
}

impl Draft {
    /// What suits pictures of digits, in a browser: a first layer as wide as the picture, and shapes within seconds.
    pub fn digits() -> Self {
        Self::with_texts(|field| match field {
            Field::Hidden => "800, 200",
            Field::Rate => "0.001",
            Field::Batch => "100",
            Field::WeightDecay => "0.0005",
            Field::Average => "0.99",
            Field::Conditional => "0.5",
            Field::PretrainingRate => "0.05",
            other => common(other),
        })
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
        for (field, text) in [
            (Field::Hidden, &*hidden),
            (Field::Rate, "0.002"),
            (Field::K, "5"),
            (Field::WeightDecay, "0"),
            (Field::Conditional, "0"),
        ] {
            draft.set(field, text.into());
        }
        draft
    }

    /// What suits bars and stripes: 28 units in all, where couplings do happen.
    pub fn bars() -> Self {
        Self::with_texts(|field| match field {
            Field::Hidden => "8, 4",
            Field::Rate => "0.005",
            Field::Batch => "100",
            Field::WeightDecay | Field::Conditional => "0",
            Field::Average => "",
            Field::PretrainingRate => "0.2",
            other => common(other),
        })
    }

    fn with_texts(text: impl Fn(Field) -> &'static str) -> Self {
        Self {
            units: Units::Signs,
            method: OptimizerMethod::Adam,
            centered: false,
            start: StartKind::Orthogonal,
            marginalize: true,
            estimator: EstimatorKind::UcdLmi,
            texts: Field::ALL.map(|field| text(field).into()),
        }
    }

    /// The form that asks for a run which exists; what that run does not have is as suggested.
    pub fn of(plan: &RunPlan) -> Self {
        let s = &plan.settings;
        let e = &s.estimator;
        let hidden: Vec<String> = plan.hidden.iter().map(ToString::to_string).collect();
        let mut draft = Self {
            units: plan.units,
            method: s.optimizer.method,
            centered: e.centering.is_some(),
            marginalize: s.marginalize,
            estimator: e.kind,
            ..Self::default()
        };
        for (field, text) in [
            (Field::Hidden, hidden.join(", ")),
            (Field::Rate, s.optimizer.learning_rate.to_string()),
            (Field::Batch, s.batch.to_string()),
            (Field::Seed, s.seed.to_string()),
            (Field::WeightDecay, s.optimizer.weight_decay.to_string()),
            (Field::Average, s.average.map(|decay| decay.to_string()).unwrap_or_default()),
            (Field::Conditional, s.conditional.to_string()),
            (Field::MaxSweeps, s.max_sweeps.to_string()),
            (Field::MaxMeeting, s.max_meeting.to_string()),
            (Field::K, e.k.to_string()),
            (Field::MaxTries, e.max_tries.to_string()),
            (Field::MeanFieldSweeps, e.mean_field_sweeps.to_string()),
            (Field::CenteringRate, e.centering.unwrap_or(CENTERING_RATE).to_string()),
        ] {
            draft.set(field, text);
        }
        match plan.start {
            Initialization::Orthogonal => {}
            Initialization::Gaussian { .. } => draft.start = StartKind::Gaussian,
            Initialization::Pretrained { steps, learning_rate } => {
                draft.start = StartKind::Pretrained;
                draft.set(Field::PretrainingSteps, steps.to_string());
                draft.set(Field::PretrainingRate, learning_rate.to_string());
            }
        }
        draft
    }

    /// What is typed in a field.
    pub fn text(&self, field: Field) -> &str {
        &self.texts[field as usize]
    }

    /// Types something else into it.
    pub fn set(&mut self, field: Field, text: String) {
        self.texts[field as usize] = text;
    }

    /// Which estimator.
    pub fn estimator(&self) -> EstimatorKind {
        self.estimator
    }

    /// Chooses another estimator. Where the cap on meeting is what was suggested for the one before, it becomes what is suggested
    /// for this one; what the visitor typed stays. `visible` units are those of the data.
    pub fn choose_estimator(&mut self, kind: EstimatorKind, visible: u32) {
        let is_suggested = self.whole(Field::MaxMeeting) == Some(u64::from(self.suggested_meeting(visible)));
        self.estimator = kind;
        if is_suggested {
            self.set(Field::MaxMeeting, self.suggested_meeting(visible).to_string());
        }
    }

    /// A cap on meeting for this estimator and a model of this size. UCD-LMI meets at once. The chains of UCD-MH meet late every now and
    /// then. Those of UCD-Gibbs hardly ever meet in a wide model, and each of their steps takes time in proportion to the
    /// parameters: the cap keeps a shard of a gradient step, which the worker makes in one piece, to a few seconds.
    pub fn suggested_meeting(&self, visible: u32) -> u32 {
        let sizes: Vec<u64> = std::iter::once(visible).chain(self.hidden().unwrap_or_default()).map(u64::from).collect();
        let weights: u64 = sizes.windows(2).map(|pair| pair[0] * pair[1]).sum();
        match (self.estimator, weights) {
            (EstimatorKind::UcdMh, _) | (EstimatorKind::UcdGibbs, ..=10_000) => 1000,
            (EstimatorKind::UcdGibbs, ..=100_000) => 100,
            (EstimatorKind::UcdGibbs, _) => 10,
            _ => Settings::default().max_meeting,
        }
    }

    /// Whether couplings may run so long that the page seems to stand still.
    pub fn meeting_is_slow(&self, visible: u32) -> bool {
        let suggested = u64::from(self.suggested_meeting(visible));
        self.estimator == EstimatorKind::UcdGibbs && self.whole(Field::MaxMeeting).is_some_and(|cap| cap > 5 * suggested)
    }

    /// Whether the chosen run has such a setting; what is typed in the others does not matter.
    pub fn applies(&self, field: Field) -> bool {
        let kind = self.estimator;
        match field {
            Field::MaxSweeps => matches!(kind, EstimatorKind::UcdLmi | EstimatorKind::Lmi),
            Field::MaxMeeting => kind.is_unbiased(),
            Field::K => kind.has_k(),
            Field::MaxTries => kind == EstimatorKind::UcdGibbs,
            Field::MeanFieldSweeps => kind == EstimatorKind::Pcd,
            Field::CenteringRate => self.centered,
            Field::PretrainingSteps | Field::PretrainingRate => self.start == StartKind::Pretrained,
            _ => true,
        }
    }

    /// Whether the chosen estimator cannot train with the share of masked examples.
    pub fn share_is_impossible(&self) -> bool {
        self.estimator.is_persistent() && self.number(Field::Conditional).is_some_and(|share| share > 0.0)
    }

    /// Why a field does not make sense, if it does not: what was expected and what came.
    pub fn problem(&self, field: Field) -> Option<String> {
        let got = |expected: &str| format!("Expected {expected}; got “{}”.", self.text(field).trim());
        let refuse = |ok: bool, expected: &str| (!ok).then(|| got(expected));
        let rate = "a number above 0 and at most 10";
        if !self.applies(field) {
            return None;
        }
        match field {
            Field::Hidden => refuse(
                self.hidden().is_some(),
                &format!("one to {DEEPEST} whole numbers from 1 to {WIDEST}, with commas between, such as 500, 500"),
            ),
            Field::Rate | Field::PretrainingRate => refuse(self.number(field).is_some_and(|x| x > 0.0 && x <= 10.0), rate),
            Field::Batch => self.refuse_beyond(field, 1, 100_000),
            Field::Seed => self.refuse_beyond(field, 0, LARGEST_SEED),
            Field::WeightDecay => {
                refuse(self.number(field).is_some_and(|x| (0.0..1.0).contains(&x)), "a number from 0 to below 1")
            }
            Field::Average => refuse(
                self.text(field).trim().is_empty() || self.number(field).is_some_and(|x| (0.0..1.0).contains(&x)),
                "a number from 0 to below 1, or nothing for no average",
            ),
            Field::Conditional if self.share_is_impossible() => {
                Some(got("0 with PCD, whose chains are free and cannot keep known pixels"))
            }
            Field::Conditional => refuse(self.number(field).is_some_and(|x| (0.0..=1.0).contains(&x)), "a number from 0 to 1"),
            Field::CenteringRate => {
                refuse(self.number(field).is_some_and(|x| x > 0.0 && x <= 1.0), "a number above 0 and at most 1")
            }
            Field::K => self.refuse_beyond(field, 1, MOST_SWEEPS),
            Field::PretrainingSteps => self.refuse_beyond(field, 1, 1_000_000),
            Field::MaxSweeps | Field::MaxMeeting | Field::MaxTries | Field::MeanFieldSweeps => {
                self.refuse_beyond(field, 1, u64::from(u32::MAX))
            }
        }
    }

    fn refuse_beyond(&self, field: Field, least: u64, most: u64) -> Option<String> {
        let ok = self.whole(field).is_some_and(|n| (least..=most).contains(&n));
        (!ok).then(|| format!("Expected a whole number from {least} to {most}; got “{}”.", self.text(field).trim()))
    }

    /// The run it asks for; `None` while a field does not make sense. Settings that the run does not have are as by default.
    pub fn plan(&self) -> Option<RunPlan> {
        if Field::ALL.into_iter().any(|field| self.problem(field).is_some()) {
            return None;
        }
        let default = Settings::default();
        let estimator = EstimatorSettings {
            k: self.small(Field::K, default.estimator.k)?,
            max_tries: self.small(Field::MaxTries, default.estimator.max_tries)?,
            mean_field_sweeps: self.small(Field::MeanFieldSweeps, default.estimator.mean_field_sweeps)?,
            centering: self.number(Field::CenteringRate).filter(|_| self.centered),
            ..EstimatorSettings::new(self.estimator)
        };
        let optimizer = OptimizerSettings {
            method: self.method,
            learning_rate: self.number(Field::Rate)?,
            weight_decay: self.number(Field::WeightDecay)?,
            ..OptimizerSettings::default()
        };
        let settings = Settings {
            optimizer,
            batch: usize::try_from(self.whole(Field::Batch)?).ok()?,
            seed: self.whole(Field::Seed)?,
            estimator,
            marginalize: self.marginalize,
            conditional: self.number(Field::Conditional)?,
            average: self.number(Field::Average),
            max_sweeps: self.small(Field::MaxSweeps, default.max_sweeps)?,
            max_meeting: self.small(Field::MaxMeeting, default.max_meeting)?,
            ..default
        };
        let start = match self.start {
            StartKind::Orthogonal => Initialization::Orthogonal,
            StartKind::Gaussian => Initialization::Gaussian { deviation: DEVIATION },
            StartKind::Pretrained => Initialization::Pretrained {
                steps: self.small(Field::PretrainingSteps, 0)?,
                learning_rate: self.number(Field::PretrainingRate)?,
            },
        };
        Some(RunPlan { hidden: self.hidden()?, units: self.units, start, settings })
    }

    /// A whole number of a field, or `otherwise` where the run has no such setting.
    fn small(&self, field: Field, otherwise: u32) -> Option<u32> {
        if self.applies(field) { self.whole(field).and_then(|n| n.try_into().ok()) } else { Some(otherwise) }
    }

    fn hidden(&self) -> Option<Vec<u32>> {
        let text = self.text(Field::Hidden).trim();
        let sizes: Vec<u32> = text.split(',').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
        (sizes.len() <= DEEPEST && sizes.iter().all(|size| (1..=WIDEST).contains(size))).then_some(sizes)
    }

    fn number(&self, field: Field) -> Option<f64> {
        decimal(self.text(field))
    }

    fn whole(&self, field: Field) -> Option<u64> {
        u64::from_str(self.text(field).trim()).ok()
    }
}

/// Whether two plans ask for the same run; the image shape is the worker's to set.
pub fn same_run(a: &RunPlan, b: &RunPlan) -> bool {
    let without = |plan: &RunPlan| RunPlan { settings: Settings { image: None, ..plan.settings.clone() }, ..plan.clone() };
    without(a) == without(b)
}

#[cfg(test)]
mod tests;
