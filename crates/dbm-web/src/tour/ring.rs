//! Rings the elements that a step of the tour points at, by their `data-tour` names, and scrolls them onto the screen together
//! with what they change, next to the panel.

use crate::ui::area::Area;
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// The class for which the style sheet draws the ring.
const RINGED: &str = "tour-ring";
/// The body's class while the tour is open: it makes room at the bottom for the panel.
const TOURING: &str = "touring";
/// A view that has to be fetched takes a moment: how often, and how many times, to look for its control.
const LOOK: Duration = Duration::from_millis(120);
const LOOKS: u32 = 250;
/// Space around a ringed element, in pixels.
const MARGIN: f64 = 20.0;
/// Possible corners for the panel, in the order in which they are tried: classes of the style sheet.
const CORNERS: [&str; 4] = ["", "left", "top", "top left"];

/// A handle that lives as long as the page.
#[derive(Clone, Copy)]
pub struct Ring {
    /// Counts the steps pointed at: a search for an earlier one is abandoned.
    turn: StoredValue<u32>,
}

impl Ring {
    /// Points at nothing yet.
    pub fn new() -> Self {
        Self { turn: StoredValue::new(0) }
    }

    /// Points at these elements, as soon as all of them are on the page.
    pub fn point_at(self, names: &'static [&'static str]) {
        self.clear();
        set_class(document().body().map(Into::into), TOURING, true);
        let turn = self.turn.get_value();
        // After the panel has the step's text, and its final size.
        request_animation_frame(move || self.look(names, turn, LOOKS));
    }

    /// Points at nothing.
    pub fn clear(self) {
        self.turn.update_value(|turn| *turn = turn.wrapping_add(1));
        set_class(document().body().map(Into::into), TOURING, false);
        while let Ok(Some(ringed)) = document().query_selector(&format!(".{RINGED}")) {
            set_class(Some(ringed), RINGED, false);
        }
    }

    fn look(self, names: &'static [&'static str], turn: u32, looks: u32) {
        if looks == 0 || self.turn.try_get_value() != Some(turn) {
            return;
        }
        let found: Vec<Element> = names.iter().filter_map(|name| named(name)).collect();
        if found.len() < names.len() {
            return set_timeout(move || self.look(names, turn, looks - 1), LOOK);
        }
        let areas = || found.iter().map(Area::of);
        let top = || areas().map(|area| area.top).fold(f64::INFINITY, f64::min);
        let bottom = || areas().map(|area| area.bottom).fold(0.0, f64::max);
        if top() < 0.0 || bottom() > floor() {
            // The uppermost element comes first.
            scroll_by(top() - MARGIN);
            let excess = bottom() - floor();
            if excess > 0.0 {
                scroll_by(excess + MARGIN);
                // A sticky header stays in view anyway.
                scroll_by((top() - MARGIN).min(0.0));
            }
        }
        place_panel(&found);
        found.into_iter().for_each(|it| set_class(Some(it), RINGED, true));
    }
}

/// The element with this name, once it has a size.
pub fn named(name: &str) -> Option<Element> {
    document().query_selector(&format!("[data-tour={name}]")).ok().flatten().filter(|it| it.client_height() > 0)
}

fn panel() -> Option<HtmlElement> {
    document().query_selector(".tour").ok().flatten()?.dyn_into().ok()
}

/// The lower edge of the visible part of the window: the top of a panel as wide as the window, or of the strip of messages.
fn floor() -> f64 {
    let screen = Area::of_window();
    match panel().map(|panel| Area::of(&panel)) {
        Some(panel) if panel.width() > 0.8 * screen.width() => panel.top,
        _ => document().query_selector(".foot").ok().flatten().map_or(screen.bottom, |strip| Area::of(&strip).top),
    }
}

/// Puts the panel into the corner where it hides the smallest share of these elements, whether a row of buttons or a large
/// picture.
fn place_panel(found: &[Element]) {
    let Some(panel) = panel() else { return };
    let hidden = |corner: &str| {
        panel.set_class_name(&format!("tour {corner}"));
        let of_panel = Area::of(&panel);
        let part = |area: Area| area.overlap(of_panel) / area.overlap(area).max(1.0);
        found.iter().map(|it| part(Area::of(it))).sum::<f64>()
    };
    let best = CORNERS.into_iter().min_by(|a, b| hidden(a).total_cmp(&hidden(b))).unwrap_or_default();
    panel.set_class_name(&format!("tour {best}"));
}

fn scroll_by(down: f64) {
    window().scroll_by_with_x_and_y(0.0, down);
}

fn set_class(element: Option<Element>, class: &str, on: bool) {
    if let Some(element) = element {
        let _ = element.class_list().toggle_with_force(class, on);
    }
}
