//! Workers that take jobs in turn: a job goes to the first that is free, and is nobody's state, so a worker that is ended or lost costs only its present job.

use super::client::{Client, Failure, Progress};
use dbm_protocol::{Diagnostics, DiagnosticsCommand, DiagnosticsEvent};
use futures_channel::oneshot;
use leptos::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;

/// By this name the workers' program knows its role.
const NAME: &str = "dbm-diagnostics";
/// The most workers; training has its own, and the page needs a core as well.
const MOST: usize = 6;

/// Whose job it is: those of one group are cancelled together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The figure of the Coupling view.
    Figure,
    /// Its replay.
    Replay,
    /// The Proof view's estimates.
    Proof,
    /// Its look at models as they grow.
    Growth,
}

struct Place {
    client: Client<Diagnostics>,
    /// Whose job it is at.
    at_work: Option<Group>,
}

#[derive(Default)]
struct Pool {
    places: Vec<Place>,
    /// Jobs that wait, each for the number of a place.
    waiting: VecDeque<(Group, oneshot::Sender<usize>)>,
}

thread_local! {
    static POOL: RefCell<Pool> = RefCell::default();
}

/// Does a job; `progress` hears how far it is.
///
/// # Errors
/// What the worker refused; where it was lost; or [`Failure::Ended`] where the group was cancelled.
pub async fn ask(
    group: Group,
    command: DiagnosticsCommand,
    progress: impl FnMut(Progress) + 'static,
) -> Result<DiagnosticsEvent, Failure> {
    let turn = POOL.with_borrow_mut(|pool| pool.turn(group));
    let place = turn.await.map_err(|_| Failure::Ended)?;
    let client = POOL.with_borrow(|pool| pool.places[place].client);
    let answer = client.ask_long(command, progress).await;
    POOL.with_borrow_mut(|pool| pool.free(place));
    answer.map_err(|failure| match failure {
        Failure::Lost(why) => Failure::Lost(format!(
            "a worker that studies couplings was lost: {why}. Try again; if that does not help, reload the page"
        )),
        other => other,
    })
}

/// Drops the group's waiting jobs, and ends workers that are at one of them: all of them end with [`Failure::Ended`].
pub fn cancel(group: Group) {
    let ended = POOL.with_borrow_mut(|pool| {
        pool.waiting.retain(|(waits, _)| *waits != group);
        pool.places.iter().filter(|place| place.at_work == Some(group)).map(|place| place.client).collect::<Vec<_>>()
    });
    ended.into_iter().for_each(Client::end);
}

/// How many workers there may be.
pub fn width() -> usize {
    (window().navigator().hardware_concurrency() as usize).saturating_sub(1).clamp(1, MOST)
}

impl Pool {
    /// The place that a job gets, now or when one is free.
    fn turn(&mut self, group: Group) -> oneshot::Receiver<usize> {
        let (sender, receiver) = oneshot::channel();
        if self.places.len() < width() && self.places.iter().all(|place| place.at_work.is_some()) {
            self.places.push(Place { client: Client::new(NAME), at_work: None });
        }
        // A replay is short, and somebody waits for it: it does not stand in line behind a figure.
        let before = |waits: &Group| group != Group::Replay || *waits == Group::Replay;
        let at = self.waiting.iter().take_while(|(waits, _)| before(waits)).count();
        self.waiting.insert(at, (group, sender));
        if let Some(place) = self.places.iter().position(|place| place.at_work.is_none()) {
            self.free(place);
        }
        receiver
    }

    /// Gives a free place to the next that waits.
    fn free(&mut self, place: usize) {
        self.places[place].at_work = None;
        while let Some((group, sender)) = self.waiting.pop_front() {
            if sender.send(place).is_ok() {
                self.places[place].at_work = Some(group);
                return;
            }
        }
    }
}
