//! Workers, from both sides: starting, listening to, posting to and ending one; and, inside it, answering requests.

use crate::wire::{self, Parcel};
use crate::{Body, Envelope, Reply, Request};
use js_sys::Reflect;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, ErrorEvent, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

/// Events of a worker that was started.
pub enum Heard {
    /// It posted this message.
    Message(JsValue),
    /// It is gone or sent something invalid: why.
    Lost(String),
}

/// A worker that this side has started. Dropping it ends the worker and all its work, and no more events follow.
pub struct Started {
    worker: Worker,
    listeners: Vec<Closure<dyn FnMut(JsValue)>>,
}

impl Started {
    /// Starts the program of a script, under a name that tells it its role.
    ///
    /// # Errors
    /// If the browser cannot, in the browser's words.
    pub fn new(script: &str, name: &str, hear: impl Fn(Heard) + 'static) -> Result<Self, String> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(name);
        let worker = Worker::new_with_options(script, &options).map_err(|problem| reason(&problem))?;
        let hear: Rc<dyn Fn(Heard)> = Rc::new(hear);
        let of_message = Rc::clone(&hear);
        let on_message = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            of_message(Heard::Message(event.unchecked_ref::<MessageEvent>().data()));
        });
        let on_error = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            // It is handled here, and need not be reported again in the console or, by a worker, to the page.
            event.unchecked_ref::<Event>().prevent_default();
            let said = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).filter(|why| !why.is_empty());
            let garbled = event.is_instance_of::<MessageEvent>();
            let otherwise = if garbled { "it sent what the browser could not read" } else { "it could not be loaded or stopped" };
            hear(Heard::Lost(said.unwrap_or_else(|| otherwise.into())));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.set_onmessageerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self { worker, listeners: vec![on_message, on_error] })
    }

    /// Posts a message.
    ///
    /// # Errors
    /// If the browser cannot, in the browser's words.
    pub fn post(&self, Parcel { message, transfer }: &Parcel) -> Result<(), String> {
        self.worker.post_message_with_transfer(message, transfer).map_err(|problem| reason(&problem))
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        thread_local! {
            /// Errors in transit when a worker ends concern no one.
            static HUSH: Closure<dyn FnMut(Event)> = Closure::new(|event: Event| event.prevent_default());
        }
        self.worker.set_onmessage(None);
        HUSH.with(|hush| self.worker.set_onerror(Some(hush.as_ref().unchecked_ref())));
        self.worker.set_onmessageerror(None);
        self.worker.terminate();
        // One of them may be running this very line; few workers are ever started.
        self.listeners.drain(..).for_each(Closure::forget);
    }
}

/// The worker in which this program runs.
pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Listens to whoever started this worker.
pub fn listen(receive: impl Fn(JsValue) + 'static) {
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| receive(event.data()));
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget(); // lives as long as the worker
}

/// Reports that this worker is listening, and carries out its requests one after another, in order of arrival, though each may wait for the
/// browser.
pub fn serve<C: Request + 'static>(answer: impl AsyncFn(Option<u32>, C) -> Result<C::Answer, String> + 'static) {
    let answer = Rc::new(answer);
    let waiting = Rc::new(RefCell::new(VecDeque::new()));
    let at_work = Rc::new(Cell::new(false));
    listen(move |data| match wire::unpack::<C>(&data) {
        Ok(request) => {
            waiting.borrow_mut().push_back(request);
            if !at_work.replace(true) {
                let (answer, waiting, at_work) = (Rc::clone(&answer), Rc::clone(&waiting), Rc::clone(&at_work));
                spawn_local(async move {
                    let next = || waiting.borrow_mut().pop_front();
                    while let Some(Envelope { id, body, .. }) = next() {
                        reply::<C::Answer>(id, answer(id, body).await.into());
                    }
                    at_work.set(false);
                });
            }
        }
        Err(message) => reply::<C::Answer>(None, Reply::Failed(message)),
    });
    reply::<C::Answer>(None, Reply::Ready);
}

/// Sends a message to whoever started this worker; with an id, the reply to a request. If it cannot be sent, the reason is sent instead.
pub fn reply<A: Body>(id: Option<u32>, reply: Reply<A>) {
    if let Err(why) = send(Envelope::new(id, reply)) {
        // If even that cannot be sent, the other side notices the silence.
        let _ = send::<A>(Envelope::new(id, Reply::Failed(why)));
    }
}

/// Posts a message to whoever started this worker.
///
/// # Errors
/// Why it could not be sent, in words.
pub fn send<A: Body>(message: Envelope<Reply<A>>) -> Result<(), String> {
    let Parcel { message, transfer } = wire::pack(message)?;
    let sent = scope().post_message_with_transfer(&message, &transfer);
    sent.map_err(|problem| format!("the browser did not send it from the worker to the page ({})", reason(&problem)))
}

/// A JavaScript error in words.
pub fn reason(problem: &JsValue) -> String {
    let message = Reflect::get(problem, &"message".into()).ok().and_then(|message| message.as_string());
    message.or_else(|| problem.as_string()).unwrap_or_else(|| "no reason given".into())
}
