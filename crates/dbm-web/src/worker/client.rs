//! The one client of all workers: `ask(command).await` gives the answer, or says why there is none.
//!
//! A worker is started when something is first asked of it, and again after it was lost or ended. Requests wait until it listens. One that does not come to listen
//! is lost, and so is one that owns or keeps a run and is silent while something is expected of it. What it says unasked goes to one listener. Long requests, one
//! at a time, are a [`Work`].

use dbm_protocol::transport::{Heard, Started};
use dbm_protocol::{Command, DiagnosticsCommand, Envelope, Event, FilesCommand, Reply, Request, wire};
use futures_channel::oneshot;
use js_sys::Uint8Array;
use leptos::prelude::*;
use send_wrapper::SendWrapper;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;
use wasm_bindgen::JsValue;

/// How often silence is looked for.
const TICK: Duration = Duration::from_secs(2);
/// Ticks without a word, while something is expected, after which a worker counts as lost.
const PATIENCE: u32 = 30;
/// What takes longer is worth showing.
const QUICK: Duration = Duration::from_millis(300);
/// Multiply-adds that the slowest machine makes in a tick. Orthogonal weights are made in one piece, without a word meanwhile.
const WORK_A_TICK: u64 = 1_000_000_000;
/// Bytes that the slowest storage writes in a tick.
const BYTES_A_TICK: u32 = 1 << 24;

macro_rules! loader {
    ($program:literal) => {
        // Versioned: the file's name carries no hash.
        concat!("./", $program, "_loader.js?v=", env!("CARGO_PKG_VERSION"))
    };
}

/// By this name, and a number after it, a computing worker knows how many may share its runs, itself included.
pub const WORKER_COUNT: &str = "dbm-workers-";

/// What the page knows of the workers of a role.
pub trait Served: Request + 'static {
    /// What the script that starts their program is called, beside the page.
    const LOADER: &'static str;
    /// Whether such a worker owns a run, and silence means that it is lost: one that reads a file or counts may be silent for long.
    const SPEAKS: bool = false;

    /// The failure that requests to a lost worker end with: [`Failure::Lost`] where the page reports the loss itself.
    fn lost(why: &str) -> Failure;

    /// Ticks of silence that this command is allowed besides.
    fn startup_grace(&self) -> u32 {
        0
    }
}

impl Served for Command {
    const LOADER: &'static str = loader!("dbm-worker-wasm");
    const SPEAKS: bool = true;

    fn lost(why: &str) -> Failure {
        Failure::Lost(why.into())
    }

    /// What the start of a run takes at most: orthonormal vectors cost `4 n_l n_{l+1} min(n_l, n_{l+1})` multiply-adds.
    fn startup_grace(&self) -> u32 {
        let (Self::NewRun(plan) | Self::UseData { plan, .. }) = self else { return 0 };
        let work = plan.hidden.windows(2).fold(0_u64, |sum, pair| {
            let (a, b) = (u64::from(pair[0]), u64::from(pair[1]));
            sum.saturating_add(a.saturating_mul(b).saturating_mul(a.min(b)).saturating_mul(4))
        });
        (work / WORK_A_TICK).min(u64::from(u16::MAX)) as u32
    }
}

impl Served for FilesCommand {
    const LOADER: &'static str = loader!("dbm-files");

    fn lost(why: &str) -> Failure {
        try_again("the worker for files", why)
    }
}

impl Served for DiagnosticsCommand {
    const LOADER: &'static str = loader!("dbm-diagnostics");

    fn lost(why: &str) -> Failure {
        try_again("a worker that studies couplings", why)
    }
}

/// The browser's word where a program has stopped itself, each engine's own: nothing but the want of memory has it say no more than that.
fn explained(why: String) -> String {
    if why.to_lowercase().contains("unreachable") {
        return format!(
            "{why}; most often the browser has no more memory for it: close other tabs, or choose smaller layers or batches"
        );
    }
    why
}

fn try_again(worker: &str, why: &str) -> Failure {
    Failure::Refused(format!("{worker} was lost: {why}. Try again; if that does not help, reload the page"))
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    /// The worker refused it, in its words.
    #[error("{0}")]
    Refused(String),
    /// The worker could not be started, or was lost: why.
    #[error("{0}")]
    Lost(String),
    /// The page ended the worker, or cancelled the request: nobody waits for the answer any more.
    #[error("it was cancelled")]
    Ended,
}

