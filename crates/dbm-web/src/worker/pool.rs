//! The diagnostics workers, which take jobs in turn. A job goes to the first free worker. Workers keep no state between jobs, so
//! one that is ended or lost costs only its current job.

use super::client::{Client, Failure, RequestProgress};
use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent, ModelSource, SmallModel};
use futures_channel::oneshot;
use js_sys::Uint8Array;
use leptos::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The name that tells the workers' program its role.
const NAME: &str = "dbm-diagnostics";
/// The most workers; training has its own, and the page needs a core too.
const MOST: usize = 6;

/// The owner of a job: jobs of one group are cancelled together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The figure of the Coupling view.
    Figure,
    /// The replay of the Coupling view.
    Replay,
    /// The model of the Proof view, and its exact values.
    Exact,
    /// The samples of the Proof view.
    Estimates,
    /// The Proof view's computation for growing models.
    Growth,
    /// The pairs of runs of the Coupling view.
    Particles,
}

impl Group {
    /// Whether its jobs go to the front of the queue: they are short and somebody is waiting for them, so they do not queue
    /// behind a figure.
    const fn goes_first(self) -> bool {
        matches!(self, Self::Replay | Self::Exact)
    }
}

struct Place {
    client: Client<DiagnosticsCommand>,
    /// The group whose job it is doing.
    at_work: Option<Group>,
}

/// The use of a place for one job. Dropping it frees the place; dropping it before the answer has come ends the worker.
struct Turn {
    place: usize,
    client: Client<DiagnosticsCommand>,
    is_busy: bool,
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.is_busy {
            self.client.end();
        }
        POOL.with_borrow_mut(|pool| pool.free(self.place));
    }
}

#[derive(Default)]
struct Pool {
    places: Vec<Place>,
    /// Jobs waiting for a place.
    waiting: VecDeque<(Group, oneshot::Sender<Turn>)>,
    /// How often each group has been cancelled.
    cancelled: [u32; 6],
}

thread_local! {
    static POOL: RefCell<Pool> = RefCell::default();
}

/// Does a job and returns the answer that `pick` accepts.
///
/// # Errors
/// What the worker refused; a lost worker; or [`Failure::Ended`] if the group has been cancelled since.
pub async fn ask<T>(
    group: Group,
    command: DiagnosticsCommand,
    pick: impl FnOnce(DiagnosticsEvent) -> Option<T>,
) -> Result<T, Failure> {
    ask_long(group, command, pick, |_| {}).await
}

/// The parameters of a small model.
///
/// # Errors
/// As for [`ask`].
pub async fn model(group: Group, source: ModelSource) -> Result<SmallModel, Failure> {
    ask(group, DiagnosticsCommand::Model(source), |event| match event {
        DiagnosticsEvent::Model(model) => Some(model),
        _ => None,
    })
    .await
}

/// Does a job and reports its progress to `progress`.
///
/// # Errors
/// As for [`ask`].
pub async fn ask_long<T>(
    group: Group,
    command: DiagnosticsCommand,
    pick: impl FnOnce(DiagnosticsEvent) -> Option<T>,
    progress: impl Fn(RequestProgress) + 'static,
) -> Result<T, Failure> {
    ask_with(group, command, None, pick, progress).await
}

/// Does a job with a large array that stays outside the page's own memory.
///
/// # Errors
/// As for [`ask`].
pub async fn ask_with<T>(
    group: Group,
    command: DiagnosticsCommand,
    bulk: Option<&Uint8Array>,
    pick: impl FnOnce(DiagnosticsEvent) -> Option<T>,
    progress: impl Fn(RequestProgress) + 'static,
) -> Result<T, Failure> {
    let (receiver, cancelled) = POOL.with_borrow_mut(|pool| (pool.turn(group), pool.cancelled[group as usize]));
    let is_cancelled = || POOL.with_borrow(|pool| pool.cancelled[group as usize] != cancelled);
    let mut turn = receiver.await.map_err(|_| Failure::Ended)?;
    if is_cancelled() {
        return Err(Failure::Ended);
    }
    turn.is_busy = true;
    let answer = turn.client.ask_with(command, bulk, Some(Rc::new(progress))).await;
    turn.is_busy = false;
    drop(turn);
    match answer {
        _ if is_cancelled() => Err(Failure::Ended),
        answer => pick(answer?).ok_or_else(|| Failure::Refused("a worker's answer did not fit its question".into())),
    }
}

/// Drops the group's waiting jobs and ends the workers busy with one: all these jobs fail with [`Failure::Ended`].
pub fn cancel(group: Group) {
    let ended = POOL.with_borrow_mut(|pool| {
        let count = &mut pool.cancelled[group as usize];
        *count = count.wrapping_add(1);
        pool.waiting.retain(|(waits, _)| *waits != group);
        pool.places.iter().filter(|place| place.at_work == Some(group)).map(|place| place.client).collect::<Vec<_>>()
    });
    ended.into_iter().for_each(Client::end);
}

/// The number of workers allowed.
pub fn width() -> usize {
    (window().navigator().hardware_concurrency() as usize).saturating_sub(1).clamp(1, MOST)
}

impl Pool {
    /// The place that a job gets, now or as soon as one is free.
    fn turn(&mut self, group: Group) -> oneshot::Receiver<Turn> {
        let (sender, receiver) = oneshot::channel();
        if self.places.len() < width() && self.places.iter().all(|place| place.at_work.is_some()) {
            self.places.push(Place { client: Client::new(NAME), at_work: None });
        }
        let before = |waits: &Group| !group.goes_first() || waits.goes_first();
        let at = self.waiting.iter().take_while(|(waits, _)| before(waits)).count();
        self.waiting.insert(at, (group, sender));
        if let Some(place) = self.places.iter().position(|place| place.at_work.is_none()) {
            self.free(place);
        }
        receiver
    }

    /// Gives a free place to the next waiting job.
    fn free(&mut self, place: usize) {
        self.places[place].at_work = None;
        while let Some((group, sender)) = self.waiting.pop_front() {
            let client = self.places[place].client;
            match sender.send(Turn { place, client, is_busy: false }) {
                Ok(()) => {
                    self.places[place].at_work = Some(group);
                    return;
                }
                // Nobody is waiting for it any more: the next job has the place, which must not be freed twice.
                Err(turn) => std::mem::forget(turn),
            }
        }
    }
}
