//! A long request of the computing worker: asked, heard of while it goes on, and stopped.

use super::client::{Client, Failure, Progress};
use dbm_protocol::{Command, Event};
use leptos::prelude::*;
use std::time::Duration;

/// What takes longer is worth showing.
const QUICK: Duration = Duration::from_millis(300);

/// The request that the worker is at.
#[derive(Clone, Debug, PartialEq)]
pub struct AtWork {
    /// Tells it from those before.
    number: u32,
    /// The worker's name for it.
    request: u32,
    /// How far it is.
    pub progress: Progress,
    /// Whether it has taken long enough to be shown.
    pub is_long: bool,
}

/// Requests of which the worker is at one at a time: a handle, as long-lived as the view that makes it.
#[derive(Clone, Copy)]
pub struct Work {
    client: Client<Command>,
    number: StoredValue<u32>,
    now: RwSignal<Option<AtWork>>,
}

impl Work {
    /// Nothing is asked yet.
    pub fn new(client: Client<Command>) -> Self {
        Self { client, number: StoredValue::default(), now: RwSignal::default() }
    }

    /// The request at work.
    pub fn now(self) -> Option<AtWork> {
        self.now.get()
    }

    /// How many parts of it are done, and of how many; none of none where that is unknown.
    pub fn parts(self) -> (u32, u32) {
        self.now.with(|now| now.as_ref().map_or((0, 0), |now| (now.progress.done, now.progress.total)))
    }

    /// Asks, in place of what is at work; there is no answer where that is cancelled, or another takes its place.
    pub fn ask(self, command: Command) -> impl Future<Output = Result<Option<Event>, Failure>> {
        self.cancel();
        let number = self.number.get_value().wrapping_add(1);
        self.number.set_value(number);
        let answer = self.client.ask_long(command, move |progress| self.update(number, |now| now.progress = progress));
        self.now.set(Some(AtWork { number, request: answer.id, progress: Progress::default(), is_long: false }));
        set_timeout(move || self.update(number, |now| now.is_long = true), QUICK);
        async move {
            let answered = answer.await;
            if self.now.with_untracked(|now| now.as_ref().is_none_or(|now| now.number != number)) {
                return Ok(None);
            }
            self.now.set(None);
            answered.map(Some)
        }
    }

    fn update(self, number: u32, update: impl FnOnce(&mut AtWork)) {
        self.now.update(|now| {
            if let Some(now) = now.as_mut().filter(|now| now.number == number) {
                update(now);
            }
        });
    }

    /// Has the worker stop.
    pub fn cancel(self) {
        if let Some(now) = self.now.get_untracked() {
            self.now.set(None);
            drop(self.client.ask(Command::Cancel(now.request)));
        }
    }
}
