//! The coordinator's helpers: workers of its own, with a channel between any two of them.

use super::parcel::{self, Outbox};
use super::{HELPER, complain, scope};
use crate::pool::{Letter, Order};
use js_sys::{Array, Uint8Array};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageChannel, MessageEvent, Worker, WorkerOptions, WorkerType};

/// What the coordinator hears of its helpers.
pub enum Said {
    Letter(Letter),
    /// All of them listen.
    AllUp,
    /// One has stopped or makes no sense, and why.
    Lost(String),
}

#[derive(Default)]
struct Hired {
    workers: Vec<Worker>,
    listeners: Vec<Closure<dyn FnMut(JsValue)>>,
    /// How many have not said yet that they listen.
    missing: usize,
    outbox: Outbox,
}

thread_local! {
    static HIRED: RefCell<Hired> = RefCell::default();
}

/// Starts so many helpers; each counts as up when it has said so.
pub fn hire(count: usize, hear: fn(Said)) {
    let started = (0..count).map(|_| start(hear)).collect::<Result<Vec<_>, JsValue>>();
    match started {
        Ok(started) => {
            let (workers, listeners): (Vec<_>, Vec<_>) = started.into_iter().unzip();
            let listeners = listeners.into_iter().flatten().collect();
            HIRED.set(Hired { workers, listeners, missing: count, outbox: Outbox::default() });
        }
        Err(problem) => hear(Said::Lost(format!("this browser could not start it ({})", reason(&problem)))),
    }
}

type Started = (Worker, [Closure<dyn FnMut(JsValue)>; 3]);

fn start(hear: fn(Said)) -> Result<Started, JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name(HELPER);
    let worker = Worker::new_with_options(&scope().location().href(), &options)?;
    let on_message = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let data = event.dyn_ref::<MessageEvent>().map(MessageEvent::data).unwrap_or_default();
        match parcel::letter(&data) {
            Some(letter) => hear(Said::Letter(letter)),
            None if parcel::is_greeting(&data) => {
                if let Some(said) = greeted() {
                    hear(said);
                }
            }
            None => hear(Said::Lost("it sent what nobody can read".into())),
        }
    });
    let on_error = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let event = event.dyn_ref::<ErrorEvent>();
        // It is dealt with here, and need not reach the page as an error of this worker.
        event.inspect(|event| event.prevent_default());
        let why = event.map(ErrorEvent::message).filter(|why| !why.is_empty());
        hear(Said::Lost(why.unwrap_or_else(|| "it could not be loaded or stopped".into())));
    });
    let on_garbled =
        Closure::<dyn FnMut(JsValue)>::new(move |_| hear(Said::Lost("it sent what the browser could not read".into())));
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    worker.set_onmessageerror(Some(on_garbled.as_ref().unchecked_ref()));
    Ok((worker, [on_message, on_error, on_garbled]))
}

/// One more helper listens. Once all do, they are introduced to each other.
fn greeted() -> Option<Said> {
    HIRED.with_borrow_mut(|hired| {
        hired.missing = hired.missing.checked_sub(1)?;
        if hired.missing > 0 {
            return None;
        }
        Some(introduce(&hired.workers).map_or_else(|problem| Said::Lost(reason(&problem)), |()| Said::AllUp))
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
        worker.post_message_with_transfer(&parcel::introduction(place + 1, ports), ports)?;
    }
    Ok(())
}

/// Ends them all.
pub fn dismiss() {
    let Hired { workers, listeners, .. } = HIRED.take();
    // Errors that are on their way would reach the page as those of this worker.
    let hush = Closure::<dyn FnMut(ErrorEvent)>::new(|event: ErrorEvent| event.prevent_default());
    for worker in workers {
        worker.set_onmessage(None);
        worker.set_onerror(Some(hush.as_ref().unchecked_ref()));
        worker.set_onmessageerror(None);
        worker.terminate();
    }
    hush.forget(); // a crew is dismissed a few times at most
    // One of them may be running this very line.
    listeners.into_iter().for_each(Closure::forget);
}

/// An order to the helpers below number `of`.
pub fn order(of: usize, order: &Order) {
    match postcard::to_allocvec(order) {
        Ok(order) => HIRED.with_borrow(|hired| post(hired, of, &parcel::order(&Uint8Array::from(order.as_slice())))),
        Err(problem) => complain("an order could not be written", &problem.to_string().into()),
    }
}

/// A letter to the same.
pub fn send(of: usize, letter: &Letter) {
    HIRED.with_borrow_mut(|hired| {
        let message = hired.outbox.put(letter);
        post(hired, of, &message);
    });
}

fn post(hired: &Hired, of: usize, message: &JsValue) {
    for worker in hired.workers.iter().take(of.saturating_sub(1)) {
        if let Err(problem) = worker.post_message(message) {
            complain("a helper could not be reached", &problem);
        }
    }
}

fn reason(problem: &JsValue) -> String {
    let message = js_sys::Reflect::get(problem, &"message".into()).ok().and_then(|message| message.as_string());
    message.unwrap_or_else(|| "no reason given".into())
}
