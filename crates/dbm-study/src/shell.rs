//! What is of the browser here: messages in, messages out.

use crate::answer;
use dbm_protocol::{StudyEvent, StudyMessage, StudyRequest, VERSION, wire};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// Answers the page.
pub fn start() {
    console_error_panic_hook::set_once();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| receive(&event.data()));
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget(); // lives as long as the worker
    post(None, StudyEvent::Ready);
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn receive(data: &JsValue) {
    let (id, answer) = match wire::unpack::<StudyRequest>(data) {
        Ok(StudyRequest { id, command, .. }) => {
            let mut progress = |done, total| post(Some(id), StudyEvent::Progress { done, total });
            (Some(id), answer(command, &mut progress))
        }
        Err(message) => (None, Err(message)),
    };
    post(id, answer.unwrap_or_else(|message| StudyEvent::Failed { message }));
}

fn post(id: Option<u32>, event: StudyEvent) {
    let message = StudyMessage { version: VERSION, id, event };
    // What cannot be sent cannot be told either; the page notices the silence.
    let _ = wire::pack(message)
        .map_err(JsValue::from)
        .and_then(|parcel| scope().post_message_with_transfer(&parcel.message, &parcel.transfer));
}
