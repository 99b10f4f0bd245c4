//! The coordinator's helpers: workers of its own, with a channel between any two of them.

use super::peer_messages::{Outbox, read};
use super::{HELPER, reason, scope};
use crate::pool::{PeerMessage, PoolMessage};
use js_sys::Array;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageChannel, MessageEvent, Worker, WorkerOptions, WorkerType};

/// What the coordinator hears of its helpers.
pub enum PoolEvent {
    Message(PeerMessage),
    /// All of them listen.
    Ready,
    /// One has stopped or makes no sense, and why.
    Lost(String),
}

#[derive(Default)]
struct Helpers {
    workers: Vec<Worker>,
    listeners: Vec<Closure<dyn FnMut(JsValue)>>,
    /// How many do not listen yet.
    missing: usize,
    outbox: Outbox,
}

thread_local! {
    static HELPERS: RefCell<Helpers> = RefCell::default();
}

/// Starts so many helpers; each counts as up once it has greeted.
pub fn start_all(count: usize, hear: fn(PoolEvent)) {
    let started = (0..count).map(|_| start(hear)).collect::<Result<Vec<_>, JsValue>>();
    match started {
        Ok(started) => {
            let (workers, listeners): (Vec<_>, Vec<_>) = started.into_iter().unzip();
            let listeners = listeners.into_iter().flatten().collect();
            HELPERS.set(Helpers { workers, listeners, missing: count, outbox: Outbox::default() });
        }
        Err(problem) => hear(PoolEvent::Lost(reason(&problem))),
    }
}

type Started = (Worker, [Closure<dyn FnMut(JsValue)>; 3]);

fn start(hear: fn(PoolEvent)) -> Result<Started, JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name(HELPER);
    let worker = Worker::new_with_options(&scope().location().href(), &options)?;
    let on_message = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let data = event.dyn_ref::<MessageEvent>().map(MessageEvent::data).unwrap_or_default();
        match read(&data) {
            Some((PoolMessage::Computed(message), _)) => hear(PoolEvent::Message(message)),
            Some((PoolMessage::Greeting, _)) => greeted().into_iter().for_each(hear),
            _ => hear(PoolEvent::Lost("it sent what nobody can read".into())),
        }
    });
    let on_error = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let event = event.dyn_ref::<ErrorEvent>();
        // It is dealt with here, and need not reach the page as an error of this worker.
        event.inspect(|event| event.prevent_default());
        let why = event.map(ErrorEvent::message).filter(|why| !why.is_empty());
        hear(PoolEvent::Lost(why.unwrap_or_else(|| "it could not be loaded or stopped".into())));
    });
    let on_garbled =
        Closure::<dyn FnMut(JsValue)>::new(move |_| hear(PoolEvent::Lost("it sent what the browser could not read".into())));
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    worker.set_onmessageerror(Some(on_garbled.as_ref().unchecked_ref()));
    Ok((worker, [on_message, on_error, on_garbled]))
}

/// One more helper listens. Once all do, they are introduced to each other.
fn greeted() -> Option<PoolEvent> {
    HELPERS.with_borrow_mut(|helpers| {
        helpers.missing = helpers.missing.checked_sub(1)?;
        if helpers.missing > 0 {
            return None;
        }
        Some(introduce(&helpers.workers).map_or_else(|problem| PoolEvent::Lost(reason(&problem)), |()| PoolEvent::Ready))
    })
}

/// Tells each helper which replica it is, and gives it a port to every other.
fn introduce(workers: &[Worker]) -> Result<(), JsValue> {
    let ports: Vec<Array> = workers.iter().map(|_| Array::new()).collect();
    for (low, first) in ports.iter().enumerate() {
        for second in &ports[low + 1..] {
            let channel = MessageChannel::new()?;
            first.push(&channel.port1());
            second.push(&channel.port2());
        }
    }
    for (place, (worker, ports)) in workers.iter().zip(&ports).enumerate() {
        let message = Outbox::default().put(&PoolMessage::Introduction(place + 1)).map_err(JsValue::from)?;
        worker.post_message_with_transfer(&message.concat(ports), ports)?;
    }
    Ok(())
}

/// Ends them all.
pub fn stop_all() {
    let Helpers { workers, listeners, .. } = HELPERS.take();
    // Errors that are on their way would reach the page as those of this worker.
    let hush = Closure::<dyn FnMut(ErrorEvent)>::new(|event: ErrorEvent| event.prevent_default());
    for worker in workers {
        worker.set_onmessage(None);
        worker.set_onerror(Some(hush.as_ref().unchecked_ref()));
        worker.set_onmessageerror(None);
        worker.terminate();
    }
    hush.forget(); // a pool is dismissed a few times at most
    // One of them may be running this very line.
    listeners.into_iter().for_each(Closure::forget);
}

/// A message to the helpers below number `of`; the error says why one could not be reached.
pub fn send(of: usize, message: &PoolMessage) -> Result<(), String> {
    HELPERS.with_borrow_mut(|Helpers { workers, outbox, .. }| {
        let message = outbox.put(message)?;
        let mut reached = workers.iter().take(of.saturating_sub(1));
        reached.try_for_each(|worker| worker.post_message(&message)).map_err(|problem| reason(&problem))
    })
}
