//! The line to the worker: starts it, numbers requests, matches answers, and replaces a worker that dies or falls silent.

use crate::inbox::{self, Purpose};
use crate::state::{State, Tone};
use crate::worker::checkpoint;
use dbm_protocol::{Command, Envelope, Initialization, Reply, wire};
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

/// What Trunk's loader for the worker is called, beside the page. Versioned: its name carries no hash.
pub const WORKER: &str = concat!("./dbm-worker-wasm_loader.js?v=", env!("CARGO_PKG_VERSION"));
/// How often silence is looked for.
pub const TICK: Duration = Duration::from_secs(2);
/// Ticks without a word, while work is under way, after which a worker counts as lost.
pub const PATIENCE: u32 = 30;
/// Multiply-adds that the slowest machine makes in a tick. Orthogonal weights are made in one piece, without a word meanwhile.
const WORK_A_TICK: u64 = 1_000_000_000;
/// Workers started in vain, one after another, before the page gives up.
const TRIES: u32 = 3;

/// The line, copyable; what it holds stays on the page's thread.
#[derive(Clone, Copy)]
pub struct Link(StoredValue<Inner, LocalStorage>);

#[derive(Default)]
struct Inner {
    worker: Option<Worker>,
    listeners: Vec<Closure<dyn FnMut(JsValue)>>,
    ready: bool,
    next_id: u32,
    pending: BTreeMap<u32, Purpose>,
    silent_ticks: u32,
    /// Ticks of silence that are allowed besides, for what was asked last.
    leave: u32,
    tries: u32,
}

impl Default for Link {
    fn default() -> Self {
        Self(StoredValue::new_local(Inner::default()))
    }
}

impl Link {
    /// Whether the worker listens.
    pub fn ready(&self) -> bool {
        self.0.with_value(|inner| inner.ready)
    }
}

/// Starts the first worker, and watches over it and its successors.
pub fn open(state: State) {
    start(state);
    set_interval(move || listen_for_silence(state), TICK);
}

/// Asks the worker; the answer goes to [`inbox::receive`] with `purpose`. Returns the request's id, if it could be sent.
pub fn ask(state: State, command: Command, purpose: Purpose) -> Option<u32> {
    let Some(worker) = state.link.0.with_value(|inner| inner.worker.clone().filter(|_| inner.ready)) else {
        state.say(Tone::Error, "The worker that computes is not ready yet; try again in a moment.");
        inbox::gave_up(state, &purpose);
        return None;
    };
    let id = state.link.0.try_update_value(|inner| {
        inner.next_id = inner.next_id.wrapping_add(1);
        inner.next_id
    })?;
    let leave = leave(&command);
    let elsewhere = match purpose {
        Purpose::Restore if state.snapshot.with_untracked(Option::is_some) => checkpoint::latest(),
        Purpose::GoOn { .. } => checkpoint::taken(),
        _ => None,
    };
    let request = Envelope::new(Some(id), command);
    let packed = if elsewhere.is_some() { wire::pack_with(&request, elsewhere.as_ref()) } else { wire::pack(request) };
    let sent =
        packed.map_err(JsValue::from).and_then(|parcel| worker.post_message_with_transfer(&parcel.message, &parcel.transfer));
    if let Err(problem) = sent {
        state.say(Tone::Error, format!("The request could not be sent to the worker ({}).", words(&problem)));
        inbox::gave_up(state, &purpose);
        return None;
    }
    state.link.0.update_value(|inner| {
        inner.pending.insert(id, purpose);
        inner.leave = inner.leave.max(leave);
    });
    Some(id)
}

/// Ticks that the start of a run takes at most: orthonormal vectors cost `4 n_l n_{l+1} min(n_l, n_{l+1})`.
pub fn leave(command: &Command) -> u32 {
    let (Command::NewRun { plan } | Command::UseData { plan, .. } | Command::Bench { plan, .. }) = command else { return 0 };
    let work = plan.hidden.windows(2).fold(0_u64, |sum, pair| {
        let (a, b) = (u64::from(pair[0]), u64::from(pair[1]));
        sum.saturating_add(a.saturating_mul(b).saturating_mul(a.min(b)).saturating_mul(4))
    });
    (work / WORK_A_TICK).min(u64::from(u16::MAX)) as u32
}

