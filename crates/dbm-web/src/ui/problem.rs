//! The browser's errors in words.

use wasm_bindgen::JsValue;

/// A JavaScript error in words.
pub fn words(problem: &JsValue) -> String {
    let message = js_sys::Reflect::get(problem, &"message".into()).ok().and_then(|message| message.as_string());
    message.or_else(|| problem.as_string()).unwrap_or_else(|| "no reason given".into())
}
