//! The run's latest checkpoint, kept as the browser's own bytes: megabytes every few seconds, for which the page has no use but to pass them on, to the next
//! worker that computes and to the one that keeps the run.

use js_sys::{Reflect, Uint8Array};
use std::cell::RefCell;
use wasm_bindgen::{JsCast, JsValue};

thread_local! {
    static CHECKPOINT: RefCell<Option<Uint8Array>> = const { RefCell::new(None) };
    /// That of a kept run, until the worker that computes has taken it.
    static TAKEN: RefCell<Option<Uint8Array>> = const { RefCell::new(None) };
}

/// Takes the bytes out of a message that brings a snapshot or a kept run, before it is read.
pub fn take(message: &JsValue) {
    for (variant, place) in [("Snapshot", &CHECKPOINT), ("Taken", &TAKEN)] {
        if let Some(inner) = inside(message, "event", variant)
            && let Ok(bytes) = Reflect::get(&inner, &FIELD.into()).and_then(JsCast::dyn_into::<Uint8Array>)
            && Reflect::set(&inner, &FIELD.into(), &Uint8Array::new_with_length(0)).is_ok()
        {
            place.set(Some(bytes));
        }
    }
}

/// Puts the run's into a request of this kind.
pub fn give(request: &JsValue, variant: &str) {
    put(request, variant, CHECKPOINT.with_borrow(Clone::clone));
}

/// Puts the kept run's into a request to restore it.
pub fn give_taken(request: &JsValue) {
    put(request, "Restore", TAKEN.with_borrow(Clone::clone));
}

/// The kept run is the run now.
pub fn adopt_taken() {
    if let Some(bytes) = TAKEN.take() {
        CHECKPOINT.set(Some(bytes));
    }
}

const FIELD: &str = "checkpoint";

fn put(request: &JsValue, variant: &str, bytes: Option<Uint8Array>) {
    if let (Some(inner), Some(bytes)) = (inside(request, "command", variant), bytes) {
        // An object of ours takes any value.
        let _ = Reflect::set(&inner, &FIELD.into(), &bytes);
    }
}

fn inside(message: &JsValue, field: &str, variant: &str) -> Option<JsValue> {
    let what = Reflect::get(message, &field.into()).ok()?;
    what.is_object().then(|| Reflect::get(&what, &variant.into()).ok()).flatten().filter(JsValue::is_object)
}
