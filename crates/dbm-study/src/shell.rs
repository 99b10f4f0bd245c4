//! What is of the browser here: messages in, messages out.

use crate::answer;
use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent, Envelope, Reply, wire};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// Answers the page.
pub fn start() {
    console_error_panic_hook::set_once();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| receive(&event.data()));
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget(); // lives as long as the worker
    post(None, Reply::Ready);
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn receive(data: &JsValue) {
    let (id, answer) = match wire::unpack::<DiagnosticsCommand>(data) {
        Ok(Envelope { id, body, .. }) => (id, answer(body, &mut |done, total| post(id, Reply::progress(done, total)))),
        Err(message) => (None, Err(message)),
    };
    post(id, answer.into());
}

fn post(id: Option<u32>, reply: Reply<DiagnosticsEvent>) {
    // What cannot be sent cannot be told either; the page notices the silence.
    let _ = wire::pack(Envelope::new(id, reply))
        .map_err(JsValue::from)
        .and_then(|parcel| scope().post_message_with_transfer(&parcel.message, &parcel.transfer));
}
