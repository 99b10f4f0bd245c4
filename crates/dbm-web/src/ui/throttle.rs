//! Limits how often something is done, however often it is requested.

use leptos::prelude::*;
use std::time::Duration;

/// Results arrive faster than anybody can look: shows them at most once in a while.
#[derive(Clone, Copy, Debug)]
pub struct Throttle {
    is_due: StoredValue<bool>,
    pause: Duration,
}

impl Throttle {
    /// Limits an action to once in every `pause`.
    pub fn new(pause: Duration) -> Self {
        Self { is_due: StoredValue::new(false), pause }
    }

    /// Runs the action after the pause, unless a run is already due.
    pub fn run(self, action: impl FnOnce() + 'static) {
        if self.is_due.get_value() {
            return;
        }
        self.is_due.set_value(true);
        set_timeout(
            move || {
                self.is_due.set_value(false);
                action();
            },
            self.pause,
        );
    }
}
