//! The one client type for all workers: `ask(command).await` returns the answer, or the reason why there is none.
//!
//! A worker starts with the first request made to it, and again after it was lost or ended. Requests wait until it is ready. A
//! worker that never becomes ready counts as lost. So does a worker that owns or keeps a run and stays silent while something is
//! expected of it. Messages that answer no request go to a single listener. Long requests, made one at a time, are a [`LongRequest`].

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

/// How often to check for silence.
const TICK: Duration = Duration::from_secs(2);
/// Ticks of silence, while something is expected, after which a worker counts as lost.
const PATIENCE: u32 = 30;
/// Requests that take longer than this show their progress.
const QUICK: Duration = Duration::from_millis(300);
/// Multiply-adds that the slowest machine does in a tick. Orthogonal weights are made in one go, with no message in between.
const WORK_A_TICK: u64 = 1_000_000_000;
/// Bytes that the slowest storage writes in a tick.
const BYTES_A_TICK: u32 = 1 << 24;

macro_rules! loader {
    ($program:literal) => {
        // Versioned: the file's name carries no hash.
        concat!("./", $program, "_loader.js?v=", env!("CARGO_PKG_VERSION"))
    };
}

/// A computing worker's name is this followed by the number of workers that may share its runs, itself included.
pub const WORKER_COUNT: &str = "dbm-workers-";

/// What the page knows about workers of one role.
pub trait Served: Request + 'static {
    /// Name of the script, next to the page, that starts their program.
    const LOADER: &'static str;
    /// Whether such a worker owns a run, so that silence means it is lost. A worker that reads a file or counts may be silent for
    /// long.
    const SPEAKS: bool = false;

    /// The failure of requests to a lost worker: [`Failure::Lost`] if the page reports the loss itself.
    fn lost(why: &str) -> Failure;

    /// Extra ticks of silence that this command is allowed.
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

    /// The most that starting a run can take: orthonormal vectors cost `4 n_l n_{l+1} min(n_l, n_{l+1})` multiply-adds.
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

/// Explains the error that a browser gives when a program has stopped itself. Each engine words it differently, and running out
/// of memory is the only cause for which they give no further detail.
fn explained(why: String) -> String {
    if why.to_lowercase().contains("unreachable") {
        return format!("{why}; most often the browser is out of memory: close other tabs, or choose smaller layers or batches");
    }
    why
}

fn try_again(worker: &str, why: &str) -> Failure {
    Failure::Refused(format!("{worker} was lost: {why}. Try again; if that does not help, reload the page"))
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    /// The worker refused it, for this reason.
    #[error("{0}")]
    Refused(String),
    /// The worker could not be started, or was lost, for this reason.
    #[error("{0}")]
    Lost(String),
    /// The page ended the worker or cancelled the request: nobody is waiting for the answer any more.
    #[error("it was cancelled")]
    Ended,
}

/// How far a request has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestProgress {
    /// What is being done, in words; empty if the request says it.
    pub stage: String,
    /// How many parts are done.
    pub done: u32,
    /// Parts in all; 0 if unknown.
    pub total: u32,
}

/// A message from a worker that answers no request.
pub enum Notification<A> {
    /// The worker is ready; this is its first message.
    Ready,
    /// Something about its work, with a large array if there is one.
    Event(A, Option<Uint8Array>),
    /// Work that nobody requested has failed.
    Failed(String),
    /// It sent something unreadable, which is ignored: the worker may own a run.
    Unreadable(String),
    /// It is gone, and everyone waiting for it has had an answer. The next request starts another.
    Lost(String),
}

type Listener<A> = Rc<dyn Fn(Notification<A>)>;
type ProgressFn = Rc<dyn Fn(RequestProgress)>;
type Answered<A> = Result<(A, Option<Uint8Array>), Failure>;

/// A pending answer.
pub struct Answer<A> {
    /// Id of the request, by which it can be cancelled.
    pub id: u32,
    receiver: oneshot::Receiver<Answered<A>>,
}

impl<A> Answer<A> {
    /// The answer to something that cannot be asked.
    pub fn failed(failure: Failure) -> Self {
        let (answer, receiver) = oneshot::channel();
        drop(answer.send(Err(failure)));
        Self { id: 0, receiver }
    }

    /// The answer with its large array, which never has to enter the page's own memory.
    ///
    /// # Errors
    /// As the future itself.
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
    /// Whether the worker counts as lost if it is silent while an answer is expected.
    watched: bool,
    /// Whether anything other than answers is expected of the worker.
    expected: bool,
    silent_ticks: u32,
    grace: u32,
    listener: Option<Listener<R::Answer>>,
}

/// A worker of a role and its successors: a handle that lives as long as the page.
pub struct Client<R: Request + 'static>(&'static SendWrapper<RefCell<Inner<R>>>);

impl<R: Request> Clone for Client<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Request> Copy for Client<R> {}

impl<R: Served> Client<R> {
    /// A client whose worker has this name and is not started yet.
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

    /// Treats silence while an answer is expected as a lost worker, even though others of its role may be silent for long.
    pub fn watched(self) -> Self {
        self.0.borrow_mut().watched = true;
        self
    }

    /// Sends every message that answers no request to this listener.
    pub fn listen(self, listener: impl Fn(Notification<R::Answer>) + 'static) {
        self.0.borrow_mut().listener = Some(Rc::new(listener));
    }

