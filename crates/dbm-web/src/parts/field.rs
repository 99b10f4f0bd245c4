//! One text field of the settings: its label, what is typed, and what is wrong with it.

use crate::draft::Field;
use crate::state::state;
use leptos::prelude::*;

/// A labelled field, checked while it is typed in; absent where the chosen run has no such setting.
#[component]
pub fn TextField(
    /// Which.
    field: Field,
    /// Its label.
    label: &'static str,
    /// What the label leaves open.
    #[prop(optional, into)]
    hint: Signal<String>,
    /// Whether it takes the whole row.
    #[prop(optional)]
    wide: bool,
) -> impl IntoView {
    let state = state();
    let problem = Memo::new(move |_| state.draft.with(|draft| draft.problem(field)));
    let applies = Memo::new(move |_| state.draft.with(|draft| draft.applies(field)));
    let numeric = if field == Field::Hidden { "text" } else { "decimal" };
    let type_in = move |event| state.draft.update(|draft| draft.set(field, event_target_value(&event)));
    view! {
        <Show when=move || applies.get()>
            {
                let id = format!("field-{}", field as usize);
                let note = format!("{id}-note");
                view! {
                    <div class="field" class:wide=wide>
                        <label for=id.clone()>{label}</label>
                        <input
                            id=id
                            type="text"
                            inputmode=numeric
                            autocomplete="off"
                            spellcheck="false"
                            prop:value=move || state.draft.with(|draft| draft.text(field).to_string())
                            aria-invalid=move || problem.get().is_some().to_string()
                            aria-describedby=note.clone()
                            on:input=type_in
                        />
                        <p id=note class="help" class:problem=move || problem.get().is_some() aria-live="polite">
                            {move || problem.get().unwrap_or_else(|| hint.get())}
                        </p>
                    </div>
                }
            }
        </Show>
    }
}