/// How far a request is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// What is being done, in words; empty where the request says it.
    pub stage: String,
    /// How many parts are done.
    pub done: u32,
    /// Parts in all; 0 where that is unknown.
    pub total: u32,
}

/// What a worker says unasked.
pub enum Unasked<A> {
    /// The worker listens; its first message.
    Ready,
    /// Something about what it does, with the large array where there is one.
    Event(A, Option<Uint8Array>),
    /// What it was doing unasked has failed.
    Failed(String),
    /// It said something that means nothing, which is passed over: it may own a run.
    Unreadable(String),
    /// It is gone; whoever waited for it has been answered. The next request starts another.
    Lost(String),
}

type Listener<A> = Rc<dyn Fn(Unasked<A>)>;
type ProgressFn = Rc<dyn Fn(Progress)>;
type Answered<A> = Result<(A, Option<Uint8Array>), Failure>;

/// An answer to come.
pub struct Answer<A> {
    /// The request's, by which it can be cancelled.
    pub id: u32,
    receiver: oneshot::Receiver<Answered<A>>,
}

impl<A> Answer<A> {
    /// The answer to what cannot be asked.
    pub fn failed(failure: Failure) -> Self {
        let (answer, receiver) = oneshot::channel();
        drop(answer.send(Err(failure)));
        Self { id: 0, receiver }
    }

    /// The answer with its large array, which the page's own memory need never see.
    ///
    /// # Errors
    /// As the future's own.
    pub async fn with_bulk(self) -> Answered<A> {
        self.receiver.await.unwrap_or(Err(Failure::Ended))
    }
}

impl<A> Future for Answer<A> {
    type Output = Result<A, Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.receiver)
            .poll(context)
            .map(|answered| answered.unwrap_or(Err(Failure::Ended)).map(|(answer, _)| answer))
    }
}

struct Pending<A> {
    answer: oneshot::Sender<Answered<A>>,
    progress: Option<ProgressFn>,
}

struct Running {
    worker: Started,
    listens: bool,
}

struct Inner<R: Request> {
    name: String,
    running: Option<Running>,
    next_id: u32,
    asked: BTreeMap<u32, Pending<R::Answer>>,
    waiting: Vec<(u32, wire::Parcel)>,
    /// Whether silence, where an answer is expected, means that the worker is lost.
    watched: bool,
    /// Whether something is expected of the worker besides answers.
    expected: bool,
    silent_ticks: u32,
    grace: u32,
    listener: Option<Listener<R::Answer>>,
}

/// A worker of a role, and whoever replaces it: a handle, as long-lived as the page.
pub struct Client<R: Request + 'static>(&'static SendWrapper<RefCell<Inner<R>>>);

impl<R: Request> Clone for Client<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Request> Copy for Client<R> {}

impl<R: Served> Client<R> {
    /// A client whose worker, of this name, is not started yet.
    pub fn new(name: impl Into<String>) -> Self {
        let client = Self(Box::leak(Box::new(SendWrapper::new(RefCell::new(Inner {
            name: name.into(),
            running: None,
            next_id: 0,
            asked: BTreeMap::new(),
            waiting: Vec::new(),
            watched: R::SPEAKS,
            expected: false,
            silent_ticks: 0,
            grace: 0,
            listener: None,
        })))));
        set_interval(move || client.look_for_silence(), TICK);
        client
    }

    /// Has silence where an answer is expected mean that the worker is lost, though others of its role may be silent for long.
    pub fn watched(self) -> Self {
        self.0.borrow_mut().watched = true;
        self
    }

    /// Has all that the worker says unasked go to this listener.
    pub fn listen(self, listener: impl Fn(Unasked<R::Answer>) + 'static) {
        self.0.borrow_mut().listener = Some(Rc::new(listener));
    }

    /// Whether there is a worker, who may remember what was asked before.
    pub fn is_up(self) -> bool {
        self.0.borrow().running.is_some()
    }

    /// Whether the worker listens.
    pub fn is_ready(self) -> bool {
        self.0.borrow().running.as_ref().is_some_and(|running| running.listens)
    }

