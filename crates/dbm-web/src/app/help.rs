//! Hover help: an element with `data-help` shows it on hover, on focus and on a long press; a heading that explains itself
//! (`.term`) also on a click.
//!
//! The whole page has one set of listeners and one box, which covers no control and lets clicks through. The box stays while its
//! control has the pointer or the focus, and Escape closes it (WCAG 2.2, 1.4.13). The focused element is described by it
//! (`aria-describedby`). A field whose help is on its label shows it on focus as well.

use crate::ui::area::Area;
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use std::time::Duration;
use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, PointerEvent};

/// Id of the box on the page.
const BOX: &str = "help-box";
/// How long a pointer must rest, or a finger stay, before the box shows.
const REST: Duration = Duration::from_millis(450);
/// How far a resting finger may move, in pixels.
const TREMOR: f64 = 10.0;
/// What the box must not cover; the content of a closed fold is not there.
const CONTROLS: &str = ":is(a[href], button, input, select, summary, label, canvas.picture, svg [tabindex]):not(details:not([open]) > :not(summary) *, .unseen)";
/// Distance from the box to its control, and step between the positions that are tried for it, in pixels.
const AWAY: f64 = 6.0;
const STEP: f64 = 8.0;
/// Cost of each square pixel of a covered control, in pixels of distance between the box and its own control.
const COVERED: f64 = 100.0;
/// Possible widths of the box: a narrow one may fit where a wide one does not.
const WIDTHS: [u32; 3] = [320, 220, 150];
/// Elements in which a long press already means something else: it selects, or draws.
const OWN_PRESS: &str = "input:not([type='checkbox'], [type='radio'], [type='range'], [type='file']), textarea, canvas";

thread_local! {
    /// The element whose help is shown, or is about to be.
    static FOR: RefCell<Option<Element>> = const { RefCell::new(None) };
    /// The element that the box is placed next to.
    static BESIDE: RefCell<Option<Element>> = const { RefCell::new(None) };
    /// Position of a finger that has not yet rested long enough.
    static PRESS: Cell<Option<(f64, f64)>> = const { Cell::new(None) };
    /// When the current or last touch began, by the browser's own clock, in milliseconds.
    static DOWN: Cell<f64> = const { Cell::new(0.0) };
    /// Whether the current or last touch opened the box: then its press means nothing else.
    static BY_PRESS: Cell<bool> = const { Cell::new(false) };
}

/// Listens for as long as the page is open.
pub fn listen() {
    on("pointerover", |event| {
        let element = helped(&event);
        // A finger enters an element by pressing it: `pointerdown` below handles that.
        if touch(&event).is_some() || element == FOR.with_borrow(Clone::clone) {
            return;
        }
        hide();
        if let Some(element) = element {
            show_soon(element);
        }
    });
    on("pointerdown", |event| {
        BY_PRESS.set(false);
        hide();
        let is_own = target(&event).is_some_and(|target| target.matches(OWN_PRESS).unwrap_or(false));
        if let Some((touch, element)) = touch(&event).zip(helped(&event)).filter(|_| !is_own) {
            PRESS.set(Some(place(&touch)));
            DOWN.set(touch.time_stamp());
            show_soon(element);
        }
    });
    on("pointermove", |event| {
        if let Some(((x, y), touch)) = PRESS.get().zip(touch(&event))
            && (place(&touch).0 - x).hypot(place(&touch).1 - y) > TREMOR
        {
            lift();
        }
    });
    on("pointerup", |event| {
        lift();
        // On a busy page the timer may fire before the release of a short press is handled.
        if BY_PRESS.get() && event.time_stamp() - DOWN.get() < REST.as_secs_f64() * 1000.0 {
            BY_PRESS.set(false);
            hide();
        }
    });
    on("pointercancel", |_| lift());
    // A press that opened the help does not press the button below the finger, and opens none of the browser's own menus.
    on("contextmenu", |event| {
        if BY_PRESS.get() || PRESS.get().is_some() {
            event.prevent_default();
        }
    });
    on("click", |event| {
        if BY_PRESS.get() {
            event.prevent_default();
            event.stop_propagation();
        } else if let Some(element) = helped(&event).filter(|element| element.class_list().contains("term")) {
            FOR.set(Some(element.clone()));
            show(&element, &element);
        }
    });
    on("focusin", |event| {
        if BY_PRESS.get() {
            return;
        }
        hide();
        // A click moves the focus too, but whoever clicked has seen the help on hover.
        let focused = target(&event).filter(|target| target.matches(":focus-visible").unwrap_or(false));
        if let Some(focused) = focused
            && let Some(source) = helped(&event).or_else(|| labelled(&focused))
        {
            FOR.set(Some(source.clone()));
            show(&source, if source.contains(Some(&focused)) { &source } else { &focused });
        }
    });
    on("focusout", |_| {
        if !BY_PRESS.get() {
            hide();
        }
    });
    // A focused element that is out of sight is scrolled into view after its help is shown.
    on("scroll", |_| put_beside());
    on("keydown", |event| {
        BY_PRESS.set(false);
        if event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape") {
            hide();
        }
    });
}

