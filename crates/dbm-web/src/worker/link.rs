//! The line to the worker: starts it, numbers requests, matches answers, and replaces a worker that dies or falls silent.

use crate::inbox::{self, Purpose};
use crate::state::{State, Tone};
use crate::worker::checkpoint;
use crate::worker::client::{Failure, Progress, Unasked};
use dbm_protocol::{Command, Event, Initialization, Reply};
use leptos::prelude::*;
use std::cell::Cell;
use std::rc::Rc;

/// Workers started in vain, one after another, before the page gives up.
const TRIES: u32 = 3;

thread_local! {
    static FAILED: Cell<u32> = const { Cell::new(0) };
}

/// Starts the first worker, and watches over it and its successors.
pub fn open(state: State) {
    let client = state.session.client();
    client.listen(move |unasked| match unasked {
        Unasked::Ready => inbox::receive(state, None, None, Reply::Ready),
        Unasked::Event(event, bulk) => {
            bulk.into_iter().for_each(checkpoint::keep);
            inbox::receive(state, None, None, Reply::Answer(event));
        }
        Unasked::Failed(message) => inbox::receive(state, None, None, Reply::Failed { message }),
        Unasked::Lost(why) => replace(state, &why),
    });
    start(state);
    Effect::new(move |_| client.expect(state.running.get()));
}

fn start(state: State) {
    if let Err(why) = state.session.client().start() {
        let text = format!("This browser could not start the worker that computes ({why}); a current one is needed.");
        state.say(Tone::Error, text);
    }
}

/// Asks the worker; the answer goes to [`inbox::receive`] with `purpose`. Returns the request's id, if it could be sent.
pub fn ask(state: State, command: Command, purpose: Purpose) -> Option<u32> {
    let client = state.session.client();
    if !client.is_ready() {
        state.say(Tone::Error, "The worker that computes is not ready yet; try again in a moment.");
        inbox::gave_up(state, &purpose);
        return None;
    }
    let bulk = match purpose {
        Purpose::Restore if state.snapshot.with_untracked(Option::is_some) => checkpoint::latest(),
        Purpose::GoOn { .. } => checkpoint::taken(),
        _ => None,
    };
    let (number, meant) = (Rc::new(Cell::new(0)), purpose.clone());
    let heard = number.clone();
    let progress = Box::new(move |progress: Progress| {
        let reply = Reply::progress(progress.done, progress.total);
        inbox::receive(state, Some(heard.get()), Some(meant.clone()), reply);
    });
    let answer = client.ask_with(command, bulk.as_ref(), Some(progress));
    let id = answer.id;
    number.set(id);
    leptos::task::spawn_local(async move {
        match answer.with_bulk().await {
            Ok((event, bulk)) => {
                bulk.into_iter().for_each(checkpoint::keep);
                if matches!(event, Event::DataReady { .. }) {
                    // Only a worker that has taken its data, and a run on it, counts as one that came up.
                    FAILED.set(0);
                }
                inbox::receive(state, Some(id), Some(purpose), Reply::Answer(event));
            }
            Err(Failure::Refused(message)) => inbox::receive(state, Some(id), Some(purpose), Reply::Failed { message }),
            Err(_) => inbox::gave_up(state, &purpose),
        }
    });
    Some(id)
}

/// Starts another worker in place of one that was lost; what the page shows stays.
fn replace(state: State, why: &str) {
    FAILED.set(FAILED.get() + 1);
    inbox::lost(state);
    if FAILED.get() > TRIES {
        state.say(
            Tone::Error,
            format!("The worker that computes cannot be kept alive: {why}. Reload the page; if that does not help, use a smaller model."),
        );
        return;
    }
    let then = if state.bench.with_untracked(Option::is_some) {
        "A new one takes over; press “Run again” to begin anew.".into()
    } else {
        format!(
            "A new one takes over; the model and the data are opened again, what you see stays, and {}.",
            what_of_the_run(state)
        )
    };
    state.say(Tone::Error, format!("The worker that computes was lost: {why}. {then}"));
    start(state);
}

/// What becomes of a run whose worker was lost.
fn what_of_the_run(state: State) -> String {
    match state.snapshot.get_untracked() {
        Some(step) => format!("press Train to go on from step {step}"),
        None if state
            .plan
            .with_untracked(|plan| plan.as_ref().is_some_and(|plan| matches!(plan.start, Initialization::Pretrained { .. }))) =>
        {
            "pretraining begins anew".into()
        }
        None => "training begins anew at step 0".into(),
    }
}

/// What Trunk's loader for the worker is called, beside the page. Versioned: its name carries no hash.
pub const WORKER: &str = concat!("./dbm-worker-wasm_loader.js?v=", env!("CARGO_PKG_VERSION"));
/// How often silence is looked for.
pub const TICK: std::time::Duration = std::time::Duration::from_secs(2);
/// Ticks without a word, while work is under way, after which a worker counts as lost.
pub const PATIENCE: u32 = 30;

/// Ticks of silence that a command is allowed besides.
pub fn leave(command: &Command) -> u32 {
    <dbm_protocol::Computing as crate::worker::client::Served>::startup_grace(command)
}

pub use crate::worker::client::words;
