//! The settings a run begins with.

use super::field::TextField;
use crate::ui::folded::Folded;
use crate::ui::select::{Choice, Select, SelectOption};
use crate::worker::session::{Draft, Session};
use dbm_core::mask::Masks;
use dbm_core::words::{Choose, Setting};
use dbm_core::{OptimizerMethod, Units};
use leptos::prelude::*;

/// Settings that are out of sight while the form is folded.
const FOLDED: [Setting; 5] =
    [Setting::RateDecay, Setting::Momentum, Setting::WeightDecay, Setting::Average, Setting::Conditional];

/// The form; nothing in it touches a run that has begun.
#[component]
pub fn SettingsForm() -> impl IntoView {
    let draft = Session::of_page().draft;
    let units = Signal::derive(move || draft.with(|draft| draft.units));
    let method = Signal::derive(move || draft.with(|draft| draft.method));
    let urgent = move || draft.with(|draft| FOLDED.iter().any(|&field| draft.problem(field).is_some()));
    view! {
        <form class="settings" aria-label="Settings of the run" on:submit=|event| event.prevent_default()>
            <TextField setting=Setting::Hidden wide=true />
            <div class="field">
                <Choice<Units> id="units" value=units on_choose=move |units| draft.update(|draft| draft.units = units) />
            </div>
            <TextField setting=Setting::LearningRate />
            <TextField setting=Setting::Batch />
            <TextField setting=Setting::Seed />
            <Folded name="More" class="wide" inside="settings" urgent=Signal::derive(urgent)>
                <div class="field">
                    <Choice<OptimizerMethod> id="optimizer" value=method on_choose=move |method| draft.update(|draft| draft.method = method) />
                </div>
                {FOLDED.map(|setting| view! { <TextField setting /> }).collect_view()}
                <Show when=move || draft.with(Draft::is_masked)>
                    <WhichMasks />
                </Show>
            </Folded>
        </form>
    }
}

/// What the conditional share hides. Half planes and boxes are for pictures alone.
#[component]
fn WhichMasks() -> impl IntoView {
    let session = Session::of_page();
    let (draft, data) = (session.draft, session.data);
    let is_picture = Memo::new(move |_| data.with(|data| data.as_ref().is_none_or(|data| data.image.is_some())));
    let options = Signal::derive(move || {
        let line = |choice: &dbm_core::words::Choice<Masks>| SelectOption {
            disabled: choice.value.need_image() && !is_picture.get(),
            ..SelectOption::new(choice.name, choice.label)
        };
        Masks::CHOICES.iter().map(line).collect::<Vec<_>>()
    });
    let masks = move || draft.with(|draft| draft.masks);
    let choose = move |name: String| {
        if let Some(masks) = Masks::named(&name) {
            draft.update(|draft| draft.masks = masks);
        }
    };
    view! {
        <div class="field">
            <Select
                id="masks"
                label=Masks::WORDS.label
                help=Masks::WORDS.help
                options
                value=Signal::derive(move || masks().name().to_string())
                on_choose=choose
            />
            <Show when=move || masks().need_image() && !is_picture.get()>
                <p class="help problem" role="alert">"These data are no pictures: choose mixed or single pixels."</p>
            </Show>
        </div>
    }
}
