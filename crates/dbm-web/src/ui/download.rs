//! Files that the browser saves.

use super::notices::Notices;
use super::problem::words;
use dbm_protocol::NamedBytes;
use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, HtmlAnchorElement, HtmlCanvasElement, Url};

/// Saves bytes under a file name.
pub fn file(notices: Notices, NamedBytes { name, bytes }: &NamedBytes) {
    save(notices, name, &Uint8Array::from(bytes.as_slice()));
}

/// Saves the content of a canvas as PNG.
pub fn canvas(notices: Notices, canvas: &HtmlCanvasElement, name: String) {
    let done = wasm_bindgen::closure::Closure::once_into_js(move |blob: JsValue| {
        if let Ok(blob) = blob.dyn_into::<Blob>() {
            save_blob(notices, &name, &blob);
        }
    });
    let _ = canvas.to_blob(done.unchecked_ref());
}

/// Saves the browser's own bytes under a name.
pub fn save(notices: Notices, name: &str, bytes: &Uint8Array) {
    if let Ok(blob) = Blob::new_with_u8_array_sequence(&Array::of1(bytes)) {
        save_blob(notices, name, &blob);
    }
}

/// Clicks a temporary link: the browser asks where to save, or puts the file among the downloads.
fn save_blob(notices: Notices, name: &str, blob: &Blob) {
    let saved = (|| {
        let address = Url::create_object_url_with_blob(blob)?;
        let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
        link.set_href(&address);
        link.set_download(name);
        link.click();
        Ok::<_, JsValue>(address)
    })();
    match saved {
        // The browser reads it later; within a minute it has certainly begun to.
        Ok(address) => set_timeout(move || drop(Url::revoke_object_url(&address)), std::time::Duration::from_mins(1)),
        Err(problem) => notices.error(format!("“{name}” could not be saved: {}.", words(&problem))),
    }
}
