//! Files dropped anywhere on the page, and pasted files or text.

use super::folders::{all_files, with_folders};
use crate::worker::uploads::Uploads;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DragEvent, HtmlElement};

/// Listens for drops and pastes, and shows a sign while a file is dragged over the page.
pub fn drop_zone() -> impl IntoView {
    let uploads = Uploads::of_page();
    let dragging = RwSignal::new(false);
    let carries_files = |event: &DragEvent| {
        let kinds = event.data_transfer().map(|transfer| transfer.types());
        kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind.as_string().as_deref() == Some("Files")))
    };
    let over = window_event_listener(ev::dragover, move |event| {
        if carries_files(&event) {
            event.prevent_default();
            dragging.maybe_update(|dragging| !std::mem::replace(dragging, true));
        }
    });
    let leave = window_event_listener(ev::dragleave, move |event| {
        // A related target means a move between two elements of the page; without one the pointer has left it.
        if event.related_target().is_none() {
            dragging.set(false);
        }
    });
    let drop = window_event_listener(ev::drop, move |event| {
        dragging.set(false);
        if carries_files(&event) {
            event.prevent_default();
            let Some(transfer) = event.data_transfer() else { return };
            if let Some(entries) = with_folders(&transfer) {
                uploads.take_later(all_files(entries));
            } else if let Some(files) = transfer.files() {
                uploads.take(&files);
            }
        }
    });
    let paste = window_event_listener(ev::paste, move |event| {
        if paste(uploads, &event) {
            event.prevent_default();
        }
    });
    on_cleanup(move || [over, leave, drop, paste].into_iter().for_each(WindowListenerHandle::remove));
    view! {
        <Show when=move || dragging.get()>
            <div class="drop" role="status">
                <p>"Drop a data set (a table, an array, pictures) or a model"</p>
            </div>
        </Show>
    }
}

/// Takes in pasted files, or a pasted table as text. Returns whether the paste was for the page.
fn paste(uploads: Uploads, event: &ClipboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let typing = target.is_some_and(|target| target.tag_name() == "INPUT");
    let Some(clipboard) = event.clipboard_data().filter(|_| !typing) else { return false };
    let text = clipboard.get_data("text/plain").unwrap_or_default();
    // A spreadsheet offers its cells as text, as a page, and as a picture of them.
    let of_spreadsheet =
        text.contains(['\n', '\t']) && clipboard.types().iter().any(|kind| kind.as_string().as_deref() == Some("text/html"));
    if let Some(files) = clipboard.files().filter(|files| files.length() > 0 && !of_spreadsheet) {
        uploads.take(&files);
        return true;
    }
    let is_table = of_spreadsheet || text.contains('\n');
    if is_table {
        uploads.take_text(text);
    }
    is_table
}
