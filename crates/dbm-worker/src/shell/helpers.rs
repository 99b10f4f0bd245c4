//! The coordinator's helpers: its own workers, with a channel between any two of them.

use super::HELPER;
use super::peer_messages::{Outbox, read};
use crate::pool::{PeerMessage, PoolMessage};
use dbm_protocol::transport::{Heard, Started, reason, scope};
use dbm_protocol::wire::Parcel;
use js_sys::Array;
use std::cell::RefCell;
use web_sys::MessageChannel;

/// What the coordinator learns of its helpers.
pub enum PoolEvent {
    Message(PeerMessage),
    /// All of them listen.
    Ready,
    /// One has stopped or sent something invalid, and why.
    Lost(String),
}

#[derive(Default)]
struct Helpers {
    workers: Vec<Started>,
    /// How many are not listening yet.
    missing: usize,
    outbox: Outbox,
}

thread_local! {
    static HELPERS: RefCell<Helpers> = RefCell::default();
}

/// Starts this many helpers; each counts as up once it has greeted.
pub fn start_all(count: usize, hear: fn(PoolEvent)) {
    let start = |_| Started::new(&scope().location().href(), HELPER, move |said| heard(said, hear));
    match (0..count).map(start).collect::<Result<Vec<_>, String>>() {
        Ok(workers) => HELPERS.set(Helpers { workers, missing: count, outbox: Outbox::default() }),
        Err(why) => hear(PoolEvent::Lost(why)),
    }
}

/// A message from a helper, or why it is gone.
fn heard(heard: Heard, hear: fn(PoolEvent)) {
    match heard {
        Heard::Lost(why) => hear(PoolEvent::Lost(why)),
        Heard::Message(data) => match read(&data) {
            Some((PoolMessage::Computed(message), _)) => hear(PoolEvent::Message(message)),
            Some((PoolMessage::Greeting, _)) => greeted().into_iter().for_each(hear),
            _ => hear(PoolEvent::Lost("it sent what nobody can read".into())),
        },
    }
}

/// One more helper is listening. Once all are, they are introduced to each other.
fn greeted() -> Option<PoolEvent> {
    HELPERS.with_borrow_mut(|helpers| {
        helpers.missing = helpers.missing.checked_sub(1)?;
        if helpers.missing > 0 {
            return None;
        }
        Some(introduce(&helpers.workers).map_or_else(PoolEvent::Lost, |()| PoolEvent::Ready))
    })
}

/// Tells each helper its replica number, and gives it a port to every other.
fn introduce(workers: &[Started]) -> Result<(), String> {
    let ports: Vec<Array> = workers.iter().map(|_| Array::new()).collect();
    for (low, first) in ports.iter().enumerate() {
        for second in &ports[low + 1..] {
            let channel = MessageChannel::new().map_err(|problem| reason(&problem))?;
            first.push(&channel.port1());
            second.push(&channel.port2());
        }
    }
    for (place, (worker, ports)) in workers.iter().zip(&ports).enumerate() {
        let message = Outbox::default().put(&PoolMessage::Introduction(place + 1))?;
        worker.post(&Parcel { message: message.concat(ports).into(), transfer: ports.into() })?;
    }
    Ok(())
}

/// Ends them all.
pub fn stop_all() {
    drop(HELPERS.take());
}

/// A message to the helpers below number `of`; the error says why one could not be reached.
pub fn send(of: usize, message: &PoolMessage) -> Result<(), String> {
    HELPERS.with_borrow_mut(|Helpers { workers, outbox, .. }| {
        let parcel = Parcel { message: outbox.put(message)?.into(), transfer: Array::new().into() };
        let mut reached = workers.iter().take(of.saturating_sub(1));
        reached.try_for_each(|worker| worker.post(&parcel))
    })
}
