//! Choices: the labelled select and the labelled checkbox that every form uses.

use dbm_core::words::Choose;
use leptos::prelude::*;

/// One line of a select.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectOption {
    /// The select's value when this line is chosen.
    pub value: String,
    /// What the visitor reads.
    pub label: String,
    /// The heading above it; empty for none.
    pub group: &'static str,
    /// Whether it cannot be chosen.
    pub disabled: bool,
}

impl SelectOption {
    /// A line that can be chosen, under no heading.
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into(), group: "", disabled: false }
    }

    /// The lines of a choice, with the labels of its table.
    pub fn of_choices<T: Choose>() -> Vec<Self> {
        T::CHOICES.iter().map(|choice| Self::new(choice.name, choice.label)).collect()
    }
}

/// A labelled select whose lines may change.
#[component]
pub fn Select(
    /// The element's id.
    #[prop(into)]
    id: String,
    /// The label before it.
    label: &'static str,
    /// Whether only screen readers get the label.
    #[prop(optional)]
    bare: bool,
    /// Hover help; empty for none.
    #[prop(optional, into)]
    help: Signal<String>,
    /// Its lines; those under one heading must be adjacent.
    #[prop(into)]
    options: Signal<Vec<SelectOption>>,
    /// The chosen value.
    #[prop(into)]
    value: Signal<String>,
    /// Called with what the visitor chooses.
    #[prop(into)]
    on_choose: Callback<String>,
    /// A line below it about the chosen value, if there is one.
    #[prop(optional_no_strip)]
    note: Option<Signal<String>>,
    /// Whether it is disabled.
    #[prop(optional, into)]
    disabled: Signal<bool>,
) -> impl IntoView {
    // A select that gets its value when it is created has no lines yet, so each line says itself whether it is chosen.
    let line = move |option: SelectOption| {
        let own = option.value.clone();
        view! {
            <option value=option.value disabled=option.disabled prop:selected=move || value.with(|value| *value == own)>
                {option.label}
            </option>
        }
    };
    let lines = move || {
        let options = options.get();
        options
            .chunk_by(|a, b| a.group == b.group)
            .map(|chunk| {
                let lines = chunk.iter().cloned().map(line).collect_view();
                match chunk[0].group {
                    "" => lines.into_any(),
                    group => view! { <optgroup label=group>{lines}</optgroup> }.into_any(),
                }
            })
            .collect_view()
    };
    let note_id = format!("{id}-note");
    let hover = move || Some(help.get()).filter(|help| !help.is_empty());
    let shown = (!bare).then(|| {
        view! {
            <label for=id.clone() data-help=hover>
                {label}
            </label>
        }
    });
    view! {
        {shown}
        <select
            id=id
            aria-label=bare.then_some(label)
            // Needed here too: a keyboard user has the focus on the select, not on its label.
            data-help=hover
            // Read after the lines, so that a value whose line has just been added is shown.
            prop:value=move || {
                options.track();
                value.get()
            }
            disabled=move || disabled.get()
            aria-describedby=note.map(|_| note_id.clone())
            on:change=move |event| on_choose.run(event_target_value(&event))
        >
            {lines}
        </select>
        {note
            .map(|note| {
                view! {
                    <p id=note_id class="help" aria-live="polite">
                        {move || note.get()}
                    </p>
                }
            })}
    }
}

/// A labelled checkbox, with the label after it.
#[component]
pub fn Check(
    /// Its label.
    label: &'static str,
    /// Hover help; empty for none.
    #[prop(optional)]
    help: &'static str,
    /// Whether it is ticked.
    #[prop(into)]
    value: Signal<bool>,
    /// Called with the new value.
    #[prop(into)]
    on_change: Callback<bool>,
    /// Shown between the box and its label.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <label class="check" data-help=Some(help).filter(|help| !help.is_empty())>
            <input type="checkbox" prop:checked=move || value.get() on:change=move |event| on_change.run(event_target_checked(&event)) />
            {children.map(|children| children())}
            <span>{label}</span>
        </label>
    }
}
