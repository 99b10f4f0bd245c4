//! A select of the view: one of the settings, chosen among the rows of its table.

use super::state::CompletionState;
use leptos::prelude::*;

/// The select of this key.
pub fn choose(state: CompletionState, key: &'static str) -> impl IntoView {
    let form = state.form();
    view! {
        <div class="inline" data-help=move || form.help(key)>
            {form.select(key)}
        </div>
    }
}
