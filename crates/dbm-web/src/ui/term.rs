//! Words that explain themselves: on hover, on focus, and at a press of any length.

use leptos::prelude::*;

/// A heading's words, or others that stand for more than they say.
#[component]
pub fn Term(
    /// What stands there.
    #[prop(into)]
    words: Signal<String>,
    /// What it means.
    #[prop(into)]
    help: Signal<String>,
) -> impl IntoView {
    view! {
        <button type="button" class="term" data-help=move || help.get()>
            {move || words.get()}
        </button>
    }
}
