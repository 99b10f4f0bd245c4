//! How a run learns: its estimator and its start, each with a line about what was chosen and the fields that belong to it.

use crate::state::{State, state};
use crate::train::draft::{Draft, Field, StartKind};
use crate::train::estimators::{name, summary};
use crate::train::field::TextField;
use dbm_core::gradient::EstimatorKind;
use leptos::prelude::*;

const STARTS: [(StartKind, &str, &str, &str); 3] = [
    (StartKind::Orthogonal, "orthogonal", "orthogonal", "Random orthogonal weights, as in the paper of UCD-LMI."),
    (StartKind::Gaussian, "gaussian", "small Gaussian (0.01)", "Random weights near zero, the customary start of an RBM."),
    (
        StartKind::Pretrained,
        "pretrained",
        "pretrained, layer by layer",
        "Before the first gradient step each layer is trained alone, as an RBM, on what the layers below make of the data.",
    ),
];

/// The form below the figures; nothing in it touches a run that has begun.
#[component]
pub fn Learning() -> impl IntoView {
    view! {
        <form class="learning" aria-label="Estimator and start of the run" on:submit=|event| event.prevent_default()>
            <Estimator />
            <EstimatorFields />
            <Start />
        </form>
    }
}

/// Visible units that a run would have.
fn visible(state: State) -> u32 {
    state.data.with(|data| data.as_ref().map_or(784, |data| data.width))
}

/// Which estimator, what it does, and what stands in its way.
#[component]
fn Estimator() -> impl IntoView {
    let state = state();
    let kind = Memo::new(move |_| state.draft.with(Draft::estimator));
    let choose = move |event| {
        let chosen = event_target_value(&event);
        if let Some(kind) = EstimatorKind::ALL.into_iter().find(|kind| kind.name() == chosen) {
            let visible = untrack(|| visible(state));
            state.draft.update(|draft| draft.choose_estimator(kind, visible));
        }
    };
    let group = |unbiased: bool| {
        EstimatorKind::ALL
            .into_iter()
            .filter(|kind| kind.is_unbiased() == unbiased)
            .map(|kind| view! { <option value=kind.name()>{name(kind)}</option> })
            .collect_view()
    };
    let impossible = Memo::new(move |_| state.draft.with(Draft::share_is_impossible));
    view! {
        <div class="settings">
            <div class="field wide">
                <label for="estimator" data-help="How a step estimates the gradient of the log-likelihood. Unbiased: its mean is the exact gradient.">
                    "Estimator"
                </label>
                <select id="estimator" prop:value=move || kind.get().name() aria-describedby="estimator-note" on:change=choose>
                    <optgroup label="Unbiased">{group(true)}</optgroup>
                    <optgroup label="Biased">{group(false)}</optgroup>
                </select>
                <p id="estimator-note" class="help" aria-live="polite">
                    {move || summary(kind.get())}
                </p>
            </div>
            <Show when=move || impossible.get()>
                <div class="remedy wide" role="alert">
                    <p class="help problem">
                        "The conditional share masks part of each batch, and the free chains of PCD cannot keep what is known. Set the share                          to 0, or choose another estimator."
                    </p>
                    <button type="button" on:click=move |_| state.draft.update(|draft| draft.set(Field::Conditional, "0".into()))>
                        "Set the share to 0"
                    </button>
                </div>
            </Show>
        </div>
    }
}

/// The chosen estimator's own settings, and the parametrization, in which any of them can train.
#[component]
fn EstimatorFields() -> impl IntoView {
    let state = state();
    let meeting_hint = Signal::derive(move || {
        let visible = visible(state);
        state.draft.with(|draft| {
            if draft.meeting_is_slow(visible) {
                format!("One step may take minutes on a model this wide; {} is quicker.", draft.suggested_meeting(visible))
            } else {
                "A coupling cut there biases.".to_string()
            }
        })
    });
    let k_hint = Signal::derive(move || {
        let kind = state.draft.with(Draft::estimator);
        if kind == EstimatorKind::Pcd { "Of the free chains, a step." } else { "In each phase of a step." }.to_string()
    });
    let centered = move || state.draft.with(|draft| draft.centered);
    let center = move |event| state.draft.update(|draft| draft.centered = event_target_checked(&event));
    view! {
        <div class="settings">
            <TextField field=Field::K label="k, Gibbs sweeps" hint=k_hint />
            <TextField field=Field::MeanFieldSweeps label="Cap on mean field" hint="In sweeps." />
            <TextField field=Field::MaxSweeps label="Cap on search" hint="In sweeps." />
            <TextField field=Field::MaxMeeting label="Cap on meeting" hint=meeting_hint />
            <TextField field=Field::MaxTries label="Cap on tries" hint="Of one coupled draw; biases too." />
            <div class="field wide">
                <label
                    class="check"
                    data-help="Half of each state is replaced by its conditional means, first the odd layers and then the even ones: less noise, the same mean."
                >
                    <input
                        type="checkbox"
                        prop:checked=move || state.draft.with(|draft| draft.marginalize)
                        on:change=move |event| state.draft.update(|draft| draft.marginalize = event_target_checked(&event))
                    />
                    <span>"Marginalized"</span>
                </label>
            </div>
            <div class="field wide">
                <label class="check" data-help="Another parametrization of the same models (Montavon and Müller 2012), in which the gradient is better conditioned.">
                    <input type="checkbox" prop:checked=centered on:change=center aria-describedby="centered-note" />
                    <span>"Centered parametrization"</span>
                </label>
                <p id="centered-note" class="help">
                    "The same models, with every unit measured from its mean, so that steps go another way."
                </p>
            </div>
            <TextField field=Field::CenteringRate label="Centering rate" hint="How fast the means follow." />
        </div>
    }
}

/// How the parameters begin.
#[component]
fn Start() -> impl IntoView {
    let state = state();
    let start = Memo::new(move |_| state.draft.with(|draft| draft.start));
    let choose = move |event| {
        let chosen = event_target_value(&event);
        if let Some(&(start, ..)) = STARTS.iter().find(|(_, value, ..)| *value == chosen) {
            state.draft.update(|draft| draft.start = start);
        }
    };
    let chosen = move || STARTS.iter().find(|(kind, ..)| *kind == start.get());
    view! {
        <div class="settings">
            <div class="field wide">
                <label for="beginning" data-help="How the weights begin, drawn with the seed.">"Start"</label>
                <select
                    id="beginning"
                    prop:value=move || chosen().map_or("", |(_, value, ..)| value)
                    aria-describedby="beginning-note"
                    on:change=choose
                >
                    {STARTS.map(|(_, value, name, _)| view! { <option value=value>{name}</option> }).collect_view()}
                </select>
                <p id="beginning-note" class="help" aria-live="polite">
                    {move || chosen().map_or("", |(.., note)| note)}
                </p>
            </div>
            <TextField field=Field::PretrainingSteps label="Steps per layer" />
            <TextField field=Field::PretrainingRate label="Their learning rate" />
        </div>
    }
}
