//! What is of the browser here: messages in, messages out. Commands are carried out one after another, in the order they came, though each waits for the device.

use crate::GpuRun;
use dbm_protocol::{Envelope, GpuCommand, GpuEvent, Reply, wire};
use js_sys::{Function, Object, Promise, Reflect};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

thread_local! {
    static WAITING: RefCell<VecDeque<Envelope<GpuCommand>>> = const { RefCell::new(VecDeque::new()) };
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
    static RUN: RefCell<GpuRun> = RefCell::default();
}

/// Answers the computing worker.
pub fn start() {
    console_error_panic_hook::set_once();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| receive(&event.data()));
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget(); // lives as long as the worker
    post(None, Reply::Ready);
}

fn receive(data: &JsValue) {
    match wire::unpack::<GpuCommand>(data) {
        Ok(request) => {
            WAITING.with_borrow_mut(|waiting| waiting.push_back(request));
            if !AT_WORK.replace(true) {
                spawn_local(work());
            }
        }
        Err(message) => post(None, Reply::Failed(message)),
    }
}

async fn work() {
    while let Some(Envelope { id, body, .. }) = WAITING.with_borrow_mut(VecDeque::pop_front) {
        let mut run = RUN.take();
        let mut answer = run.answer(body, now()).await;
        RUN.set(run);
        if let Ok(GpuEvent::Opened(device)) = &mut answer
            && let Some(name) = adapter_name().await
        {
            *device = name;
        }
        post(id, answer.into());
    }
    AT_WORK.set(false);
}

/// What a browser tells of its GPU: no more than maker and kind, which are not where `dbm-gpu` looks for a name.
async fn adapter_name() -> Option<String> {
    let get = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    let gpu = get(&scope().navigator().into(), "gpu")?;
    let request: Function = get(&gpu, "requestAdapter")?.dyn_into().ok()?;
    let options = Object::new();
    Reflect::set(&options, &"powerPreference".into(), &"high-performance".into()).ok()?;
    let adapter = JsFuture::from(request.call1(&gpu, &options).ok()?.dyn_into::<Promise>().ok()?).await.ok()?;
    let info = get(&adapter, "info")?;
    let words = ["vendor", "architecture", "description"].into_iter().filter_map(|word| get(&info, word)?.as_string());
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn now() -> f64 {
    scope().performance().map_or(0.0, |performance| performance.now() / 1e3)
}

fn post(id: Option<u32>, reply: Reply<GpuEvent>) {
    // What cannot be sent cannot be told either; the computing worker notices the silence.
    let _ = wire::pack(Envelope::new(id, reply))
        .map_err(JsValue::from)
        .and_then(|parcel| scope().post_message_with_transfer(&parcel.message, &parcel.transfer));
}
