//! Something is done once, soon, however often it is asked for meanwhile.

use leptos::prelude::*;
use std::time::Duration;

/// Results come faster than anybody looks: has them shown at most once in a while.
#[derive(Clone, Copy, Debug)]
pub struct Throttle {
    is_due: StoredValue<bool>,
    pause: Duration,
}

impl Throttle {
    /// Something that is done at most once in every `pause`.
    pub fn new(pause: Duration) -> Self {
        Self { is_due: StoredValue::new(false), pause }
    }

    /// Does it after the pause, unless that is going to happen anyway.
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
