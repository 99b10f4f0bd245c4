//! Files of the visitor's: chosen or dropped, read here, parsed by the worker; they never leave the tab.

use crate::actions;
use crate::link::words;
use crate::state::{State, Tone};
use js_sys::futures::JsFuture;
use leptos::ev;
use leptos::prelude::*;
use web_sys::{DragEvent, File};

/// The largest file that is read.
const LARGEST: f64 = 256.0 * 1024.0 * 1024.0;

/// Reads a file and tries it as a data set.
pub fn read(state: State, file: File) {
    let name = file.name();
    if file.size() > LARGEST {
        let size = file.size() / 1024.0 / 1024.0;
        state.say(Tone::Error, format!("“{name}” has {size:.0} MiB; at most 256 MiB can be read here. Use a part of it."));
        return;
    }
    leptos::task::spawn_local(async move {
        match JsFuture::from(file.array_buffer()).await {
            Ok(buffer) => actions::use_upload(state, name, js_sys::Uint8Array::new(&buffer).to_vec()),
            Err(problem) => state.say(Tone::Error, format!("“{name}” could not be read: {}. Choose it again.", words(&problem))),
        }
    });
}

/// Lets files be dropped anywhere on the page.
pub fn accept_drops(state: State) {
    let carries_files = |event: &DragEvent| {
        event
            .data_transfer()
            .is_some_and(|transfer| transfer.types().iter().any(|kind| kind.as_string().as_deref() == Some("Files")))
    };
    let over = move |event: DragEvent| {
        if carries_files(&event) {
            event.prevent_default();
            if !state.dragging.get_untracked() {
                state.dragging.set(true);
            }
        }
    };
    let leave = move |event: DragEvent| {
        // Between two elements of the page there is a related target; outside there is none.
        if event.related_target().is_none() {
            state.dragging.set(false);
        }
    };
    let drop = move |event: DragEvent| {
        state.dragging.set(false);
        if !carries_files(&event) {
            return;
        }
        event.prevent_default();
        let files = event.data_transfer().and_then(|transfer| transfer.files());
        match files.as_ref().and_then(|files| files.get(0)) {
            Some(file) => {
                if files.is_some_and(|files| files.length() > 1) {
                    state.say(Tone::News, "One file is a data set here; only the first was read.");
                }
                read(state, file);
            }
            None => state
                .say(Tone::Error, "Nothing that can be read was dropped; drop one file: IDX, IDX in gzip, or CSV of 0/1 rows."),
        }
    };
    let _ = window_event_listener(ev::dragover, over);
    let _ = window_event_listener(ev::dragleave, leave);
    let _ = window_event_listener(ev::drop, drop);
}
