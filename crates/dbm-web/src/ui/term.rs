//! Words that explain themselves: on hover, on focus, and on a press of any length.

use leptos::prelude::*;

/// A heading, or other words that need an explanation.
#[component]
pub fn Term(
    /// The words.
    #[prop(into)]
    words: Signal<String>,
    /// Their explanation.
    #[prop(into)]
    help: Signal<String>,
) -> impl IntoView {
    view! {
        <button type="button" class="term" data-help=move || help.get()>
            {move || words.get()}
        </button>
    }
}
