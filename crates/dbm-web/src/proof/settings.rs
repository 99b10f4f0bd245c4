//! Which model: the preset, one drawn by a seed, or that of the lab's run.

use super::desk::{Desk, desk};
use super::plan::{Base, MAX_UNITS, Question};
use crate::worker::pool::{self, Group};
use crate::worker::session::Session;
use dbm_core::Units;
use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent, ModelSource, Reply};
use leptos::prelude::*;
use std::time::Duration;

/// Sizes to choose from.
const SIZES: [&str; 7] = ["2-2", "3-2", "4-4", "3-3-2", "4-3-2", "3-3-2-2", "6-4"];
/// The lab answers soon, if it has anything.
const PATIENCE: Duration = Duration::from_secs(2);
/// What is said where it has not.
const NEEDS: &str = "The lab trains no model of at most 24 units, and a larger one cannot be enumerated. Under Train choose bars and stripes with hidden layers of at most 8 units in all, and press Train.";

/// The form.
#[component]
pub fn ModelSettings() -> impl IntoView {
    let desk = desk();
    let said = RwSignal::new(String::new());
    let random = Memo::new(move |_| desk.plan.with(|plan| plan.question.base == Base::Random));
    let value = Memo::new(move |_| {
        desk.plan.with(|plan| match plan.question.base {
            Base::Preset => "preset".to_string(),
            Base::Run => "run".into(),
            Base::Random => plan.question.sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join("-"),
        })
    });
    let sizes = move |event| {
        let text = event_target_value(&event);
        desk.ask(None, |question| {
            if text == "preset" {
                *question = Question::default();
            } else if let Ok(sizes) = text.split('-').map(str::parse).collect::<Result<Vec<u32>, _>>() {
                let drawn = Question::random(sizes, question.units);
                *question = Question { seed: question.seed, deviation: question.deviation, ..drawn };
            }
        });
    };
    let units = move |event| {
        let units = if event_target_value(&event) == "bits" { Units::Bits } else { Units::Signs };
        desk.ask(None, |question| {
            if question.base == Base::Preset {
                // The preset is of one kind: the other is drawn.
                *question = Question::random(question.sizes.clone(), units);
            }
            question.units = units;
        });
    };
    let is = move |name: &'static str| value.with(|value| value == name);
    // Sizes that came by the address, or a model of the run.
    let other = move || value.with(|value| (value != "preset" && !SIZES.contains(&value.as_str())).then(|| value.clone()));
    view! {
        <fieldset class="proof-settings">
            <legend data-help="Only models of at most 24 units can be enumerated, so only for these is the exact gradient known.">"Model"</legend>
            <div class="settings">
                <div class="field">
                    <label for="proof-sizes">"Layers, visible first"</label>
                    <select id="proof-sizes" prop:value=move || value.get() on:change=sizes>
                        <option value="preset" selected=move || is("preset")>"4-3-2, the preset"</option>
                        {SIZES
                            .map(|size| view! { <option value=size selected=move || is(size)>{format!("{size}, random")}</option> })
                            .into_iter()
                            .collect_view()}
                        {move || {
                            other()
                                .map(|name| {
                                    let words = if name == "run" { "of the lab’s run".to_string() } else { format!("{name}, random") };
                                    view! { <option value=name selected=true>{words}</option> }
                                })
                        }}
                    </select>
                </div>
                <div class="field">
                    <label for="proof-units">"Units"</label>
                    <select
                        id="proof-units"
                        prop:value=move || if desk.plan.with(|plan| plan.question.units == Units::Bits) { "bits" } else { "signs" }
                        on:change=units
                    >
                        <option value="signs">"signs ±1"</option>
                        <option value="bits" selected=move || desk.plan.with(|plan| plan.question.units == Units::Bits)>"bits 0, 1"</option>
                    </select>
                </div>
                <Show when=move || random.get()>
                    <Drawn />
                </Show>
            </div>
            <button
                type="button"
                data-help="Takes the parameters of the model that the lab trains, rounded to three places, where it has at most 24 units."
                on:click=move |_| take(desk, said)
            >
                "Use the model in training"
            </button>
            <p class="help" role="status">{move || said.get()}</p>
        </fieldset>
    }
}

