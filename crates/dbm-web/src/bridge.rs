//! What the page's two programs say to each other, as events of the window. Each has a memory of its own; the address is their common state, and this is what an
//! address cannot carry.

use crate::state::{State, Tone};
use dbm_protocol::ModelChoice;
use js_sys::{JsString, Uint8Array};
use leptos::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use wasm_bindgen::prelude::*;
use web_sys::{CustomEvent, CustomEventInit};

/// The script that starts the page fetches the second program when it hears this, once.
const NEEDED: &str = "dbm-study";
/// Words for the visitor, told by the second program or by a script and shown by the first.
const SAY: &str = "dbm-say";
/// The second program asks for bytes by their name, which the first one answers with an event named after it.
const ASK: &str = "dbm-ask";

/// What the worker says of models, runs and filters, handed on unread.
const MESSAGE: &str = "dbm-message";
/// Which of the two models is on view.
const MODEL: &str = "dbm-model-shown";
/// The second program wants the filters of a layer.
const FILTERS: &str = "dbm-filters";
/// Messages about one run that are held until the second program listens.
const MOST_HELD: usize = 400;

/// What a message of the worker is about, as far as the second program's instruments follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// The pretrained model.
    Model,
    /// A run that begins.
    Run,
    /// How it goes.
    Progress,
    /// Filters that were asked for.
    Filters,
}

/// Until the second program listens: the latest message about the model, the latest about a run, and those since.
#[derive(Default)]
struct Held {
    model: Option<JsValue>,
    run: Option<JsValue>,
    since: VecDeque<JsValue>,
}

thread_local! {
    static HELD: RefCell<Option<Held>> = RefCell::new(Some(Held::default()));
}

/// First program: hands a message of the worker on.
pub fn pass_on(about: About, message: &JsValue) {
    HELD.with_borrow_mut(|held| {
        let Some(held) = held else { return send(MESSAGE, message) };
        match about {
            About::Model => held.model = Some(message.clone()),
            About::Run => {
                held.run = Some(message.clone());
                held.since.clear();
            }
            About::Progress => {
                if held.since.len() == MOST_HELD {
                    held.since.pop_front();
                }
                held.since.push_back(message.clone());
            }
            About::Filters => {}
        }
    });
}

/// First program: the second one listens from now on, and gets what was held for it.
pub fn let_go() {
    if let Some(Held { model, run, since }) = HELD.take() {
        model.iter().chain(&run).chain(&since).for_each(|message| send(MESSAGE, message));
    }
}

/// Second program: hears the worker's messages, which it asks for by [`ask_again`] of `"messages"`.
pub fn hear_messages(hear: impl Fn(JsValue) + 'static) {
    listen(MESSAGE, hear);
}

/// First program: which model is on view.
pub fn show_model(model: ModelChoice) {
    send(MODEL, &JsValue::from_bool(model == ModelChoice::Training));
}

/// Second program: hears which.
pub fn hear_model(hear: impl Fn(ModelChoice) + 'static) {
    listen(MODEL, move |detail| hear(if detail.is_truthy() { ModelChoice::Training } else { ModelChoice::Pretrained }));
}

/// Second program: wants the filters of a layer of the model on view.
pub fn want_filters(layer: u32) {
    send(FILTERS, &JsValue::from_f64(f64::from(layer)));
}

/// First program: hears that.
pub fn hear_filters(hear: impl Fn(u32) + 'static) {
    listen(FILTERS, move |detail| hear(detail.as_f64().unwrap_or(1.0) as u32));
}

/// Has the second program fetched and started, unless it has been.
pub fn need_study() {
    send(NEEDED, &JsValue::NULL);
}

/// Second program: words for the visitor.
pub fn say(tone: Tone, text: &str) {
    let prefix = if tone == Tone::Error { '!' } else { ' ' };
    send(SAY, &JsString::from(format!("{prefix}{text}")));
}

/// First program: shows the words of others.
pub fn hear_words(state: State) {
    listen(SAY, move |detail| {
        let words = detail.as_string().unwrap_or_default();
        match words.strip_prefix('!') {
            Some(error) => state.say(Tone::Error, error),
            None => state.say(Tone::News, words.trim_start()),
        }
    });
}

/// Of a model with more units than this no checkpoint is given: the second program enumerates it.
pub const MOST_UNITS: u32 = 64;

/// Second program: asks for `"data"` or `"model"`; `then` hears each answer, also later ones, and empty bytes where there is nothing to give.
///
/// `"data"` is the `DataSource` that the run is trained on, by `dbm_protocol::wire::encode` (`wire::read` reads it), the
/// visitor's own examples included. `"model"` is the run as it stands, a checkpoint as `Command::Save` makes it (safetensors), of at most [`MOST_UNITS`] units.
pub fn ask(name: &'static str, then: impl Fn(Vec<u8>) + 'static) {
    listen(&format!("dbm-{name}"), move |detail| {
        if let Ok(bytes) = detail.dyn_into::<Uint8Array>() {
            then(bytes.to_vec());
        }
    });
    ask_again(name);
}

/// Asks once more, where [`ask`] listens already.
pub fn ask_again(name: &'static str) {
    send(ASK, &JsString::from(name));
}

/// First program: calls `asked` with the name of what is asked for.
pub fn hear_questions(asked: impl Fn(&str) + 'static) {
    listen(ASK, move |detail| asked(&detail.as_string().unwrap_or_default()));
}

/// First program: gives what was asked for.
pub fn give(name: &str, bytes: &[u8]) {
    send(&format!("dbm-{name}"), &Uint8Array::from(bytes));
}

fn send(event: &str, detail: &JsValue) {
    let init = CustomEventInit::new();
    init.set_detail(detail);
    if let Ok(event) = CustomEvent::new_with_event_init_dict(event, &init) {
        let _ = window().dispatch_event(&event);
    }
}

fn listen(event: &str, hear: impl Fn(JsValue) + 'static) {
    let listener = Closure::<dyn FnMut(CustomEvent)>::new(move |event: CustomEvent| hear(event.detail())).into_js_value();
    let _ = window().add_event_listener_with_callback(event, listener.unchecked_ref());
}
