//! What is of the browser here: messages in, messages out, and the next slice of work.
//!
//! Work is done in slices. Between two of them a worker posts itself a message, so that what others sent meanwhile is heard first, and goes on even where the tab is hidden and timers
//! are slowed down.

mod coordinator;
mod diagnostics;
mod helper;
mod helpers;
mod peer_messages;

use std::cell::{Cell, RefCell};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, MessagePort};

/// Names of workers whose role is not to compute for the page.
const DIAGNOSTICS: &str = "dbm-diagnostics";
const HELPER: &str = "dbm-helper";

thread_local! {
    static NEXT_SLICE: RefCell<Option<MessagePort>> = const { RefCell::new(None) };
    static SCHEDULED: Cell<bool> = const { Cell::new(false) };
}

/// Answers whoever started this worker: the page, or as a helper the coordinator.
pub fn start() {
    console_error_panic_hook::set_once();
    match scope().name().as_str() {
        HELPER => helper::start(),
        DIAGNOSTICS => diagnostics::start(),
        _ => coordinator::start(),
    }
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Hears what the one who started this worker posts, and calls `slice` whenever one was scheduled.
fn listen(mut receive: impl FnMut(JsValue) + 'static, mut slice: impl FnMut() + 'static) {
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
fn schedule() {
    if !SCHEDULED.get() {
        // A message to itself that cannot be sent leaves the worker idle until the next one from elsewhere.
        let sent = NEXT_SLICE.with_borrow(|port| port.as_ref().is_some_and(|port| port.post_message(&JsValue::NULL).is_ok()));
        SCHEDULED.set(sent);
    }
}

/// Has another slice come after so many seconds, unless one is on its way by then; a timer that was set before is set anew.
fn schedule_in(seconds: f64) {
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

fn complain(what: &str, problem: &JsValue) {
    web_sys::console::error_2(&what.into(), problem);
}
