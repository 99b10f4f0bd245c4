//! A small menu of the forms in which something can be saved or shared.

use leptos::html::Details;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

/// Folded until pressed: a button for each form. Of all such menus one is open at a time.
#[component]
pub fn Save(
    /// What the menu does.
    #[prop(default = "Save")]
    verb: &'static str,
    /// To what, for screen readers.
    what: &'static str,
    /// The names of the forms, such as PNG.
    forms: &'static [&'static str],
    /// Does it in the form at this place.
    #[prop(into)]
    save: Callback<usize>,
) -> impl IntoView {
    let menu = NodeRef::<Details>::new();
    let close = move || {
        if let Some(menu) = menu.get_untracked().filter(web_sys::HtmlDetailsElement::open) {
            menu.set_open(false);
            // The button that had the focus is hidden now: whoever goes by keyboard stays here.
            if let Some(summary) = menu.first_element_child().and_then(|first| first.dyn_into::<HtmlElement>().ok()) {
                let _ = summary.focus();
            }
        }
    };
    let choose = move |form| {
        close();
        save.run(form);
    };
    let escape = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            close();
        }
    };
    view! {
        <details node_ref=menu class="save" name="save" on:keydown=escape>
            <summary aria-label=format!("{verb} {what}")>{verb}</summary>
            <div>
                {forms
                    .iter()
                    .enumerate()
                    .map(|(place, form)| {
                        view! {
                            <button type="button" aria-label=format!("{verb} {what} as {form}") on:click=move |_| choose(place)>
                                {*form}
                            </button>
                        }
                    })
                    .collect_view()}
            </div>
        </details>
    }
}
