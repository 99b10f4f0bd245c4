//! A line to a second worker, which reads files, writes them or keeps the run. It is started when it is first needed.

use crate::worker::link::words;
use dbm_protocol::{Envelope, FilesCommand, FilesEvent, Reply, wire};
use js_sys::Uint8Array;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

const WORKER: &str = concat!("./dbm-files_loader.js?v=", env!("CARGO_PKG_VERSION"));

/// What an answer, or the lack of one, leads to. Progress comes before, any number of times.
type Then = Box<dyn FnMut(Result<Reply<FilesEvent>, String>, Option<Uint8Array>)>;

/// The worker, its unanswered requests in their order, and those that wait until it listens.
#[derive(Default)]
struct Inner {
    worker: Option<Worker>,
    listens: bool,
    next_id: u32,
    asked: VecDeque<(u32, Then)>,
    waiting: VecDeque<JsValue>,
}

/// The line, shared by whoever asks.
#[derive(Clone)]
pub struct FilesLine {
    name: &'static str,
    inner: Rc<RefCell<Inner>>,
}

impl FilesLine {
    /// A line to a worker of this name, which is not started yet.
    pub fn new(name: &'static str) -> Self {
        Self { name, inner: Rc::default() }
    }

    /// Asks; `then` hears of progress, and once of the answer or of what went wrong, with the large array of bytes where the answer has one.
    /// `bulk` is that of the request, where it has one: the page's own memory never sees either.
    pub fn ask(
        &self,
        command: FilesCommand,
        bulk: Option<&Uint8Array>,
        mut then: impl FnMut(Result<Reply<FilesEvent>, String>, Option<Uint8Array>) + 'static,
    ) {
        let id = self.inner.borrow().next_id.wrapping_add(1);
        let request = Envelope::new(Some(id), command);
        let message = match wire::pack_with(&request, bulk) {
            Ok(parcel) => parcel.message,
            Err(problem) => return then(Err(problem), None),
        };
        if let Err(problem) = self.start() {
            return then(Err(problem), None);
        }
        let mut inner = self.inner.borrow_mut();
        inner.next_id = id;
        inner.asked.push_back((id, Box::new(then)));
        if inner.listens {
            send(&inner, &message);
        } else {
            inner.waiting.push_back(message);
        }
    }

    /// Whether there is a worker, who may remember what was asked before.
    pub fn is_up(&self) -> bool {
        self.inner.borrow().worker.is_some()
    }

    /// Ends the worker and whatever it does; nobody is answered.
    pub fn end(&self) {
        let inner = std::mem::take(&mut *self.inner.borrow_mut());
        if let Some(worker) = inner.worker {
            worker.terminate();
        }
    }

    fn start(&self) -> Result<(), String> {
        if self.inner.borrow().worker.is_some() {
            return Ok(());
        }
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(self.name);
        let worker = Worker::new_with_options(WORKER, &options).map_err(|problem| words(&problem))?;
        let this = self.clone();
        let on_message = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            if let Some(event) = event.dyn_ref::<MessageEvent>() {
                this.hear(&event.data());
            }
        });
        let this = self.clone();
        let on_error = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            let why = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).filter(|why| !why.is_empty());
            this.lose(&why.unwrap_or_else(|| "it could not be loaded or stopped".into()));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        on_message.forget(); // a worker may live as long as the page
        on_error.forget();
        self.inner.borrow_mut().worker = Some(worker);
        Ok(())
    }

    fn hear(&self, data: &JsValue) {
        let (message, bulk) = match wire::unpack_apart::<Reply<FilesEvent>>(data) {
            Ok(unpacked) => unpacked,
            Err(problem) => return self.lose(&problem),
        };
        match (message.body, message.id) {
            (Reply::Ready, _) => {
                let mut inner = self.inner.borrow_mut();
                inner.listens = true;
                while let Some(message) = inner.waiting.pop_front() {
                    send(&inner, &message);
                }
            }
            (progress @ Reply::Progress { .. }, Some(id)) => {
                let asked = self.take(id);
                if let Some(mut then) = asked {
                    then(Ok(progress), None);
                    // Only the front can be at work: requests are carried out in their order.
                    self.inner.borrow_mut().asked.push_front((id, then));
                }
            }
            (Reply::Failed { message }, Some(id)) => {
                if let Some(mut then) = self.take(id) {
                    then(Err(message), None);
                }
            }
            (Reply::Failed { message }, None) => self.lose(&message),
            (event, Some(id)) => {
                if let Some(mut then) = self.take(id) {
                    then(Ok(event), bulk);
                }
            }
            (_, None) => {}
        }
    }

    fn take(&self, id: u32) -> Option<Then> {
        let mut inner = self.inner.borrow_mut();
        let place = inner.asked.iter().position(|(asked, _)| *asked == id)?;
        inner.asked.remove(place).map(|(_, then)| then)
    }

    /// The worker is gone: whoever waits hears it, and the next request starts another.
    fn lose(&self, why: &str) {
        let inner = std::mem::take(&mut *self.inner.borrow_mut());
        if let Some(worker) = inner.worker {
            worker.terminate();
        }
        for (_, mut then) in inner.asked {
            then(Err(format!("the worker for files was lost: {why}. Try again; if that does not help, reload the page")), None);
        }
    }
}

fn send(inner: &Inner, message: &JsValue) {
    if let Some(worker) = &inner.worker {
        // What cannot be posted has no answer; there is no such message among ours.
        let _ = worker.post_message(message);
    }
}
