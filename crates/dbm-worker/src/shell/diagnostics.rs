//! A worker of the diagnostics role: each message is a job, done at once.

use crate::diagnostics::answer;
use dbm_protocol::transport::{listen, reply};
use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent, Envelope, Reply, wire};
use wasm_bindgen::prelude::*;

pub fn start() {
    listen(|data| receive(&data));
    reply::<DiagnosticsEvent>(None, Reply::Ready);
}

fn receive(data: &JsValue) {
    match wire::unpack::<DiagnosticsCommand>(data) {
        Ok(Envelope { id, body, .. }) => {
            let result = answer(body, &mut |done, total| reply::<DiagnosticsEvent>(id, Reply::progress(done, total)));
            reply::<DiagnosticsEvent>(id, result.into());
        }
        Err(message) => reply::<DiagnosticsEvent>(None, Reply::Failed(message)),
    }
}
