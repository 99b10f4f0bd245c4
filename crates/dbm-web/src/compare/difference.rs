//! What differs in run B: its settings, those that are not run A's marked as such.

use super::pair::Pair;
use crate::worker::session::Draft;
use dbm_core::gradient::EstimatorKind;
use dbm_core::words::{Choose, Setting, StartKind};
use dbm_core::{OptimizerMethod, Units};
use leptos::prelude::*;

type Options = &'static [(&'static str, &'static str)];

/// A choice between words: its label, the keys of the address, how a draft has it and how it is changed.
pub struct Choice {
    id: &'static str,
    label: &'static str,
    help: &'static str,
    options: Options,
    get: fn(&Draft) -> &'static str,
    set: fn(&mut Draft, &str, u32),
}

/// Names and labels of all estimators.
const ESTIMATORS: [(&str, &str); EstimatorKind::ALL.len()] = {
    let mut options = [("", ""); EstimatorKind::ALL.len()];
    let mut place = 0;
    while place < options.len() {
        options[place] = (EstimatorKind::CHOICES[place].name, EstimatorKind::CHOICES[place].label);
        place += 1;
    }
    options
};

static CHOICES: [Choice; 6] = [
    Choice {
        id: "units",
        label: "Units",
        help: "Whether a unit is −1 or 1 (the paper’s simplified centering) or 0 or 1.",
        options: &[("signs", "signs −1, 1"), ("bits", "bits 0, 1")],
        get: |draft| if draft.units == Units::Bits { "bits" } else { "signs" },
        set: |draft, chosen, _| draft.units = if chosen == "bits" { Units::Bits } else { Units::Signs },
    },
    Choice {
        id: "estimator",
        label: "Estimator",
        help: "What estimates the gradient of the likelihood at each step.",
        options: &ESTIMATORS,
        get: |draft| draft.estimator().name(),
        set: |draft, chosen, visible| {
            if let Some(kind) = EstimatorKind::named(chosen) {
                draft.choose_estimator(kind, visible);
            }
        },
    },
    Choice {
        id: "marginalized",
        label: "Marginalized",
        help: "Whether half of each state is replaced by its conditional means, which takes variance away and leaves the mean.",
        options: &[("yes", "yes"), ("no", "no")],
        get: |draft| if draft.marginalize { "yes" } else { "no" },
        set: |draft, chosen, _| draft.marginalize = chosen == "yes",
    },
    Choice {
        id: "start",
        label: "Start",
        help: "How the weights begin: random orthogonal, as in the paper, or Gaussian with a deviation of 0.01, as was usual before.",
        options: &[("orthogonal", "orthogonal"), ("gaussian", "small Gaussian"), ("pretrained", "pretrained")],
        get: |draft| match draft.start {
            StartKind::Orthogonal => "orthogonal",
            StartKind::Gaussian => "gaussian",
            StartKind::Pretrained => "pretrained",
        },
        set: |draft, chosen, _| {
            draft.start = match chosen {
                "gaussian" => StartKind::Gaussian,
                "pretrained" => StartKind::Pretrained,
                _ => StartKind::Orthogonal,
            };
        },
    },
    Choice {
        id: "optimizer",
        label: "Optimizer",
        help: "What makes a step of a gradient.",
        options: &[("adam", "Adam"), ("sgd", "SGD"), ("amsgrad", "AMSGrad")],
        get: |draft| match draft.method {
            OptimizerMethod::Adam => "adam",
            OptimizerMethod::Sgd => "sgd",
            OptimizerMethod::AmsGrad => "amsgrad",
        },
        set: |draft, chosen, _| {
            draft.method = match chosen {
                "sgd" => OptimizerMethod::Sgd,
                "amsgrad" => OptimizerMethod::AmsGrad,
                _ => OptimizerMethod::Adam,
            };
        },
    },
    Choice {
        id: "centered",
        label: "Centered",
        help: "Whether each unit is measured from its moving mean: the same models, with steps that go another way.",
        options: &[("no", "no"), ("yes", "yes")],
        get: |draft| if draft.centered { "yes" } else { "no" },
        set: |draft, chosen, _| draft.centered = chosen == "yes",
    },
];

/// The fields below the choices.
const FIELDS: [(Setting, &str, &str); 11] = [
    (Setting::Hidden, "Hidden layers", "Sizes, from the visible layer upward, with commas between."),
    (Setting::LearningRate, "Learning rate", "Size of the optimizer’s steps."),
    (Setting::Batch, "Batch size", "Examples a gradient step."),
    (
        Setting::Seed,
        "Seed",
        "Of the first weights and of all that is drawn. With the same one, all that differs comes from the settings.",
    ),
    (Setting::K, "k, Gibbs sweeps", "In each phase of a step, or of PCD’s free chains."),
    (Setting::WeightDecay, "Weight decay", "Strength of the penalty on the weights; 0 for none."),
    (Setting::Average, "Averaging", "Decay of the averaged weights, which the samples are from; blank for none."),
    (Setting::Conditional, "Conditional share", "Of each batch, trained to complete; 0 is the paper’s, and all that PCD can do."),
    (Setting::MaxMeeting, "Cap on meeting", "A coupling is cut there, which biases."),
    (Setting::CenteringRate, "Centering rate", "How fast the means follow."),
    (Setting::PretrainingSteps, "Steps per layer", "Of layer-wise pretraining, before step 0."),
];

