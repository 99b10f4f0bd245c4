//! The run's latest checkpoint, kept as the browser's own bytes: megabytes every few seconds, for which the page has no use but to give them to the next worker.

use js_sys::{Reflect, Uint8Array};
use std::cell::RefCell;
use wasm_bindgen::{JsCast, JsValue};

thread_local! {
    static CHECKPOINT: RefCell<Option<Uint8Array>> = const { RefCell::new(None) };
}

/// Takes the bytes out of a message that brings a snapshot, before it is read.
pub fn take(message: &JsValue) {
    let Some(snapshot) = inside(message, "event", "Snapshot") else { return };
    if let Ok(bytes) = Reflect::get(&snapshot, &FIELD.into()).and_then(JsCast::dyn_into::<Uint8Array>)
        && Reflect::set(&snapshot, &FIELD.into(), &Uint8Array::new_with_length(0)).is_ok()
    {
        CHECKPOINT.set(Some(bytes));
    }
}

/// Puts them into a request to restore the run.
pub fn give(request: &JsValue) {
    if let (Some(restore), Some(bytes)) = (inside(request, "command", "Restore"), CHECKPOINT.with_borrow(Clone::clone)) {
        // An object of ours takes any value.
        let _ = Reflect::set(&restore, &FIELD.into(), &bytes);
    }
}

/// The bytes themselves.
pub fn latest() -> Option<Uint8Array> {
    CHECKPOINT.with_borrow(Clone::clone)
}

const FIELD: &str = "checkpoint";

fn inside(message: &JsValue, field: &str, variant: &str) -> Option<JsValue> {
    let what = Reflect::get(message, &field.into()).ok()?;
    what.is_object().then(|| Reflect::get(&what, &variant.into()).ok()).flatten().filter(JsValue::is_object)
}
