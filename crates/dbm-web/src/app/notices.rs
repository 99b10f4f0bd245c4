//! Messages to the visitor, and the sign that a file may be dropped.

use crate::actions;
use crate::state::{Tone, state};
use crate::worker::keeper;
use leptos::prelude::*;

/// All messages; each is text and can be dismissed.
#[component]
pub fn Notices() -> impl IntoView {
    let state = state();
    view! {
        <section class="notices" aria-label="Notices">
            <For each=move || state.notices.get() key=|notice| notice.id let:notice>
                <div
                    class="notice"
                    class:error=notice.tone == Tone::Error
                    role=if notice.tone == Tone::Error { "alert" } else { "status" }
                >
                    <p>{notice.text.clone()}</p>
                    <button
                        type="button"
                        class:primary=notice.tone == Tone::Offer
                        hidden=notice.tone.remedy().is_none()
                        on:click=move |_| actions::remedy(state, notice.tone)
                    >
                        {notice.tone.remedy()}
                    </button>
                    <button type="button" hidden=notice.tone != Tone::Offer on:click=move |_| keeper::discard(state)>
                        "Discard"
                    </button>
                    <button
                        type="button"
                        class="quiet"
                        aria-label="Dismiss this notice"
                        on:click=move |_| {
                            keeper::close(state, notice.tone);
                            state.dismiss(notice.id);
                        }
                    >
                        <span aria-hidden="true">"×"</span>
                    </button>
                </div>
            </For>
        </section>
    }
}

/// Shown while a file hangs over the page.
#[component]
pub fn DropOverlay() -> impl IntoView {
    let state = state();
    view! {
        <Show when=move || state.dragging.get()>
            <div class="drop" role="status">
                <p>"Drop a data set (a table, an array, pictures) or a model"</p>
            </div>
        </Show>
    }
}
