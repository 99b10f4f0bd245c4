//! Proof: the exact gradient of a model small enough to enumerate, and who comes to it.

mod bars;
mod convergence;
mod desk;
mod editor;
mod estimators;
mod graph;
mod growth;
mod keys;
mod parameters;
mod patterns;
mod plan;
mod preset;
mod quantile;
mod run;
mod settings;
mod tally;
mod transport;
mod verdicts;

use crate::ui::address::View;
use crate::ui::explanation::Explanation;
use bars::Bars;
use convergence::Convergence;
use desk::Desk;
use editor::Editor;
use estimators::Estimators;
use graph::Graph;
use growth::Growth;
use leptos::prelude::*;
use patterns::Patterns;
use settings::ModelSettings;
use transport::Transport;
use verdicts::Verdicts;

/// The region.
#[component]
pub fn Proof() -> impl IntoView {
    let desk = Desk::of_address();
    provide_context(desk);
    desk.live_in_address();
    run::follow(desk);
    growth::follow(desk);
    let undo = move |event: web_sys::KeyboardEvent| {
        // In a field these keys are the field's.
        let typing = event.target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlInputElement>(target).ok());
        if (event.ctrl_key() || event.meta_key()) && typing.is_none_or(|field| field.type_() != "text") {
            match (event.key().to_ascii_lowercase().as_str(), event.shift_key()) {
                ("z", false) => desk.undo(),
                ("z", true) | ("y", _) => desk.redo(),
                _ => return,
            }
            event.prevent_default();
        }
    };
    view! {
        <section class="proof" aria-labelledby="proof-title">
            <Transport />
            <div class="proof-grid">
                <div class="proof-model" on:keydown=undo>
                    <Graph />
                    <Editor />
                    <Patterns />
                </div>
                <Bars />
                <div class="proof-right">
                    <Convergence />
                    <Estimators />
                    <ModelSettings />
                </div>
            </div>
            <Verdicts />
            <Growth />
            <Explanation view=View::Proof />
        </section>
    }
}
