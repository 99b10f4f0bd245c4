//! A button with its hover help and its shortcut key.

use super::address::OnShow;
use leptos::prelude::*;

/// The button; an empty id, key, class or help is left out.
#[component]
pub fn Button(
    /// The text on it.
    #[prop(into)]
    label: Signal<String>,
    /// Id by which other parts of the page find it.
    #[prop(optional)]
    id: &'static str,
    /// The key that also presses it.
    #[prop(optional)]
    key: &'static str,
    /// Classes for the style sheet.
    #[prop(optional)]
    class: &'static str,
    /// Hover help; empty for none.
    #[prop(optional)]
    help: &'static str,
    /// Whether it is disabled.
    #[prop(optional, into)]
    disabled: Signal<bool>,
    /// Whether a click does nothing for now; unlike a disabled button it can still have the focus.
    #[prop(optional, into)]
    idle: Option<Signal<bool>>,
    /// Called when it is pressed.
    #[prop(into)]
    on_press: Callback<()>,
) -> impl IntoView {
    let given = |text: &'static str| Some(text).filter(|text| !text.is_empty());
    // A page embedded in somebody else's listens for no keys.
    let key = if use_context::<OnShow>().is_some_and(|show| show.embedded.is_some()) { "" } else { key };
    view! {
        <button
            type="button"
            id=given(id)
            aria-keyshortcuts=given(key)
            class=given(class)
            data-help=given(help)
            disabled=move || disabled.get()
            aria-disabled=move || idle.map(|idle| idle.get().to_string())
            on:click=move |_| on_press.run(())
        >
            {move || label.get()}
        </button>
    }
}
