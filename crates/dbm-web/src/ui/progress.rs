//! How far something is that takes a while, and a way to stop it.

use leptos::prelude::*;

/// A bar, and the button that cancels. Its room is kept while nothing is at work, so that nothing beside it moves when it comes and goes.
#[component]
pub fn ProgressBar(
    /// What it counts, for screen readers.
    label: &'static str,
    /// Parts done and parts in all; `(0, 0)` where these are unknown.
    #[prop(into)]
    parts: Signal<(u32, u32)>,
    /// Whether there is something at work.
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