    /// Whether words are expected of the worker besides answers, so that its silence means that it is lost.
    pub fn expect(self, expected: bool) {
        let mut inner = self.0.borrow_mut();
        (inner.expected, inner.silent_ticks) = (expected, 0);
    }

    /// Asks, and awaits one answer.
    pub fn ask(self, command: R) -> Answer<R::Answer> {
        self.ask_with(command, None, None)
    }

    /// Asks, and hears how far it is.
    pub fn ask_long(self, command: R, progress: impl Fn(Progress) + 'static) -> Answer<R::Answer> {
        self.ask_with(command, None, Some(Rc::new(progress)))
    }

    /// Asks with a large array that stays outside the page's own memory.
    pub fn ask_with(self, command: R, bulk: Option<&Uint8Array>, progress: Option<ProgressFn>) -> Answer<R::Answer> {
        let (answer, receiver) = oneshot::channel();
        let id = {
            let mut inner = self.0.borrow_mut();
            inner.next_id = inner.next_id.wrapping_add(1);
            inner.grace = inner.grace.max(command.startup_grace() + bulk.map_or(0, |bulk| bulk.byte_length() / BYTES_A_TICK));
            inner.next_id
        };
        let message = Envelope::new(Some(id), command);
        let packed = if bulk.is_some() { wire::pack_with(&message, bulk) } else { wire::pack(message) };
        match packed.and_then(|parcel| self.start().map(|()| parcel)) {
            Err(why) => drop(answer.send(Err(R::lost(&why)))),
            Ok(parcel) => {
                {
                    let mut inner = self.0.borrow_mut();
                    inner.asked.insert(id, Pending { answer, progress });
                    inner.waiting.push((id, parcel));
                }
                self.post();
            }
        }
        Answer { id, receiver }
    }

    /// Starts the worker, where there is none.
    ///
    /// # Errors
    /// Where the browser cannot, in its words.
    pub fn start(self) -> Result<(), String> {
        if self.is_up() {
            return Ok(());
        }
        let name = self.0.borrow().name.clone();
        let worker = Started::new(R::LOADER, &name, move |heard| match heard {
            Heard::Message(data) => self.take(&data),
            Heard::Lost(why) => self.lose(&explained(why)),
        })?;
        self.0.borrow_mut().running = Some(Running { worker, listens: false });
        Ok(())
    }

    /// Has the next worker go by another name.
    pub fn rename(self, name: impl Into<String>) {
        self.0.borrow_mut().name = name.into();
    }

    /// Ends the worker and whatever it does; who waits for an answer is told [`Failure::Ended`].
    pub fn end(self) {
        self.drop_worker(&Failure::Ended);
    }

    /// Sends what waits. What cannot be sent has reached nobody: the worker knows nothing of it, and goes on.
    fn post(self) {
        let failed: Vec<_> = {
            let inner = &mut *self.0.borrow_mut();
            let Some(Running { worker, listens: true }) = &inner.running else { return };
            let sent = inner.waiting.drain(..);
            sent.filter_map(|(id, parcel)| Some((id, worker.post(&parcel).err()?))).collect()
        };
        for (id, problem) in failed {
            let why =
                format!("the browser did not send it to the worker ({problem}); close other tabs, or choose something smaller");
            self.answer(id, Err(Failure::Refused(why)));
        }
    }

    fn take(self, data: &JsValue) {
        {
            let mut inner = self.0.borrow_mut();
            inner.silent_ticks = 0;
            if inner.asked.is_empty() {
                inner.grace = 0;
            }
        }
        let (message, bulk) = match wire::unpack_apart::<Reply<R::Answer>>(data) {
            Ok(unpacked) => unpacked,
            // A worker that owns a run is not given up for one message.
            Err(problem) if R::SPEAKS => return self.tell(Unasked::Unreadable(problem)),
            Err(problem) => return self.lose(&problem),
        };
        match (message.body, message.id) {
            (Reply::Ready, _) => {
                if let Some(running) = &mut self.0.borrow_mut().running {
                    running.listens = true;
                }
                self.post();
                self.tell(Unasked::Ready);
            }
            (Reply::Progress { stage, done, total }, Some(id)) => {
                // The listener may ask again, so it is not called while the client is borrowed.
                let progress = self.0.borrow().asked.get(&id).and_then(|pending| pending.progress.clone());
                if let Some(progress) = progress {
                    progress(Progress { stage, done, total });
                }
            }
            (Reply::Progress { .. }, None) => {}
            (Reply::Failed(message), Some(id)) => self.answer(id, Err(Failure::Refused(message))),
            (Reply::Failed(message), None) => self.tell(Unasked::Failed(message)),
            (Reply::Answer(answer), Some(id)) => self.answer(id, Ok((answer, bulk))),
            (Reply::Answer(answer), None) => self.tell(Unasked::Event(answer, bulk)),
        }
    }

