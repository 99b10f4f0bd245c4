//! What the visitor can set in motion.

use crate::inbox::Purpose;
use crate::proof;
use crate::state::{DataChoice, Opening, State, Tone, Upload};
use crate::train::draft::{Draft, same_run};
use crate::ui::address::{self, View};
use crate::worker::link::ask;
use crate::worker::model_file;
use dbm_protocol::{Command, DataSource, Metrics, ModelChoice, fresh_seed};
use leptos::prelude::*;
use std::time::Duration;

/// Generated digits to train on.
const DIGITS: DataSource = DataSource::Digits { count: 10_000, seed: 1 };
/// Steps a second that can be chosen, besides as many as can be.
pub const PACES: [u32; 3] = [1, 5, 20];
/// The most units of a model that the Proof view is given.
const MOST_UNITS: u32 = 64;
/// Samples shown.
pub const SAMPLES: u32 = 64;
/// Training data waits this long for the pretrained model, which the visitor sees first.
const GRACE: Duration = Duration::from_millis(1500);

/// A worker has come up: gives it the model, as soon as it is there, and data.
pub fn begin(state: State) {
    model_file::send(state);
    if state.pace.get_untracked() > 0 {
        set_pace(state);
    }
    if matches!(state.opening.get_untracked(), Opening::Fetching(..)) {
        set_timeout(move || use_present_data(state), GRACE);
    } else {
        use_present_data(state);
    }
}

/// Gives the worker the chosen data, and a run that an earlier worker had begun, unless it has been given some.
pub fn use_present_data(state: State) {
    if !state.session.client().is_ready() || state.fed.get_untracked() {
        return;
    }
    let choice = state.choice_in_use.get_untracked();
    match (source(state, choice), state.plan.get_untracked()) {
        (Some(source), Some(plan)) => {
            state.loading.set(true);
            state.fed.set(true);
            ask(state, Command::Restore { source, plan, checkpoint: Vec::new() }, Purpose::Restore);
        }
        _ => use_data(state, choice),
    }
}

/// The data of a choice, if they are at hand.
pub fn source(state: State, choice: DataChoice) -> Option<DataSource> {
    match choice {
        DataChoice::Digits => Some(DIGITS),
        DataChoice::Bars => Some(DataSource::Bars),
        DataChoice::Mnist => None,
        DataChoice::Upload(place) => {
            state.uploads.with_untracked(|uploads| uploads.get(place).map(|upload| upload.source.clone()))
        }
    }
}

/// Takes one of the known data sets into use, with settings that suit it unless the visitor has changed them.
pub fn use_data(state: State, choice: DataChoice) {
    let Some(source) = source(state, choice) else { return };
    state.choice.set(choice);
    send_data(state, source, choice, None);
}

/// Takes data of the visitor's into use.
pub fn use_upload(state: State, upload: Upload) {
    address::go(View::Train);
    send_data(state, upload.source.clone(), state.choice_in_use.get_untracked(), Some(upload));
}

fn send_data(state: State, source: DataSource, choice: DataChoice, upload: Option<Upload>) {
    let suited = match &source {
        DataSource::Bars => Draft::bars(),
        DataSource::Examples(data) if data.image.is_none() => Draft::table(data.width),
        _ => Draft::digits(),
    };
    let draft = state.draft.get_untracked();
    let width = state.data.with_untracked(|data| data.as_ref().map_or(0, |data| data.width));
    let untouched = [Draft::digits(), Draft::bars(), Draft::table(width)].contains(&draft);
    let draft = if untouched { suited } else { draft };
    let Some(plan) = draft.plan().or_else(|| state.plan.get_untracked()).or_else(|| Draft::default().plan()) else { return };
    state.loading.set(true);
    state.fed.set(true);
    ask(state, Command::UseData { source, plan }, Purpose::Data(choice, upload));
}

/// Trains or takes one step; settings that were changed before the run has done anything are taken up first.
pub fn train(state: State, command: Command) {
    state.model.set(ModelChoice::Training);
    let at_start = !state.metrics.with_untracked(Metrics::begun);
    match state.draft.with_untracked(Draft::plan) {
        Some(plan) if at_start && !state.plan.with_untracked(|p| p.as_ref().is_some_and(|p| same_run(p, &plan))) => {
            state.running.set(command == Command::Train);
            ask(state, Command::NewRun { plan }, Purpose::Run(Some(Box::new(command))));
        }
        None if at_start => state.say(Tone::Error, "One of the settings cannot be used; it is marked below the buttons."),
        _ => go(state, command),
    }
}

/// Sends Train or Step.
pub fn go(state: State, command: Command) {
    if matches!(command, Command::Train | Command::TrainUntil { .. }) {
        state.running.set(true);
        ask(state, command, Purpose::Train);
    } else {
        ask(state, command, Purpose::Step);
    }
}

/// Has the worker train as fast as is chosen; as fast as it can is what it begins with.
pub fn set_pace(state: State) {
    let steps_a_second = state.pace.get_untracked();
    ask(state, Command::Pace { steps_a_second }, Purpose::Pace);
}

/// Asks for what the hidden units of a layer respond to.
pub fn new_filters(state: State, layer: u32) {
    let model = state.model.get_untracked();
    if untrack(|| state.about()).is_some() {
        ask(state, Command::Filters { model, layer, count: SAMPLES }, Purpose::Samples);
    }
}

/// Asks for the checkpoint of the model in training, for the Proof view, which enumerates it: nothing of a model with more units than that.
pub fn give_model(state: State) {
    let units = state.training.with_untracked(|about| about.as_ref().map_or(u32::MAX, |about| about.sizes.iter().sum()));
    if units > MOST_UNITS || ask(state, Command::Save, Purpose::Give).is_none() {
        proof::given(Vec::new());
    }
}

/// Stops training.
pub fn pause(state: State) {
    ask(state, Command::Pause, Purpose::Pause);
}

/// Begins anew at step 0 with the settings of the form, or with those of the present run.
pub fn reset(state: State, same: bool) {
    let plan = if same { state.plan.get_untracked() } else { state.draft.with_untracked(Draft::plan) };
    let Some(plan) = plan else {
        state.say(Tone::Error, "One of the settings cannot be used; it is marked below the buttons.");
        return;
    };
    let (lost, begun) = state.metrics.with_untracked(|metrics| (metrics.step, metrics.begun()));
    if ask(state, Command::NewRun { plan }, Purpose::Run(None)).is_some() && begun {
        let what = if lost > 0 { format!("{lost} steps were") } else { "what was begun was".into() };
        state.say(Tone::Undoable, format!("Training begins anew; {what} set aside."));
    }
}

/// Puts back what a reset or other data replaced.
pub fn undo(state: State) {
    state.notices.withdraw(crate::ui::notices::Tone::Undoable);
    ask(state, Command::Undo, Purpose::Undo);
}

/// Puts a model on view.
pub fn view_model(state: State, model: ModelChoice) {
    choose_model(state, model);
}

/// The same, where another picture comes in any case.
pub fn choose_model(state: State, model: ModelChoice) {
    state.model.set(model);
    if untrack(|| state.samples()).with_untracked(Option::is_none) {
        new_samples(state, model);
    }
}

/// Asks for samples of a model that exists.
pub fn new_samples(state: State, model: ModelChoice) {
    let about = if model == ModelChoice::Pretrained { state.pretrained } else { state.training };
    if about.with_untracked(Option::is_some) {
        ask(state, Command::Samples { model, count: SAMPLES, seed: fresh_seed() }, Purpose::Samples);
    }
}
