//! The worker that the page started: a [`Lab`] between the page's messages, its own, and its helpers'.

use super::helpers::{self, PoolEvent};
use super::{complain, listen, schedule, schedule_in, scope};
use crate::lab::{Lab, Message};
use crate::pool::Outgoing;
use dbm_protocol::{Command, Envelope, Reply, wire};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// More workers than this gain nothing: a minibatch has few shards.
const MOST_WORKERS: f64 = 16.0;
/// A step that takes one worker less than this, in seconds, is not worth sharing: what is exchanged takes about a millisecond.
const SHARE_FROM: f64 = 0.004;
/// A worker whose name is this and a number shares its runs with no more workers than that, itself included: beside another run, half of the cores are enough.
const CREW: &str = "dbm-crew-";

thread_local! {
    static LAB: RefCell<Lab> = RefCell::default();
}

pub fn start() {
    let threads = scope().navigator().hardware_concurrency().clamp(1.0, MOST_WORKERS);
    let most = scope().name().strip_prefix(CREW).and_then(|most| most.parse().ok()).unwrap_or(usize::MAX);
    LAB.set(Lab::with_workers(most.clamp(1, threads as usize), SHARE_FROM));
    listen(|data| receive(&data), || settle(LAB.with_borrow_mut(Lab::work)));
    post(Envelope::new(None, Reply::Ready));
}

fn receive(data: &JsValue) {
    settle(match wire::unpack::<Command>(data) {
        Ok(request) => LAB.with_borrow_mut(|lab| lab.handle(request)),
        Err(message) => vec![Envelope::new(None, Reply::Failed { message })],
    });
}

/// What a helper says, or what became of it.
fn hear(said: PoolEvent) {
    settle(LAB.with_borrow_mut(|lab| match said {
        PoolEvent::Message(message) => lab.receive(message),
        PoolEvent::Ready => {
            lab.helpers_ready();
            Vec::new()
        }
        PoolEvent::Lost(why) => lab.helper_lost(&why),
    }));
}

/// Sends out what a piece of work has led to, and sees to the next one.
fn settle(messages: Vec<Message>) {
    messages.into_iter().for_each(post);
    for post in LAB.with_borrow_mut(Lab::take_outgoing) {
        match post {
            Outgoing::StartHelpers(count) => helpers::start_all(count, hear),
            Outgoing::StopHelpers => helpers::stop_all(),
            Outgoing::Order(of, order) => helpers::order(of, &order),
            Outgoing::Message(of, message) => helpers::send(of, &message),
        }
    }
    if LAB.with_borrow(Lab::has_work) {
        schedule();
    } else if let Some(seconds) = LAB.with_borrow(Lab::due) {
        schedule_in(seconds);
    }
}

fn post(message: Message) {
    let sent = wire::pack(message)
        .map_err(JsValue::from)
        .and_then(|parcel| scope().post_message_with_transfer(&parcel.message, &parcel.transfer));
    if let Err(problem) = sent {
        complain("the worker could not send a message", &problem);
    }
}
