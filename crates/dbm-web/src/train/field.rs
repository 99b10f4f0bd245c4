//! What the form is made of: a text field with what is wrong with it, and what is folded because it is rarely changed.

use crate::ui::field;
use crate::worker::session::Session;
use dbm_core::words::Setting;
use leptos::html::Details;
use leptos::prelude::*;

/// A labelled field, checked while it is typed in; absent where the chosen run has no such setting.
#[component]
pub fn TextField(
    /// Which of them.
    setting: Setting,
    /// What must be seen of it without asking.
    #[prop(optional, into)]
    hint: Option<Signal<String>>,
    /// Whether it takes the whole row.
    #[prop(optional)]
    wide: bool,
) -> impl IntoView {
    let draft = Session::of_page().draft;
    let words = setting.words();
    let hint = hint.unwrap_or_default();
    let problem = Memo::new(move |_| draft.with(|draft| draft.problem(setting)));
    let applies = Memo::new(move |_| draft.with(|draft| draft.applies(setting)));
    let value = Signal::derive(move || draft.with(|draft| draft.text(setting).to_string()));
    let type_in = Callback::new(move |text| draft.update(|draft| draft.set(setting, text)));
    view! {
        <Show when=move || applies.get()>
            <field::TextField
                id=format!("field-{}", words.key)
                words
                hint
                value
                problem
                on_type=type_in
                letters=setting == Setting::Hidden
                wide
                quiet=true
            />
        </Show>
    }
}

/// Settings that are out of sight until asked for.
#[component]
pub fn Folded(
    /// What they are called together.
    name: &'static str,
    /// Whether one of them must be seen.
    #[prop(into)]
    urgent: Signal<bool>,
    /// Their fields.
    children: Children,
) -> impl IntoView {
    let details = NodeRef::<Details>::new();
    let urgent = Memo::new(move |_| urgent.get());
    // What must be seen unfolds them; folding them again is the visitor's.
    Effect::new(move |_| {
        if urgent.get()
            && let Some(details) = details.get()
        {
            details.set_open(true);
        }
    });
    view! {
        <details class="wide" node_ref=details>
            <summary>{name}</summary>
            <div class="settings">{children()}</div>
        </details>
    }
}
