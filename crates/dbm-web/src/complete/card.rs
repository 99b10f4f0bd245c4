//! The card of the pretrained model on view: its recipe, data and scores, and what it cannot do; a fragment of HTML beside its
//! file, fetched when it is first unfolded.

use super::state::CompletionState;
use crate::ui::explanation::fetch;
use dbm_protocol::ModelChoice;
use leptos::html::Div;
use leptos::prelude::*;

/// Folded; nothing for a model that is not one of the page's own.
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
        // Another may have been chosen meanwhile.
        fetch(inside.into(), path, "card", move || which.try_get_untracked() == Some(Some(shipped)));
    });
    view! {
        <details class="about-model" hidden=move || which.get().is_none() on:toggle=move |_| unfolded.set(true)>
            <summary>"About this model"</summary>
            <div class="prose" node_ref=inside></div>
        </details>
    }
}
