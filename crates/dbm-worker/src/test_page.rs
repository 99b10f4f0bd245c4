//! The workers as the page sees them, natively: requests in, messages out. Helpers' messages arrive in any order that the browser could
//! deliver them in.

use crate::coordinator::{Coordinator, Message, Request};
use crate::pool::{Helper, Kind, Outgoing, PoolMessage};
use dbm_core::complete::Method;
use dbm_core::rng::{Purpose, Stream, Streams};
use dbm_core::settings::RunPlan;
use dbm_gpu_worker::GpuRun;
use dbm_protocol::{
    Command, CompletionRequest, DataSource, EncodedData, Envelope, Event, GpuCommand, Metrics, ModelChoice, Reply, Snapshot,
};
use pollster::block_on;
use std::collections::VecDeque;

fn introduced(index: usize) -> Helper {
    let mut helper = Helper::default();
    helper.receive(PoolMessage::Introduction(index)).unwrap();
    helper
}

pub struct TestPage {
    pub worker: Coordinator,
    helpers: Vec<Helper>,
    /// Messages in transit, `[from][to]`: those from one sender to one receiver arrive in order.
    pub ways: Vec<Vec<VecDeque<PoolMessage>>>,
    coming: bool,
    order: Stream,
    /// The id of the last request.
    pub next: u32,
    /// How often helpers were requested.
    pub starts: usize,
    /// What the page received.
    heard: Vec<Message>,
    /// After this many messages, one is lost along with its sender.
    pub dies_after: Option<usize>,
    /// The worker that has the GPU, and what was requested of it.
    gpu: Option<GpuRun>,
    gpu_asked: VecDeque<Envelope<GpuCommand>>,
    /// Whether it has not yet reported that it is listening.
    gpu_coming: bool,
    /// Its device is destroyed after this many more commands.
    pub gpu_dies_after: Option<usize>,
}

impl TestPage {
    pub fn new(workers: usize, seed: u64) -> Self {
        Self {
            worker: Coordinator::with_workers(workers, 0.0),
            helpers: Vec::new(),
            ways: Vec::new(),
            coming: false,
            order: Streams::new(seed).at(Purpose::Order, 0, 0),
            next: 0,
            starts: 0,
            heard: Vec::new(),
            dies_after: None,
            gpu: None,
            gpu_asked: VecDeque::new(),
            gpu_coming: false,
            gpu_dies_after: None,
        }
    }

    /// Sends a request, and lets everything run until nothing is left to do or `enough` was received.
    pub fn ask_until(&mut self, command: Command, enough: impl Fn(&Message) -> bool) -> Vec<Message> {
        self.next += 1;
        let start = self.heard.len();
        let messages = self.worker.handle(Request::new(Some(self.next), command));
        self.hear(messages);
        while !self.heard[start..].iter().any(&enough) && self.go_on() {}
        self.heard[start..].to_vec()
    }

    /// The result of something that must not fail, once everything has come to rest.
    pub fn ask(&mut self, command: Command) -> Vec<Message> {
        let heard = self.ask_until(command, |_| false);
        for message in &heard {
            assert!(!matches!(message.body, Reply::Failed(_)), "{message:?}");
        }
        heard
    }

    /// The one answer with the request's id.
    pub fn answer(&mut self, command: Command) -> Event {
        match self.reply(command) {
            Reply::Answer(event) => event,
            other => panic!("an answer: {other:?}"),
        }
    }

    /// The answer with the request's id, while everything else runs.
    pub fn answer_first(&mut self, command: Command) -> Event {
        let id = Some(self.next + 1);
        let is_answer = move |message: &Message| message.id == id && !matches!(message.body, Reply::Progress { .. });
        let heard = self.ask_until(command, is_answer);
        match heard.into_iter().find(is_answer).map(|message| message.body) {
            Some(Reply::Answer(event)) => event,
            other => panic!("an answer: {other:?}"),
        }
    }

    pub fn failure(&mut self, command: Command) -> String {
        match self.reply(command) {
            Reply::Failed(message) => message,
            other => panic!("should have failed: {other:?}"),
        }
    }

    fn reply(&mut self, command: Command) -> Reply<Event> {
        let messages = self.ask_until(command, |_| false);
        let id = Some(self.next);
        let mut answers = messages.into_iter().filter(|m| m.id == id && !matches!(m.body, Reply::Progress { .. }));
        let answer = answers.next().expect("an answer").body;
        assert!(answers.next().is_none(), "one answer only");
        answer
    }

    fn hear(&mut self, messages: Vec<Message>) {
        self.heard.extend(messages);
        for outgoing in self.worker.take_outgoing() {
            match outgoing {
                Outgoing::StartHelpers(count) => {
                    self.helpers = (1..=count).map(introduced).collect();
                    self.ways = (0..=count).map(|_| (0..=count).map(|_| VecDeque::new()).collect()).collect();
                    self.coming = true;
                    self.starts += 1;
                }
                Outgoing::StopHelpers => {
                    self.helpers.clear();
                    self.ways.clear();
                }
                Outgoing::StartGpu => (self.gpu, self.gpu_coming) = (Some(GpuRun::default()), true),
                Outgoing::StopGpu => {
                    (self.gpu, self.gpu_coming) = (None, false);
                    self.gpu_asked.clear();
                }
                Outgoing::AskGpu(request) => self.gpu_asked.push_back(request),
                Outgoing::Send(of, message) => (1..of).for_each(|to| self.ways[0][to].push_back(message.clone())),
            }
        }
    }

