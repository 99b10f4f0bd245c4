//! Content that is rarely needed: folded until it is clicked or must be seen.

use leptos::html::Details;
use leptos::prelude::*;

/// Folded, unless something inside must be seen; only the visitor folds it again.
#[component]
pub fn Folded(
    /// Name of the content as a whole.
    name: &'static str,
    /// Class for the style sheet.
    class: &'static str,
    /// Class of the content.
    #[prop(optional)]
    inside: &'static str,
    /// Whether something inside must be seen.
    #[prop(into)]
    urgent: Signal<bool>,
    /// The content.
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
