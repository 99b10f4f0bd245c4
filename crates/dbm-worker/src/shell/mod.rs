//! What all roles need of the browser: messages in, messages out, and the next slice of work, which comes by a message that a worker posts itself.

pub mod coordinator;
pub mod diagnostics;
mod gpu;
pub mod helper;
mod helpers;
mod peer_messages;

use dbm_protocol::{Body, Envelope, Reply, wire};

use std::cell::{Cell, RefCell};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, MessagePort};

/// Names of workers whose role is not to compute for the page.
pub const DIAGNOSTICS: &str = "dbm-diagnostics";
pub const HELPER: &str = "dbm-helper";

thread_local! {
    static NEXT_SLICE: RefCell<Option<MessagePort>> = const { RefCell::new(None) };
    static SCHEDULED: Cell<bool> = const { Cell::new(false) };
}

pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Hears what the one who started this worker posts, and calls `slice` whenever one was scheduled.
pub fn listen(mut receive: impl FnMut(JsValue) + 'static, mut slice: impl FnMut() + 'static) {
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| receive(event.data()));
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget(); // lives as long as the worker
    if let Ok(channel) = MessageChannel::new() {
        let on_slice = Closure::<dyn FnMut()>::new(move || {
            SCHEDULED.set(false);
            slice();
        });
        channel.port1().set_onmessage(Some(on_slice.as_ref().unchecked_ref()));
        on_slice.forget();
        NEXT_SLICE.set(Some(channel.port2()));
    }
}

/// Has another slice come, after what was posted before.
pub fn schedule() {
    if !SCHEDULED.get() {
        // A message to itself that cannot be sent leaves the worker idle until the next one from elsewhere.
        let sent = NEXT_SLICE.with_borrow(|port| port.as_ref().is_some_and(|port| port.post_message(&JsValue::NULL).is_ok()));
        SCHEDULED.set(sent);
    }
}

/// Has another slice come after so many seconds, unless one is on its way by then; a timer that was set before is set anew.
pub fn schedule_in(seconds: f64) {
    thread_local! {
        static WAKE: Closure<dyn FnMut()> = Closure::new(schedule);
        static TIMER: Cell<i32> = const { Cell::new(0) };
    }
    scope().clear_timeout_with_handle(TIMER.get());
    let milliseconds = (1000.0 * seconds).ceil() as i32;
    let timer = WAKE
        .with(|wake| scope().set_timeout_with_callback_and_timeout_and_arguments_0(wake.as_ref().unchecked_ref(), milliseconds));
    match timer {
        Ok(timer) => TIMER.set(timer),
        Err(_) => schedule(), // full speed is better than none
    }
}

/// A JavaScript error in words.
fn reason(problem: &JsValue) -> String {
    let message = js_sys::Reflect::get(problem, &"message".into()).ok().and_then(|message| message.as_string());
    message.unwrap_or_else(|| "no reason given".into())
}

/// Tells the page something: with an id the reply to a request. Where it cannot be sent, the page is told that, and why.
pub fn reply<A: Body>(id: Option<u32>, reply: Reply<A>) {
    if let Err(why) = send(Envelope::new(id, reply)) {
        // What cannot be sent either cannot be told: the page notices the silence.
        let _ = send::<A>(Envelope::new(id, Reply::Failed(why)));
    }
}

/// Posts a message; the error says why it could not be.
fn send<A: Body>(message: Envelope<Reply<A>>) -> Result<(), String> {
    let parcel = wire::pack(message)?;
    let sent = scope().post_message_with_transfer(&parcel.message, &parcel.transfer);
    sent.map_err(|problem| format!("the browser did not send it from the worker to the page ({})", reason(&problem)))
}