    /// One random next event; false if there is none.
    pub fn go_on(&mut self) -> bool {
        if std::mem::take(&mut self.coming) {
            self.worker.helpers_ready();
            return true;
        }
        let full: Vec<(usize, usize)> = (0..self.ways.len())
            .flat_map(|from| (0..self.ways.len()).map(move |to| (from, to)))
            .filter(|&(from, to)| !self.ways[from][to].is_empty())
            .collect();
        let working: Vec<usize> = (0..self.helpers.len()).filter(|&helper| self.helpers[helper].has_work()).collect();
        let gpu = self.gpu_coming || !self.gpu_asked.is_empty();
        let choices = full.len() + working.len() + usize::from(self.worker.has_work()) + usize::from(gpu);
        if choices == 0 {
            return false;
        }
        let choice = self.order.below(choices as u64) as usize;
        if gpu && choice + 1 == choices {
            self.ask_gpu();
            return true;
        }
        if let Some(&(from, to)) = full.get(choice) {
            let Some(parcel) = self.ways[from][to].pop_front() else { return false };
            self.deliver(to, parcel);
        } else if let Some(&helper) = working.get(choice - full.len()) {
            self.work(helper);
        } else {
            let messages = self.worker.work();
            self.hear(messages);
        }
        true
    }

    /// The worker that has the GPU reports that it is listening, or carries out a command.
    fn ask_gpu(&mut self) {
        let Some(gpu) = &mut self.gpu else { return };
        let (id, said) = if std::mem::take(&mut self.gpu_coming) {
            (None, Reply::Ready)
        } else {
            let Some(Envelope { id, body, .. }) = self.gpu_asked.pop_front() else { return };
            if self.gpu_dies_after == Some(0) {
                gpu.device().expect("a device to destroy").destroy();
            }
            self.gpu_dies_after = self.gpu_dies_after.and_then(|left| left.checked_sub(1));
            (id, block_on(gpu.answer(body, 0.0)).into())
        };
        let messages = self.worker.receive_from_gpu(Envelope::new(id, said));
        self.hear(messages);
    }

    fn deliver(&mut self, to: usize, parcel: PoolMessage) {
        if let Some(left) = &mut self.dies_after {
            if *left == 0 {
                self.dies_after = None;
                let messages = self.worker.helper_lost("killed by the test");
                self.hear(messages);
                return;
            }
            *left -= 1;
        }
        if to > 0 {
            self.helpers[to - 1].receive(parcel).unwrap();
            return self.work(to - 1);
        }
        let PoolMessage::Computed(message) = parcel else { panic!("nobody orders the coordinator: {parcel:?}") };
        let messages = self.worker.receive(message);
        self.hear(messages);
    }

    fn work(&mut self, helper: usize) {
        for message in self.helpers[helper].work() {
            let (to_all, from) = (message.kind != Kind::Optimizer, helper + 1);
            let others = self.ways.len();
            for to in (0..others).filter(|&to| to != from && (to == 0 || to_all)) {
                // Workers that take no part in the session drop it.
                self.ways[from][to].push_back(PoolMessage::Computed(message.clone()));
            }
        }
    }

    /// The state of the run, as last reported.
    pub fn heard_metrics(&self) -> Metrics {
        let last =
            events(&self.heard).rev().find_map(|event| if let Event::Metrics(metrics) = event { Some(metrics) } else { None });
        last.expect("metrics").clone()
    }

    /// The last snapshot, and its step.
    pub fn snapshot(&self) -> (u32, Vec<u8>) {
        let last =
            events(&self.heard).rev().find_map(|event| if let Event::Snapshot(snapshot) = event { Some(snapshot) } else { None });
        let Snapshot { step, checkpoint } = last.expect("a snapshot").clone();
        (step, checkpoint)
    }
}

/// What the messages answer or report.
pub fn events(messages: &[Message]) -> impl DoubleEndedIterator<Item = &Event> {
    messages.iter().filter_map(|message| if let Reply::Answer(event) = &message.body { Some(event) } else { None })
}

/// A run to begin on bars and stripes.
pub fn on_bars(plan: RunPlan) -> Command {
    Command::UseData { source: DataSource::Bars, plan, checkpoint: vec![] }
}

/// A completion of bars and stripes by the model in training: nothing unknown, one answer by search.
pub fn completion(values: &[u8]) -> CompletionRequest {
    CompletionRequest {
        model: ModelChoice::Training,
        values: values.to_vec(),
        unknown: vec![0; 16],
        answers: 1,
        method: Method::Search,
        sweeps: 0,
        clean_up: false,
        class: None,
        seed: 3,
    }
}

/// Examples as the second worker sends them.
pub fn encoded(name: &str, width: u32, packed: &[u8]) -> EncodedData {
    let [known, held_back, table, greys] = [vec![], vec![], vec![], vec![]];
    let (name, packed, visible) = (name.into(), packed.to_vec(), None);
    EncodedData {
        name,
        width,
        packed,
        known,
        greys,
        grey_top: 0,
        image: None,
        depth: 1,
        held_back,
        visible,
        table,
        reading: Box::default(),
        sha256: String::new(),
    }
}
