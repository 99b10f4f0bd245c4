//! A line to a training worker of a lane's own: what it says goes to one listener; a worker that stops or falls silent is said once.

use crate::worker::link::{PATIENCE, TICK, WORKER, leave, words};
use dbm_protocol::{Command, Envelope, Event, Reply, wire};
use leptos::prelude::*;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

/// By this name, and a number after it, a training worker knows how many may share its runs.
const CREW: &str = "dbm-crew-";

/// What comes along the line: what the worker says, and the request that it answers; or why the worker is gone.
pub type Heard = Result<(Option<u32>, Reply<Event>), String>;

type Listener = Rc<dyn Fn(Heard)>;

#[derive(Default)]
struct Inner {
    worker: Option<Worker>,
    /// Which worker this is: what an earlier one still had in the post is nobody's.
    number: u32,
    listens: bool,
    waiting: Vec<JsValue>,
    next_id: u32,
    /// Whether something is expected of it, and since how many ticks in vain.
    busy: bool,
    silent_ticks: u32,
    /// Ticks of silence that are allowed besides, for what was asked last.
    leave: u32,
    listener: Option<Listener>,
    /// Of all workers so far: one of them may be running.
    closures: Vec<Closure<dyn FnMut(JsValue)>>,
}

/// The line, copyable; what it holds stays on the page's thread.
#[derive(Clone, Copy)]
pub struct Line(StoredValue<Inner, LocalStorage>);

impl Line {
    /// A line whose worker is started when something is first asked.
    pub fn new() -> Self {
        let line = Self(StoredValue::new_local(Inner::default()));
        set_interval(move || line.listen_for_silence(), TICK);
        line
    }

    /// Has all that comes go to this listener.
    pub fn hear(self, listener: impl Fn(Heard) + 'static) {
        self.0.update_value(|inner| inner.listener = Some(Rc::new(listener)));
    }

    /// Whether there is a worker, who has what was asked of it before.
    pub fn is_up(self) -> bool {
        self.0.with_value(|inner| inner.worker.is_some())
    }

    /// Whether something is expected of the worker, so that silence means that it is lost.
    pub fn expect(self, busy: bool) {
        self.0.update_value(|inner| (inner.busy, inner.silent_ticks) = (busy, 0));
    }

    /// Asks; answers come to the listener with the id that is returned.
    pub fn ask(self, command: Command) -> u32 {
        if !self.is_up()
            && let Err(why) = self.start()
        {
            self.lose(format!("this browser could not start it ({why})"));
            return 0;
        }
        let leave = leave(&command);
        let id = self.0.try_update_value(|inner| {
            inner.next_id += 1;
            inner.leave = inner.leave.max(leave);
            inner.next_id
        });
        let id = id.unwrap_or_default();
        match wire::pack(Envelope::new(Some(id), command)) {
            Ok(parcel) => {
                self.0.update_value(|inner| inner.waiting.push(parcel.message));
                self.post();
            }
            Err(why) => self.lose(why),
        }
        id
    }

    /// Ends the worker and those that it started; nothing more is heard of them.
    pub fn end(self) {
        self.0.update_value(|inner| {
            if let Some(worker) = inner.worker.take() {
                worker.set_onmessage(None);
                worker.set_onerror(None);
                worker.set_onmessageerror(None);
                worker.terminate();
            }
            (inner.listens, inner.busy, inner.silent_ticks, inner.leave) = (false, false, 0, 0);
            inner.waiting.clear();
        });
    }

    fn post(self) {
        let sent = self.0.try_update_value(|inner| {
            let Some(worker) = inner.worker.as_ref().filter(|_| inner.listens) else { return Ok(()) };
            inner.waiting.drain(..).try_for_each(|message| worker.post_message(&message))
        });
        if let Some(Err(problem)) = sent {
            self.lose(format!("nothing could be sent to it ({})", words(&problem)));
        }
    }

    fn start(self) -> Result<(), String> {
        let cores = window().navigator().hardware_concurrency() as u32;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(&format!("{CREW}{}", (cores / 2).max(1)));
        let worker = Worker::new_with_options(WORKER, &options).map_err(|problem| words(&problem))?;
        let number = self.0.with_value(|inner| inner.number.wrapping_add(1));
        let present = move || self.0.try_with_value(|inner| inner.worker.is_some() && inner.number == number) == Some(true);
        let on_message = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            if let Some(event) = event.dyn_ref::<MessageEvent>().filter(|_| present()) {
                self.take(&event.data());
            }
        });
        let lost = move |event: &JsValue| {
            if present() {
                let why = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).filter(|why| !why.is_empty());
                self.lose(why.unwrap_or_else(|| "it could not be loaded or stopped".into()));
            }
        };
        let on_error = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            if let Some(event) = event.dyn_ref::<web_sys::Event>() {
                event.prevent_default(); // it is said on the page, and need not be said again in the console
            }
            lost(&event);
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.set_onmessageerror(Some(on_error.as_ref().unchecked_ref()));
        self.0.update_value(|inner| {
            inner.worker = Some(worker);
            inner.number = number;
            inner.closures.extend([on_message, on_error]);
        });
        Ok(())
    }

    fn take(self, data: &JsValue) {
        self.0.update_value(|inner| (inner.silent_ticks, inner.leave) = (0, 0));
        // The large array beside a message is a checkpoint, for which nobody asked.
        match wire::unpack_apart::<Reply<Event>>(data) {
            Err(problem) => self.lose(problem),
            Ok((Envelope { body: Reply::Ready, .. }, _)) => {
                self.0.update_value(|inner| inner.listens = true);
                self.post();
            }
            Ok((Envelope { id, body, .. }, _)) => self.tell(Ok((id, body))),
        }
    }

    fn listen_for_silence(self) {
        let lost = self.0.try_update_value(|inner| {
            inner.silent_ticks = if inner.worker.is_some() && inner.busy { inner.silent_ticks + 1 } else { 0 };
            inner.silent_ticks > PATIENCE + inner.leave
        });
        if lost == Some(true) {
            self.lose("it gave no sign for a minute (smaller layers, batches or caps make its steps shorter)".into());
        }
    }

    fn lose(self, why: String) {
        self.end();
        self.tell(Err(why));
    }

    fn tell(self, heard: Heard) {
        if let Some(listener) = self.0.with_value(|inner| inner.listener.clone()) {
            listener(heard);
        }
    }
}