/// Handles an event before anything on the page does.
fn on(event: &str, listener: impl Fn(Event) + 'static) {
    let listener = Closure::<dyn Fn(Event)>::new(listener).into_js_value();
    // Stays for as long as the page is open.
    let _ = window().add_event_listener_with_callback_and_bool(event, listener.unchecked_ref(), true);
}

fn target(event: &Event) -> Option<Element> {
    event.target().and_then(|target| target.dyn_into().ok())
}

/// The event as a touch, if it is one.
fn touch(event: &Event) -> Option<PointerEvent> {
    event.dyn_ref::<PointerEvent>().filter(|event| event.pointer_type() == "touch").cloned()
}

fn place(touch: &PointerEvent) -> (f64, f64) {
    (f64::from(touch.client_x()), f64::from(touch.client_y()))
}

/// The nearest element with help, from the event's target outwards.
fn helped(event: &Event) -> Option<Element> {
    target(event).and_then(|element| element.closest("[data-help]").ok().flatten())
}

/// The label of a field, if the label has the help.
fn labelled(field: &Element) -> Option<Element> {
    document().query_selector(&format!("label[data-help][for='{}']", field.id())).ok().flatten()
}

fn the_box() -> Option<HtmlElement> {
    document().get_element_by_id(BOX).and_then(|element| element.dyn_into().ok())
}

/// Shows the help of an element, unless the pointer leaves it first.
fn show_soon(element: Element) {
    FOR.set(Some(element.clone()));
    set_timeout(
        move || {
            if FOR.with_borrow(|present| present.as_ref() == Some(&element)) {
                BY_PRESS.set(PRESS.take().is_some());
                show(&element, &element);
            }
        },
        REST,
    );
}

/// The finger was lifted or moved away: help that is not shown yet stays hidden.
fn lift() {
    if PRESS.take().is_some() {
        FOR.take();
    }
}

/// Shows the help of an element next to another, which is usually the same.
fn show(source: &Element, beside: &Element) {
    let Some(the_box) = the_box() else { return };
    the_box.set_text_content(source.get_attribute("data-help").as_deref());
    the_box.set_hidden(false);
    BESIDE.set(Some(beside.clone()));
    put_beside();
    if let Some(focused) = document().active_element().filter(|focused| beside.contains(Some(focused))) {
        let others = focused.get_attribute("aria-describedby").unwrap_or_default();
        if !others.split(' ').any(|id| id == BOX) {
            let _ = focused.set_attribute("aria-describedby", format!("{others} {BOX}").trim());
        }
    }
}

/// Puts the box, if it is shown, as near to its element as it can be without covering a control.
fn put_beside() {
    let Some((the_box, beside)) = the_box().zip(BESIDE.with_borrow(Clone::clone)) else { return };
    let (own, screen) = (Area::of(&beside), Area::of_window());
    let Ok(found) = document().query_selector_all(CONTROLS) else { return };
    let controls = (0..found.length()).filter_map(|at| found.item(at)?.dyn_into::<Element>().ok());
    let controls: Vec<Area> =
        controls.map(|control| Area::of(&control)).filter(|control| control.overlap(screen) > 0.0).collect();
    let style = the_box.style();
    // The box's present position would limit its width.
    let _ = style.set_property("left", "0");
    let mut best = (f64::INFINITY, own, WIDTHS[0]);
    for limit in WIDTHS {
        let _ = style.set_property("max-width", &format!("{limit}px"));
        let (wide, high) = (f64::from(the_box.offset_width()), f64::from(the_box.offset_height()));
        let steps = |beside: f64, last: f64| (0..=(last / STEP).max(0.0) as usize).map(|at| STEP * at as f64).chain([beside]);
        for top in steps(own.bottom + AWAY, screen.bottom - high) {
            for left in steps(own.left, screen.right - wide) {
                let place = Area { left, top, right: left + wide, bottom: top + high };
                let (across, down) = place.gap(own);
                if across.max(down) < AWAY || place.right > screen.right || place.bottom > screen.bottom {
                    continue;
                }
                let covered: f64 = controls.iter().map(|control| place.overlap(*control)).sum();
                // The search starts below its control, at the left edge.
                let above = if top < own.top { 4.0 } else { 0.0 };
                let cost = COVERED * covered + across.hypot(down) + 0.1 * (left - own.left).abs() + above;
                if cost < best.0 {
                    best = (cost, place, limit);
                }
            }
        }
        if best.0 < COVERED {
            break;
        }
    }
    let (_, place, limit) = best;
    for (name, value) in [("left", place.left), ("top", place.top), ("max-width", f64::from(limit))] {
        let _ = style.set_property(name, &format!("{value}px"));
    }
}

fn hide() {
    FOR.take();
    BESIDE.take();
    if let Some(the_box) = the_box().filter(|the_box| !the_box.hidden()) {
        the_box.set_hidden(true);
        if let Ok(Some(described)) = document().query_selector("[aria-describedby~='help-box']") {
            let ids = described.get_attribute("aria-describedby").unwrap_or_default();
            let others: Vec<&str> = ids.split(' ').filter(|id| *id != BOX).collect();
            let _ = if others.is_empty() {
                described.remove_attribute("aria-describedby")
            } else {
                described.set_attribute("aria-describedby", &others.join(" "))
            };
        }
    }
}