    /// Whether there is a worker, which may remember earlier requests.
    pub fn is_up(self) -> bool {
        self.0.borrow().running.is_some()
    }

    /// Whether the worker is ready.
    pub fn is_ready(self) -> bool {
        self.0.borrow().running.as_ref().is_some_and(|running| running.listens)
    }

    /// Sets whether messages other than answers are expected, so that silence means the worker is lost.
    pub fn expect(self, expected: bool) {
        let mut inner = self.0.borrow_mut();
        (inner.expected, inner.silent_ticks) = (expected, 0);
    }

    /// Sends a request and awaits one answer.
    pub fn ask(self, command: R) -> Answer<R::Answer> {
        self.ask_with(command, None, None)
    }

    /// Sends a request and reports its progress.
    pub fn ask_long(self, command: R, progress: impl Fn(RequestProgress) + 'static) -> Answer<R::Answer> {
        self.ask_with(command, None, Some(Rc::new(progress)))
    }

    /// Sends a request with a large array that stays outside the page's own memory.
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

    /// Starts the worker if there is none.
    ///
    /// # Errors
    /// If the browser cannot start it, with the browser's reason.
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

    /// Gives the next worker another name.
    pub fn rename(self, name: impl Into<String>) {
        self.0.borrow_mut().name = name.into();
    }

    /// Ends the worker and everything it is doing. Pending requests fail with [`Failure::Ended`].
    pub fn end(self) {
        self.drop_worker(&Failure::Ended);
    }

    /// Sends what is waiting. A message that cannot be sent has reached nobody, so the worker carries on unaware of it.
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
            // A worker that owns a run is not abandoned over a single message.
            Err(problem) if R::SPEAKS => return self.tell(Notification::Unreadable(problem)),
            Err(problem) => return self.lose(&problem),
        };
        match (message.body, message.id) {
            (Reply::Ready, _) => {
                if let Some(running) = &mut self.0.borrow_mut().running {
                    running.listens = true;
                }
                self.post();
                self.tell(Notification::Ready);
            }
            (Reply::Progress { stage, done, total }, Some(id)) => {
                // The listener may send another request, so it is not called while the client is borrowed.
                let progress = self.0.borrow().asked.get(&id).and_then(|pending| pending.progress.clone());
                if let Some(progress) = progress {
                    progress(RequestProgress { stage, done, total });
                }
            }
            (Reply::Progress { .. }, None) => {}
            (Reply::Failed(message), Some(id)) => self.answer(id, Err(Failure::Refused(message))),
            (Reply::Failed(message), None) => self.tell(Notification::Failed(message)),
            (Reply::Answer(answer), Some(id)) => self.answer(id, Ok((answer, bulk))),
            (Reply::Answer(answer), None) => self.tell(Notification::Event(answer, bulk)),
        }
    }

    fn answer(self, id: u32, answered: Answered<R::Answer>) {
        let pending = self.0.borrow_mut().asked.remove(&id);
        if let Some(pending) = pending {
            // Whoever asked may be gone.
            drop(pending.answer.send(answered));
        }
    }

    fn tell(self, notification: Notification<R::Answer>) {
        let listener = self.0.borrow().listener.clone();
        if let Some(listener) = listener {
            listener(notification);
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
            self.lose(&format!("it did not respond for a minute{hint}"));
        }
    }

    fn lose(self, why: &str) {
        self.drop_worker(&R::lost(why));
        self.tell(Notification::Lost(why.into()));
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

/// The request that the worker is handling.
#[derive(Clone, Debug, PartialEq)]
pub struct AtWork {
    /// Counts the requests, so that late news about an earlier one is ignored.
    number: u32,
    /// Its id, by which the worker can cancel it.
    request: u32,
    /// How far it has come.
    pub progress: RequestProgress,
    /// Whether it has taken long enough to be shown.
    pub is_long: bool,
}

/// Long requests, one at a time: a handle that lives as long as the view that creates it.
#[derive(Clone, Copy)]
pub struct LongRequest {
    client: Client<Command>,
    number: StoredValue<u32>,
    now: RwSignal<Option<AtWork>>,
}

impl LongRequest {
    /// Nothing has been requested yet.
    pub fn new(client: Client<Command>) -> Self {
        Self { client, number: StoredValue::default(), now: RwSignal::default() }
    }

    /// The request in progress.
    pub fn now(self) -> Option<AtWork> {
        self.now.get()
    }

    /// Parts done and parts in all; `(0, 0)` if unknown.
    pub fn parts(self) -> (u32, u32) {
        self.now.with(|now| now.as_ref().map_or((0, 0), |now| (now.progress.done, now.progress.total)))
    }

    /// Cancels the request in progress and sends this one. The answer is `None` if this request is cancelled or replaced in turn.
    pub fn ask(self, command: Command) -> impl Future<Output = Result<Option<Event>, Failure>> {
        self.cancel();
        let number = self.number.get_value().wrapping_add(1);
        self.number.set_value(number);
        let answer = self.client.ask_long(command, move |progress| self.update(number, |now| now.progress = progress));
        self.now.set(Some(AtWork { number, request: answer.id, progress: RequestProgress::default(), is_long: false }));
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

    /// Cancels the request in progress.
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
