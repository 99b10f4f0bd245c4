//! The chosen parameter: picked from a list, its value typed or set with a slider; and Undo, Redo, Reset.

use super::settings::{LARGEST, ModelAndData, Origin};
use super::state::ProofState;
use crate::ui::button::Button;
use crate::ui::field::{TextField, number};
use crate::ui::number::decimal;
use crate::ui::select::{Select, SelectOption};
use crate::ui::undo::Edits;
use dbm_core::words::words;
use leptos::prelude::*;

/// The fields below the graph.
pub fn editor(proof: ProofState) -> impl IntoView {
    let shown = Memo::new(move |_| proof.settings.with(|settings| settings.show));
    let value = Memo::new(move |_| shown.get().and_then(|place| proof.value(place)));
    let options = Memo::new(move |_| {
        let sizes = proof.sizes();
        let option = |(place, parameter): (usize, super::parameters::Parameter)| {
            SelectOption::new(place.to_string(), parameter.name(&sizes))
        };
        let all = SelectOption::new("", "all: the largest deviation");
        [all].into_iter().chain(proof.parameters().into_iter().enumerate().map(option)).collect::<Vec<_>>()
    });
    let take = move |text: String| {
        number(&text, &(-f64::from(LARGEST)..=f64::from(LARGEST))).map(|number| {
            if let Some(place) = shown.get_untracked() {
                proof.set(place, number as f32);
                proof.end_edit();
            }
        })
    };
    let slid = move |event| {
        if let (Some(place), Some(number)) = (shown.get_untracked(), decimal(&event_target_value(&event))) {
            proof.set(place, number as f32);
        }
    };
    let text = move || value.get().map_or_else(String::new, |value| ((f64::from(value) * 1e4).round() / 1e4).to_string());
    let nothing = Signal::derive(move || shown.get().is_none());
    view! {
        <div class="proof-editor">
            <div class="stacked wide">
                <Select
                    id="proof-show"
                    label="Parameter shown"
                    help="The parameter whose course is shown, and which the fields here change. You can also choose it by an edge, a unit or a bar."
                    options=options
                    value=Signal::derive(move || shown.get().map_or_else(String::new, |place| place.to_string()))
                    on_choose=move |place: String| proof.show(place.parse().ok())
                />
            </div>
            <TextField
                id="proof-value"
                words=words("", "Its value", "The weight or bias, from −5 to 5.")
                late=true
                value=Signal::derive(text)
                on_type=take
                disabled=nothing
            />
            <div class="field">
                <label for="proof-slide">"Slide it"</label>
                <input
                    id="proof-slide"
                    type="range"
                    min="-3"
                    max="3"
                    step="0.05"
                    disabled=nothing
                    prop:value=move || f64::from(value.get().unwrap_or_default())
                    on:input=slid
                    on:change=move |_| proof.end_edit()
                />
            </div>
            {edits(proof)}
        </div>
    }
}

/// Undo, redo, and reset.
fn edits(proof: ProofState) -> impl IntoView {
    let preset = move || proof.settings.with(|settings| settings.model == ModelAndData::default());
    let reset = move |()| proof.edit(None, |model| *model = ModelAndData::default());
    let edited =
        move || proof.settings.with(|settings| settings.model.origin == Origin::Random && !settings.model.edits.is_empty());
    let drop = move |()| {
        if untrack(edited) {
            proof.edit(None, |model| model.edits.clear());
        }
    };
    view! {
        <div class="buttons wide">
            <Button
                label="Undo"
                help="Undoes the last change of the model or its data. Ctrl+Z"
                idle=Signal::derive(move || !proof.edits.with(Edits::can_undo))
                on_press=move |()| proof.step(Edits::undo)
            />
            <Button
                label="Redo"
                help="Redoes it. Ctrl+Shift+Z"
                idle=Signal::derive(move || !proof.edits.with(Edits::can_redo))
                on_press=move |()| proof.step(Edits::redo)
            />
            <Button label="Reset to the preset" idle=Signal::derive(preset) on_press=reset />
            <Button
                label="Undo all edits"
                help="Back to the parameters of a random model as they were drawn."
                idle=Signal::derive(move || !edited())
                on_press=drop
            />
        </div>
    }
}
