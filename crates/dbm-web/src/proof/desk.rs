//! What the view holds: its settings, with undo and the address; the model; the exact values; and the samples so far.

use super::keys::PREFIX;
use super::parameters::{self, Parameter};
use super::plan::{Plan, Question, rounded};
use super::run;
use super::tally::Tally;
use crate::ui::address;
use dbm_core::diagnostics::{CorrectionProbability, ExactGradient};
use dbm_protocol::SmallModel;
use leptos::prelude::*;

/// Edits that can be taken back.
const MEMORY: usize = 200;

/// One copyable value that every part of the view receives by context.
#[derive(Clone, Copy)]
pub struct Desk {
    /// What the view is set to.
    pub plan: RwSignal<Plan>,
    /// The parameters before they are edited, once they are there.
    pub base: RwSignal<Option<SmallModel>>,
    /// With the edits.
    pub model: Memo<Option<SmallModel>>,
    /// The exact values; of the model before while those of the present one are being computed.
    pub truth: RwSignal<Option<ExactGradient>>,
    /// The exact mean of each estimator that is biased, where the model is small enough.
    pub laws: RwSignal<Vec<Option<Vec<f64>>>>,
    /// The samples of each estimator, as of the last look.
    pub tallies: RwSignal<Vec<Tally>>,
    /// What went wrong, in words.
    pub problem: RwSignal<Option<String>>,
    /// How models that grow fare: sizes, and the answer once it has come.
    pub growth: RwSignal<Vec<(Vec<u32>, Option<CorrectionProbability>)>>,
    /// The jobs.
    pub jobs: StoredValue<run::Jobs>,
    past: RwSignal<Vec<Question>>,
    future: RwSignal<Vec<Question>>,
    /// The parameter whose edits are one step back while nothing else is edited.
    editing: StoredValue<Option<usize>>,
    /// The keys of the view as they were last seen in the address, and as they were last written.
    seen: StoredValue<[Vec<(String, String)>; 2]>,
}

/// From the context.
pub fn desk() -> Desk {
    expect_context()
}

impl Desk {
    /// What the address asks for.
    pub fn of_address() -> Self {
        let plan = RwSignal::new(Plan::of(address::get));
        let base = RwSignal::new(None);
        let question = Memo::new(move |_| plan.with(|plan| plan.question.clone()));
        let model = Memo::new(move |_| base.get().map(|base| question.with(|question| question.edited(base))));
        Self {
            plan,
            base,
            model,
            truth: RwSignal::new(None),
            laws: RwSignal::default(),
            tallies: RwSignal::default(),
            problem: RwSignal::new(None),
            growth: RwSignal::default(),
            jobs: StoredValue::default(),
            past: RwSignal::default(),
            future: RwSignal::default(),
            editing: StoredValue::new(None),
            seen: StoredValue::new([own_keys(), own_keys()]),
        }
    }

    /// Writes the settings into the address, and follows what others write there.
    pub fn live_in_address(self) {
        Effect::new(move |before: Option<()>| {
            let pairs = self.plan.with(Plan::pairs);
            // The address as it came is not written anew: what is wrong in it stays to be seen.
            if before.is_some() {
                self.seen.update_value(|[_, written]| written.clone_from(&pairs));
                address::put(PREFIX, pairs);
            }
        });
        address::follow(move || {
            let now = own_keys();
            let known = self.seen.with_value(|seen| seen.contains(&now));
            self.seen.update_value(|seen| seen[0].clone_from(&now));
            if !known {
                self.past.set(Vec::new());
                self.future.set(Vec::new());
                self.plan.set(Plan::of(address::get));
            }
        });
    }

    /// Layer sizes.
    pub fn sizes(self) -> Vec<u32> {
        self.plan.with(|plan| plan.question.sizes.clone())
    }

    /// All parameters, in their order.
    pub fn parameters(self) -> Vec<Parameter> {
        parameters::all(&self.sizes())
    }

    /// The exact gradient of so many parameters; nothing while it is of a model of another shape, or not there yet.
    pub fn exact(self, count: usize) -> Vec<f64> {
        let gradient = self.truth.with(|truth| truth.as_ref().map(|truth| truth.gradient.clone()));
        gradient.filter(|gradient| gradient.len() == count).unwrap_or_default()
    }

    /// The value of a parameter.
    pub fn value(self, place: usize) -> Option<f32> {
        self.model.with(|model| model.as_ref().and_then(|model| parameters::values(model).get(place).copied()))
    }

    /// Changes the model or its data, so that it can be taken back. Successive edits of one parameter are one step.
    pub fn ask(self, parameter: Option<usize>, change: impl FnOnce(&mut Question)) {
        let before = self.plan.with_untracked(|plan| plan.question.clone());
        let mut after = before.clone();
        change(&mut after);
        if after == before {
            return;
        }
        if parameter.is_none() || self.editing.get_value() != parameter {
            self.past.update(|past| {
                past.push(before);
                if past.len() > MEMORY {
                    past.remove(0);
                }
            });
        }
        self.editing.set_value(parameter);
        self.future.set(Vec::new());
        self.put(after);
    }

    fn put(self, question: Question) {
        self.plan.update(|plan| {
            let end = parameters::count(&question.sizes);
            plan.show = plan.show.filter(|&place| place < end);
            plan.pattern = plan.pattern.min(question.data.len().saturating_sub(1));
            plan.question = question;
        });
    }

    /// Sets a parameter by hand.
    pub fn set(self, place: usize, value: f32) {
        self.ask(Some(place), |question| {
            question.edits.insert(place, rounded(value));
        });
    }

    /// Moves a parameter by so much.
    pub fn nudge(self, place: usize, by: f32) {
        if let Some(value) = untrack(|| self.value(place)) {
            self.set(place, value + by);
        }
    }

    /// The next edit is a step of its own.
    pub fn let_go(self) {
        self.editing.set_value(None);
    }

    /// Shows a parameter, or all.
    pub fn show(self, place: Option<usize>) {
        self.let_go();
        if self.plan.with_untracked(|plan| plan.show != place) {
            self.plan.update(|plan| plan.show = place);
        }
    }

    /// Whether there is something to take back, and to do again.
    pub fn steps(self) -> (bool, bool) {
        (self.past.with(|past| !past.is_empty()), self.future.with(|future| !future.is_empty()))
    }

    /// Takes the last edit back.
    pub fn undo(self) {
        self.step(self.past, self.future);
    }

    /// Does it again.
    pub fn redo(self) {
        self.step(self.future, self.past);
    }

    fn step(self, from: RwSignal<Vec<Question>>, to: RwSignal<Vec<Question>>) {
        self.let_go();
        let Some(question) = from.try_update(Vec::pop).flatten() else { return };
        to.update(|to| to.push(self.plan.with_untracked(|plan| plan.question.clone())));
        self.put(question);
    }
}

fn own_keys() -> Vec<(String, String)> {
    let mut all = address::pairs();
    all.retain(|(key, _)| key.starts_with(PREFIX));
    all
}
