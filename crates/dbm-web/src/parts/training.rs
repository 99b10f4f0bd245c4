//! Training: the run's buttons and counter, its data and settings, and what is seen of it.

use super::data::Data;
use super::figures::{MeetingTime, SearchSweeps};
use super::samples::Samples;
use super::settings::SettingsForm;
use crate::actions;
use crate::draft::{Draft, same_run};
use crate::state::state;
use dbm_protocol::Command;
use leptos::prelude::*;

/// The region.
#[component]
pub fn Training() -> impl IntoView {
    let state = state();
    let ready = move || state.plan.with(Option::is_some) && !state.loading.get();
    let step = Memo::new(move |_| state.metrics.with(|metrics| metrics.step));
    let rate = move || state.metrics.with(|metrics| if metrics.running { metrics.steps_per_second } else { 0.0 });
    let changed = Memo::new(move |_| {
        let plan = state.draft.with(Draft::plan);
        plan.is_none_or(|plan| !state.plan.with(|present| present.as_ref().is_none_or(|present| same_run(present, &plan))))
    });
    let hint = move || match (changed.get(), step.get()) {
        (true, _) if state.draft.with(Draft::plan).is_none() => "One of the settings cannot be used yet.",
        (true, 1..) => "Press Reset to start with these settings.",
        (true, 0) => "Train starts with these settings.",
        _ => "",
    };
    view! {
        <section class="training" aria-labelledby="training-title">
            <div class="ruled transport">
                <h2 id="training-title">"Training"</h2>
                <div class="buttons">
                    <button
                        type="button"
                        class="primary"
                        disabled=move || !ready() || state.running.get()
                        on:click=move |_| actions::train(state, Command::Train)
                    >
                        "Train"
                    </button>
                    <button type="button" disabled=move || !state.running.get() on:click=move |_| actions::pause(state)>
                        "Pause"
                    </button>
                    <button
                        type="button"
                        disabled=move || !ready() || state.running.get()
                        on:click=move |_| actions::train(state, Command::Step)
                    >
                        "Step"
                    </button>
                    <button
                        type="button"
                        disabled=move || !ready() || (step.get() == 0 && !changed.get())
                        on:click=move |_| actions::reset(state)
                    >
                        "Reset"
                    </button>
                </div>
                <p class="counter">
                    <output aria-label="Gradient steps" aria-live="off">{move || step.get().to_string()}</output>
                    <span>"gradient steps"</span>
                </p>
                <p class="counter small">
                    <span class="number">{move || format!("{:.1}", rate())}</span>
                    <span>"a second"</span>
                </p>
                <p class="hint" role="status">{hint}</p>
            </div>
            <div class="training-grid">
                <div class="setup">
                    <Data />
                    <SettingsForm />
                </div>
                <Samples />
                <MeetingTime />
                <SearchSweeps />
            </div>
        </section>
    }
}
