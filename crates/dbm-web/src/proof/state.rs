//! What the view holds: its settings, with undo; the model; the exact values; and the samples so far.

use super::estimates::Estimates;
use super::job_state::Jobs;
use super::parameters::{self, Parameter};
use super::settings::{ModelAndData, Origin, ProofSettings, rounded};
use crate::ui::form::Form;
use crate::ui::throttle::Throttle;
use crate::ui::undo::Edits;
use dbm_core::diagnostics::{CorrectionProbability, ExactGradient};
use dbm_protocol::{ModelSource, SmallModel};
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

/// The numbers are shown at most so often.
const LOOK: Duration = Duration::from_millis(120);

/// One copyable value that every part of the view is made with.
#[derive(Clone, Copy)]
pub struct ProofState {
    /// What the view is set to.
    pub settings: RwSignal<ProofSettings>,
    /// The parameters before they are edited, once they are there, and where they come from.
    pub base: RwSignal<Option<(ModelSource, SmallModel)>>,
    /// With the edits.
    pub model: Memo<Option<SmallModel>>,
    /// The exact values; of the model before while those of the present one are being computed.
    pub exact: RwSignal<Option<ExactGradient>>,
    /// The exact expectation of each estimator that is biased, where the model is small enough.
    pub expectations: RwSignal<Vec<Option<Vec<f64>>>>,
    /// The samples of each estimator, as of the last look.
    pub estimates: RwSignal<Vec<Estimates>>,
    /// What went wrong, in words.
    pub problem: RwSignal<Option<String>>,
    /// How likely a correction is as the model grows: layer sizes, and the answer once it has come.
    pub corrections: RwSignal<Vec<(Vec<u32>, Option<CorrectionProbability>)>>,
    /// Where the jobs stand.
    pub jobs: StoredValue<Jobs>,
    /// Shows the latest numbers.
    pub look: Throttle,
    /// Edits of the model and its data.
    pub edits: RwSignal<Edits<ModelAndData>>,
    /// The parameter whose edits are one step back while nothing else is edited.
    editing: StoredValue<Option<usize>>,
}

impl Default for ProofState {
    fn default() -> Self {
        let settings = RwSignal::new(ProofSettings::default());
        let base = RwSignal::new(None::<(ModelSource, SmallModel)>);
        let asked = Memo::new(move |_| settings.with(|settings| settings.model.clone()));
        Self {
            settings,
            base,
            model: Memo::new(move |_| base.get().map(|(_, base)| asked.with(|asked| asked.edited(base)))),
            exact: RwSignal::new(None),
            expectations: RwSignal::default(),
            estimates: RwSignal::default(),
            problem: RwSignal::new(None),
            corrections: RwSignal::default(),
            jobs: StoredValue::default(),
            look: Throttle::new(LOOK),
            edits: RwSignal::default(),
            editing: StoredValue::new(None),
        }
    }
}

impl ProofState {
    /// Takes the settings of an address: there is nothing to take back.
    pub fn adopt(self, settings: ProofSettings) {
        self.edits.set(Edits::default());
        self.settings.set(settings);
    }

    /// Its settings as a form.
    pub fn form(self) -> Form {
        Form::over("proof", self.settings, move |after| self.take(after))
    }

    /// Takes up what a field was set to; another model is drawn without the edits of the one before, and can be taken back.
    fn take(self, after: ProofSettings) {
        if self.settings.with_untracked(|before| before.model == after.model) {
            return self.settings.set(after);
        }
        self.edit(None, |model| {
            if model.units == after.model.units {
                *model = ModelAndData { edits: BTreeMap::new(), ..after.model };
            } else if model.origin == Origin::Preset {
                // The preset is of one kind: the other is drawn.
                *model = ModelAndData::random(after.model.sizes, after.model.units);
            } else {
                model.units = after.model.units;
            }
        });
    }

    /// Layer sizes, the visible one first.
    pub fn sizes(self) -> Vec<u32> {
        self.settings.with(|settings| settings.model.sizes.clone())
    }

    /// All parameters, in their order.
    pub fn parameters(self) -> Vec<Parameter> {
        parameters::all(&self.sizes())
    }

    /// The exact gradient; empty while it is of a model of another shape, or not there yet.
    pub fn exact_gradient(self) -> Vec<f64> {
        let count = parameters::count(&self.sizes());
        let gradient = self.exact.with(|exact| exact.as_ref().map(|exact| exact.gradient.clone()));
        gradient.filter(|gradient| gradient.len() == count).unwrap_or_default()
    }

    /// Something of each chosen estimator's samples, with the estimator's place.
    pub fn of_chosen<T>(self, of: impl Fn(usize, &Estimates) -> T) -> Vec<T> {
        let chosen = self.settings.with(|settings| settings.chosen);
        self.estimates
            .with(|all| all.iter().enumerate().filter(|(at, _)| chosen[*at]).map(|(at, estimates)| of(at, estimates)).collect())
    }

    /// The value of a parameter.
    pub fn value(self, place: usize) -> Option<f32> {
        self.model.with(|model| model.as_ref().and_then(|model| parameters::values(model).get(place).copied()))
    }

    /// Changes the model or its data, so that it can be taken back. Successive edits of one parameter are one step.
    pub fn edit(self, parameter: Option<usize>, change: impl FnOnce(&mut ModelAndData)) {
        let before = self.settings.with_untracked(|settings| settings.model.clone());
        let mut after = before.clone();
        change(&mut after);
        if after == before {
            return;
        }
        if parameter.is_none() || self.editing.get_value() != parameter {
            self.edits.update(|edits| {
                edits.begin(&before);
                edits.end(&after);
            });
        }
        self.editing.set_value(parameter);
        self.put(after);
    }

    fn put(self, model: ModelAndData) {
        self.settings.update(|settings| {
            let end = parameters::count(&model.sizes);
            settings.show = settings.show.filter(|&place| place < end);
            settings.pattern = settings.pattern.min(model.data.len().saturating_sub(1));
            settings.model = model;
        });
    }

    /// Sets a parameter by hand.
    pub fn set(self, place: usize, value: f32) {
        self.edit(Some(place), |model| {
            model.edits.insert(place, rounded(value));
        });
    }

    /// Moves a parameter by so much.
    pub fn nudge(self, place: usize, by: f32) {
        if let Some(value) = untrack(|| self.value(place)) {
            self.set(place, value + by);
        }
    }

    /// Has the next edit be a step of its own.
    pub fn end_edit(self) {
        self.editing.set_value(None);
    }

    /// Shows a parameter, or all.
    pub fn show(self, place: Option<usize>) {
        self.end_edit();
        if self.settings.with_untracked(|settings| settings.show != place) {
            self.settings.update(|settings| settings.show = place);
        }
    }

    /// Whether a bit of the data is high.
    pub fn is_high(self, pattern: usize, unit: usize) -> bool {
        self.settings.with(|settings| settings.model.data.get(pattern).and_then(|bits| bits.get(unit)) == Some(&1))
    }

    /// Flips a bit of the data.
    pub fn flip_bit(self, pattern: usize, unit: usize) {
        self.edit(None, |model| {
            if let Some(bit) = model.data.get_mut(pattern).and_then(|pattern| pattern.get_mut(unit)) {
                *bit ^= 1;
            }
        });
    }

    /// Takes the last edit back, or makes it again.
    pub fn step(self, step: fn(&mut Edits<ModelAndData>, &mut ModelAndData)) {
        self.end_edit();
        let mut model = self.settings.with_untracked(|settings| settings.model.clone());
        self.edits.update(|edits| step(edits, &mut model));
        self.put(model);
    }
}
