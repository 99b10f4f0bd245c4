//! Proof: the exact gradient of a model small enough to enumerate, and which estimators converge to it.

mod address;
mod bars;
mod convergence;
mod corrections;
mod editor;
mod estimates;
mod estimator_table;
mod forms;
mod graph;
mod job_state;
mod jobs;
mod parameters;
mod patterns;
mod settings;
mod state;
mod transport;
mod verdicts;

use crate::ui::binding::{Keys, bind};
use crate::ui::form;
use crate::ui::undo::{self, Edits};
use leptos::prelude::*;
use settings::ProofSettings;
use state::ProofState;

/// The region of the view; its settings are in the address.
#[component]
pub fn Proof() -> impl IntoView {
    let proof = ProofState::default();
    bind(
        address::PREFIX,
        move || {
            let mut keys = Keys::default();
            proof.settings.with(|settings| form::write(settings, &mut keys));
            Some(keys)
        },
        move |keys| proof.adopt(ProofSettings::read(keys)),
    );
    jobs::follow(proof);
    corrections::follow(proof);
    let undo = move |event: web_sys::KeyboardEvent| {
        // Text fields use these keys themselves.
        let typing = event.target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlInputElement>(target).ok());
        if let Some(back) = undo::asked(&event).filter(|_| typing.is_none_or(|field| field.type_() != "text")) {
            event.prevent_default();
            proof.step(if back { Edits::undo } else { Edits::redo });
        }
    };
    view! {
        <section class="proof" aria-labelledby="proof-title">
            {transport::transport(proof)}
            <div class="proof-grid">
                <div class="proof-model" on:keydown=undo>
                    {graph::graph(proof)}
                    {editor::editor(proof)}
                    {patterns::patterns(proof)}
                </div>
                {bars::bars(proof)}
                <div class="proof-right">
                    <div data-tour="convergence">{convergence::convergence(proof)}</div>
                    {forms::estimators(proof)}
                    {forms::model_form(proof)}
                </div>
            </div>
            {verdicts::verdicts(proof)}
            {corrections::corrections(proof)}
        </section>
    }
}
