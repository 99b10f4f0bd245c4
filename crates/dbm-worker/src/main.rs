//! The Web Worker: a [`lab::Lab`] between the page's messages and its own.
//!
//! Work is done in slices. Between two of them the worker posts itself a message, so that what the page sent meanwhile is
//! answered first, and goes on even where the tab is hidden and timers are slowed down.

// Native builds only test what the browser runs.
#![cfg_attr(not(any(target_arch = "wasm32", test)), allow(dead_code))]

mod bench;
mod clock;
mod jobs;
mod lab;
mod recent;
mod run;
mod sources;

fn main() {
    #[cfg(target_arch = "wasm32")]
    shell::start();
}

#[cfg(target_arch = "wasm32")]
mod shell {
    //! What is of the browser here: messages in, messages out, and the next slice.

    use crate::lab::Lab;
    use dbm_protocol::{Event, Message, Request, VERSION};
    use serde::Serialize;
    use std::cell::{Cell, RefCell};
    use wasm_bindgen::prelude::*;
    use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, MessagePort};

    thread_local! {
        static LAB: RefCell<Lab> = RefCell::default();
        static NEXT_SLICE: RefCell<Option<MessagePort>> = const { RefCell::new(None) };
        static SCHEDULED: Cell<bool> = const { Cell::new(false) };
    }

    fn scope() -> DedicatedWorkerGlobalScope {
        js_sys::global().unchecked_into()
    }

    pub fn start() {
        console_error_panic_hook::set_once();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| receive(event.data()));
        scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        on_message.forget(); // lives as long as the worker
        if let Ok(channel) = MessageChannel::new() {
            let on_slice = Closure::<dyn FnMut()>::new(slice);
            channel.port1().set_onmessage(Some(on_slice.as_ref().unchecked_ref()));
            on_slice.forget();
            NEXT_SLICE.set(Some(channel.port2()));
        }
        post(&Message { version: VERSION, id: None, event: Event::Ready });
    }

    fn receive(data: JsValue) {
        let answers = match serde_wasm_bindgen::from_value::<Request>(data) {
            Ok(request) => LAB.with_borrow_mut(|lab| lab.handle(request)),
            Err(problem) => {
                let message = format!(
                    "the worker expected a request of this page's build, but got something else: {problem}; reload the page"
                );
                vec![Message { version: VERSION, id: None, event: Event::Failed { message } }]
            }
        };
        answers.iter().for_each(post);
        schedule();
    }

    fn slice() {
        SCHEDULED.set(false);
        LAB.with_borrow_mut(Lab::work).iter().for_each(post);
        schedule();
    }

    fn schedule() {
        if !SCHEDULED.get() && LAB.with_borrow(Lab::has_work) {
            // A message to itself that cannot be sent leaves the worker idle until the page's next one.
            let sent = NEXT_SLICE.with_borrow(|port| port.as_ref().is_some_and(|port| port.post_message(&JsValue::NULL).is_ok()));
            SCHEDULED.set(sent);
        }
    }

    fn post(message: &Message) {
        let sent = message
            .serialize(&serde_wasm_bindgen::Serializer::new())
            .map_err(JsValue::from)
            .and_then(|value| scope().post_message(&value));
        if let Err(problem) = sent {
            web_sys::console::error_2(&"the worker could not send a message".into(), &problem);
        }
    }
}
