//! A small menu of the forms in which something can be taken home.

use leptos::html::Details;
use leptos::prelude::*;

/// Folded until pressed: a button for each form. Of all such menus one is open at a time.
#[component]
pub fn Save(
    /// What is saved, for screen readers.
    what: &'static str,
    /// The forms.
    forms: &'static [&'static str],
    /// Saves it in the form at this place.
    #[prop(into)]
    save: Callback<usize>,
) -> impl IntoView {
    let menu = NodeRef::<Details>::new();
    let choose = move |form| {
        if let Some(menu) = menu.get_untracked() {
            menu.set_open(false);
        }
        save.run(form);
    };
    view! {
        <details node_ref=menu class="save" name="save">
            <summary aria-label=format!("Save {what}")>"Save"</summary>
            <div>
                {forms
                    .iter()
                    .enumerate()
                    .map(|(place, form)| {
                        view! {
                            <button type="button" aria-label=format!("Save {what} as {form}") on:click=move |_| choose(place)>
                                {*form}
                            </button>
                        }
                    })
                    .collect_view()}
            </div>
        </details>
    }
}
