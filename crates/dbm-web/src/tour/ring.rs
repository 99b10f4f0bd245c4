//! What a step of the tour points at: marked by a ring and scrolled into view, once it is on the page.

use leptos::prelude::*;
use std::time::Duration;
use web_sys::{Element, ScrollBehavior, ScrollIntoViewOptions, ScrollLogicalPosition};

/// The class that the style sheet draws the ring by.
const RINGED: &str = "tour-ring";
/// The body's, while the tour is on: there is room below for its panel.
const TOURING: &str = "touring";
/// A view that is fetched takes a moment: how often, and how many times, its control is looked for.
const LOOK: Duration = Duration::from_millis(120);
const LOOKS: u32 = 250;

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

    /// Points at the first element of this selector, as soon as it is on show.
    pub fn point_at(self, selector: &'static str) {
        self.clear();
        set_class(document().body().map(Into::into), TOURING, true);
        self.look(selector, self.turn.get_value(), LOOKS);
    }

    /// Points at nothing.
    pub fn clear(self) {
        self.turn.update_value(|turn| *turn = turn.wrapping_add(1));
        set_class(document().body().map(Into::into), TOURING, false);
        set_class(document().query_selector(&format!(".{RINGED}")).ok().flatten(), RINGED, false);
    }

    fn look(self, selector: &'static str, turn: u32, looks: u32) {
        if looks == 0 || self.turn.try_get_value() != Some(turn) {
            return;
        }
        match document().query_selector(selector).ok().flatten().filter(|found| found.client_height() > 0) {
            Some(found) => {
                scroll_to(&found);
                set_class(Some(found), RINGED, true);
            }
            None => set_timeout(move || self.look(selector, turn, looks - 1), LOOK),
        }
    }
}

/// Scrolls so that an element is above the panel; by the style sheet's `scroll-margin`.
fn scroll_to(element: &Element) {
    let options = ScrollIntoViewOptions::new();
    options.set_behavior(ScrollBehavior::Auto);
    options.set_block(ScrollLogicalPosition::Start);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

fn set_class(element: Option<Element>, class: &str, on: bool) {
    if let Some(element) = element {
        let _ = element.class_list().toggle_with_force(class, on);
    }
}
