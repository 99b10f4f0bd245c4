//! The part that depends on the browser.

use crate::GpuRun;
use dbm_protocol::transport::{scope, serve};
use dbm_protocol::{GpuCommand, GpuEvent};
use js_sys::{Function, Object, Promise, Reflect};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

thread_local! {
    static RUN: RefCell<GpuRun> = RefCell::default();
}

/// Answers the computing worker.
pub fn start() {
    console_error_panic_hook::set_once();
    serve(async |_, command: GpuCommand| {
        let mut run = RUN.take();
        let mut answer = run.answer(command, now()).await;
        RUN.set(run);
        if let Ok(GpuEvent::Opened(device)) = &mut answer
            && let Some(name) = adapter_name().await
        {
            *device = name;
        }
        answer
    });
}

/// What a browser reveals about its GPU: only maker and kind, and not in the field from which `dbm-gpu` takes the name.
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

fn now() -> f64 {
    scope().performance().map_or(0.0, |performance| performance.now() / 1e3)
}
