//! Progress of something that takes a while, and a way to stop it.

use leptos::prelude::*;

/// A bar, and the button that cancels. Their space stays reserved while nothing is running, so that nothing next to them moves
/// when they come and go.
#[component]
pub fn ProgressBar(
    /// What it counts, for screen readers.
    label: &'static str,
    /// Parts done and parts in all; `(0, 0)` if unknown.
    #[prop(into)]
    parts: Signal<(u32, u32)>,
    /// Whether anything is running.
    #[prop(into)]
    busy: Signal<bool>,
    /// Hover help of the button; empty for none.
    #[prop(optional)]
    help: &'static str,
    /// Called when the visitor cancels.
    #[prop(into)]
    on_cancel: Callback<()>,
) -> impl IntoView {
    view! {
        <span class="progress" class:idle=move || !busy.get()>
            <progress aria-label=label max=move || parts.get().1.max(1) prop:value=move || f64::from(parts.get().0)></progress>
            <button type="button" data-help=Some(help).filter(|help| !help.is_empty()) on:click=move |_| on_cancel.run(())>
                "Cancel"
            </button>
        </span>
    }
}
