//! The state of the view: its settings, with undo; the model; the exact values; and the samples so far.

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

/// Shortest time between two updates of the numbers.
const LOOK: Duration = Duration::from_millis(120);

/// A single copyable value that every part of the view is built from.
#[derive(Clone, Copy)]
pub struct ProofState {
    /// The view's settings.
    pub settings: RwSignal<ProofSettings>,
    /// The parameters before they are edited, once they have arrived, and their source.
    pub base: RwSignal<Option<(ModelSource, SmallModel)>>,
    /// The model with the edits applied.
    pub model: Memo<Option<SmallModel>>,
    /// The exact values; those of the previous model while the present ones are being computed.
    pub exact: RwSignal<Option<ExactGradient>>,
    /// The exact expectation of each biased estimator, if the model is small enough.
    pub expectations: RwSignal<Vec<Option<Vec<f64>>>>,
    /// The samples of each estimator, as of the last update.
    pub estimates: RwSignal<Vec<Estimates>>,
    /// What went wrong, in words.
    pub problem: RwSignal<Option<String>>,
    /// How likely a correction is as the model grows: layer sizes, and the answer once it has arrived.
    pub corrections: RwSignal<Vec<(Vec<u32>, Option<CorrectionProbability>)>>,
    /// The state of the jobs.
    pub jobs: StoredValue<Jobs>,
    /// Limits how often the numbers are shown.
    pub look: Throttle,
    /// Edits of the model and its data.
    pub edits: RwSignal<Edits<ModelAndData>>,
    /// The parameter whose successive edits form one step.
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
    /// Applies the settings of an address, and clears the undo history.
    pub fn adopt(self, settings: ProofSettings) {
        self.edits.set(Edits::default());
        self.settings.set(settings);
    }

    /// Its settings as a form.
    pub fn form(self) -> Form {
        Form::over("proof", self.settings, move |after| self.take(after))
    }

    /// Applies a changed field. Another model is drawn without the edits of the previous one; this can be undone.
    fn take(self, after: ProofSettings) {
        if self.settings.with_untracked(|before| before.model == after.model) {
            return self.settings.set(after);
        }
        self.edit(None, |model| {
            if model.units == after.model.units {
                *model = ModelAndData { edits: BTreeMap::new(), ..after.model };
            } else if model.origin == Origin::Preset {
                // The preset has only one kind of units: for the other, a random model is drawn.
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

    /// All parameters, in order.
    pub fn parameters(self) -> Vec<Parameter> {
        parameters::all(&self.sizes())
    }

    /// The exact gradient; empty while it belongs to a model of another shape, or has not arrived yet.
    pub fn exact_gradient(self) -> Vec<f64> {
        let count = parameters::count(&self.sizes());
        let gradient = self.exact.with(|exact| exact.as_ref().map(|exact| exact.gradient.clone()));
        gradient.filter(|gradient| gradient.len() == count).unwrap_or_default()
    }

    /// Maps each chosen estimator's index and samples.
    pub fn of_chosen<T>(self, of: impl Fn(usize, &Estimates) -> T) -> Vec<T> {
        let chosen = self.settings.with(|settings| settings.chosen);
        self.estimates
            .with(|all| all.iter().enumerate().filter(|(at, _)| chosen[*at]).map(|(at, estimates)| of(at, estimates)).collect())
    }

    /// The value of a parameter.
    pub fn value(self, place: usize) -> Option<f32> {
        self.model.with(|model| model.as_ref().and_then(|model| parameters::values(model).get(place).copied()))
    }

    /// Changes the model or its data, undoably. Successive edits of one parameter are one step.
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

    /// Changes a parameter by this much.
    pub fn nudge(self, place: usize, by: f32) {
        if let Some(value) = untrack(|| self.value(place)) {
            self.set(place, value + by);
        }
    }

    /// Makes the next edit a separate step.
    pub fn end_edit(self) {
        self.editing.set_value(None);
    }

    /// Chooses a parameter, or all.
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

    /// Undoes the last edit, or redoes it.
    pub fn step(self, step: fn(&mut Edits<ModelAndData>, &mut ModelAndData)) {
        self.end_edit();
        let mut model = self.settings.with_untracked(|settings| settings.model.clone());
        self.edits.update(|edits| step(edits, &mut model));
        self.put(model);
    }
}
