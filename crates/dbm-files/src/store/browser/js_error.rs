//! JavaScript's errors in words.

use js_sys::Reflect;
use wasm_bindgen::JsValue;

/// A field of a JavaScript value, if it is text.
pub fn text(value: &JsValue, field: &str) -> Option<String> {
    Reflect::get(value, &field.into()).ok()?.as_string()
}

/// The name of a JavaScript error.
pub fn name(problem: &JsValue) -> String {
    text(problem, "name").unwrap_or_default()
}

/// A JavaScript error in words.
pub fn words(problem: &JsValue) -> String {
    let message = text(problem, "message").or_else(|| problem.as_string()).unwrap_or_default();
    match (name(problem), message) {
        (name, message) if message.is_empty() => name,
        (name, message) if name.is_empty() => message,
        (name, message) => format!("{name}: {message}"),
    }
}
