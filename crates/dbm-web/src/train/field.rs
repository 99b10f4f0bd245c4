//! One text field of the settings: its label, what is typed, and what is wrong with it.

use crate::worker::session::Session;
use dbm_core::words::Setting;
use leptos::prelude::*;

/// A labelled field, checked while it is typed in; absent where the chosen run has no such setting.
#[component]
pub fn TextField(
    /// The setting that is typed.
    setting: Setting,
    /// What the label leaves open, where that is not as in the table of settings.
    #[prop(optional, into)]
    hint: Option<Signal<String>>,
    /// Whether it takes the whole row.
    #[prop(optional)]
    wide: bool,
) -> impl IntoView {
    let draft = Session::of_page().draft;
    let words = setting.words();
    let problem = Memo::new(move |_| draft.with(|draft| draft.problem(setting)));
    let applies = Memo::new(move |_| draft.with(|draft| draft.applies(setting)));
    let numeric = if setting == Setting::Hidden { "text" } else { "decimal" };
    let type_in = move |event| draft.update(|draft| draft.set(setting, event_target_value(&event)));
    let hint = move || hint.map_or_else(|| words.hint.to_string(), |hint| hint.get());
    view! {
        <Show when=move || applies.get()>
            {
                let id = format!("field-{}", words.key);
                let note = format!("{id}-note");
                view! {
                    <div class="field" class:wide=wide>
                        <label for=id.clone() data-help=words.help>
                            {words.label}
                        </label>
                        <input
                            id=id
                            type="text"
                            inputmode=numeric
                            autocomplete="off"
                            spellcheck="false"
                            prop:value=move || draft.with(|draft| draft.text(setting).to_string())
                            aria-invalid=move || problem.get().is_some().to_string()
                            aria-describedby=note.clone()
                            on:input=type_in
                        />
                        <p id=note class="help" class:problem=move || problem.get().is_some() aria-live="polite">
                            {move || problem.get().unwrap_or_else(hint)}
                        </p>
                    </div>
                }
            }
        </Show>
    }
}
