//! Keys that press buttons: each button names its key in `aria-keyshortcuts`. `?` lists the keys, and the list can switch them
//! off, for visitors who use speech input (WCAG 2.2, 2.1.4).

use crate::ui::address::{self, View};
use crate::ui::remembered;
use crate::ui::table::rows;
use leptos::html::Dialog;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlElement, KeyboardEvent};

/// What the list says about the keys, including those of buttons.
const KEYS: &str = include_str!("keys.txt");
/// Kept in the browser: whether the visitor has switched the keys off.
const OFF: &str = "dbm-shortcuts-off";

/// The footer's button and its list.
pub fn shortcuts() -> impl IntoView {
    let list = NodeRef::<Dialog>::new();
    let off = RwSignal::new(remembered::is_set(OFF));
    let show = move || {
        if let Some(list) = list.get_untracked().filter(|list| !list.open()) {
            let _ = list.show_modal();
        }
    };
    let switch = move |_| {
        off.update(|off| *off = !*off);
        remembered::set(OFF, off.get_untracked());
    };
    let pressed = window_event_listener(leptos::ev::keydown, move |event| {
        let modified = event.ctrl_key() || event.meta_key() || event.alt_key();
        if off.get_untracked() || modified || event.default_prevented() || typing(&event) {
            return;
        }
        match event.key().as_str() {
            "?" => show(),
            digit @ ("1" | "2" | "3" | "4") => address::go(View::ALL[usize::from(digit.as_bytes()[0] - b'1')]),
            key if key.len() == 1 && key.as_bytes()[0].is_ascii_alphabetic() => press(&key.to_ascii_lowercase()),
            _ => return,
        }
        event.prevent_default();
    });
    on_cleanup(move || pressed.remove());
    view! {
        <button type="button" class="quiet" on:click=move |_| show()>
            "Keyboard shortcuts"
        </button>
        <dialog node_ref=list class="preview-dialog" aria-labelledby="shortcuts-title">
            <h2 id="shortcuts-title">"Keyboard shortcuts"</h2>
            <dl class="keys">
                {rows(KEYS)
                    .map(|[key, what]| {
                        view! {
                            <dt>
                                <kbd>{key}</kbd>
                            </dt>
                            <dd>{what}</dd>
                        }
                    })
                    .collect_view()}
            </dl>
            <form method="dialog" class="buttons">
                <label class="check">
                    <input type="checkbox" prop:checked=move || !off.get() on:change=switch />
                    "Use single keys"
                </label>
                <button class="primary">"Close"</button>
            </form>
        </dialog>
    }
}

/// Whether a key belongs to the focused element: a text field, a choice, a dialog.
fn typing(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|target| {
        target
            .closest("input:not([type=checkbox], [type=radio], [type=range]), select, textarea, dialog[open]")
            .ok()
            .flatten()
            .is_some()
    })
}

/// Presses the button with this key that is visible and enabled.
fn press(key: &str) {
    let Ok(buttons) = document().query_selector_all(&format!("button[aria-keyshortcuts='{key}']:not(:disabled)")) else { return };
    let button = (0..buttons.length())
        .filter_map(|at| buttons.item(at)?.dyn_into::<HtmlElement>().ok())
        .find(|button| button.offset_parent().is_some());
    if let Some(button) = button {
        button.click();
    }
}
