//! A worker that the coordinator started: a [`Helper`] between its orders and the other replicas' messages.

use super::peer_messages::{self, Outbox};
use super::{complain, listen, schedule, scope};
use crate::pool::{Helper, Kind, Order};
use js_sys::Uint8Array;
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

thread_local! {
    static STATE: RefCell<HelperState> = RefCell::default();
}

pub fn start() {
    listen(|data| receive(&data), work);
    if let Err(problem) = scope().post_message(&peer_messages::greeting()) {
        complain("a helper could not say that it is there", &problem);
    }
}

fn receive(data: &JsValue) {
    if let Some((index, ports)) = peer_messages::read_introduction(data) {
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| receive(&event.data()));
        ports.iter().for_each(|port| port.set_onmessage(Some(on_message.as_ref().unchecked_ref())));
        on_message.forget(); // lives as long as the worker
        STATE.set(HelperState { helper: Helper::new(index), ports, outbox: Outbox::default() });
        return;
    }
    let done = STATE.with_borrow_mut(|state| match (peer_messages::message(data), peer_messages::read_order(data)) {
        (Some(message), _) => state.helper.receive(message),
        (None, Some(order)) => {
            let order = postcard::from_bytes::<Order>(&Uint8Array::new(&order).to_vec()).map_err(|problem| problem.to_string());
            order.and_then(|order| state.helper.order(order))
        }
        (None, None) => Err("neither an order nor a message".into()),
    });
    if let Err(why) = done {
        // The coordinator hears of it, and ends this pool.
        wasm_bindgen::throw_str(&why);
    }
    work();
}

fn work() {
    let goes = STATE.with_borrow_mut(|state| {
        for message in state.helper.work() {
            let posted = state.outbox.put(&message);
            let to_all = message.kind != Kind::Optimizer;
            let to_helpers = state.ports.iter().filter(|_| to_all).map(|port| port.post_message(&posted));
            for sent in to_helpers.chain([scope().post_message(&posted)]) {
                if let Err(problem) = sent {
                    complain("another replica could not be reached", &problem);
                }
            }
        }
        state.helper.has_work()
    });
    if goes {
        schedule();
    }
}
