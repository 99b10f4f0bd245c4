//! What to do on the canvas: tools, brush, halves, and where the next picture comes from.

use crate::actions;
use crate::complete::picture::{Hide, Picture, Tool};
use crate::complete::picture_canvas::step;
use crate::state::{Brush, Shown, Start, State, state};
use crate::ui::number::decimal;
use leptos::prelude::*;

const TOOLS: [(Tool, &str, &str); 4] = [
    (Tool::Mask, "Mask", "Hides pixels: the model is to say what could be there."),
    (Tool::Unmask, "Unmask", "Erases the mask: pixels are known again."),
    (Tool::Draw, "Draw", "Draws ink, which is known."),
    (Tool::Erase, "Erase ink", "Clears ink; the pixels are known to be blank."),
];
const STARTS: [(Start, &str); 4] = [
    (Start::Generated, "a generated digit"),
    (Start::Sample, "a sample of the model"),
    (Start::Data, "the loaded data"),
    (Start::Blank, "blank, to draw in"),
];

/// The column of tools.
#[component]
pub fn Tools() -> impl IntoView {
    let state = state();
    let begin = move |event| {
        state.start.set(Start::of(&event_target_value(&event)));
        actions::new_picture(state);
    };
    view! {
        <div class="tools">
            <fieldset class="segments two">
                <legend>"Tool"</legend>
                {TOOLS
                    .map(|(tool, name, help)| {
                        view! {
                            <label data-help=help>
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
            <label class="slider" data-help="Width of the round brush, in pixels of the picture.">
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
            <Masks />
            <div class="pair even">
                <Step name="Undo" what="Undo the last edit" help="Takes the last stroke or mask back: Control Z." can=Picture::can_undo act=Picture::undo />
                <Step name="Redo" what="Redo the edit" help="Does again what was undone: Control Shift Z, or Control Y." can=Picture::can_redo act=Picture::redo />
            </div>
            <div class="stacked" data-help="Where the next picture comes from. From a blank one, choose Draw.">
                <label for="start">"Start from"</label>
                <select id="start" prop:value=move || state.start.get().word() on:change=begin>
                    {STARTS
                        .map(|(start, name)| {
                            let impossible = move || actions::possible_start(state, start) != start;
                            view! {
                                <option value=start.word() disabled=impossible>
                                    {name}
                                </option>
                            }
                        })
                        .collect_view()}
                </select>
            </div>
            <button type="button" aria-keyshortcuts="n" data-help="Another picture of the same kind, its lower half hidden." on:click=move |_| actions::another_picture(state)>
                "New digit"
            </button>
        </div>
    }
}

/// A button that goes back or forth among the edits.
#[component]
fn Step(
    /// What it says.
    name: &'static str,
    /// What it is called.
    what: &'static str,
    /// What it does.
    help: &'static str,
    /// Whether it can.
    can: fn(&Picture) -> bool,
    /// Does it.
    act: fn(&mut Picture),
) -> impl IntoView {
    let state = state();
    view! {
        <button type="button" aria-label=what data-help=help disabled=move || !state.picture.with(can) on:click=move |_| step(state, act)>
            {name}
        </button>
    }
}

/// One press hides a part.
#[component]
fn Masks() -> impl IntoView {
    let state = state();
    view! {
        <fieldset class="halves">
            <legend>"Hide"</legend>
            {Hide::ALL
                .map(|hide| {
                    let (word, name) = hide.names();
                    let mask = move |_| {
                        let seed = state.asking.get_untracked().picture;
                        // Once more is once more by chance.
                        let again = state.picture.with_untracked(|picture| picture.has_hidden(hide, seed));
                        let seed = if again { dbm_protocol::fresh_seed() } else { seed };
                        show_picture(state);
                        state.picture.update(|picture| picture.hide(hide, seed));
                    };
                    view! {
                        <button type="button" aria-label=name data-help=name on:click=mask>
                            <span class=format!("half half-{word}") aria-hidden="true"></span>
                        </button>
                    }
                })
                .collect_view()}
            <button
                type="button"
                class="clear"
                data-help="Makes everything known again."
                on:click=move |_| {
                    show_picture(state);
                    state.picture.update(Picture::clear_mask);
                }
            >
                "Clear mask"
            </button>
        </fieldset>
    }
}

fn show_picture(state: State) {
    state.playing.set(false);
    state.shown.set(Shown::Picture);
}
