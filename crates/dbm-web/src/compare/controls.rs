//! The buttons of both runs, the step to train to, the ready-made comparisons, and the settings that differ in run B.

use super::pair::{Goal, Pair};
use super::presets::{ABLATIONS, PRESETS, Preset};
use super::run::RunState;
use super::setup::{FARTHEST, Setup};
use crate::settings::{Form, fields};
use crate::ui::button::Button;
use crate::ui::select::{Check, Select, SelectOption};
use crate::ui::term::Term;
use dbm_core::settings::{Group, Setting};
use leptos::prelude::*;

/// About the longest text about run A.
const LONGEST_RUN: &str = "Run A: UCD-SMC, 784–800–200, signs ±1, rate 0.001, 100 examples per step, seed 1, Adam, no weight decay, averaged with decay 0.999, no conditional share, along temperatures, start: nearly independent units, 100 particles, 50 temperatures, marginalized.";

/// Heading, buttons, target and progress.
pub fn transport(pair: Pair) -> impl IntoView {
    let going = Memo::new(move |_| pair.goal.get() != Goal::Rest);
    let step_of = move |place: usize| pair.runs[place].metrics.with(|metrics| metrics.step);
    let both = Memo::new(move |_| step_of(0).min(step_of(1)));
    let target = Memo::new(move |_| pair.setup.with(|setup| setup.target));
    let usable = Memo::new(move |_| pair.plans().is_some() && pair.data.with(Option::is_some));
    let lost = Memo::new(move |_| pair.has_begun() && pair.runs.iter().any(|run| run.state.get() == RunState::Absent));
    let there = Memo::new(move |_| both.get() >= target.get());
    let type_in = move |event| {
        let typed = event_target_value(&event);
        let step = typed.trim().parse().ok().filter(|step| (1..=FARTHEST).contains(step));
        if let Some(step) = step {
            pair.setup.update(|setup| {
                setup.target = step;
                // The goal in the address no longer applies.
                setup.go = false;
            });
            if matches!(pair.goal.get_untracked(), Goal::Train(_)) {
                pair.train();
            }
        }
        pair.typed.set(step.is_none().then_some(typed));
    };
    view! {
        <div class="ruled transport">
            <h2 id="compare-title">
                <Term
                    words="Two runs side by side".to_string()
                    help="Same seed, same data, trained in lockstep by two separate workers: any difference comes from what you changed.".to_string()
                />
            </h2>
            <div class="buttons">
                <Button
                    label="Train both"
                    key="t"
                    class="primary"
                    help="Trains both to this step, in lockstep: the faster run waits for the other."
                    disabled=move || going.get() || !usable.get() || there.get() || lost.get()
                    on_press=move |()| pair.train()
                />
                <Button
                    label="Pause both"
                    key="t"
                    help="Both stop at the same step: the one behind catches up first. Press again to stop both where they are."
                    disabled=move || !going.get()
                    on_press=move |()| pair.pause()
                />
                <Button
                    label="Step both"
                    key="s"
                    help="One gradient step of each run; a run that is behind catches up instead."
                    disabled=move || going.get() || !usable.get() || lost.get()
                    on_press=move |()| pair.step()
                />
                // After a run was lost, the same button begins both again.
                <Button
                    label=Signal::derive(move || if lost.get() { "Start over" } else { "Rewind both" }.to_string())
                    help="Back to step 0 with the same seed and the current settings."
                    disabled=move || !(lost.get() || usable.get() && (pair.has_changed() || pair.has_begun()))
                    on_press=move |()| if lost.get_untracked() { pair.begin_again() } else { pair.rewind() }
                />
            </div>
            <div class="inline target" data-help="The gradient step at which both runs stop.">
                <label for="compare-target">"to step"</label>
                <input
                    id="compare-target"
                    type="text"
                    inputmode="numeric"
                    autocomplete="off"
                    prop:value=move || target.get().to_string()
                    aria-invalid=move || pair.typed.with(Option::is_some).to_string()
                    aria-describedby="compare-target-note"
                    on:change=type_in
                />
                <progress
                    max=move || target.get().to_string()
                    value=move || both.get().min(target.get()).to_string()
                    aria-label="Steps that both runs have taken"
                ></progress>
            </div>
            <p id="compare-target-note" class="hint" role="status">
                {move || words(pair, lost.get())}
            </p>
        </div>
        <p class="compare-about" data-longest=LONGEST_RUN>
            <span>"Run A: " <b>{move || super::setup::in_words(&pair.base.get(), pair.for_data.get().visible)}</b> "."</span>
        </p>
    }
}

