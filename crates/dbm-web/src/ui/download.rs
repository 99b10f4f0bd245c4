//! What the visitor takes home: files that the browser saves.

use crate::data::uploads;
use crate::state::{State, Tone};
use crate::train::log;
use crate::worker::checkpoint;
use dbm_protocol::{BitsFormat, FilesCommand, FilesEvent, Grid, LogFormat, NamedBytes, Product};
use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, HtmlAnchorElement, HtmlCanvasElement, Url};

/// Saves bytes under a name.
pub fn file(state: State, NamedBytes { name, bytes }: &NamedBytes) {
    save(state, name, &Uint8Array::from(bytes.as_slice()));
}

/// Saves the run's latest checkpoint.
pub fn model(state: State, step: u32) {
    if let Some(bytes) = checkpoint::latest() {
        save(state, &format!("dbm-step-{step}.safetensors"), &bytes);
    }
}

/// Saves samples or answers of the model on view, in the form at this place of [`BITS`].
pub fn bits(state: State, name: &str, form: usize, grid: Grid) {
    let format = [BitsFormat::Png, BitsFormat::Npy, BitsFormat::Csv][form.min(2)];
    let visible = untrack(|| state.about()).map(|about| about.visible).unwrap_or_default();
    write(state, Product::Bits { name: name.into(), format, grid, visible });
}

/// The forms of samples and answers.
pub const BITS: &[&str] = &["PNG", "NPY", "CSV"];

/// Saves how training went.
pub fn training_log(state: State, format: LogFormat) {
    write(state, Product::Log { format, rows: log::rows() });
}

fn write(state: State, product: Product) {
    uploads::write(state, FilesCommand::Write(product), move |event| {
        if let FilesEvent::Written(written) = event {
            file(state, &written);
        }
    });
}

/// Saves what a canvas shows as PNG.
pub fn canvas(state: State, canvas: &HtmlCanvasElement, name: String) {
    let done = wasm_bindgen::closure::Closure::once_into_js(move |blob: JsValue| {
        if let Ok(blob) = blob.dyn_into::<Blob>() {
            save_blob(state, &name, &blob);
        }
    });
    let _ = canvas.to_blob(done.unchecked_ref());
}

fn save(state: State, name: &str, bytes: &Uint8Array) {
    if let Ok(blob) = Blob::new_with_u8_array_sequence(&Array::of1(bytes)) {
        save_blob(state, name, &blob);
    }
}

/// Through a link that is pressed and gone: the browser asks where to, or puts it among the downloads.
fn save_blob(state: State, name: &str, blob: &Blob) {
    let saved = (|| {
        let address = Url::create_object_url_with_blob(blob)?;
        let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
        link.set_href(&address);
        link.set_download(name);
        link.click();
        Ok::<_, JsValue>(address)
    })();
    match saved {
        // The browser reads it after this; a minute is enough for it to have begun.
        Ok(address) => set_timeout(move || drop(Url::revoke_object_url(&address)), std::time::Duration::from_mins(1)),
        Err(problem) => state.say(Tone::Error, format!("“{name}” could not be saved: {}.", crate::worker::link::words(&problem))),
    }
}