fn start(state: State) {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = match Worker::new_with_options(WORKER, &options) {
        Ok(worker) => worker,
        Err(problem) => {
            state.say(
                Tone::Error,
                format!("This browser could not start the worker that computes ({}); a current one is needed.", words(&problem)),
            );
            return;
        }
    };
    let on_message = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| hear(state, &event));
    let on_error = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let why = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).filter(|why| !why.is_empty());
        replace(state, &why.unwrap_or_else(|| "it could not be loaded or stopped".into()));
    });
    let on_garbled = Closure::<dyn FnMut(JsValue)>::new(move |_| replace(state, "it sent what the browser could not read"));
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    worker.set_onmessageerror(Some(on_garbled.as_ref().unchecked_ref()));
    state.link.0.update_value(|inner| {
        inner.worker = Some(worker);
        inner.silent_ticks = 0;
        // Listeners of an earlier worker stay: one of them may be running this very line.
        inner.listeners.extend([on_message, on_error, on_garbled]);
    });
}

fn hear(state: State, event: &JsValue) {
    let Some(data) = event.dyn_ref::<MessageEvent>().map(MessageEvent::data) else { return };
    state.link.0.update_value(|inner| (inner.silent_ticks, inner.leave) = (0, 0));
    match wire::unpack_apart::<Reply<dbm_protocol::Event>>(&data) {
        Err(problem) => state.say(Tone::Error, format!("A message of the worker could not be read: {problem}.")),
        Ok((Envelope { id, body: reply, .. }, bulk)) => {
            // Megabytes every few seconds, for which the page has no use but to hand them on.
            bulk.into_iter().for_each(checkpoint::keep);
            match reply {
                Reply::Ready => state.link.0.update_value(|inner| inner.ready = true),
                // Only a worker that has taken its data, and a run on it, counts as one that came up.
                Reply::Answer(dbm_protocol::Event::DataReady { .. }) => state.link.0.update_value(|inner| inner.tries = 0),
                _ => {}
            }
            let last = !matches!(reply, Reply::Progress { .. });
            let purpose = state
                .link
                .0
                .try_update_value(|inner| match id {
                    Some(id) if last => inner.pending.remove(&id),
                    Some(id) => inner.pending.get(&id).cloned(),
                    None => None,
                })
                .flatten();
            inbox::receive(state, id, purpose, reply);
        }
    }
}

fn listen_for_silence(state: State) {
    let lost = state.link.0.try_update_value(|inner| {
        let waiting = inner.worker.is_some() && (!inner.ready || !inner.pending.is_empty() || state.running.get_untracked());
        inner.silent_ticks = if waiting { inner.silent_ticks + 1 } else { 0 };
        inner.silent_ticks > PATIENCE + inner.leave
    });
    if lost == Some(true) {
        replace(state, "it gave no sign for a minute (smaller layers, batches or caps make its steps shorter)");
    }
}

/// Ends a lost worker and starts another; what the page shows stays.
fn replace(state: State, why: &str) {
    let tries = state.link.0.try_update_value(|inner| {
        if let Some(worker) = inner.worker.take() {
            worker.set_onmessage(None);
            worker.set_onerror(None);
            worker.set_onmessageerror(None);
            worker.terminate();
        }
        inner.ready = false;
        (inner.silent_ticks, inner.leave) = (0, 0);
        inner.tries += 1;
        (std::mem::take(&mut inner.pending), inner.tries)
    });
    let Some((pending, tries)) = tries else { return };
    for purpose in pending.into_values() {
        inbox::gave_up(state, &purpose);
    }
    inbox::lost(state);
    if tries > TRIES {
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

/// A JavaScript error in words.
pub fn words(problem: &JsValue) -> String {
    let message = js_sys::Reflect::get(problem, &"message".into()).ok().and_then(|message| message.as_string());
    message.or_else(|| problem.as_string()).unwrap_or_else(|| "no reason given".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::{Settings, Units};
    use dbm_protocol::RunPlan;

    #[test]
    fn wide_models_may_take_their_time_to_begin() {
        let new_run = |hidden: &[u32]| {
            let plan = RunPlan {
                hidden: hidden.to_vec(),
                units: Units::Signs,
                start: Initialization::Orthogonal,
                settings: Settings::default(),
            };
            leave(&Command::NewRun { plan })
        };
        assert_eq!((new_run(&[500, 500]), new_run(&[4000])), (0, 0));
        assert_eq!(new_run(&[4000, 4000, 4000]), 512);
        assert_eq!(new_run(&[u32::MAX; 9]), u32::from(u16::MAX));
        assert_eq!(leave(&Command::Cancel { request: 1 }), 0);
    }
}
