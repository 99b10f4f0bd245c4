//! What each message of the worker changes on the page.

use crate::actions;
use crate::bench::{self, Measuring};
use crate::data::gaps;
use crate::proof;
use crate::state::{DataChoice, Opening, State, Tone, Upload};
use crate::train::draft::{Draft, same_run};
use crate::train::instruments;
use crate::train::log;
use crate::train::shared;
use crate::ui::download;
use crate::worker::checkpoint;
use crate::worker::keeper;
use crate::worker::model_file;
use dbm_protocol::{Command, Event, Metrics, ModelChoice, ModelInfo, Reply, RunPlan};
use leptos::prelude::*;
use std::rc::Rc;

/// What a request was made for.
#[derive(Clone, Debug)]
pub enum Purpose {
    /// To open a model: the pretrained one, or a file of the visitor's of this name and bytes.
    Model(Option<(String, Rc<[u8]>)>),
    /// To have the opened model's run go on.
    Resume,
    /// To save the model in training.
    Save,
    /// To give the model in training to the Proof view.
    Give,
    /// To fill the gaps of the data.
    Impute,
    /// To see how good that is.
    Evaluate,
    /// To use other data; a file that is new becomes an upload when it was read.
    Data(DataChoice, Option<Upload>),
    /// To begin a run, and then, if asked, to go on with this.
    Run(Option<Box<Command>>),
    /// To give a new worker the data and the run of the old one.
    Restore,
    /// To go on with a kept run, at this step, on data that are known or become an upload.
    GoOn {
        /// Its data, where they are known,
        choice: DataChoice,
        /// or else these.
        upload: Option<Upload>,
        /// Gradient steps taken.
        step: u32,
    },
    /// To put back what was there before.
    Undo,
    /// To train.
    Train,
    /// To stop training.
    Pause,
    /// To take one step.
    Step,
    /// To see samples, or filters.
    Samples,
    /// To train at another pace.
    Pace,
    /// To time training.
    Bench,
    /// To stop another request.
    Cancel,
}

/// Takes a message in.
pub fn receive(state: State, id: Option<u32>, purpose: Option<Purpose>, reply: Reply<Event>) {
    let event = match reply {
        Reply::Ready => return begin(state),
        Reply::Progress { done, total, .. } => return take_progress(state, id, purpose.as_ref(), (done, total)),
        Reply::Failed { message } => return take_failure(state, id, purpose.as_ref(), &message),
        Reply::Answer(event) => event,
    };
    match (event, purpose) {
        (Event::Metrics(metrics), _) => take_metrics(state, metrics),
        (Event::Snapshot { step, .. }, purpose) => {
            state.snapshot.set(Some(step));
            keeper::keep(state, step);
            if matches!(purpose, Some(Purpose::Give)) {
                proof::given(checkpoint::latest().map(|bytes| bytes.to_vec()).unwrap_or_default());
            }
            if matches!(purpose, Some(Purpose::Save)) {
                download::model(state, step);
            }
        }
        (Event::Samples(grid), _) => match grid.model {
            ModelChoice::Pretrained => state.samples_pretrained.set(Some(grid)),
            ModelChoice::Training => state.samples_training.set(Some(grid)),
        },
        (Event::Notice { message }, _) => state.say(Tone::News, message),
        (Event::ModelOpened(about), purpose) => {
            state.pretrained.set(Some(about));
            state.opening.set(Opening::Open);
            if let Some(Purpose::Model(Some((name, bytes)))) = purpose {
                model_file::opened(state, name, &bytes);
            }
            actions::new_samples(state, ModelChoice::Pretrained);
        }
        (Event::DataReady { data, model, plan, metrics, .. }, purpose) => {
            state.data.set(Some(data));
            if matches!(purpose, Some(Purpose::Resume)) {
                state
                    .say(Tone::Undoable, format!("The run of the opened model goes on from step {}: press Train.", metrics.step));
            }
            state.evaluation.set(None);
            state.filled.set(None);
            take_data(state, purpose, model, plan, metrics);
        }
        (Event::RunReady { model, plan, metrics, .. }, purpose) => {
            state.choice_before.set(state.choice_in_use.get_untracked());
            take_run(state, model, plan, metrics);
            keeper::anew(state);
            if let Some(Purpose::Run(Some(next))) = purpose {
                actions::go(state, *next);
            }
        }
        (Event::Cancelled, Some(purpose)) => gave_up(state, &purpose),
        (Event::Done, Some(Purpose::Pause)) => state.running.set(false),
        (event, Some(purpose)) => take_answer(state, purpose, event),
        (_, None) => {}
    }
}

/// A worker listens.
fn begin(state: State) {
    if state.bench.with_untracked(Option::is_none) {
        actions::begin(state);
    } else if state.measuring.with_untracked(|measuring| *measuring == Measuring::Starting) {
        // After a worker was lost, the visitor decides.
        bench::begin(state);
    }
}

fn take_progress(state: State, id: Option<u32>, purpose: Option<&Purpose>, (done, total): (u32, u32)) {
    match purpose {
        Some(Purpose::Bench) => state.measuring.update(|measuring| {
            if let Measuring::Working { steps, .. } = measuring {
                *steps = Some((done, total));
            }
        }),
        Some(Purpose::Impute | Purpose::Evaluate) => state.filling.update(|filling| {
            if let Some(busy) = filling.as_mut().filter(|busy| Some(busy.id) == id) {
                (busy.done, busy.total) = (done, total);
            }
        }),
        _ => {}
    }
}

