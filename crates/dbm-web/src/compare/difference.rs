//! What differs in run B: its settings, those that are not run A's marked as such.

use super::pair::Pair;
use crate::ui::field::TextField;
use crate::ui::select::Choice;
use crate::worker::session::Draft;
use dbm_core::gradient::{EstimatorKind, SmcPath};
use dbm_core::mask::Masks;
use dbm_core::words::{self, Choose, Setting, StartKind, Words, choice, words};
use dbm_core::{OptimizerMethod, Units};
use leptos::prelude::*;

/// The settings that are typed, in the order of the form.
const TYPED: [Setting; 14] = [
    Setting::Hidden,
    Setting::LearningRate,
    Setting::RateDecay,
    Setting::Momentum,
    Setting::Batch,
    Setting::Seed,
    Setting::K,
    Setting::ModeSweeps,
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

/// The form of run B's settings.
#[component]
pub fn Difference() -> impl IntoView {
    let other = Pair::of_view().other;
    view! {
        <details class="difference" open>
            <summary>"What differs in run B"</summary>
            <form class="settings" aria-label="Settings of run B" on:submit=|event| event.prevent_default()>
                <Chosen<Units> id="compare-units" get=|draft| draft.units set=|draft, units, _| draft.units = units />
                <Chosen<EstimatorKind> id="compare-estimator" get=Draft::estimator set=Draft::choose_estimator />
                <Chosen<Marginalized>
                    id="compare-marginalized"
                    get=|draft| Marginalized(draft.marginalize)
                    set=|draft, Marginalized(on), _| draft.marginalize = on
                />
                <Chosen<StartKind> id="compare-start" get=|draft| draft.start set=|draft, start, _| draft.start = start />
                <Chosen<OptimizerMethod> id="compare-optimizer" get=|draft| draft.method set=|draft, method, _| draft.method = method />
                <Chosen<Centered>
                    id="compare-centered"
                    get=|draft| Centered(draft.centered)
                    set=|draft, Centered(on), _| draft.centered = on
                />
                <Show when=move || other.with(Draft::is_masked)>
                    <Chosen<Masks> id="compare-masks" get=|draft| draft.masks set=|draft, masks, _| draft.masks = masks />
                </Show>
                <Show when=move || other.with(Draft::has_particles)>
                    <Chosen<SmcPath> id="compare-path" get=|draft| draft.path set=|draft, path, _| draft.path = path />
                </Show>
                {TYPED.map(|setting| view! { <Typed setting /> }).collect_view()}
            </form>
        </details>
    }
}

/// Changes run B's settings, by the number of visible units of the data.
fn change(pair: Pair, edit: impl FnOnce(&mut Draft, u32)) {
    let (base, visible) = (pair.base.get_untracked(), pair.visible.get_untracked());
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
    /// Id of the select.
    id: &'static str,
    /// Reads the setting.
    get: fn(&Draft) -> T,
    /// Changes the setting, given the number of visible units.
    set: fn(&mut Draft, T, u32),
) -> impl IntoView {
    let pair = Pair::of_view();
    let value = Signal::derive(move || pair.other.with(get));
    let of_a =
        Signal::derive(move || Some(pair.base.with(get)).filter(|of_a| *of_a != value.get()).map(|of_a| of_a.choice().label));
    let on_choose = move |chosen: T| change(pair, |draft, visible| set(draft, chosen, visible));
    beside(T::WORDS.help, of_a, view! { <Choice<T> id value on_choose /> }.into_any())
}

/// A select with run A's choice below it, where that is another.
fn beside(help: &'static str, of_a: Signal<Option<&'static str>>, select: AnyView) -> impl IntoView {
    view! {
        <div class="field" class:differs=move || of_a.get().is_some() data-help=help>
            {select}
            <p class="help">{move || of_a.get().map(|of_a| format!("A: {of_a}")).unwrap_or_default()}</p>
        </div>
    }
}

/// A setting that is typed, with run A's beside it where that is another; absent where run B has no such setting.
#[component]
fn Typed(
    /// Which of them.
    setting: Setting,
) -> impl IntoView {
    let pair = Pair::of_view();
    let words = setting.words();
    let value = Signal::derive(move || pair.other.with(|draft| draft.text(setting).to_string()));
    let of_a = Memo::new(move |_| {
        let of_a = pair.base.with(|a| a.applies(setting).then(|| a.text(setting).to_string()));
        of_a.filter(|of_a| *of_a != value.get()).map(|of_a| if of_a.is_empty() { "none".into() } else { of_a })
    });
    let hint = Signal::derive(move || of_a.get().map(|of_a| format!("A: {of_a}")).unwrap_or_default());
    let applies = Memo::new(move |_| pair.other.with(|draft| draft.applies(setting)));
    let problem = Memo::new(move |_| pair.other.with(|draft| draft.problem(setting)));
    let type_in = move |text| change(pair, |draft, _| draft.set(setting, text));
    view! {
        <Show when=move || applies.get()>
            <TextField
                id=format!("compare-{}", words.key)
                words
                hint
                value
                problem
                on_type=Callback::new(type_in)
                late=true
                letters=setting == Setting::Hidden
                differs=Signal::derive(move || of_a.with(Option::is_some))
            />
        </Show>
    }
}
