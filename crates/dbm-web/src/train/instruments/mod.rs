//! The instruments of the Train view: meeting times, sweeps, curves, filters, activities. They follow what the worker says of the run.

mod curves;
mod figures;
mod filters;
mod history;

use crate::state::{State, state};
use crate::ui::address;
use curves::{Activities, Curves};
use dbm_protocol::Metrics;
use figures::{MeetingTime, SearchSweeps};
use filters::Filters;
use leptos::prelude::*;
use std::cell::RefCell;

/// The curves, as the address has them.
const CURVES: [&str; 4] = ["error", "pseudo", "free", "exact"];
/// Of all keys of this part.
const PREFIX: &str = "i.";

thread_local! {
    /// This part's keys as the address had them last.
    static SEEN: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
}

/// All of them, in the order of the view's grid.
#[component]
pub fn Instruments() -> impl IntoView {
    let state = state();
    take_up(state);
    address::follow(move || take_up(state));
    Effect::new(move |_| {
        let (curve, layer) = (state.curve.get(), state.filter_layer.get());
        let pairs = [("i.curve", curve > 0, CURVES[curve].to_string()), ("i.layer", layer > 1, layer.to_string())];
        let pairs = pairs.into_iter().filter(|(_, there, _)| *there).map(|(key, _, value)| (key.to_string(), value));
        address::put(PREFIX, pairs.collect());
    });
    view! {
        <MeetingTime />
        <SearchSweeps />
        <Curves />
        <Filters />
        <Activities />
    }
}

/// What the address says of this part and of what is shown. Of this part it says something new only where its keys were changed: what is set here is written later.
fn take_up(state: State) {
    let mut now = address::pairs();
    now.retain(|(key, _)| key.starts_with(PREFIX));
    if SEEN.replace(now.clone()) == now {
        return;
    }
    let curve = address::get("i.curve").and_then(|curve| CURVES.iter().position(|name| *name == curve));
    state.curve.set(curve.unwrap_or_default());
    state.filter_layer.set(address::get("i.layer").and_then(|layer| layer.parse().ok()).unwrap_or_default());
}

/// Training has gone on: adds to the curves what was seen.
pub fn add_to_history(state: State, metrics: &Metrics) {
    let mut history = state.history.get_untracked();
    if history::add(&mut history, metrics.signals, metrics.step) {
        state.history.set(history);
    }
}
