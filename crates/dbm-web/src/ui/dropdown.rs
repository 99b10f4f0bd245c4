//! A menu that is folded until it is clicked. Only one such menu is open at a time, and Escape closes it.

use leptos::html::Details;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// A handle that opens and closes the menu.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dropdown {
    details: NodeRef<Details>,
    /// Whether it is open.
    pub is_open: RwSignal<bool>,
}

impl Dropdown {
    /// Opens it.
    pub fn open(self) {
        if let Some(details) = self.details.get_untracked() {
            details.set_open(true);
        }
    }

    /// Closes it. The focused button becomes hidden, so the focus moves to the menu's head for keyboard users.
    pub fn close(self) {
        if let Some(details) = self.details.get_untracked().filter(web_sys::HtmlDetailsElement::open) {
            details.set_open(false);
            if let Some(summary) = details.first_element_child().and_then(|first| first.dyn_into::<HtmlElement>().ok()) {
                let _ = summary.focus();
            }
        }
    }
}

/// The menu.
#[component]
pub fn DropdownMenu(
    /// Its handle.
    #[prop(default = Dropdown::default())]
    dropdown: Dropdown,
    /// Classes for the style sheet, in addition to that of all such menus.
    #[prop(optional)]
    class: &'static str,
    /// The text on its head,
    #[prop(into)]
    label: Signal<String>,
    /// the longest that this text can be, if it changes,
    #[prop(optional)]
    longest: &'static str,
    /// and its name for screen readers, if that differs.
    #[prop(optional, into)]
    name: String,
    /// What is in it.
    children: Children,
) -> impl IntoView {
    let Dropdown { details, is_open } = dropdown;
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    view! {
        <details
            node_ref=details
            class=format!("save {class}")
            name="save"
            on:toggle=move |_| is_open.set(details.get_untracked().is_some_and(|details| details.open()))
            on:keydown=move |event| if event.key() == "Escape" { dropdown.close() }
        >
            <summary aria-label=given(name)>
                <span data-longest=given(longest.into())>
                    <span>{move || label.get()}</span>
                </span>
            </summary>
            {children()}
        </details>
    }
}
