//! The whole page of the lab: its shell, and the views that the address asks for.

mod drop;
mod help;
mod masthead;
mod menu;
mod shortcuts;

use crate::canvas;
use crate::compare::Compare;
use crate::complete::Completion;
use crate::coupling::Coupling;
use crate::data::preview::Preview;
use crate::data::uploads;
use crate::proof::Proof;
use crate::state::State;
use crate::train::{Training, shared};
use crate::ui::address::{self, OnShow, View};
use crate::ui::explanation::Explanation;
use crate::ui::notices::{NoticeList, Notices};
use crate::worker::session::Session;
use crate::worker::{link, model_file};
use drop::DropOverlay;
use leptos::prelude::*;
use masthead::Masthead;
use shortcuts::Shortcuts;

/// Provides the state, opens the line to the worker, and lays the page out. A view that needs no worker is made when it is first shown, and stays, so that
/// what runs in it goes on.
#[component]
pub fn App() -> impl IntoView {
    let (notices, show) = (Notices::default(), OnShow::default());
    provide_context(notices);
    provide_context(show);
    let session = Session::new(notices);
    provide_context(session);
    let state = State::new(session, show);
    provide_context(state);
    canvas::follow_theme();
    help::listen();
    shared::follow(state);
    state.view.set(View::now());
    address::follow(move || {
        state.view.set(View::now());
        // Canvases that were hidden have not been drawn.
        canvas::redraw_all();
    });
    Effect::new(move |_| document().set_title(&format!("{} · DBM Lab", state.view.get().title())));
    uploads::accept_drops(state);
    model_file::fetch(state);
    link::open(state);
    if let Some(address) = uploads::asked_address() {
        uploads::fetch(state, address);
    }
    let two = move || state.view.get() == View::Train && state.two.get();
    let seen = |shown: fn(State) -> bool| Memo::new(move |seen: Option<&bool>| shown(state) || seen.copied().unwrap_or_default());
    let compared = seen(|state| state.view.get() == View::Train && state.two.get());
    let coupled = seen(|state| state.view.get() == View::Coupling);
    let proved = seen(|state| state.view.get() == View::Proof);
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
            <div hidden=move || !two()>
                <Show when=move || compared.get()>
                    <Compare />
                </Show>
            </div>
            <div hidden=move || state.view.get() != View::Coupling>
                <Show when=move || coupled.get()>
                    <Coupling />
                </Show>
            </div>
            <div hidden=move || state.view.get() != View::Proof>
                <Show when=move || proved.get()>
                    <Proof />
                </Show>
            </div>
            <div hidden=move || state.view.get() != View::Train>
                <Explanation view=View::Train />
            </div>
        </main>
        <footer class="foot">
            <p>"Everything runs in this tab: nothing you draw or load leaves it."</p>
            <Shortcuts />
        </footer>
        <Preview />
        <NoticeList />
        <DropOverlay />
        <div id="help-box" role="tooltip" hidden></div>
    }
}
