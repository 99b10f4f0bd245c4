//! A worker that the coordinator started: connects a [`Helper`] with its orders and the other replicas' messages.

use super::peer_messages::{Outbox, read};
use super::{on_slice, schedule};
use crate::pool::{Helper, Kind, PoolMessage};
use dbm_protocol::transport::{listen, reason, scope};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, MessagePort};

#[derive(Default)]
struct HelperState {
    helper: Helper,
    /// To the other helpers.
    ports: Vec<MessagePort>,
    outbox: Outbox,
}

impl HelperState {
    /// Posts a message to the coordinator and, if it is meant for them, to the other helpers.
    fn post(&mut self, message: &PoolMessage, to_all: bool) -> Result<(), String> {
        let posted = self.outbox.put(message)?;
        let to_helpers = self.ports.iter().filter(|_| to_all).map(|port| port.post_message(&posted));
        let mut sent = to_helpers.chain([scope().post_message(&posted)]);
        sent.try_for_each(|sent| sent).map_err(|problem| format!("another replica could not be reached ({})", reason(&problem)))
    }
}

thread_local! {
    static STATE: RefCell<HelperState> = RefCell::default();
}

pub fn start() {
    listen(|data| receive(&data));
    on_slice(work);
    or_end(STATE.with_borrow_mut(|state| state.post(&PoolMessage::Greeting, false)));
}

fn receive(data: &JsValue) {
    let Some((message, ports)) = read(data) else {
        wasm_bindgen::throw_str("neither an order nor a message");
    };
    if let PoolMessage::Introduction(_) = message {
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| receive(&event.data()));
        ports.iter().for_each(|port| port.set_onmessage(Some(on_message.as_ref().unchecked_ref())));
        on_message.forget(); // lives as long as the worker
        STATE.with_borrow_mut(|state| state.ports = ports);
    }
    or_end(STATE.with_borrow_mut(|state| state.helper.receive(message)));
    work();
}

/// Reports an error to the coordinator, which ends this pool.
fn or_end<T>(done: Result<T, String>) -> T {
    done.unwrap_or_else(|why| wasm_bindgen::throw_str(&why))
}

fn work() {
    let goes = STATE.with_borrow_mut(|state| {
        for message in state.helper.work() {
            let to_all = message.kind != Kind::Optimizer;
            state.post(&PoolMessage::Computed(message), to_all)?;
        }
        Ok(state.helper.has_work())
    });
    if or_end(goes) {
        schedule();
    }
}
