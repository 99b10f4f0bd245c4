//! The whole page of the lab.

use super::completion::Completion;
use super::masthead::Masthead;
use super::method::Method;
use super::notices::{DropOverlay, Notices};
use super::preview::Preview;
use super::training::Training;
use crate::state::State;
use crate::{link, model_file, paint, uploads};
use leptos::prelude::*;

/// Provides the state, opens the line to the worker, and lays the page out.
#[component]
pub fn App() -> impl IntoView {
    let state = State::default();
    provide_context(state);
    paint::follow_theme(state);
    uploads::accept_drops(state);
    model_file::fetch(state);
    link::open(state);
    if let Some(address) = uploads::asked_address() {
        uploads::fetch(state, address);
    }
    view! {
        <Masthead />
        <main>
            <Completion />
            <Training />
            <Method />
        </main>
        <footer class="foot">
            <p>"Everything runs in this tab: nothing you draw or load leaves it."</p>
        </footer>
        <Preview />
        <Notices />
        <DropOverlay />
    }
}
