//! Workers that take jobs in turn: each job goes to the first that is free, and is nobody's state, so a worker that is ended or lost costs only its present job.

use crate::ui::problem::words;
use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent, Envelope, Reply, wire};
use leptos::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

const WORKER: &str = concat!("./dbm-worker-wasm_loader.js?v=", env!("CARGO_PKG_VERSION"));
/// The most workers; training has its own, and the page needs a core as well.
const MOST: usize = 6;

/// What an answer, or the lack of one, leads to. Progress comes before, any number of times.
type Then = Box<dyn FnMut(Result<Reply<DiagnosticsEvent>, String>)>;

/// What hears a worker: its messages, and its end.
type Listeners = [Closure<dyn FnMut(JsValue)>; 2];

/// Whose job it is: those of one view are cancelled together.
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

struct Job {
    id: u32,
    group: Group,
    command: Option<DiagnosticsCommand>,
    then: Then,
}

struct Hand {
    worker: Worker,
    /// Its own number: what a worker that was ended still had in the post is nobody's.
    number: u32,
    listens: bool,
    job: Option<Job>,
    listeners: Listeners,
}

#[derive(Default)]
struct Inner {
    waiting: VecDeque<Job>,
    hands: Vec<Hand>,
    next: u32,
    /// Listeners of workers that were ended: one of them may be running.
    spent: Vec<Listeners>,
}

thread_local! {
    static POOL: RefCell<Inner> = RefCell::default();
}

/// Gives a job to the pool; `then` hears of progress, and once of the answer or of what went wrong.
pub fn ask(group: Group, command: DiagnosticsCommand, then: impl FnMut(Result<Reply<DiagnosticsEvent>, String>) + 'static) {
    POOL.with_borrow_mut(|pool| {
        pool.next = pool.next.wrapping_add(1);
        let job = Job { id: pool.next, group, command: Some(command), then: Box::new(then) };
        // A replay is short, and somebody waits for it: it does not stand in line behind a figure.
        let place = if group == Group::Replay {
            pool.waiting.iter().take_while(|job| job.group == Group::Replay).count()
        } else {
            pool.waiting.len()
        };
        pool.waiting.insert(place, job);
    });
    give();
}

/// Drops the group's waiting jobs, and ends workers that are at one of them; nobody is answered.
pub fn cancel(group: Group) {
    POOL.with_borrow_mut(|pool| {
        pool.waiting.retain(|job| job.group != group);
        let (ended, kept) = std::mem::take(&mut pool.hands)
            .into_iter()
            .partition::<Vec<_>, _>(|hand| hand.job.as_ref().is_some_and(|job| job.group == group));
        pool.hands = kept;
        for hand in ended {
            hand.worker.terminate();
            pool.spent.push(hand.listeners);
        }
    });
    give();
}

/// How many workers there may be.
pub fn width() -> usize {
    (window().navigator().hardware_concurrency() as usize).saturating_sub(1).clamp(1, MOST)
}

/// Gives waiting jobs to workers that are free, starting more where all are busy.
fn give() {
    let problem = POOL.with_borrow_mut(|pool| {
        while !pool.waiting.is_empty() {
            let free = pool.hands.iter().position(|hand| hand.job.is_none());
            let place = match free {
                Some(place) => place,
                None if pool.hands.len() < width() => {
                    pool.next = pool.next.wrapping_add(1);
                    pool.hands.push(start(pool.next)?);
                    pool.hands.len() - 1
                }
                None => break,
            };
            let hand = &mut pool.hands[place];
            hand.job = pool.waiting.pop_front();
            if hand.listens {
                hand.send()?;
            }
        }
        Ok::<_, String>(())
    });
    if let Err(why) = problem {
        // No worker can be had: everybody who waits hears it.
        let jobs: Vec<Job> = POOL.with_borrow_mut(|pool| {
            pool.waiting.drain(..).chain(pool.hands.iter_mut().filter_map(|hand| hand.job.take())).collect()
        });
        for mut job in jobs {
            (job.then)(Err(why.clone()));
        }
    }
}

impl Hand {
    /// Sends the job it has been given, once.
    fn send(&mut self) -> Result<(), String> {
        let Some((id, command)) = self.job.as_mut().and_then(|job| job.command.take().map(|command| (job.id, command))) else {
            return Ok(());
        };
        let parcel = wire::pack(Envelope::new(Some(id), command))?;
        self.worker.post_message(&parcel.message).map_err(|problem| words(&problem))
    }
}

fn start(number: u32) -> Result<Hand, String> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name("dbm-diagnostics");
    let worker = Worker::new_with_options(WORKER, &options).map_err(|problem| words(&problem))?;
    let on_message = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        if let Some(event) = event.dyn_ref::<MessageEvent>() {
            hear(number, &event.data());
        }
    });
    let on_error = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let why = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).filter(|why| !why.is_empty());
        lose(number, &why.unwrap_or_else(|| "it could not be loaded or stopped".into()));
    });
    worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    Ok(Hand { worker, number, listens: false, job: None, listeners: [on_message, on_error] })
}

fn hear(number: u32, data: &JsValue) {
    let message = match wire::unpack::<Reply<DiagnosticsEvent>>(data) {
        Ok(message) => message,
        Err(problem) => return lose(number, &problem),
    };
    let (id, reply) = match (message.id, message.body) {
        (_, Reply::Ready) => {
            let sent = POOL.with_borrow_mut(|pool| {
                let hand = pool.hands.iter_mut().find(|hand| hand.number == number)?;
                hand.listens = true;
                Some(hand.send())
            });
            if let Some(Err(problem)) = sent {
                lose(number, &problem);
            }
            return;
        }
        (Some(id), reply) => (id, reply),
        (None, Reply::Failed { message }) => return lose(number, &message),
        (None, _) => return,
    };
    let progress = matches!(reply, Reply::Progress { .. });
    let job = POOL.with_borrow_mut(|pool| {
        let hand = pool.hands.iter_mut().find(|hand| hand.number == number)?;
        hand.job.take_if(|job| job.id == id)
    });
    let Some(mut job) = job else { return };
    (job.then)(match reply {
        Reply::Failed { message } => Err(message),
        reply => Ok(reply),
    });
    if progress {
        POOL.with_borrow_mut(|pool| {
            // Unless what was just told has had the worker ended.
            if let Some(hand) = pool.hands.iter_mut().find(|hand| hand.number == number && hand.job.is_none()) {
                hand.job = Some(job);
            }
        });
    } else {
        give();
    }
}

/// A worker is gone: its job hears it, and the others go on.
fn lose(number: u32, why: &str) {
    let job = POOL.with_borrow_mut(|pool| {
        let place = pool.hands.iter().position(|hand| hand.number == number)?;
        let hand = pool.hands.remove(place);
        hand.worker.terminate();
        pool.spent.push(hand.listeners);
        hand.job
    });
    if let Some(mut job) = job {
        (job.then)(Err(format!(
            "a worker that studies couplings was lost: {why}. Try again; if that does not help, reload the page"
        )));
    }
    give();
}
