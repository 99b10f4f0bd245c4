//! How a run learns: its estimator and its start, each with a line about what was chosen and the fields that belong to it.

use super::field::TextField;
use crate::ui::check::Check;
use crate::ui::folded::Folded;
use crate::ui::select::{Choice, Select, SelectOption};
use crate::worker::session::{Draft, Session};
use dbm_core::gradient::{EstimatorKind, SmcPath};
use dbm_core::words::{Choose, Setting, StartKind};
use leptos::prelude::*;

/// The form below the figures; nothing in it touches a run that has begun.
#[component]
pub fn Learning() -> impl IntoView {
    view! {
        <form class="learning" aria-label="Estimator and start of the run" on:submit=|event| event.prevent_default()>
            <Estimator />
            <Start />
            <Variants />
        </form>
    }
}

/// Visible units that a run would have.
fn visible(session: Session) -> u32 {
    session.data.with(|data| data.as_ref().map_or(784, |data| data.width))
}

/// A line of the select of estimators.
fn line(kind: EstimatorKind) -> SelectOption {
    let group = if kind.is_unbiased() { "Unbiased" } else { "Biased" };
    SelectOption { group, ..SelectOption::new(kind.name(), kind.choice().label) }
}

/// Which estimator, and what it does.
#[component]
fn Estimator() -> impl IntoView {
    let session = Session::of_page();
    let draft = session.draft;
    let kind = Memo::new(move |_| draft.with(Draft::estimator));
    let choose = move |chosen: String| {
        if let Some(kind) = EstimatorKind::named(&chosen) {
            let visible = untrack(|| visible(session));
            draft.update(|draft| draft.choose_estimator(kind, visible));
        }
    };
    view! {
        <div class="settings">
            <div class="field wide">
                <Select
                    id="estimator"
                    label=EstimatorKind::WORDS.label
                    help=EstimatorKind::WORDS.help
                    options=EstimatorKind::ALL.map(line).to_vec()
                    value=Signal::derive(move || kind.get().name().to_string())
                    on_choose=choose
                    note=Some(Signal::derive(move || kind.get().choice().help.to_string()))
                />
            </div>
            <TextField setting=Setting::K />
            <Show when=move || draft.with(Draft::has_particles)>
                <div class="field">
                    <Choice<SmcPath>
                        id="path"
                        value=Signal::derive(move || draft.with(|draft| draft.path))
                        on_choose=move |path| draft.update(|draft| draft.path = path)
                    />
                </div>
            </Show>
        </div>
    }
}

/// The rest of the chosen estimator's own settings, and the parametrization, in which any of them can train.
const FOLDED: [Setting; 11] = [
    Setting::ModeSweeps,
    Setting::MaxSweeps,
    Setting::MaxMeeting,
    Setting::MaxTries,
    Setting::MeanFieldSweeps,
    Setting::Particles,
    Setting::SmcSteps,
    Setting::AverageFrom,
    Setting::AverageTo,
    Setting::LadderEvery,
    Setting::CenteringRate,
];

/// What of the estimator is rarely changed.
#[component]
fn Variants() -> impl IntoView {
    let session = Session::of_page();
    let meeting_hint = Signal::derive(move || {
        let visible = visible(session);
        session.draft.with(|draft| {
            if draft.meeting_is_slow(visible) {
                format!("One step may take minutes on a model this wide; {} is quicker.", draft.suggested_meeting(visible))
            } else {
                String::new()
            }
        })
    });
    let urgent = Signal::derive(move || {
        let visible = visible(session);
        session.draft.with(|draft| draft.meeting_is_slow(visible) || FOLDED.iter().any(|&field| draft.problem(field).is_some()))
    });
    view! {
        <div class="settings">
            <Folded name="Limits and variants" class="wide" inside="settings" urgent>
                <TextField setting=Setting::ModeSweeps />
                <TextField setting=Setting::MaxSweeps />
                <TextField setting=Setting::MaxMeeting hint=meeting_hint />
                <TextField setting=Setting::MaxTries />
                <TextField setting=Setting::MeanFieldSweeps />
                <TextField setting=Setting::Particles />
                <TextField setting=Setting::SmcSteps />
                <TextField setting=Setting::AverageFrom />
                <TextField setting=Setting::AverageTo />
                <TextField setting=Setting::LadderEvery />
                <div class="field wide">
                    <Check
                        label="Marginalized"
                        help="Half of each state is replaced by its conditional means, first the odd layers and then the even ones: less noise, the same mean."
                        value=move || session.draft.with(|draft| draft.marginalize)
                        on_change=move |on| session.draft.update(|draft| draft.marginalize = on)
                    />
                </div>
                <div class="field wide">
                    <Check
                        label="Centered"
                        help="Every unit is measured from its mean: the same models, with a gradient that is better conditioned (Montavon and Müller 2012)."
                        value=move || session.draft.with(|draft| draft.centered)
                        on_change=move |on| session.draft.update(|draft| draft.centered = on)
                    />
                </div>
                <TextField setting=Setting::CenteringRate />
            </Folded>
        </div>
    }
}

/// How the parameters begin.
#[component]
fn Start() -> impl IntoView {
    let draft = Session::of_page().draft;
    let start = Signal::derive(move || draft.with(|draft| draft.start));
    view! {
        <div class="settings">
            <div class="field wide">
                <Choice<StartKind> id="beginning" value=start on_choose=move |start| draft.update(|draft| draft.start = start) noted=true />
            </div>
            <TextField setting=Setting::PretrainingSteps />
            <TextField setting=Setting::PretrainingRate />
        </div>
    }
}
