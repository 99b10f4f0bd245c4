//! The pretrained model's file: fetched once, with progress, and given to every worker that comes up.

use crate::actions;
use crate::inbox::Purpose;
use crate::state::{Opening, State, Tone};
use crate::ui::address::{self, View};
use crate::worker::link::{ask, words};
use dbm_protocol::{Command, ModelChoice};
use js_sys::futures::JsFuture;
use leptos::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ReadableStreamDefaultReader, Response};

/// Beside the page.
const FILE: &str = "models/mnist.safetensors";

thread_local! {
    /// The file, once it is here.
    static BYTES: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Fetches the file and gives it to the worker, if that is up by then; says what went wrong otherwise.
pub fn fetch(state: State) {
    state.opening.set(Opening::Fetching(0.0, None));
    leptos::task::spawn_local(async move {
        match download(state).await {
            Ok(bytes) => {
                BYTES.with_borrow_mut(|kept| *kept = Some(bytes));
                state.opening.set(Opening::Reading);
                if state.session.client().is_ready() {
                    send(state);
                }
            }
            Err(why) => {
                state.opening.set(Opening::Missing);
                state.model.set(ModelChoice::Training);
                state.say(
                    Tone::Error,
                    format!("The pretrained model ({FILE}) could not be fetched: {why}. Reload the page to try again; training works without it."),
                );
            }
        }
        actions::use_present_data(state);
    });
}

/// Gives the worker the file, if it is here.
pub fn send(state: State) {
    if let Some(bytes) = BYTES.with_borrow(Clone::clone) {
        state.opening.set(Opening::Reading);
        let name = state.opened.get_untracked().unwrap_or_else(|| FILE.into());
        ask(state, Command::OpenModel { name, bytes }, Purpose::Model(None));
    }
}

/// Whether a file is a model: safetensors, whose header is JSON of a length that comes first.
pub fn is_model(bytes: &[u8]) -> bool {
    bytes.get(8..10) == Some(b"{\"")
}

/// Tries a file of the visitor's as a model; the one that is open stays where it is refused.
pub fn open(state: State, name: String, bytes: Vec<u8>) {
    let command = Command::OpenModel { name: name.clone(), bytes: bytes.clone() };
    ask(state, command, Purpose::Model(Some((name, Rc::from(bytes)))));
}

/// The worker has opened a file of the visitor's: it takes the place of the one before.
pub fn opened(state: State, name: String, bytes: &[u8]) {
    BYTES.set(Some(bytes.to_vec()));
    state.opened.set(Some(name));
    state.samples_pretrained.set(None);
    actions::view_model(state, ModelChoice::Pretrained);
}

/// Has the opened model's run go on, on the data in use, which it fits.
pub fn resume(state: State) {
    let (Some(bytes), Some(plan)) = (BYTES.with_borrow(Clone::clone), state.plan.get_untracked()) else { return };
    let Some(source) = actions::source(state, state.choice_in_use.get_untracked()) else { return };
    state.model.set(ModelChoice::Training);
    address::go(View::Train);
    ask(state, Command::Restore { source, plan, checkpoint: bytes }, Purpose::Resume);
}

/// Saves the model in training, with all that its run needs to go on.
pub fn save(state: State) {
    ask(state, Command::Save, Purpose::Save);
}

async fn download(state: State) -> Result<Vec<u8>, String> {
    let said = |problem: JsValue| words(&problem);
    let response = JsFuture::from(window().fetch_with_str(FILE)).await.map_err(said)?;
    let response: Response = response.dyn_into().map_err(|_| "the browser gave no answer".to_string())?;
    if !response.ok() {
        return Err(format!("the server answered {} {}", response.status(), response.status_text()));
    }
    let kind = response.headers().get("content-type").ok().flatten().unwrap_or_default();
    if kind.starts_with("text/html") {
        return Err("a safetensors file was expected, and a web page came".into());
    }
    let total = response.headers().get("content-length").ok().flatten().and_then(|length| crate::ui::number::decimal(&length));
    let Some(body) = response.body() else { return Err("the answer was empty".into()) };
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let mut bytes = Vec::new();
    loop {
        let part = JsFuture::from(reader.read()).await.map_err(said)?;
        let get = |name: &str| js_sys::Reflect::get(&part, &name.into());
        if let Ok(chunk) = get("value").and_then(JsCast::dyn_into::<js_sys::Uint8Array>) {
            bytes.extend_from_slice(&chunk.to_vec());
            state.opening.set(Opening::Fetching(bytes.len() as f64, total));
        }
        if get("done").ok().and_then(|done| done.as_bool()) != Some(false) {
            break;
        }
    }
    match total {
        Some(total) if total > bytes.len() as f64 && response.headers().get("content-encoding").ok().flatten().is_none() => {
            Err(format!("{total} bytes were announced, and {} came", bytes.len()))
        }
        _ => Ok(bytes),
    }
}
