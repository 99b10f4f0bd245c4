//! The whole page.

use super::bench::Bench;
use super::completion::Completion;
use super::masthead::Masthead;
use super::method::Method;
use super::notices::{DropOverlay, Notices};
use super::training::Training;
use crate::state::{State, state};
use crate::{bench, link, model_file, paint, uploads};
use leptos::prelude::*;

/// Provides the state and lays out the lab, or the benchmark that the page's address asks for.
#[component]
pub fn App() -> impl IntoView {
    let state = State::default();
    provide_context(state);
    match bench::asked(&window().location().search().unwrap_or_default()) {
        None => view! { <Lab /> }.into_any(),
        Some(asked) => {
            if let Ok(asked) = &asked {
                state.bench.set(Some(asked.clone()));
                link::open(state);
            }
            view! { <Bench asked /> }.into_any()
        }
    }
}

/// The lab: opens the line to the worker, and lays the page out.
#[component]
fn Lab() -> impl IntoView {
    let state = state();
    paint::follow_theme(state);
    uploads::accept_drops(state);
    model_file::fetch(state);
    link::open(state);
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
        <Notices />
        <DropOverlay />
    }
}
