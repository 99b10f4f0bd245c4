//! The roles in the browser, and the next slice of work, which a worker triggers by a message to itself.

pub mod coordinator;
pub mod helper;
mod helpers;
mod peer_messages;

use dbm_protocol::transport::scope;
use std::cell::{Cell, RefCell};
use wasm_bindgen::prelude::*;
use web_sys::{MessageChannel, MessagePort};

/// Name of the workers that share a run and do not answer the page.
pub const HELPER: &str = "dbm-helper";

thread_local! {
    static NEXT_SLICE: RefCell<Option<MessagePort>> = const { RefCell::new(None) };
    static SCHEDULED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `slice` whenever one was scheduled.
pub fn on_slice(mut slice: impl FnMut() + 'static) {
    if let Ok(channel) = MessageChannel::new() {
        let on_slice = Closure::<dyn FnMut()>::new(move || {
            SCHEDULED.set(false);
            slice();
        });
        channel.port1().set_onmessage(Some(on_slice.as_ref().unchecked_ref()));
        on_slice.forget(); // lives as long as the worker
        NEXT_SLICE.set(Some(channel.port2()));
    }
}

/// Schedules another slice, after what was posted before.
pub fn schedule() {
    if !SCHEDULED.get() {
        // If a message to itself cannot be sent, the worker is idle until the next message from elsewhere.
        let sent = NEXT_SLICE.with_borrow(|port| port.as_ref().is_some_and(|port| port.post_message(&JsValue::NULL).is_ok()));
        SCHEDULED.set(sent);
    }
}

/// Schedules another slice after this many seconds, unless one is on its way by then; a timer set earlier is discarded.
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