/// What is going on, if the numbers do not show it.
fn words(pair: Pair, lost: bool) -> String {
    let [a, b] = pair.runs.map(|run| run.state.get());
    if let Some(typed) = pair.typed.get() {
        return format!("Expected a whole number from 1 to {FARTHEST}; got “{}”.", typed.trim());
    }
    if lost {
        return "One run was lost, and the other is waiting.".into();
    }
    if pair.data.with(Option::is_none) {
        return "Waiting for the data.".into();
    }
    if pair.plans().is_none() {
        return "Fix the highlighted setting.".into();
    }
    match pair.goal.get() {
        Goal::Level(step) => format!("Both are going to step {step}."),
        Goal::Pause(_) => "Pausing.".into(),
        Goal::Train(_) if [a, b].contains(&RunState::Beginning) => "Starting both.".into(),
        Goal::Rest if pair.has_changed() => "Rewind both uses these settings.".into(),
        _ => String::new(),
    }
}

/// The list of comparisons, and the description of the chosen one.
pub fn comparisons(pair: Pair) -> impl IntoView {
    let chosen = Memo::new(move |_| pair.setup.with(|setup| setup.preset.map(|preset| preset.key)));
    let group = move |title: &'static str, presets: &'static [Preset]| {
        let buttons = presets.iter().map(|preset| {
            view! {
                <button
                    type="button"
                    aria-pressed=move || (chosen.get() == Some(preset.key)).to_string()
                    data-help=preset.paper
                    on:click=move |_| pair.choose(Setup::of(preset))
                >
                    {preset.title}
                </button>
            }
        });
        view! {
            <div class="comparisons" role="group" aria-label=title>
                <span>{title}</span>
                {buttons.collect_view()}
            </div>
        }
    };
    let elsewhere = move || {
        let preset = pair.setup.with(|setup| setup.preset);
        preset.map(|preset| {
            let bars = pair.for_data.get().visible == 16;
            let (name, words) = if bars { ("digits", "The same on digits") } else { ("bars", "The same on bars and stripes") };
            let steps = if bars { preset.steps } else { preset.steps.max(2000) };
            let address = format!("#view=train&t.two=yes&t.data={name}&x.preset={}&x.go={steps}", preset.key);
            view! { <a href=address>{words}</a> }
        })
    };
    let look = move || {
        pair.setup.with(|setup| setup.preset).map_or("Choose a comparison, or change a setting of run B.", |preset| preset.look)
    };
    let longest = PRESETS.iter().map(|preset| preset.look).max_by_key(|look| look.len()).unwrap_or_default();
    let longest = format!("What to look at. {longest}");
    let data = Signal::derive(move || {
        let names =
            [("digits", "digits, generated"), ("bars", "bars and stripes"), ("mnist", "MNIST, fetched"), ("own", "your own")];
        // The visitor's own data can be chosen here only while they are in use.
        let disabled = |name| name == "own" && pair.data_name() != "own";
        names.map(|(name, label)| SelectOption { disabled: disabled(name), ..SelectOption::new(name, label) }).to_vec()
    });
    let form = Memo::new(move |_| pair.setup.with(|setup| setup.form));
    let choose_form = move |form| pair.setup.update(|setup| (setup.form, setup.go) = (form, false));
    view! {
        <div class="comparisons" data-help="What both runs are trained on. Choose your own data under “One run”; they are then used here too.">
            <Select id="compare-data" label="Data" options=data value=Signal::derive(move || pair.data_name()) on_choose=move |name: String| pair.use_data(&name) />
        </div>
        {group("The paper’s ablations", &PRESETS[..ABLATIONS])}
        {group("The rivals", &PRESETS[ABLATIONS..])}
        <div class="comparison-said" aria-live="polite" data-longest=longest>
            <p>
                <b>"What to look at. "</b>
                {look}
            </p>
        </div>
        <div class="comparison-more" class:absent=move || chosen.get().is_none()>
            {elsewhere}
            <Check
                label="All other settings as under “One run”"
                help="A comparison gives both runs the paper’s settings: no conditional share, no averaging, no decay, one sweep from the mode. Tick this to use those of the form under “One run” instead."
                value=form
                on_change=choose_form
            />
        </div>
    }
}

/// The settings of run B; those that differ from run A's are marked.
pub fn difference_form(pair: Pair) -> impl IntoView {
    let change = move |(setting, text)| change_other(pair, setting, text);
    let form = Form {
        id: "compare",
        draft: pair.other.into(),
        change: Callback::new(change),
        data: pair.for_data.into(),
        beside: Some(pair.base.into()),
    };
    view! {
        <details class="difference" open>
            <summary>"What differs in run B"</summary>
            <form class="settings" aria-label="Settings of run B" on:submit=|event| event.prevent_default()>
                {fields(form, &[Group::Main, Group::More, Group::Estimator, Group::Start, Group::Limits])}
            </form>
        </details>
    }
}

/// Changes one of run B's settings.
fn change_other(pair: Pair, setting: Setting, text: String) {
    let (base, data) = (pair.base.get_untracked(), pair.for_data.get_untracked());
    let mut other = pair.other.get_untracked();
    other.change(setting, text, data);
    pair.setup.update(|setup| {
        setup.differ(&base, &other, data);
        // The address no longer describes what has been trained.
        setup.go = false;
    });
}
