//! A worker that the coordinator started: a [`Helper`] between its orders and the other replicas' letters.

use super::parcel::{self, Outbox};
use super::{complain, listen, schedule, scope};
use crate::pool::{Helper, Kind, Order};
use js_sys::Uint8Array;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, MessagePort};

#[derive(Default)]
struct Desk {
    helper: Helper,
    /// To the other helpers.
    ports: Vec<MessagePort>,
    outbox: Outbox,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

pub fn start() {
    listen(|data| receive(&data), work);
    if let Err(problem) = scope().post_message(&parcel::greeting()) {
        complain("a helper could not say that it is there", &problem);
    }
}

fn receive(data: &JsValue) {
    if let Some((index, ports)) = parcel::read_introduction(data) {
        let on_letter = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| receive(&event.data()));
        ports.iter().for_each(|port| port.set_onmessage(Some(on_letter.as_ref().unchecked_ref())));
        on_letter.forget(); // lives as long as the worker
        DESK.set(Desk { helper: Helper::new(index), ports, outbox: Outbox::default() });
        return;
    }
    let done = DESK.with_borrow_mut(|desk| match (parcel::letter(data), parcel::read_order(data)) {
        (Some(letter), _) => desk.helper.receive(letter),
        (None, Some(order)) => {
            let order = postcard::from_bytes::<Order>(&Uint8Array::new(&order).to_vec()).map_err(|problem| problem.to_string());
            order.and_then(|order| desk.helper.order(order))
        }
        (None, None) => Err("neither an order nor a letter".into()),
    });
    if let Err(why) = done {
        // The coordinator hears it, and does without this crew.
        wasm_bindgen::throw_str(&why);
    }
    work();
}

fn work() {
    let goes = DESK.with_borrow_mut(|desk| {
        for letter in desk.helper.work() {
            let message = desk.outbox.put(&letter);
            let to_all = letter.kind != Kind::Optimizer;
            let to_helpers = desk.ports.iter().filter(|_| to_all).map(|port| port.post_message(&message));
            for sent in to_helpers.chain([scope().post_message(&message)]) {
                if let Err(problem) = sent {
                    complain("another replica could not be reached", &problem);
                }
            }
        }
        desk.helper.has_work()
    });
    if goes {
        schedule();
    }
}
