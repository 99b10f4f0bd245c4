//! What is rarely needed, folded until it is pressed, or must be seen.

use leptos::html::Details;
use leptos::prelude::*;

/// Folded, unless something inside must be seen; folding it again is the visitor's.
#[component]
pub fn Folded(
    /// What they are together.
    name: &'static str,
    /// Its class for the style sheet.
    class: &'static str,
    /// The class of what is inside.
    #[prop(optional)]
    inside: &'static str,
    /// Whether something inside must be seen.
    #[prop(into)]
    urgent: Signal<bool>,
    /// What is inside.
    children: Children,
) -> impl IntoView {
    let details = NodeRef::<Details>::new();
    let urgent = Memo::new(move |_| urgent.get());
    Effect::new(move |_| {
        if urgent.get()
            && let Some(details) = details.get()
        {
            details.set_open(true);
        }
    });
    view! {
        <details class=class node_ref=details>
            <summary>{name}</summary>
            <div class=inside>{children()}</div>
        </details>
    }
}
