//! Messages to the visitor: a list that any part of the page can add to. The newest appear on a strip at the foot of the page,
//! and all of them can be read again.

use super::dropdown::{Dropdown, DropdownMenu};
use js_sys::{Function, Reflect};
use leptos::prelude::*;
use send_wrapper::SendWrapper;
use std::time::Duration;
use wasm_bindgen::prelude::*;
use web_sys::CustomEvent;

/// How serious a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something was refused or failed.
    Error,
    /// Something happened that is good to know.
    News,
    /// Something happened that can be undone; the newest such message replaces the one before.
    Undoable,
    /// Something awaits the visitor's decision, and stays until it is made.
    Offer,
}

/// A button of a message: its label and what it does.
#[derive(Clone, Copy)]
pub struct Remedy {
    /// The label.
    pub label: &'static str,
    /// What a click does.
    pub run: Callback<()>,
}

/// A message with its buttons.
#[derive(Clone)]
pub struct Notice {
    /// Its number.
    pub id: u32,
    /// How serious it is.
    pub tone: Tone,
    /// Its text, a sentence or two.
    pub text: String,
    /// Its buttons, the recommended one first.
    pub remedies: Vec<Remedy>,
    /// What else happens when it is closed.
    pub on_close: Option<Callback<()>>,
    /// Whether it is on the strip or waiting for its turn there, and not just in the list.
    pub is_new: bool,
    /// When it appeared on the strip, in milliseconds since the epoch; `None` until its turn.
    since: Option<f64>,
}

/// The messages on the page: a handle.
#[derive(Clone, Copy, Debug)]
pub struct Notices {
    list: RwSignal<Vec<Notice>>,
    count: StoredValue<u32>,
}

/// Most messages that are kept, not counting offers that are waiting.
const MOST: usize = 20;
/// How long a message that needs no decision stays on the strip, and how long if others are waiting behind it. In milliseconds.
const STAYS: f64 = 10_000.0;
const MAKES_WAY: f64 = 3000.0;
/// How often to look for messages whose time is over.
const LOOK: Duration = Duration::from_millis(500);

impl Default for Notices {
    fn default() -> Self {
        Self { list: RwSignal::default(), count: StoredValue::new(0) }
    }
}

impl Notices {
    /// The one that belongs to the page.
    pub fn of_page() -> Self {
        expect_context()
    }

    /// Something was refused or failed.
    pub fn error(self, text: impl Into<String>) {
        self.failed(text, Vec::new());
    }

    /// Something failed, and these are the ways to continue.
    pub fn failed(self, text: impl Into<String>, remedies: Vec<Remedy>) {
        self.add(Tone::Error, text, remedies, None);
    }

    /// Something happened that is good to know.
    pub fn news(self, text: impl Into<String>) {
        self.add(Tone::News, text, Vec::new(), None);
    }

    /// Something happened that `undo` reverses.
    pub fn undoable(self, text: impl Into<String>, undo: Callback<()>) {
        self.add(Tone::Undoable, text, vec![Remedy { label: "Undo", run: undo }], None);
    }

    /// Something awaits the visitor's decision.
    pub fn offer(self, text: impl Into<String>, remedies: Vec<Remedy>, on_close: Option<Callback<()>>) {
        self.add(Tone::Offer, text, remedies, on_close);
    }

    /// Takes a message off the strip; it can still be read in the list, where it keeps its place. Its closing action runs, and
    /// after that it has no buttons left.
    pub fn close(self, id: u32) {
        let closed = self.list.try_update(|list| {
            let notice = list.iter_mut().find(|notice| notice.id == id)?;
            notice.is_new = false;
            let on_close = notice.on_close.take()?;
            notice.remedies.clear();
            Some(on_close)
        });
        if let Some(on_close) = closed.flatten() {
            on_close.run(());
        }
    }

    /// Removes all messages of a tone: they no longer apply.
    pub fn withdraw(self, tone: Tone) {
        self.list.update(|list| list.retain(|notice| notice.tone != tone));
    }

    /// The same words are never shown twice at a time.
    fn add(self, tone: Tone, text: impl Into<String>, remedies: Vec<Remedy>, on_close: Option<Callback<()>>) {
        let text = text.into();
        let id = self.count.get_value();
        self.count.set_value(id.wrapping_add(1));
        self.list.update(|list| {
            list.retain(|notice| notice.text != text && !(tone == Tone::Undoable && notice.tone == Tone::Undoable));
            list.push(Notice { id, tone, text, remedies, on_close, is_new: true, since: None });
            if let Some(place) =
                list.iter().position(|notice| notice.tone != Tone::Offer || !notice.is_new).filter(|_| list.len() > MOST)
            {
                list.remove(place);
            }
        });
    }

