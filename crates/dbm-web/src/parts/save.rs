//! A small menu of the forms in which something can be taken home.

use leptos::prelude::*;

/// Folded until pressed: a button for each form.
#[component]
pub fn Save<F: Fn(usize) + Copy + Send + Sync + 'static>(
    /// What is saved, for screen readers.
    what: &'static str,
    /// The forms.
    forms: &'static [&'static str],
    /// Saves it in the form at this place.
    save: F,
) -> impl IntoView {
    view! {
        <details class="save">
            <summary aria-label=format!("Save {what}")>"Save"</summary>
            <div>
                {forms
                    .iter()
                    .enumerate()
                    .map(|(place, form)| {
                        view! {
                            <button type="button" aria-label=format!("Save {what} as {form}") on:click=move |_| save(place)>
                                {*form}
                            </button>
                        }
                    })
                    .collect_view()}
            </div>
        </details>
    }
}
