//! The whole page of the lab.

use super::completion::Completion;
use super::explanation::Explanation;
use super::masthead::Masthead;
use super::notices::{DropOverlay, Notices};
use super::preview::Preview;
use super::shortcuts::Shortcuts;
use super::training::Training;
use crate::address::{self, View};
use crate::state::{Opening, State};
use crate::{actions, bridge, help, link, model_file, paint, shared, uploads};
use leptos::prelude::*;

/// Provides the state, opens the line to the worker, and lays the page out.
#[component]
pub fn App() -> impl IntoView {
    let state = State::default();
    provide_context(state);
    paint::follow_theme(state);
    help::listen();
    bridge::hear_words(state);
    bridge::hear_questions(move |question| actions::answer(state, question));
    bridge::hear_filters(move |layer| actions::new_filters(state, layer));
    Effect::new(move |_| bridge::show_model(state.model.get()));
    shared::follow(state);
    state.view.set(View::now());
    address::follow(move || {
        state.view.set(View::now());
        // Canvases that were hidden have not been drawn.
        state.redraw.update(|count| *count = count.wrapping_add(1));
    });
    Effect::new(move |_| {
        let view = state.view.get();
        document().set_title(&format!("{} · DBM Lab", view.title()));
        // The instruments of Train wait for the pretrained model, unless there is something to be seen of them.
        let waits = matches!(state.opening.get(), Opening::Fetching(..) | Opening::Reading) && !state.running.get();
        if matches!(view, View::Coupling | View::Proof) || state.two.get() || (view == View::Train && !waits) {
            bridge::need_study();
        }
    });
    uploads::accept_drops(state);
    model_file::fetch(state);
    link::open(state);
    if let Some(address) = uploads::asked_address() {
        uploads::fetch(state, address);
    }
    view! {
        <Masthead />
        <main>
            <div hidden=move || state.view.get() != View::Train>
                <Training />
            </div>
            <div hidden=move || state.view.get() != View::Complete>
                <Completion />
                <Explanation view=View::Complete />
            </div>
            <div id="study"></div>
            <div hidden=move || state.view.get() != View::Train>
                <Explanation view=View::Train />
            </div>
        </main>
        <footer class="foot">
            <p>"Everything runs in this tab: nothing you draw or load leaves it."</p>
            <Shortcuts />
        </footer>
        <Preview />
        <Notices />
        <DropOverlay />
        <div id="help-box" role="tooltip" hidden></div>
    }
}
