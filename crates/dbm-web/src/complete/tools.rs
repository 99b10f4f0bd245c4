//! What can be done on the canvas: tools, brush, halves, and where the next picture comes from.

use super::masks::Mask;
use super::picture::{Picture, Tool};
use super::settings::{CLASS, CompletionSettings, PictureStart};
use super::state::CompletionState;
use crate::ui::button::Button;
use crate::ui::number::decimal;
use crate::ui::select::{Select, SelectOption};
use dbm_core::words::Choose;
use leptos::prelude::*;

/// The tools, with their names and hover help.
const TOOLS: [(Tool, &str, &str); 4] = [
    (Tool::Mask, "Mask", "Hides pixels: the model fills in what could be there."),
    (Tool::Unmask, "Unmask", "Erases the mask: pixels are known again."),
    (Tool::Draw, "Draw", "Draws ink, which is known."),
    (Tool::Erase, "Erase ink", "Clears ink; the pixels are known to be blank."),
];

/// What a click on the picture does, and where pictures come from.
pub fn tools_panel(state: CompletionState) -> impl IntoView {
    let starts = Signal::derive(move || {
        let option = |row: &dbm_core::words::Choice<PictureStart>| {
            let disabled = state.possible_start(row.value) != row.value;
            SelectOption { disabled, ..SelectOption::new(row.name, row.label) }
        };
        PictureStart::CHOICES.iter().map(option).collect::<Vec<_>>()
    });
    let start = Signal::derive(move || state.settings.with(|settings| settings.start.choice().name.to_string()));
    let begin = move |name: String| {
        state.settings.update(|settings| settings.start = PictureStart::named(&name).unwrap_or_default());
        state.new_picture();
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
                <span>"Brush " <b class="number">{move || state.brush.get()}</b></span>
                <input
                    type="range"
                    min="1"
                    max="9"
                    step="1"
                    aria-label="Brush width in pixels"
                    prop:value=move || state.brush.get().to_string()
                    on:input=move |event| state.brush.set(decimal(&event_target_value(&event)).unwrap_or(3.0))
                />
            </label>
            <Button label="Clear mask" help="Makes everything known again." on_press=move |()| state.edit(Picture::clear_mask) />
            <div class="pair even">
                {step(state, ["Undo", "Undo the last edit", "Undoes the last stroke or mask: Control Z."], Picture::can_undo, Picture::undo)}
                {step(state, ["Redo", "Redo the edit", "Redoes what was undone: Control Shift Z, or Control Y."], Picture::can_redo, Picture::redo)}
            </div>
            <div class="stacked" data-help=PictureStart::WORDS.help>
                <Select id="start" label=PictureStart::WORDS.label options=starts value=start on_choose=begin />
            </div>
        </div>
    }
}

/// A button that undoes or redoes: its text, its name for screen readers and its hover help; whether there is an edit for it, and
/// what a click does.
fn step(
    state: CompletionState,
    [name, what, help]: [&'static str; 3],
    can: fn(&Picture) -> bool,
    act: fn(&mut Picture),
) -> impl IntoView {
    view! {
        <button type="button" aria-label=what data-help=help disabled=move || !state.picture.with(can) on:click=move |_| state.edit(act)>
            {name}
        </button>
    }
}

/// A select for the class of the answers; a model without classes leaves nothing to choose.
pub fn choose_class(state: CompletionState) -> impl IntoView {
    let classes = Memo::new(move |_| state.n_classes());
    // Until there is a model, assume that it has classes: most do.
    let none = Signal::derive(move || classes.get() == 0 && !state.lacks_model());
    let options = Signal::derive(move || {
        let read = SelectOption::new("", if none.get() { "unknown to this model" } else { "let the model decide" });
        let classes = (0..classes.get()).map(|class| class.to_string());
        std::iter::once(read).chain(classes.map(|class| SelectOption::new(class.clone(), class))).collect::<Vec<_>>()
    });
    let value = Signal::derive(move || state.class().map(|class| class.to_string()).unwrap_or_default());
    let choose = Callback::new(move |class: String| state.settings.update(|settings| settings.class = class.parse().ok()));
    view! {
        <div class="inline">
            <Select id=CLASS.key label=CLASS.label help=CLASS.help.to_string() options value disabled=none on_choose=choose />
        </div>
    }
}

/// Buttons that each hide a part of the picture.
pub fn mask_buttons(state: CompletionState) -> impl IntoView {
    view! {
        <fieldset class="halves" id="hide">
            <legend>"Hide a part"</legend>
            {Mask::CHOICES
                .iter()
                .map(|row| {
                    let mask = move |_| {
                        let seed = state.settings.get_untracked().picture_seed;
                        // A second click draws new random pixels.
                        let again = state.picture.with_untracked(|picture| picture.has_hidden(row.value, seed));
                        let seed = if again { dbm_protocol::fresh_seed() } else { seed };
                        state.edit(|picture| picture.hide(row.value, seed));
                    };
                    view! {
                        <button type="button" aria-label=row.label data-help=row.label on:click=mask>
                            <span class=format!("half half-{}", row.name) aria-hidden="true"></span>
                        </button>
                    }
                })
                .collect_view()}
        </fieldset>
    }
}

/// The select of a setting, by its key, with an explanation of the chosen value.
pub fn choose(state: CompletionState, key: &'static str, does: fn(&CompletionSettings) -> &'static str) -> impl IntoView {
    let form = state.form();
    view! {
        <div class="inline" data-help=move || format!("{} {}", form.help(key), state.settings.with(does))>
            {form.select(key)}
        </div>
    }
}
