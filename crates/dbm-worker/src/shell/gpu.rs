//! The worker that has the GPU: a program of its own beside this one, fetched when it is first started.

use super::{reason, scope};
use dbm_protocol::{Envelope, GpuCommand, GpuEvent, Reply, wire};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Url, Worker, WorkerOptions, WorkerType};

/// Its script, beside this worker's.
const SCRIPT: &str = "dbm-gpu-worker_loader.js";

/// Hears what it says, or why it says no more.
type Hear = fn(Result<Envelope<Reply<GpuEvent>>, String>);

struct Started {
    worker: Worker,
    on_message: Closure<dyn FnMut(MessageEvent)>,
    on_error: Closure<dyn FnMut(JsValue)>,
}

thread_local! {
    static STARTED: RefCell<Option<Started>> = const { RefCell::new(None) };
}

/// Starts it; it speaks first.
pub fn start(hear: Hear) {
    match begin(hear) {
        Ok(started) => STARTED.set(Some(started)),
        Err(problem) => hear(Err(format!("its worker could not be started ({})", reason(&problem)))),
    }
}

fn begin(hear: Hear) -> Result<Started, JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let script = Url::new_with_base(SCRIPT, &scope().location().href())?;
    let worker = Worker::new_with_options(&script.href(), &options)?;
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| hear(wire::unpack(&event.data())));
    let on_error = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let event = event.dyn_ref::<ErrorEvent>();
        // It is dealt with here, and need not reach the page as an error of this worker.
        event.inspect(|event| event.prevent_default());
        let why = event.map(ErrorEvent::message).filter(|why| !why.is_empty());
        hear(Err(why.unwrap_or_else(|| "its worker could not be loaded or stopped".into())));
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    Ok(Started { worker, on_message, on_error })
}

/// Posts it a command.
pub fn ask(request: Envelope<GpuCommand>, hear: Hear) {
    let sent = STARTED.with_borrow(|started| {
        let Some(Started { worker, .. }) = started else { return Ok(()) };
        let parcel = wire::pack(request)?;
        worker.post_message_with_transfer(&parcel.message, &parcel.transfer).map_err(|problem| reason(&problem))
    });
    if let Err(why) = sent {
        hear(Err(format!("its worker could not be sent something ({why})")));
    }
}

/// Ends it, with the run that it has.
pub fn stop() {
    let Some(Started { worker, on_message, on_error }) = STARTED.take() else { return };
    worker.set_onmessage(None);
    worker.set_onerror(None);
    worker.terminate();
    // One of them may be running this very line.
    on_message.forget();
    on_error.forget();
}
