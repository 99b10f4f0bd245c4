//! Hover help: what has `data-help` shows it on hover, on focus and at a long press.
//!
//! One listener for the whole page, and one box. It stays while the pointer is on it, and Escape takes it away (WCAG 2.2, 1.4.13); what has the focus
//! is described by it (`aria-describedby`).

use leptos::prelude::*;
use std::cell::RefCell;
use std::time::Duration;
use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent};

/// The box, in the page.
const BOX: &str = "help-box";
/// Time until it shows for a pointer that rests.
const REST: Duration = Duration::from_millis(450);

thread_local! {
    /// What it is, or is about to be, shown for.
    static FOR: RefCell<Option<Element>> = const { RefCell::new(None) };
}

/// Listens, for as long as the page is there.
pub fn listen() {
    on("pointerover", |event| {
        let element = helped(&event);
        if in_box(&event) || element == FOR.with_borrow(Clone::clone) {
            return;
        }
        hide();
        if let Some(element) = element {
            FOR.set(Some(element.clone()));
            set_timeout(
                move || {
                    if FOR.with_borrow(|present| present.as_ref() == Some(&element)) {
                        show(&element);
                    }
                },
                REST,
            );
        }
    });
    on("focusin", |event| {
        hide();
        // A press with the pointer moves the focus too; it has seen what it wanted.
        let by_keys = target(&event).is_some_and(|target| target.matches(":focus-visible").unwrap_or(false));
        if let Some(element) = helped(&event).filter(|_| by_keys) {
            FOR.set(Some(element.clone()));
            show(&element);
        }
    });
    on("focusout", |_| hide());
    on("keydown", |event| {
        if event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape") {
            hide();
        }
    });
    on("pointerdown", |event| {
        if !in_box(&event) {
            hide();
        }
    });
}

fn on(event: &str, listener: impl Fn(Event) + 'static) {
    // For as long as the page is there.
    let _ = window_event_listener_untyped(event, listener);
}

fn target(event: &Event) -> Option<Element> {
    event.target().and_then(|target| target.dyn_into().ok())
}

/// The nearest element around what the event is about that has help.
fn helped(event: &Event) -> Option<Element> {
    target(event).and_then(|element| element.closest("[data-help]").ok().flatten())
}

fn in_box(event: &Event) -> bool {
    target(event).is_some_and(|element| element.id() == BOX)
}

fn the_box() -> Option<HtmlElement> {
    document().get_element_by_id(BOX).and_then(|element| element.dyn_into().ok())
}

fn show(element: &Element) {
    let Some(the_box) = the_box() else { return };
    the_box.set_text_content(element.get_attribute("data-help").as_deref());
    the_box.set_hidden(false);
    let place = element.get_bounding_client_rect();
    let (wide, high) = (f64::from(the_box.offset_width()), f64::from(the_box.offset_height()));
    let width = window().inner_width().ok().and_then(|width| width.as_f64()).unwrap_or(0.0);
    let height = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(0.0);
    let left = place.left().min(width - wide - 8.0).max(8.0);
    let below = place.bottom() + 6.0;
    let top = if below + high > height { (place.top() - high - 6.0).max(8.0) } else { below };
    let style = the_box.style();
    let _ = style.set_property("left", &format!("{left}px"));
    let _ = style.set_property("top", &format!("{top}px"));
    let focused = document().active_element().filter(|focused| element.contains(Some(focused)));
    if let Some(focused) = focused.filter(|focused| !focused.has_attribute("aria-describedby")) {
        let _ = focused.set_attribute("aria-describedby", BOX);
    }
}

fn hide() {
    FOR.take();
    if let Some(the_box) = the_box().filter(|the_box| !the_box.hidden()) {
        the_box.set_hidden(true);
        if let Ok(Some(described)) = document().query_selector("[aria-describedby='help-box']") {
            let _ = described.remove_attribute("aria-describedby");
        }
    }
}
