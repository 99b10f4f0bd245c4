//! Switches that the browser remembers from visit to visit. A browser that keeps nothing forgets them when the page closes.

use leptos::prelude::window;
use web_sys::Storage;

fn storage() -> Option<Storage> {
    window().local_storage().ok().flatten()
}

/// Whether a switch is on; off if nothing is remembered.
pub fn is_set(name: &str) -> bool {
    storage().and_then(|storage| storage.get_item(name).ok().flatten()).is_some()
}

/// Turns a switch on or off. Returns whether the browser will remember it.
pub fn set(name: &str, on: bool) -> bool {
    storage().is_some_and(|storage| if on { storage.set_item(name, "1") } else { storage.remove_item(name) }.is_ok())
}