    fn answer(self, id: u32, answered: Answered<R::Answer>) {
        let pending = self.0.borrow_mut().asked.remove(&id);
        if let Some(pending) = pending {
            // Who asked may have gone.
            drop(pending.answer.send(answered));
        }
    }

    fn tell(self, unasked: Unasked<R::Answer>) {
        let listener = self.0.borrow().listener.clone();
        if let Some(listener) = listener {
            listener(unasked);
        }
    }

    fn look_for_silence(self) {
        let lost = {
            let mut inner = self.0.borrow_mut();
            let starting = inner.running.as_ref().is_some_and(|running| !running.listens);
            let waiting = starting || inner.running.is_some() && inner.watched && (inner.expected || !inner.asked.is_empty());
            inner.silent_ticks = if waiting { inner.silent_ticks + 1 } else { 0 };
            inner.silent_ticks > PATIENCE + inner.grace
        };
        if lost {
            let hint = if R::SPEAKS { " (smaller layers, batches or caps make its steps shorter)" } else { "" };
            self.lose(&format!("it gave no sign for a minute{hint}"));
        }
    }

    fn lose(self, why: &str) {
        self.drop_worker(&R::lost(why));
        self.tell(Unasked::Lost(why.into()));
    }

    fn drop_worker(self, failure: &Failure) {
        let asked = {
            let mut inner = self.0.borrow_mut();
            inner.running = None;
            inner.waiting.clear();
            (inner.expected, inner.silent_ticks, inner.grace) = (false, 0, 0);
            std::mem::take(&mut inner.asked)
        };
        for pending in asked.into_values() {
            drop(pending.answer.send(Err(failure.clone())));
        }
    }
}

/// The request that the worker is at.
#[derive(Clone, Debug, PartialEq)]
pub struct AtWork {
    /// Counts the requests, so that late news of an earlier one is ignored.
    number: u32,
    /// Its id, by which the worker can cancel it.
    request: u32,
    /// How far it is.
    pub progress: Progress,
    /// Whether it has taken long enough to be shown.
    pub is_long: bool,
}

/// Long requests, one at a time: a handle that lives as long as the view that makes it.
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

    /// Parts done and parts in all; `(0, 0)` where these are unknown.
    pub fn parts(self) -> (u32, u32) {
        self.now.with(|now| now.as_ref().map_or((0, 0), |now| (now.progress.done, now.progress.total)))
    }

    /// Asks, after cancelling the request at work. The answer is `None` where this one is cancelled or replaced in turn.
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

    /// Cancels the request at work.
    pub fn cancel(self) {
        if let Some(now) = self.now.get_untracked() {
            self.now.set(None);
            drop(self.client.ask(Command::Cancel(now.request)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::settings::{Initialization, RunPlan};
    use dbm_core::{Settings, Units};

    #[test]
    fn wide_models_may_take_their_time_to_begin() {
        let new_run = |hidden: &[u32]| {
            let plan = RunPlan {
                hidden: hidden.to_vec(),
                units: Units::Signs,
                start: Initialization::Orthogonal,
                settings: Settings::default(),
            };
            Command::NewRun(plan).startup_grace()
        };
        assert_eq!((new_run(&[500, 500]), new_run(&[4000])), (0, 0));
        assert_eq!(new_run(&[4000, 4000, 4000]), 512);
        assert_eq!(new_run(&[u32::MAX; 9]), u32::from(u16::MAX));
        assert_eq!(Command::Cancel(1).startup_grace(), 0);
    }
}