    /// Takes messages off the strip once their time is over: the first of those that only inform, and all those with buttons that
    /// do not wait for an answer. A message that is being read stays, but not for ever if others are waiting: the pointer may
    /// rest on it by chance.
    fn clear_strip(self) {
        let now = js_sys::Date::now();
        let is_read = |id: u32| {
            document().query_selector(&format!("#notice-{id}:is(:hover, :focus-within)")).is_ok_and(|read| read.is_some())
        };
        self.list.maybe_update(|list| {
            let new = || list.iter().filter(|notice| notice.is_new);
            let others_wait = new().filter(|notice| notice.remedies.is_empty()).count() > 1;
            let first = new().find(|notice| notice.remedies.is_empty()).map(|notice| notice.id);
            let mut changed = false;
            for notice in list.iter_mut().filter(|notice| notice.is_new) {
                let says = notice.remedies.is_empty();
                if notice.tone == Tone::Offer || notice.tone == Tone::Error && !says || says && first != Some(notice.id) {
                    continue;
                }
                let shown = now - *notice.since.get_or_insert(now);
                let makes_way = says && others_wait;
                let stays = if makes_way { MAKES_WAY } else { STAYS };
                if shown >= stays && (!is_read(notice.id) || makes_way && shown >= STAYS) {
                    notice.is_new = false;
                    changed = true;
                }
            }
            changed
        });
    }

    /// What is on the strip: the newest message with buttons, or the first of those that only inform.
    fn on_strip(self, offers: bool) -> Option<Notice> {
        self.list.with(|list| {
            let mut new = list.iter().filter(|notice| notice.is_new && notice.remedies.is_empty() != offers);
            if offers { new.next_back() } else { new.next() }.cloned()
        })
    }
}

/// The strip: informing messages one after another, the newest message with buttons, and the list of all. Each has its own place,
/// whatever arrives.
#[component]
pub fn NoticeStrip(
    /// Shown while there is no message.
    rest: String,
) -> impl IntoView {
    let notices = Notices::of_page();
    let all = Dropdown::default();
    set_interval(move || notices.clear_strip(), LOOK); // for as long as the page is open
    let slot = move |offers: bool| {
        let id = Memo::new(move |_| notices.on_strip(offers).map(|notice| notice.id));
        move || {
            id.get()?;
            untrack(|| notices.on_strip(offers)).map(|notice| {
                view! {
                    <div
                        id=format!("notice-{}", notice.id)
                        class="notice"
                        class:error=notice.tone == Tone::Error
                        role=role(&notice)
                    >
                        <p title=notice.text.clone() on:click=move |_| all.open()>
                            {notice.text.clone()}
                        </p>
                        {remedies(&notice)}
                        <button
                            type="button"
                            class="quiet"
                            aria-label="Dismiss this notice"
                            on:click=move |_| notices.close(notice.id)
                        >
                            <span aria-hidden="true">"×"</span>
                        </button>
                    </div>
                }
            })
        }
    };
    let count = Memo::new(move |_| notices.list.with(Vec::len));
    let label = move || if count.get() == 0 { "Messages".into() } else { format!("Messages: {}", count.get()) };
    let said = slot(false);
    view! {
        <section class="notices" aria-label="Notices">
            <div class="said">{move || said().map_or_else(|| view! { <p>{rest.clone()}</p> }.into_any(), IntoAny::into_any)}</div>
            <div class="asked">{slot(true)}</div>
            <DropdownMenu dropdown=all label=Signal::derive(label) longest="Messages: 20">
                <Show when=move || all.is_open.get()>
                    <ul>
                        <Show when=move || count.get() == 0>
                            <li>
                                <p>"No messages yet."</p>
                            </li>
                        </Show>
                        <For each=move || notices.list.get() key=|notice| (notice.id, notice.remedies.len()) let:notice>
                            <li class:error=notice.tone == Tone::Error>
                                <p>{notice.text.clone()}</p>
                                {remedies(&notice)}
                            </li>
                        </For>
                    </ul>
                </Show>
            </DropdownMenu>
        </section>
    }
}

/// Listens for offers from the page's own scripts: the event's `detail` holds the text and the action of its button, Reload.
pub fn hear_offers(notices: Notices) {
    let heard = move |event: CustomEvent| {
        let detail = event.detail();
        let part = |name: &str| Reflect::get(&detail, &name.into()).unwrap_or_default();
        let (Some(text), Ok(run)) = (part("text").as_string(), part("run").dyn_into::<Function>()) else { return };
        let run = SendWrapper::new(run);
        let run = Callback::new(move |()| run.call0(&JsValue::NULL).map(|_| ()).unwrap_or_default());
        notices.offer(text, vec![Remedy { label: "Reload", run }], None);
    };
    let listener = Closure::<dyn Fn(CustomEvent)>::new(heard).into_js_value();
    // For as long as the page is open.
    let _ = window().add_event_listener_with_callback("dbm-offer", listener.unchecked_ref());
}

fn role(notice: &Notice) -> &'static str {
    if notice.tone == Tone::Error { "alert" } else { "status" }
}

/// The buttons of a message.
fn remedies(notice: &Notice) -> impl IntoView + use<> {
    let tone = notice.tone;
    let button = |(place, remedy): (usize, &Remedy)| {
        let (label, run) = (remedy.label, remedy.run);
        view! {
            <button type="button" class:primary=place == 0 && tone == Tone::Offer on:click=move |_| run.run(())>
                {label}
            </button>
        }
    };
    notice.remedies.iter().enumerate().map(button).collect_view()
}
