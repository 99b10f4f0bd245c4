//! The parameter that is shown: chosen from a list, its value typed or slid; and Undo, Redo, Reset.

use super::desk::desk;
use super::plan::{Base, LARGEST, Question};
use leptos::prelude::*;

/// The fields under the graph.
#[component]
pub fn Editor() -> impl IntoView {
    let desk = desk();
    let shown = Memo::new(move |_| desk.plan.with(|plan| plan.show));
    let value = Memo::new(move |_| shown.get().and_then(|place| desk.value(place)));
    let refused = RwSignal::new(false);
    let names = Memo::new(move |_| {
        let sizes = desk.sizes();
        desk.parameters().into_iter().map(|parameter| parameter.name(&sizes)).collect::<Vec<_>>()
    });
    let choose = move |event| {
        refused.set(false);
        desk.show(event_target_value(&event).parse().ok());
    };
    let typed = move |event| {
        let number = event_target_value(&event).trim().replace('−', "-").replace(',', ".").parse::<f32>().ok();
        let number = number.filter(|number| number.abs() <= LARGEST);
        refused.set(number.is_none());
        if let (Some(place), Some(number)) = (shown.get_untracked(), number) {
            desk.set(place, number);
            desk.let_go();
        }
    };
    let slid = move |event| {
        if let (Some(place), Ok(number)) = (shown.get_untracked(), event_target_value(&event).parse()) {
            desk.set(place, number);
        }
    };
    let text = move || value.get().map_or_else(String::new, |value| ((f64::from(value) * 1e4).round() / 1e4).to_string());
    let nothing = move || shown.get().is_none();
    view! {
        <div class="proof-editor">
            <div class="stacked wide" data-help="The parameter whose course is shown, and which the fields beside this change. An edge, a unit or a bar chooses it as well.">
                <label for="proof-show">"Parameter shown"</label>
                <select id="proof-show" prop:value=move || shown.get().map_or(String::new(), |place| place.to_string()) on:change=choose>
                    <option value="" selected=nothing>"all: the largest deviation"</option>
                    {move || {
                        names
                            .get()
                            .into_iter()
                            .enumerate()
                            .map(|(place, name)| {
                                view! {
                                    <option value=place.to_string() selected=move || shown.get() == Some(place)>
                                        {name}
                                    </option>
                                }
                            })
                            .collect_view()
                    }}
                </select>
            </div>
            <div class="field">
                <label for="proof-value">"Its value"</label>
                <input
                    id="proof-value"
                    type="text"
                    inputmode="decimal"
                    autocomplete="off"
                    disabled=nothing
                    prop:value=text
                    aria-invalid=move || refused.get().to_string()
                    aria-describedby="proof-value-note"
                    on:change=typed
                />
            </div>
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
                    on:change=move |_| desk.let_go()
                />
            </div>
            <p id="proof-value-note" class="help problem wide" aria-live="polite">
                {move || if refused.get() { "A number from −5 to 5 is expected." } else { "" }}
            </p>
            <Steps />
        </div>
    }
}

/// Back, forth, and to the beginning.
#[component]
fn Steps() -> impl IntoView {
    let desk = desk();
    let preset = move || desk.plan.with(|plan| plan.question == Question::default());
    let reset = move |_| desk.ask(None, |question| *question = Question::default());
    let unedited = move || desk.plan.with(|plan| plan.question.base != Base::Random || plan.question.edits.is_empty());
    view! {
        <div class="buttons wide">
            <button type="button" data-help="Takes the last change of the model or its data back. Ctrl+Z" aria-disabled=move || (!desk.steps().0).to_string() on:click=move |_| desk.undo()>
                "Undo"
            </button>
            <button type="button" data-help="Makes it again. Ctrl+Shift+Z" aria-disabled=move || (!desk.steps().1).to_string() on:click=move |_| desk.redo()>
                "Redo"
            </button>
            <button type="button" aria-disabled=move || preset().to_string() on:click=reset>
                "Reset to the preset"
            </button>
            <Show when=move || !unedited()>
                <button
                    type="button"
                    data-help="Back to the parameters as they were drawn."
                    on:click=move |_| desk.ask(None, |question| question.edits.clear())
                >
                    "Drop the edits"
                </button>
            </Show>
        </div>
    }
}
