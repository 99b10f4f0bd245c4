//! What to do on the canvas: tools, brush, halves, and where the next picture comes from.

use super::canvas::edit_undone;
use crate::actions;
use crate::number::decimal;
use crate::picture::{Half, Picture, Tool};
use crate::state::{Brush, Shown, Start, State, state};
use leptos::prelude::*;

const TOOLS: [(Tool, &str); 4] =
    [(Tool::Mask, "Mask"), (Tool::Unmask, "Unmask"), (Tool::Draw, "Draw"), (Tool::Erase, "Erase ink")];
const HALVES: [(Half, &str, &str); 4] = [
    (Half::Upper, "Upper half", "half half-upper"),
    (Half::Lower, "Lower half", "half half-lower"),
    (Half::Left, "Left half", "half half-left"),
    (Half::Right, "Right half", "half half-right"),
];
const STARTS: [(Start, &str, &str); 4] = [
    (Start::Generated, "generated", "a generated digit"),
    (Start::Sample, "sample", "a sample of the model"),
    (Start::Data, "data", "the loaded data"),
    (Start::Blank, "blank", "blank, to draw in"),
];

/// The column of tools.
#[component]
pub fn Tools() -> impl IntoView {
    let state = state();
    let begin = move |event| {
        let chosen = event_target_value(&event);
        if let Some(&(start, ..)) = STARTS.iter().find(|(_, value, _)| *value == chosen) {
            state.start.set(start);
            actions::new_picture(state);
        }
    };
    let chosen = move || STARTS.iter().find(|(start, ..)| *start == state.start.get()).map_or("", |(_, value, _)| value);
    view! {
        <div class="tools">
            <fieldset class="segments two">
                <legend>"Tool"</legend>
                {TOOLS
                    .map(|(tool, name)| {
                        view! {
                            <label>
                                <input
                                    type="radio"
                                    name="tool"
                                    prop:checked=move || state.tool.get() == tool
                                    on:change=move |_| state.tool.set(tool)
                                />
                                <span>{name}</span>
                            </label>
                        }
                    })
                    .collect_view()}
            </fieldset>
            <label class="slider">
                <span>"Brush " <b class="number">{move || state.brush.get().0}</b></span>
                <input
                    type="range"
                    min="1"
                    max="9"
                    step="1"
                    aria-label="Brush width in pixels"
                    prop:value=move || state.brush.get().0.to_string()
                    on:input=move |event| state.brush.set(decimal(&event_target_value(&event)).map(Brush).unwrap_or_default())
                />
            </label>
            <Halves />
            <div class="pair">
                <button
                    type="button"
                    on:click=move |_| {
                        show_picture(state);
                        state.picture.update(Picture::clear_mask);
                    }
                >
                    "Clear mask"
                </button>
                <button
                    type="button"
                    aria-label="Undo the last edit"
                    disabled=move || !state.picture.with(Picture::can_undo)
                    on:click=move |_| edit_undone(state)
                >
                    "Undo"
                </button>
            </div>
            <div class="stacked">
                <label for="start">"Start from"</label>
                <select id="start" prop:value=chosen on:change=begin>
                    {STARTS
                        .map(|(start, value, name)| {
                            let impossible = move || actions::possible_start(state, start) != start;
                            view! {
                                <option value=value disabled=impossible>
                                    {name}
                                </option>
                            }
                        })
                        .collect_view()}
                </select>
            </div>
            <button type="button" on:click=move |_| actions::new_picture(state)>
                "New digit"
            </button>
        </div>
    }
}

/// One press hides a half.
#[component]
fn Halves() -> impl IntoView {
    let state = state();
    view! {
        <fieldset class="halves">
            <legend>"Hide a half"</legend>
            {HALVES
                .map(|(half, name, class)| {
                    let mask = move |_| {
                        show_picture(state);
                        state.picture.update(|picture| picture.mask_half(half));
                    };
                    view! {
                        <button type="button" aria-label=name title=name on:click=mask>
                            <span class=class aria-hidden="true"></span>
                        </button>
                    }
                })
                .collect_view()}
        </fieldset>
    }
}

fn show_picture(state: State) {
    state.playing.set(false);
    state.shown.set(Shown::Picture);
}
