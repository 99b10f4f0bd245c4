//! A text field of the form, with what is wrong with it.

use crate::ui::field;
use crate::worker::session::Session;
use dbm_core::words::Setting;
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
