//! A worker of the diagnostics role: messages in, messages out.

use super::{complain, listen, scope};
use crate::diagnostics::answer;
use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent, Envelope, Reply, wire};
use wasm_bindgen::prelude::*;

pub fn start() {
    listen(|data| receive(&data), || ());
    post(None, Reply::Ready);
}

fn receive(data: &JsValue) {
    match wire::unpack::<DiagnosticsCommand>(data) {
        Ok(Envelope { id, body, .. }) => {
            let result = answer(body, &mut |done, total| post(id, Reply::progress(done, total)));
            post(id, result.into());
        }
        Err(message) => post(None, Reply::Failed { message }),
    }
}

fn post(id: Option<u32>, reply: Reply<DiagnosticsEvent>) {
    let sent = wire::pack(Envelope::new(id, reply))
        .map_err(JsValue::from)
        .and_then(|parcel| scope().post_message_with_transfer(&parcel.message, &parcel.transfer));
    if let Err(problem) = sent {
        complain("the worker could not send a message", &problem);
    }
}
