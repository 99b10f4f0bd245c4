//! The computing worker: connects a [`Coordinator`] with the page's messages, its helpers' and its own.

use super::helpers::{self, PoolEvent};
use super::{on_slice, schedule, schedule_in};
use crate::coordinator::{Coordinator, Message};
use crate::pool::Outgoing;
use dbm_protocol::transport::{Heard, Started, listen, reply, scope, send};
use dbm_protocol::{Command, Envelope, Event, GpuCommand, Reply, wire};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// More workers than this gain nothing: a minibatch has few shards.
const MOST_WORKERS: usize = 16;
/// A step that takes one worker less than this, in seconds, is not worth sharing: the exchange takes about a millisecond.
const SHARE_FROM: f64 = 0.004;
/// A worker whose name is this and a number shares its runs with no more workers than that, itself included: next to another run, half of
/// the cores are enough.
const WORKER_COUNT: &str = "dbm-workers-";

/// The program that has the GPU, a file next to this worker's: fetched when it is first started.
const GPU_SCRIPT: &str = "./dbm-gpu-worker_loader.js";

thread_local! {
    static COORDINATOR: RefCell<Coordinator> = RefCell::default();
    static GPU: RefCell<Option<Started>> = const { RefCell::new(None) };
}

pub fn start() {
    // If the browser does not report a number, this is NaN, and becomes 0.
    let threads = (scope().navigator().hardware_concurrency() as usize).clamp(1, MOST_WORKERS);
    let most = scope().name().strip_prefix(WORKER_COUNT).and_then(|most| most.parse().ok()).unwrap_or(usize::MAX);
    COORDINATOR.set(Coordinator::with_workers(most.clamp(1, threads), SHARE_FROM));
    listen(|data| receive(&data));
    on_slice(|| settle(COORDINATOR.with_borrow_mut(Coordinator::work)));
    reply::<Event>(None, Reply::Ready);
}

fn receive(data: &JsValue) {
    match wire::unpack::<Command>(data) {
        Ok(request) => settle(COORDINATOR.with_borrow_mut(|worker| worker.handle(request))),
        Err(message) => reply::<Event>(None, Reply::Failed(message)),
    }
}

/// A message from a helper, or what became of it.
fn hear(event: PoolEvent) {
    settle(COORDINATOR.with_borrow_mut(|worker| match event {
        PoolEvent::Message(message) => worker.receive(message),
        PoolEvent::Ready => {
            worker.helpers_ready();
            Vec::new()
        }
        PoolEvent::Lost(why) => worker.helper_lost(&why),
    }));
}

/// A message from the worker that has the GPU, or why there will be no more.
fn hear_gpu(heard: Heard) {
    let said = match heard {
        Heard::Message(data) => wire::unpack(&data),
        Heard::Lost(why) => Err(format!("its worker was lost ({why})")),
    };
    settle(COORDINATOR.with_borrow_mut(|worker| match said {
        Ok(message) => worker.receive_from_gpu(message),
        Err(why) => worker.gpu_lost(&why),
    }));
}

/// Posts a command to the worker that has the GPU.
fn ask_gpu(request: Envelope<GpuCommand>) {
    let sent = GPU.with_borrow(|gpu| gpu.as_ref().map_or(Ok(()), |gpu| gpu.post(&wire::pack(request)?)));
    if let Err(why) = sent {
        hear_gpu(Heard::Lost(format!("nothing could be sent to it: {why}")));
    }
}

/// Sends the output of a piece of work, and schedules the next one.
fn settle(messages: Vec<Message>) {
    for message in messages {
        if message.id.is_some() {
            reply(message.id, message.body);
        } else if let Err(why) = send(message) {
            // Training continues: what could not be sent was a report or a checkpoint, and more of these will follow.
            reply(None, Reply::from(Event::Notice(format!("A part of what was computed can be neither shown nor kept: {why}."))));
        }
    }
    for outgoing in COORDINATOR.with_borrow_mut(Coordinator::take_outgoing) {
        match outgoing {
            Outgoing::StartHelpers(count) => helpers::start_all(count, hear),
            Outgoing::StopHelpers => helpers::stop_all(),
            Outgoing::StartGpu => match Started::new(GPU_SCRIPT, "", hear_gpu) {
                Ok(started) => GPU.set(Some(started)),
                Err(why) => return hear_gpu(Heard::Lost(format!("it could not be started: {why}"))),
            },
            Outgoing::StopGpu => drop(GPU.take()),
            Outgoing::AskGpu(request) => ask_gpu(request),
            Outgoing::Send(of, message) => {
                if let Err(why) = helpers::send(of, &message) {
                    // The rest was for helpers that are now gone.
                    return hear(PoolEvent::Lost(format!("nothing could be sent to it ({why})")));
                }
            }
        }
    }
    if COORDINATOR.with_borrow(Coordinator::has_work) {
        schedule();
    } else if let Some(seconds) = COORDINATOR.with_borrow(Coordinator::due) {
        schedule_in(seconds);
    }
}
