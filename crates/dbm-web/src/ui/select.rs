//! What can be chosen: the labelled select and the labelled checkbox that every form uses.

use dbm_core::words::Choose;
use leptos::prelude::*;

/// One line of a select.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectOption {
    /// What the select's value is when this is chosen.
    pub value: String,
    /// What the visitor reads.
    pub label: String,
    /// The heading it stands under; empty for none.
    pub group: &'static str,
    /// Whether it can be chosen.
    pub disabled: bool,
}

impl SelectOption {
    /// A line that can be chosen, under no heading.
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into(), group: "", disabled: false }
    }

    /// The lines of a choice, in the words of its table.
    pub fn of_choices<T: Choose>() -> Vec<Self> {
        T::CHOICES.iter().map(|choice| Self::new(choice.name, choice.label)).collect()
    }
}

/// A labelled select over lines that may change.
#[component]
pub fn Select(
    /// The element's id.
    #[prop(into)]
    id: String,
    /// The label before it.
    label: &'static str,
    /// Whether the label is for screen readers alone.
    #[prop(optional)]
    bare: bool,
    /// Hover help; empty for none.
    #[prop(optional, into)]
    help: Signal<String>,
    /// Its lines, those of one heading beside each other.
    #[prop(into)]
    options: Signal<Vec<SelectOption>>,
    /// The value that is chosen.
    #[prop(into)]
    value: Signal<String>,
    /// Hears what the visitor chooses.
    #[prop(into)]
    on_choose: Callback<String>,
    /// A line below it about what is chosen, where there is one.
    #[prop(optional_no_strip)]
    note: Option<Signal<String>>,
    /// Whether it can be used.
    #[prop(optional, into)]
    disabled: Signal<bool>,
) -> impl IntoView {
    // A select made with its value has no lines yet, which then say themselves which of them is chosen.
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
            // Here too: who comes by keyboard has the focus on this and not on the label.
            data-help=hover
            // Read after the lines, so that a value whose line has just come is shown.
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

/// A labelled checkbox, its label behind it.
#[component]
pub fn Check(
    /// What it is called.
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
    /// What stands between the box and its label.
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