fn take_failure(state: State, id: Option<u32>, purpose: Option<&Purpose>, message: &str) {
    if purpose.is_none() && id.is_none() {
        state.running.set(false);
    }
    state.say(Tone::Error, refusal(purpose, message));
    if let Some(purpose) = purpose {
        gave_up(state, purpose);
    }
    if matches!(purpose, Some(Purpose::Restore)) {
        // Once more without the run: the data and its settings stay.
        state.fed.set(false);
        state.snapshot.set(None);
        state.plan.set(None);
        actions::use_present_data(state);
    }
}

/// Takes in what a request of the visitor's was made for; an answer that nobody waits for any more is dropped.
fn take_answer(state: State, purpose: Purpose, event: Event) {
    match (event, purpose) {
        (Event::Bench(result), Purpose::Bench) => bench::end(state, &result),
        (Event::Imputed { probabilities }, Purpose::Impute) => gaps::fill(state, probabilities),
        (Event::Evaluated(evaluation), Purpose::Evaluate) => {
            state.filling.set(None);
            state.evaluation.set(Some(evaluation));
        }
        _ => {}
    }
}

/// A request will have no answer: the page stops waiting for it.
pub fn gave_up(state: State, purpose: &Purpose) {
    match purpose {
        Purpose::Model(None) => state.opening.set(Opening::Missing),
        Purpose::Impute | Purpose::Evaluate => state.filling.set(None),
        Purpose::Data(..) | Purpose::Restore | Purpose::GoOn { .. } => {
            keeper::stayed(state);
            state.choice.set(state.choice_in_use.get_untracked());
        }
        Purpose::Train => state.running.set(false),
        Purpose::Run(Some(next)) if **next == Command::Train => state.running.set(false),
        Purpose::Give => proof::given(Vec::new()),
        Purpose::Bench => state.measuring.set(Measuring::Stopped),
        _ => {}
    }
}

/// The worker is gone, and with it the run.
pub fn lost(state: State) {
    state.running.set(false);
    state.fed.set(false);
    // Until the next worker has the run, there is nothing to train.
    state.loading.set(true);
    state.metrics.update(|metrics| (metrics.running, metrics.steps_per_second) = (false, 0.0));
    state.notices.withdraw(crate::ui::notices::Tone::Undoable);
}

fn take_metrics(state: State, metrics: Metrics) {
    log::add(&metrics);
    instruments::add_to_history(state, &metrics);
    state.running.set(metrics.running);
    state.metrics.set(metrics);
    shared::compare(state);
}

fn take_data_choice(state: State, purpose: Option<Purpose>) {
    let choice = match purpose {
        Some(Purpose::Data(_, Some(upload))) => {
            let name = upload.name.clone();
            let choice = take_upload(state, upload);
            state.say(Tone::Undoable, format!("Now training on “{name}”, from step 0."));
            choice
        }
        Some(Purpose::GoOn { upload: Some(upload), .. }) => take_upload(state, upload),
        Some(Purpose::GoOn { choice, .. }) => choice,
        Some(Purpose::Data(choice, None)) => {
            if state.plan.get_untracked().is_some() && choice != state.choice_in_use.get_untracked() {
                state.say(Tone::Undoable, "The data set was changed; training begins anew at step 0.");
            }
            choice
        }
        Some(Purpose::Undo) => state.choice_before.get_untracked(),
        _ => return state.choice.set(state.choice_in_use.get_untracked()),
    };
    state.choice_before.set(state.choice_in_use.get_untracked());
    state.choice_in_use.set(choice);
    state.choice.set(choice);
}

/// Takes in a run on data that were not there before, or that are there again.
fn take_data(state: State, purpose: Option<Purpose>, model: ModelInfo, plan: RunPlan, metrics: Metrics) {
    state.loading.set(false);
    let restored = matches!(purpose, Some(Purpose::Restore));
    let before = state.snapshot.get_untracked().filter(|_| restored);
    let replaces = state.metrics.with_untracked(Metrics::begun);
    let taken = if let Some(Purpose::GoOn { step, .. }) = purpose { Some(step) } else { None };
    take_data_choice(state, purpose);
    take_run(state, model, plan, metrics);
    match taken {
        Some(step) => keeper::went_on(state, step, replaces),
        None if before.is_some() => state.snapshot.set(before),
        None => keeper::anew(state),
    }
    keeper::look(state);
}

/// Puts an upload among the others, in place of one of the same name.
fn take_upload(state: State, upload: Upload) -> DataChoice {
    let place = state.uploads.try_update(|uploads| {
        let place = uploads.iter().position(|known| known.name == upload.name).unwrap_or(uploads.len());
        if place == uploads.len() {
            uploads.push(upload);
        } else {
            uploads[place] = upload;
        }
        place
    });
    DataChoice::Upload(place.unwrap_or_default())
}

fn take_run(state: State, model: ModelInfo, plan: RunPlan, metrics: Metrics) {
    if !state.draft.with_untracked(Draft::plan).is_some_and(|drafted| same_run(&drafted, &plan)) {
        state.draft.set(Draft::of(&plan));
    }
    state.plan.set(Some(plan));
    state.training.set(Some(model));
    take_metrics(state, metrics);
    state.snapshot.set(None);
    state.samples_training.set(None);
    state.link_to_copy.set(None);
    shared::set_off(state);
    actions::new_samples(state, ModelChoice::Training);
}

fn refusal(purpose: Option<&Purpose>, message: &str) -> String {
    match purpose {
        Some(Purpose::Data(_, Some(upload))) if !message.contains(&upload.name) => format!("“{}”: {message}", upload.name),
        Some(Purpose::GoOn { .. }) => format!("The kept run cannot be gone on with: {message}. It stays kept."),
        Some(Purpose::Model(None)) => format!("The pretrained model could not be opened: {message} Training works without it."),
        _ => message.into(),
    }
}
