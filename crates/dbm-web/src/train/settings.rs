//! The settings a run begins with.

use super::field::TextField;
use crate::ui::select::Choice;
use crate::worker::session::Session;
use dbm_core::words::Setting;
use dbm_core::{OptimizerMethod, Units};
use leptos::html::Details;
use leptos::prelude::*;

/// Settings that are out of sight while the form is folded.
const FOLDED: [Setting; 3] = [Setting::WeightDecay, Setting::Average, Setting::Conditional];

/// The form; nothing in it touches a run that has begun.
#[component]
pub fn SettingsForm() -> impl IntoView {
    let draft = Session::of_page().draft;
    let details = NodeRef::<Details>::new();
    let units = Signal::derive(move || draft.with(|draft| draft.units));
    let method = Signal::derive(move || draft.with(|draft| draft.method));
    // A problem must be seen, so it unfolds the form; folding it again is the visitor's.
    let hidden_problem = Memo::new(move |_| draft.with(|draft| FOLDED.iter().any(|&field| draft.problem(field).is_some())));
    Effect::new(move |_| {
        if hidden_problem.get()
            && let Some(details) = details.get()
        {
            details.set_open(true);
        }
    });
    view! {
        <form class="settings" aria-label="Settings of the run" on:submit=|event| event.prevent_default()>
            <TextField setting=Setting::Hidden wide=true />
            <div class="field">
                <Choice<Units> id="units" value=units on_choose=move |units| draft.update(|draft| draft.units = units) />
            </div>
            <TextField setting=Setting::LearningRate />
            <TextField setting=Setting::Batch />
            <TextField setting=Setting::Seed />
            <details class="wide" node_ref=details>
                <summary>"More"</summary>
                <div class="settings">
                    <div class="field">
                        <Choice<OptimizerMethod> id="optimizer" value=method on_choose=move |method| draft.update(|draft| draft.method = method) />
                    </div>
                    {FOLDED.map(|setting| view! { <TextField setting /> }).collect_view()}
                </div>
            </details>
        </form>
    }
}
