//! The card of the pretrained model on view: its recipe, data and scores, and what it cannot do. It is a fragment of HTML next to
//! the model's file, fetched when the card is first unfolded.

use super::state::CompletionState;
use crate::ui::explanation::fetch;
use dbm_protocol::ModelChoice;
use leptos::html::Div;
use leptos::prelude::*;

/// Folded; absent for a model that does not come with the page.
pub fn about_model(state: CompletionState) -> impl IntoView {
    let session = state.session;
    let which = Memo::new(move |_| {
        let is_shipped = session.models.model.get() == ModelChoice::Pretrained && session.models.opened.with(Option::is_none);
        is_shipped.then(|| session.models.shipped.get())
    });
    let (inside, unfolded) = (NodeRef::<Div>::new(), RwSignal::new(false));
    Effect::new(move |_| {
        let (Some(inside), Some(shipped), true) = (inside.get(), which.get(), unfolded.get()) else { return };
        let path = shipped.file().replace(".safetensors", ".html");
        // Another model may have been chosen meanwhile.
        fetch(inside.into(), path, "card", move || which.try_get_untracked() == Some(Some(shipped)));
    });
    view! {
        <details class="about-model" hidden=move || which.get().is_none() on:toggle=move |_| unfolded.set(true)>
            <summary>"About this model"</summary>
            <div class="prose" node_ref=inside></div>
        </details>
    }
}
