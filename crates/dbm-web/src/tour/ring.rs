//! What a step of the tour points at, by its `data-tour` name: ringed, and brought onto the screen together with what it changes,
//! beside the panel.

use crate::ui::area::Area;
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// The class that the style sheet draws the ring by.
const RINGED: &str = "tour-ring";
/// The body's, while the tour is on: there is room below for its panel.
const TOURING: &str = "touring";
/// A view that is fetched takes a moment: how often, and how many times, its control is looked for.
const LOOK: Duration = Duration::from_millis(120);
const LOOKS: u32 = 250;
/// Room around what is ringed, in pixels.
const MARGIN: f64 = 20.0;
/// Where the panel may be, in the order in which places are tried: classes of the style sheet.
const CORNERS: [&str; 4] = ["", "left", "top", "top left"];

/// A handle, as long-lived as the page.
#[derive(Clone, Copy)]
pub struct Ring {
    /// Which step it points for: what was looked for before is given up.
    turn: StoredValue<u32>,
}

impl Ring {
    /// Points at nothing yet.
    pub fn new() -> Self {
        Self { turn: StoredValue::new(0) }
    }

    /// Points at these, as soon as all are on the page.
    pub fn point_at(self, names: &'static [&'static str]) {
        self.clear();
        set_class(document().body().map(Into::into), TOURING, true);
        let turn = self.turn.get_value();
        // Once the panel has the step's text, and its size.
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
            // What is above in the page comes first.
            scroll_by(top() - MARGIN);
            let excess = bottom() - floor();
            if excess > 0.0 {
                scroll_by(excess + MARGIN);
                // A head that sticks stays in view all the same.
                scroll_by((top() - MARGIN).min(0.0));
            }
        }
        place_panel(&found);
        found.into_iter().for_each(|it| set_class(Some(it), RINGED, true));
    }
}

/// The element of this name, once it has a size.
pub fn named(name: &str) -> Option<Element> {
    document().query_selector(&format!("[data-tour={name}]")).ok().flatten().filter(|it| it.client_height() > 0)
}

fn panel() -> Option<HtmlElement> {
    document().query_selector(".tour").ok().flatten()?.dyn_into().ok()
}

/// Down to where something can be seen: above a panel that is as wide as the window, or above the strip of messages.
fn floor() -> f64 {
    let screen = Area::of_window();
    match panel().map(|panel| Area::of(&panel)) {
        Some(panel) if panel.width() > 0.8 * screen.width() => panel.top,
        _ => document().query_selector(".foot").ok().flatten().map_or(screen.bottom, |strip| Area::of(&strip).top),
    }
}

/// Puts the panel into the corner where it hides the least part of these, of a row of buttons as of a large picture.
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
