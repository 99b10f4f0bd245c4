//! The sign that a file may be dropped.

use crate::state::state;
use leptos::prelude::*;

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
