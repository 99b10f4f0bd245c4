//! A labelled checkbox: the one that every form uses.

use leptos::prelude::*;

/// The checkbox, with its label behind it.
#[component]
pub fn Check(
    /// What it is called.
    label: &'static str,
    /// Hover help; empty for none.
    #[prop(optional)]
    help: &'static str,
    /// Whether it is ticked.
    #[prop(into)]
    value: Signal<bool>,
    /// Called with the new value.
    #[prop(into)]
    on_change: Callback<bool>,
    /// What stands between the box and its label.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <label class="check" data-help=Some(help).filter(|help| !help.is_empty())>
            <input type="checkbox" prop:checked=move || value.get() on:change=move |event| on_change.run(event_target_checked(&event)) />
            {children.map(|children| children())}
            <span>{label}</span>
        </label>
    }
}
