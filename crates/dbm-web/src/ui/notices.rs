//! Messages to the visitor: a list that any part of the page can add to. The shell shows them.

use leptos::prelude::*;

/// How sure a message is meant to sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something was refused or failed.
    Error,
    /// Something happened that is good to know.
    News,
    /// Something happened that can be taken back; the newest such message replaces the one before.
    Undoable,
    /// Something waits for the visitor's word, and stays until it has it.
    Offer,
}

/// What a button of a message does, and its words.
#[derive(Clone, Copy)]
pub struct Remedy {
    /// On the button.
    pub label: &'static str,
    /// What a press does.
    pub run: Callback<()>,
}

/// A message with its buttons.
#[derive(Clone)]
pub struct Notice {
    /// Its own number.
    pub id: u32,
    /// How sure it sounds.
    pub tone: Tone,
    /// What it says, in a sentence or two.
    pub text: String,
    /// Its buttons, the first the one to press.
    pub remedies: Vec<Remedy>,
    /// What closing it does besides.
    pub on_close: Option<Callback<()>>,
}

/// The messages on the page: a handle.
#[derive(Clone, Copy, Debug)]
pub struct Notices {
    list: RwSignal<Vec<Notice>>,
    count: StoredValue<u32>,
}

/// Most messages at a time, offers not counted.
const MOST: usize = 4;

impl Default for Notices {
    fn default() -> Self {
        Self { list: RwSignal::default(), count: StoredValue::new(0) }
    }
}

impl Notices {
    /// Those of the page.
    pub fn of_page() -> Self {
        expect_context()
    }

    /// All of them, oldest first.
    pub fn all(self) -> Vec<Notice> {
        self.list.get()
    }

    /// Something was refused or failed.
    pub fn error(self, text: impl Into<String>) {
        self.failed(text, Vec::new());
    }

    /// Something failed, and these are the ways on.
    pub fn failed(self, text: impl Into<String>, remedies: Vec<Remedy>) {
        self.add(Tone::Error, text, remedies, None);
    }

    /// Something happened that is good to know.
    pub fn news(self, text: impl Into<String>) {
        self.add(Tone::News, text, Vec::new(), None);
    }

    /// Something happened that `undo` takes back.
    pub fn undoable(self, text: impl Into<String>, undo: Callback<()>) {
        self.add(Tone::Undoable, text, vec![Remedy { label: "Undo", run: undo }], None);
    }

    /// Something waits for the visitor's word.
    pub fn offer(self, text: impl Into<String>, remedies: Vec<Remedy>, on_close: Option<Callback<()>>) {
        self.add(Tone::Offer, text, remedies, on_close);
    }

    /// Takes one away; what closing it does besides is done.
    pub fn close(self, id: u32) {
        let on_close =
            self.list.with_untracked(|list| list.iter().find(|notice| notice.id == id).and_then(|notice| notice.on_close));
        self.list.update(|list| list.retain(|notice| notice.id != id));
        if let Some(on_close) = on_close {
            on_close.run(());
        }
    }

    /// Takes all of a tone away: what they were about is over.
    pub fn withdraw(self, tone: Tone) {
        self.list.update(|list| list.retain(|notice| notice.tone != tone));
    }

    /// The same words are not shown twice at a time.
    fn add(self, tone: Tone, text: impl Into<String>, remedies: Vec<Remedy>, on_close: Option<Callback<()>>) {
        let text = text.into();
        let id = self.count.get_value();
        self.count.set_value(id.wrapping_add(1));
        self.list.update(|list| {
            list.retain(|notice| notice.text != text && !(tone == Tone::Undoable && notice.tone == Tone::Undoable));
            list.push(Notice { id, tone, text, remedies, on_close });
            if let Some(place) = list.iter().position(|notice| notice.tone != Tone::Offer).filter(|_| list.len() > MOST) {
                list.remove(place);
            }
        });
    }
}

/// All messages, for the shell to show; each is text and can be dismissed.
#[component]
pub fn NoticeList() -> impl IntoView {
    let notices = Notices::of_page();
    let button = |tone: Tone, remedy: Remedy, first: bool| {
        view! {
            <button type="button" class:primary=first && tone == Tone::Offer on:click=move |_| remedy.run.run(())>
                {remedy.label}
            </button>
        }
    };
    view! {
        <section class="notices" aria-label="Notices">
            <For each=move || notices.all() key=|notice| notice.id let:notice>
                <div
                    class="notice"
                    class:error=notice.tone == Tone::Error
                    role=if notice.tone == Tone::Error { "alert" } else { "status" }
                >
                    <p>{notice.text.clone()}</p>
                    {notice.remedies.iter().enumerate().map(|(place, remedy)| button(notice.tone, *remedy, place == 0)).collect_view()}
                    <button type="button" class="quiet" aria-label="Dismiss this notice" on:click=move |_| notices.close(notice.id)>
                        <span aria-hidden="true">"×"</span>
                    </button>
                </div>
            </For>
        </section>
    }
}