/// The form.
#[component]
pub fn Difference(
    /// The runs.
    pair: Pair,
) -> impl IntoView {
    view! {
        <details class="difference" open>
            <summary>"What differs in run B"</summary>
            <form class="settings" aria-label="Settings of run B" on:submit=|event| event.prevent_default()>
                {CHOICES.iter().enumerate().map(|(place, choice)| view! { <OneChoice pair choice place /> }).collect_view()}
                {(0..FIELDS.len()).map(|place| view! { <OneField pair place /> }).collect_view()}
            </form>
        </details>
    }
}

/// Changes run B's settings.
fn change(pair: Pair, edit: impl Fn(&mut Draft, u32)) {
    let (base, visible) = (pair.base.get_untracked(), untrack(|| pair.visible()));
    let mut other = pair.other.get_untracked();
    edit(&mut other, visible);
    pair.setup.update(|setup| {
        setup.differ(&base, &other, visible);
        // The address no longer says what has been trained.
        setup.go = false;
    });
    pair.setup.get_untracked().write();
}

/// What run A has at a place of the form, where run B has something else.
fn of_a(pair: Pair, different: fn(&Draft, &Draft, usize) -> Option<String>, place: usize) -> Memo<Option<String>> {
    Memo::new(move |_| pair.base.with(|a| pair.other.with(|b| different(a, b, place))))
}

/// A choice between words.
#[component]
fn OneChoice(
    /// The runs.
    pair: Pair,
    /// Which.
    choice: &'static Choice,
    /// Its place in the form.
    place: usize,
) -> impl IntoView {
    let different = |a: &Draft, b: &Draft, place: usize| {
        let Choice { get, options, .. } = &CHOICES[place];
        let word = options.iter().find(|(key, _)| *key == get(a)).map_or("", |(_, word)| word);
        (get(a) != get(b)).then(|| word.to_string())
    };
    let of_a = of_a(pair, different, place);
    let value = move || pair.other.with(choice.get);
    let id = format!("compare-{}", choice.id);
    let options = choice.options.iter().map(|&(key, word)| {
        view! {
            <option value=key selected=move || value() == key>
                {word}
            </option>
        }
    });
    view! {
        <div class="field" class:differs=move || of_a.with(Option::is_some) data-help=choice.help>
            <label for=id.clone()>{choice.label}</label>
            <select
                id=id
                prop:value=value
                on:change=move |event| {
                    let chosen = event_target_value(&event);
                    change(pair, |draft, visible| (choice.set)(draft, &chosen, visible));
                }
            >
                {options.collect_view()}
            </select>
            <p class="help">{move || of_a.get().map(|word| format!("A: {word}")).unwrap_or_default()}</p>
        </div>
    }
}

/// A field to type in; absent where run B has no such setting.
#[component]
fn OneField(
    /// The runs.
    pair: Pair,
    /// Its place among the fields.
    place: usize,
) -> impl IntoView {
    let (field, label, help) = FIELDS[place];
    let different = |a: &Draft, b: &Draft, place: usize| {
        let field = FIELDS[place].0;
        let text = if a.text(field).is_empty() { "none" } else { a.text(field) };
        (a.applies(field) && a.text(field) != b.text(field)).then(|| text.to_string())
    };
    let of_a = of_a(pair, different, place);
    let applies = Memo::new(move |_| pair.other.with(|draft| draft.applies(field)));
    let problem = Memo::new(move |_| pair.other.with(|draft| draft.problem(field)));
    let id = format!("compare-{}", field.words().key);
    let note = format!("{id}-note");
    view! {
        <div class="field" class:differs=move || of_a.with(Option::is_some) hidden=move || !applies.get() data-help=help>
            <label for=id.clone()>{label}</label>
            <input
                id=id
                type="text"
                inputmode=if field == Setting::Hidden { "text" } else { "decimal" }
                autocomplete="off"
                spellcheck="false"
                prop:value=move || pair.other.with(|draft| draft.text(field).to_string())
                aria-invalid=move || problem.get().is_some().to_string()
                aria-describedby=note.clone()
                on:change=move |event| {
                    let typed = event_target_value(&event);
                    change(pair, |draft, _| draft.set(field, typed.clone()));
                }
            />
            <p id=note class="help" class:problem=move || problem.get().is_some() aria-live="polite">
                {move || problem.get().or_else(|| of_a.get().map(|word| format!("A: {word}"))).unwrap_or_default()}
            </p>
        </div>
    }
}
