//! A small menu of the formats in which something can be saved or shared.

use super::dropdown::{Dropdown, DropdownMenu};
use leptos::prelude::*;

/// Folded until clicked: a button for each format.
#[component]
pub fn Save(
    /// What the menu does.
    #[prop(default = "Save")]
    verb: &'static str,
    /// What it acts on, for screen readers.
    what: &'static str,
    /// The names of the formats, such as PNG.
    forms: &'static [&'static str],
    /// Called with the index of the chosen format.
    #[prop(into)]
    save: Callback<usize>,
) -> impl IntoView {
    let dropdown = Dropdown::default();
    let choose = move |form| {
        dropdown.close();
        save.run(form);
    };
    let button = move |(place, form): (usize, &&'static str)| {
        view! {
            <button type="button" aria-label=format!("{verb} {what} as {form}") on:click=move |_| choose(place)>
                {*form}
            </button>
        }
    };
    view! {
        <DropdownMenu dropdown label=verb name=format!("{verb} {what}")>
            <div>{forms.iter().enumerate().map(button).collect_view()}</div>
        </DropdownMenu>
    }
}
