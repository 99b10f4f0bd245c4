//! A computation that workers do part by part: its progress, its outcome, and when to show new results.

use crate::ui::notices::Notices;
use crate::ui::progress::ProgressBar;
use crate::ui::throttle::Throttle;
use crate::worker::client::Failure;
use crate::worker::pool::{self, Group};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::time::Duration;

/// Shortest time between two redraws of the results.
const PAUSE: Duration = Duration::from_millis(150);

/// A handle that lives as long as the page.
#[derive(Clone, Copy)]
pub struct Computation {
    notices: Notices,
    group: Group,
    /// What its parts are called.
    parts: &'static str,
    /// Parts done and parts in all; `None` while nothing is computed.
    progress: RwSignal<Option<(u32, u32)>>,
    /// How the last computation ended, in words.
    outcome: RwSignal<String>,
    /// Counts updates of the results; a change redraws them.
    version: RwSignal<u32>,
    look: Throttle,
    /// Counts computations: one that was replaced or cancelled goes no further.
    number: StoredValue<u32>,
}

impl Computation {
    /// No computation yet.
    pub fn new(group: Group, parts: &'static str) -> Self {
        Self {
            notices: Notices::of_page(),
            group,
            parts,
            progress: RwSignal::new(None),
            outcome: RwSignal::new(String::new()),
            version: RwSignal::new(0),
            look: Throttle::new(PAUSE),
            number: StoredValue::new(0),
        }
    }

    /// Whether a computation is under way.
    pub fn is_busy(self) -> bool {
        self.progress.with(Option::is_some)
    }

    /// Its number: the work of a computation with another number does not belong to it.
    pub fn number(self) -> u32 {
        self.number.get_value()
    }

    /// Runs `work`, which resolves to its number of parts. If it fails, the message says that `what` could not be computed.
    pub fn start(self, total: u32, what: &'static str, work: impl Future<Output = Result<u32, Failure>> + 'static) {
        self.count(0, total);
        self.outcome.set(String::new());
        spawn_local(async move {
            let began = js_sys::Date::now();
            match work.await {
                Ok(parts) => {
                    let seconds = (js_sys::Date::now() - began) / 1000.0;
                    self.stop(&format!("{parts} of them in {seconds:.1} s."));
                }
                Err(Failure::Ended) => {}
                Err(failure) => {
                    self.stop("Stopped; what was computed is kept.");
                    self.notices.error(format!("{what} could not be computed: {failure}."));
                }
            }
        });
    }

    /// Sets the parts done and the parts in all.
    pub fn count(self, done: u32, total: u32) {
        self.progress.set(Some((done, total)));
    }

    /// Adds this many finished parts, and soon redraws the results.
    pub fn add(self, parts: u32) {
        self.progress.update(|progress| progress.iter_mut().for_each(|(done, _)| *done += parts));
        self.look.run(move || self.notify());
    }

    /// Redraws the results.
    pub fn notify(self) {
        self.version.update(|version| *version += 1);
    }

    /// Subscribes to new results.
    pub fn track(self) {
        self.version.track();
    }

    /// Ends the computation under way; its results so far stay.
    pub fn stop(self, words: &str) {
        self.number.update_value(|number| *number = number.wrapping_add(1));
        if self.progress.get_untracked().is_some() {
            pool::cancel(self.group);
            self.progress.set(None);
            self.outcome.set(words.into());
            self.notify();
        }
    }

    /// Its progress in words; `None` while nothing is computed.
    pub fn under_way(self) -> Option<String> {
        self.progress.get().map(|(done, total)| format!("{done} of {total} {}", self.parts))
    }

    /// How many of the wanted parts exist, in words.
    pub fn there(self, wanted: u32, missing: u32) -> String {
        let (parts, outcome) = (self.parts, self.outcome.get());
        match missing {
            0 => format!("All {wanted} {parts} are done. {outcome}"),
            _ if missing == wanted => format!("{wanted} {parts} to run. {outcome}"),
            _ => format!("{missing} of {wanted} {parts} are missing. {outcome}"),
        }
    }

    /// The bar, with the label of what it counts and the help of its button, and the status in words; `longest` is the longest
    /// status.
    pub fn view(
        self,
        [label, help]: [&'static str; 2],
        longest: &'static str,
        status: impl Fn() -> String + Send + 'static,
    ) -> impl IntoView {
        let busy = Memo::new(move |_| self.is_busy());
        view! {
            <ProgressBar
                label
                parts=Signal::derive(move || self.progress.get().unwrap_or_default())
                busy
                help
                on_cancel=move |()| self.stop("Cancelled; what was computed is kept.")
            />
            <p role="status" aria-live=move || if busy.get() { "off" } else { "polite" } data-longest=longest>
                <span>{status}</span>
            </p>
        }
    }
}
