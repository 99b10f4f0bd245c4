//! The card of the pretrained model on view: its recipe, data and scores, and what it cannot do; a fragment of HTML beside its file, fetched when it is first unfolded.

use super::state::CompletionState;
use crate::ui::explanation::fetch;
use crate::ui::problem::words;
use dbm_protocol::ModelChoice;
use leptos::html::Div;
use leptos::prelude::*;

/// Folded; nothing for a model that is not one of the page's own.
pub fn about_model(state: CompletionState) -> impl IntoView {
    let session = state.session;
    let which = Memo::new(move |_| {
        let is_shipped = session.model.get() == ModelChoice::Pretrained && session.opened.with(Option::is_none);
        is_shipped.then(|| session.shipped.get())
    });
    let (inside, unfolded) = (NodeRef::<Div>::new(), RwSignal::new(false));
    Effect::new(move |_| {
        let (Some(inside), Some(shipped), true) = (inside.get(), which.get(), unfolded.get()) else { return };
        leptos::task::spawn_local(async move {
            let card = fetch(&shipped.file().replace(".safetensors", ".html")).await;
            // Another may have been chosen meanwhile.
            if which.try_get_untracked() != Some(Some(shipped)) {
                return;
            }
            match card {
                Ok(html) => inside.set_inner_html(&html),
                Err(why) => inside.set_text_content(Some(&format!("The card could not be fetched: {}.", words(&why)))),
            }
        });
    });
    view! {
        <details class="about-model" hidden=move || which.get().is_none() on:toggle=move |_| unfolded.set(true)>
            <summary>"About this model"</summary>
            <div class="prose" node_ref=inside></div>
        </details>
    }
}
