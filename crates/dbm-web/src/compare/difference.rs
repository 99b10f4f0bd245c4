//! What differs in run B: its settings, those that are not run A's marked as such.

use super::pair::Pair;
use crate::ui::select::Choice;
use crate::worker::session::Draft;
use dbm_core::gradient::EstimatorKind;
use dbm_core::words::{self, Choose, Setting, StartKind, Words, choice, words};
use dbm_core::{OptimizerMethod, Units};
use leptos::prelude::*;

/// The settings that are typed, in the order of the form.
const TYPED: [Setting; 11] = [
    Setting::Hidden,
    Setting::LearningRate,
    Setting::Batch,
    Setting::Seed,
    Setting::K,
    Setting::WeightDecay,
    Setting::Average,
    Setting::Conditional,
    Setting::MaxMeeting,
    Setting::CenteringRate,
    Setting::PretrainingSteps,
];

/// Whether half of each state is replaced by its conditional means.
#[derive(Clone, Copy, PartialEq)]
struct Marginalized(bool);

impl Choose for Marginalized {
    const WORDS: Words = words(
        "marginalized",
        "Marginalized",
        "Whether half of each state is replaced by its conditional means, which takes variance away and leaves the mean.",
    );
    const CHOICES: &'static [words::Choice<Self>] = &[choice(Self(true), "yes", "yes", ""), choice(Self(false), "no", "no", "")];
}

/// Whether each unit is measured from its moving mean.
#[derive(Clone, Copy, PartialEq)]
struct Centered(bool);

impl Choose for Centered {
    const WORDS: Words = words(
        "centered",
        "Centered",
        "Whether each unit is measured from its moving mean: the same models, with steps that go another way.",
    );
    const CHOICES: &'static [words::Choice<Self>] = &[choice(Self(false), "no", "no", ""), choice(Self(true), "yes", "yes", "")];
}

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
                <Chosen<Units> pair id="compare-units" get=|draft| draft.units set=|draft, units, _| draft.units = units />
                <Chosen<EstimatorKind> pair id="compare-estimator" get=Draft::estimator set=Draft::choose_estimator />
                <Chosen<Marginalized>
                    pair
                    id="compare-marginalized"
                    get=|draft| Marginalized(draft.marginalize)
                    set=|draft, Marginalized(on), _| draft.marginalize = on
                />
                <Chosen<StartKind> pair id="compare-start" get=|draft| draft.start set=|draft, start, _| draft.start = start />
                <Chosen<OptimizerMethod> pair id="compare-optimizer" get=|draft| draft.method set=|draft, method, _| draft.method = method />
                <Chosen<Centered>
                    pair
                    id="compare-centered"
                    get=|draft| Centered(draft.centered)
                    set=|draft, Centered(on), _| draft.centered = on
                />
                {TYPED.map(|setting| view! { <Typed pair setting /> }).collect_view()}
            </form>
        </details>
    }
}

/// Changes run B's settings, by the number of visible units of the data.
fn change(pair: Pair, edit: impl FnOnce(&mut Draft, u32)) {
    let (base, visible) = (pair.base.get_untracked(), untrack(|| pair.visible()));
    let mut other = pair.other.get_untracked();
    edit(&mut other, visible);
    pair.setup.update(|setup| {
        setup.differ(&base, &other, visible);
        // The address no longer says what has been trained.
        setup.go = false;
    });
}

/// A setting that is chosen among the rows of its table, with run A's beside it where that is another.
#[component]
fn Chosen<T: Choose>(
    /// The runs.
    pair: Pair,
    /// Id of the select.
    id: &'static str,
    /// Reads the setting.
    get: fn(&Draft) -> T,
    /// Changes the setting, given the number of visible units.
    set: fn(&mut Draft, T, u32),
) -> impl IntoView {
    let value = Signal::derive(move || pair.other.with(get));
    let of_a = move || Some(pair.base.with(get)).filter(|of_a| *of_a != value.get());
    let on_choose = move |chosen: T| change(pair, |draft, visible| set(draft, chosen, visible));
    view! {
        <div class="field" class:differs=move || of_a().is_some() data-help=T::WORDS.help>
            <Choice<T> id value on_choose />
            <p class="help">{move || of_a().map(|of_a| format!("A: {}", of_a.choice().label)).unwrap_or_default()}</p>
        </div>
    }
}

/// A setting that is typed, with run A's beside it where that is another; absent where run B has no such setting.
#[component]
fn Typed(
    /// The runs.
    pair: Pair,
    /// The setting.
    setting: Setting,
) -> impl IntoView {
    let words = setting.words();
    let value = move || pair.other.with(|draft| draft.text(setting).to_string());
    let of_a = Memo::new(move |_| {
        pair.base.with(|a| {
            let differs = a.applies(setting) && pair.other.with(|b| a.text(setting) != b.text(setting));
            differs.then(|| if a.text(setting).is_empty() { "none".to_string() } else { a.text(setting).to_string() })
        })
    });
    let applies = Memo::new(move |_| pair.other.with(|draft| draft.applies(setting)));
    let problem = Memo::new(move |_| pair.other.with(|draft| draft.problem(setting)));
    let id = format!("compare-{}", words.key);
    let note = format!("{id}-note");
    view! {
        <div class="field" class:differs=move || of_a.with(Option::is_some) hidden=move || !applies.get() data-help=words.help>
            <label for=id.clone()>{words.label}</label>
            <input
                id=id
                type="text"
                inputmode=if setting == Setting::Hidden { "text" } else { "decimal" }
                autocomplete="off"
                spellcheck="false"
                prop:value=value
                aria-invalid=move || problem.get().is_some().to_string()
                aria-describedby=note.clone()
                on:change=move |event| change(pair, |draft, _| draft.set(setting, event_target_value(&event)))
            />
            <p id=note class="help" class:problem=move || problem.get().is_some() aria-live="polite">
                {move || problem.get().or_else(|| of_a.get().map(|text| format!("A: {text}"))).unwrap_or_default()}
            </p>
        </div>
    }
}
