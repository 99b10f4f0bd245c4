//! The settings a run begins with.

use crate::state::state;
use crate::train::draft::Field;
use crate::train::field::TextField;
use dbm_core::{OptimizerMethod, Units};
use leptos::html::Details;
use leptos::prelude::*;

/// Fields that are out of sight while the form is folded.
const FOLDED: [Field; 3] = [Field::WeightDecay, Field::Average, Field::Conditional];

/// The form; nothing in it touches a run that has begun.
#[component]
pub fn SettingsForm() -> impl IntoView {
    let state = state();
    let details = NodeRef::<Details>::new();
    let units = move |event| {
        let units = if event_target_value(&event) == "bits" { Units::Bits } else { Units::Signs };
        state.draft.update(|draft| draft.units = units);
    };
    let method = move |event| {
        let method = match event_target_value(&event).as_str() {
            "sgd" => OptimizerMethod::Sgd,
            "amsgrad" => OptimizerMethod::AmsGrad,
            _ => OptimizerMethod::Adam,
        };
        state.draft.update(|draft| draft.method = method);
    };
    let units_value = move || if state.draft.with(|draft| draft.units) == Units::Bits { "bits" } else { "signs" };
    let method_value = move || match state.draft.with(|draft| draft.method) {
        OptimizerMethod::Sgd => "sgd",
        OptimizerMethod::Adam => "adam",
        OptimizerMethod::AmsGrad => "amsgrad",
    };
    // A problem must be seen, so it unfolds the form; folding it again is the visitor's.
    let hidden_problem = Memo::new(move |_| state.draft.with(|draft| FOLDED.iter().any(|&field| draft.problem(field).is_some())));
    Effect::new(move |_| {
        if hidden_problem.get()
            && let Some(details) = details.get()
        {
            details.set_open(true);
        }
    });
    view! {
        <form class="settings" aria-label="Settings of the run" on:submit=|event| event.prevent_default()>
            <TextField field=Field::Hidden label="Hidden layers" hint="Sizes, from the visible layer upward." wide=true />
            <div class="field">
                <label for="units" data-help="The values a unit takes. Signs are the paper’s choice; bits train worse.">"Units"</label>
                <select id="units" prop:value=units_value on:change=units>
                    <option value="signs">"signs ±1"</option>
                    <option value="bits">"bits 0, 1"</option>
                </select>
            </div>
            <TextField field=Field::Rate label="Learning rate" />
            <TextField field=Field::Batch label="Batch size" />
            <TextField field=Field::Seed label="Seed" />
            <details class="wide" node_ref=details>
                <summary>"More"</summary>
                <div class="settings">
                    <div class="field">
                        <label for="optimizer" data-help="How a gradient becomes a step.">"Optimizer"</label>
                        <select id="optimizer" prop:value=method_value on:change=method>
                            <option value="adam">"Adam"</option>
                            <option value="sgd">"SGD"</option>
                            <option value="amsgrad">"AMSGrad"</option>
                        </select>
                    </div>
                    <TextField field=Field::WeightDecay label="Weight decay" />
                    <TextField field=Field::Average label="Averaging" hint="Decay; blank for none." />
                    <TextField field=Field::Conditional label="Conditional share" hint="Of each batch, masked; 0 is the paper’s." />
                </div>
            </details>
        </form>
    }
}
