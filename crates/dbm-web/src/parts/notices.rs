//! Messages to the visitor, and the sign that a file may be dropped.

use crate::actions;
use crate::keeper;
use crate::state::{State, Tone, state};
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
                    <Show when=move || notice.tone == Tone::Undoable>
                        <button type="button" on:click=move |_| actions::undo(state)>
                            "Undo"
                        </button>
                    </Show>
                    <button type="button" class="quiet" aria-label="Dismiss this notice" on:click=move |_| state.dismiss(notice.id)>
                        <span aria-hidden="true">"×"</span>
                    </button>
                </div>
            </For>
            {move || state.found.get().map(|found| offered(state, keeper::offer(&found), found.discarded))}
        </section>
    }
}

/// A kept run, to go on with or to discard.
fn offered(state: State, words: String, discarded: bool) -> impl IntoView {
    let (main, quiet) = if discarded { ("Undo", "") } else { ("Go on", "Discard") };
    view! {
        <div class="notice" role="status">
            <p>{words}</p>
            <button
                type="button"
                class:primary=!discarded
                on:click=move |_| if discarded { keeper::recall(state) } else { keeper::go_on(state) }
            >
                {main}
            </button>
            <button type="button" hidden=discarded on:click=move |_| keeper::discard(state)>
                {quiet}
            </button>
            <button type="button" class="quiet" aria-label="Dismiss this notice" on:click=move |_| keeper::close(state)>
                <span aria-hidden="true">"×"</span>
            </button>
        </div>
    }
}

/// Shown while a file hangs over the page.
#[component]
pub fn DropOverlay() -> impl IntoView {
    let state = state();
    view! {
        <Show when=move || state.dragging.get()>
            <div class="drop" role="status">
                <p>"Drop a data set: IDX, IDX in gzip, or CSV of 0/1 rows"</p>
            </div>
        </Show>
    }
}