/// What a random model is drawn with.
#[component]
fn Drawn() -> impl IntoView {
    let desk = desk();
    let seed = move |event| {
        if let Ok(seed) = event_target_value(&event).trim().parse() {
            desk.ask(None, |question| {
                question.seed = seed;
                question.edits.clear();
            });
        }
    };
    let deviation = move |event| {
        let value = event_target_value(&event).trim().replace(',', ".").parse::<f64>().ok();
        if let Some(value) = value.filter(|value| (0.0..=3.0).contains(value)) {
            desk.ask(None, |question| {
                question.deviation = value;
                question.edits.clear();
            });
        }
    };
    view! {
        <div class="field">
            <label for="proof-model-seed">"Seed of the model"</label>
            <input
                id="proof-model-seed"
                type="text"
                inputmode="numeric"
                autocomplete="off"
                prop:value=move || desk.plan.with(|plan| plan.question.seed.to_string())
                on:change=seed
            />
        </div>
        <div class="field" data-help="Standard deviation of the random weights, 0 to 3. The larger, the more the chains have to overcome.">
            <label for="proof-deviation">"Weight deviation"</label>
            <input
                id="proof-deviation"
                type="text"
                inputmode="decimal"
                autocomplete="off"
                prop:value=move || desk.plan.with(|plan| plan.question.deviation.to_string())
                on:change=deviation
            />
        </div>
    }
}

/// The most units of a model that is asked for.
const MOST_UNITS: u32 = 64;

thread_local! {
    /// What the next answer of the lab is for.
    static WAITING: std::cell::Cell<Option<(Desk, RwSignal<String>)>> = const { std::cell::Cell::new(None) };
}

/// Asks the lab for its run's checkpoint, and the workers for the model in it.
fn take(desk: Desk, said: RwSignal<String>) {
    said.set("Asking the lab…".into());
    WAITING.set(Some((desk, said)));
    set_timeout(
        move || {
            if WAITING.take().is_some() {
                let _ = said.try_set(NEEDS.into());
            }
        },
        PATIENCE,
    );
    let session = Session::of_page();
    let units = session.training.with_untracked(|about| about.as_ref().map_or(u32::MAX, |about| about.sizes.iter().sum()));
    leptos::task::spawn_local(async move {
        let saved = if units > MOST_UNITS { None } else { session.save().await.ok() };
        given(saved.map(|(_, checkpoint)| checkpoint.to_vec()).unwrap_or_default());
    });
}

/// The lab gives the checkpoint of its run; empty where it has none that is small enough.
fn given(bytes: Vec<u8>) {
    let Some((desk, said)) = WAITING.take() else { return };
    if bytes.is_empty() {
        let _ = said.try_set(NEEDS.into());
        return;
    }
    let source = ModelSource::Checkpoint { bytes };
    pool::ask(Group::Replay, DiagnosticsCommand::Model { source }, move |answer| {
        let words = match answer {
            Ok(Reply::Answer(DiagnosticsEvent::Model(model))) => {
                let units: u32 = model.sizes.iter().sum();
                if units <= MAX_UNITS {
                    desk.ask(None, |question| *question = Question::of_run(&model));
                    "This is the model of the lab’s run, its parameters rounded to three places.".into()
                } else {
                    format!(
                        "The lab’s model has {units} units; at most {MAX_UNITS} can be enumerated. Train a smaller one: bars and stripes with hidden layers of 8 units in all."
                    )
                }
            }
            Ok(_) => return,
            Err(why) => format!("The lab’s model cannot be used here: {why}."),
        };
        let _ = said.try_set(words);
    });
}
