//! The worker that the page talks to. It takes a command, answers it or queues it as work, and works in slices.
//!
//! A slice lasts about 15 ms. Between two slices the worker posts itself a message, so that a Pause or Cancel that has arrived is handled
//! first, and so that training continues in a hidden tab, whose timers the browser slows down. Pending requests take turns. The work itself
//! is elsewhere: training in `train`, operations on whole runs in `runs`, everything else in a file of its kind.
//!
//! Nothing here depends on the browser, so everything is tested natively; `shell` carries the messages.

mod gpu;
mod runs;
#[cfg(test)]
mod tests;
mod times;
mod train;

use crate::clock::now;
use crate::complete;
use crate::gaps::filling;
use crate::job::{Job, LongJob, Slice, within};
use crate::pool::{Outgoing, PeerMessage, WorkerPool};
use crate::run::Run;
use crate::samples::{SampleRequest, sweeps};
use crate::trial::Trial;
use crate::view::View;
use dbm_protocol::{Command, Envelope, Event, ModelChoice, NamedBytes, Reply, VERSION};
use std::collections::VecDeque;
use times::{Goal, Pace, ReportTimes};

/// Approximate length of a slice of work: Pause and Cancel are handled this often.
const SLICE_SECONDS: f64 = 0.015;
const MAX_SAMPLES: u32 = 400;
const NO_RUN: &str = "there is no model in training: choose a data set first";

/// A command with the id of its request.
pub type Request = Envelope<Command>;
/// What is sent to the page.
pub type Message = Envelope<Reply<Event>>;

/// The complete state of the worker.
#[derive(Default)]
pub struct Coordinator {
    pretrained: Option<View>,
    run: Option<Run>,
    /// The run that the present one replaced.
    previous: Option<Run>,
    goal: Goal,
    pace: Pace,
    shown: ReportTimes,
    /// Whether the run has come to rest and has not yet been looked at in its present state.
    unsettled: bool,
    /// Whether its samples are to be shown then: they wait for the model, which is on the GPU.
    unshown: bool,
    jobs: VecDeque<Job>,
    pool: WorkerPool,
    /// Whether the run or the trial, being shared or on the GPU, can do nothing until a helper or the GPU sends something.
    waits: bool,
    /// Requests that arrived while the run was in the middle of something that ends within milliseconds.
    held: VecDeque<Request>,
    /// Since when the page has been due a snapshot, which it gets as soon as the complete run is here.
    snapshot_due_since: Option<f64>,
    out: Outbox,
}

/// Messages to the page that have not been sent yet.
#[derive(Default)]
struct Outbox(Vec<Message>);

impl Outbox {
    fn send(&mut self, id: Option<u32>, reply: impl Into<Reply<Event>>) {
        self.0.push(Message::new(id, reply.into()));
    }

    fn fail(&mut self, id: Option<u32>, message: String) {
        self.send(id, Reply::Failed(message));
    }

    fn take(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.0)
    }
}

impl Coordinator {
    /// A worker whose runs may be shared by up to `most` workers, itself included, if a step takes one of them at least `pays_from`
    /// seconds.
    pub fn with_workers(most: usize, pays_from: f64) -> Self {
        Self { pool: WorkerPool::new(most, pays_from), ..Self::default() }
    }

    /// Answers a request, queues it as work, or holds it until the run has settled.
    pub fn handle(&mut self, request: Request) -> Vec<Message> {
        if request.version == VERSION {
            self.held.push_back(request);
            self.answer_held();
        } else {
            let (version, id) = (request.version, request.id);
            let message =
                format!("the worker speaks version {VERSION} of the page's messages, but got version {version}; reload the page");
            self.out.fail(id, message);
        }
        self.out.take()
    }

    /// Answers the held requests in order, as far as the run allows.
    fn answer_held(&mut self) {
        while let Some(request) = self.held.front() {
            if self.run.as_ref().is_some_and(Run::is_committed) {
                return;
            }
            let needs = |run: &Run| {
                needs_whole_run(&request.body)
                    || request.body == Command::Save
                    || (run.on_gpu().is_some() && looks_at_run(&request.body))
            };
            if let Some(run) = self.run.as_mut().filter(|run| !run.is_whole() && needs(run)) {
                run.gather(&mut self.pool);
                return;
            }
            let Some(Request { id, body, .. }) = self.held.pop_front() else { return };
            let id = id.unwrap_or_default();
            if let Some(reply) = self.answer(id, body).transpose() {
                self.out.send(Some(id), reply);
            }
        }
    }

    /// The answer to a command; `None` if it was queued as work and is answered later.
    fn answer(&mut self, id: u32, command: Command) -> Result<Option<Event>, String> {
        if needs_whole_run(&command) {
            self.stop_sharing();
        }
        let answer = match command {
            Command::OpenModel(NamedBytes { name, bytes }) => self.open_model(&name, &bytes)?,
            Command::UseData { source, plan, checkpoint } => self.use_data(&source, plan, &checkpoint)?,
            Command::NewRun(plan) => self.new_run(plan)?,
            Command::Undo => self.undo()?,
            Command::Save => self.save()?,
            Command::Train => self.set_goal(Goal::Forever)?,
            Command::TrainUntil(step) => self.train_until(step)?,
            Command::Step => {
                self.set_goal(Goal::OneStep(id))?;
                return Ok(None);
            }
            Command::Pause => self.rest(),
            Command::Pace(steps_a_second) => self.pace.set(steps_a_second)?,
            Command::Filters { model, layer, count } => {
                within("the number of filters", count, 1..=MAX_SAMPLES)?;
                self.view(model)?.filters(layer, count)?
            }
            Command::Samples { model, layer, count, seed } => {
                within("the number of samples", count, 1..=MAX_SAMPLES)?;
                let view = self.view(model)?;
                within("the layer", layer, 0..=view.model.depth() as u32)?;
                return self.begin(id, Box::new(SampleRequest::new(view, layer, count, seed)));
            }
            Command::Sweeps { model, count, sweeps: wanted, seed } => {
                let work = sweeps(self.view(model)?, count, wanted, seed)?;
                return self.begin(id, work);
            }
            Command::Picture { source, model, seed } => {
                complete::picture(&self.view(model)?, self.run.as_ref().map(|run| &run.material), source, seed)?
            }
            Command::Complete(request) => {
                let work = complete::completion(&self.view(request.model)?, &request)?;
                return self.begin(id, work);
            }
            Command::Watch(request) => complete::watch(&self.view(request.model)?, &request)?,
            Command::WatchPair { request, kernel, steps } => {
                complete::watch_pair(&self.view(request.model)?, &request, kernel, steps)?
            }
            Command::FillGaps { by, settings, imputations } => {
                let work = filling(self.run.as_ref().ok_or(NO_RUN)?, by, settings, imputations)?;
                return self.begin(id, work);
            }
            Command::TryGpu => {
                self.may_try_gpu()?;
                let trial = Trial::of_run(self.run.as_ref().ok_or(NO_RUN)?, self.pool.most())?;
                return self.begin(id, Box::new(trial));
            }
            Command::UseGpu(chosen) => {
                self.pool.choose_gpu(chosen);
                self.report(self.goal != Goal::Rest);
                Event::Done
            }
            Command::Cancel(request) => {
                let before = self.jobs.len();
                self.jobs.retain(|job| job.id != Some(request));
                if self.jobs.len() < before {
                    self.out.send(Some(request), Event::Cancelled);
                    // Whatever that request waited for, the others need not wait.
                    self.waits = false;
                    if !self.pool.is_gpu_chosen() {
                        self.pool.end_gpu();
                    }
                }
                Event::Done
            }
        };
        Ok(Some(answer))
    }

    /// Whether a GPU trial can begin. Only one runs at a time, or both would be wrong.
    fn may_try_gpu(&self) -> Result<(), String> {
        let tries = self.jobs.iter().any(|job| job.work.has_helpers());
        if tries { Err("the GPU is already being timed: wait until that has ended, or cancel it".into()) } else { Ok(()) }
    }

    #[expect(clippy::unnecessary_wraps, reason = "what each arm of the dispatch gives")]
    fn begin(&mut self, id: u32, work: Box<dyn LongJob>) -> Result<Option<Event>, String> {
        self.jobs.push_back(Job { id: Some(id), work });
        Ok(None)
    }

    fn view(&self, choice: ModelChoice) -> Result<View, String> {
        match choice {
            ModelChoice::Pretrained => {
                self.pretrained.clone().ok_or("the pretrained model has not been read; choose the model in training".into())
            }
            ModelChoice::Training => Ok(self.run.as_ref().ok_or(NO_RUN)?.view()),
        }
    }

    /// Whether [`Coordinator::work`] has something to do.
    pub fn has_work(&self) -> bool {
        self.can_answer() || self.next_job().is_some() || self.can_train() || self.is_unsettled()
    }

    fn can_answer(&self) -> bool {
        let settled = self.run.as_ref().is_none_or(|run| !run.is_committed() && !run.is_gathering());
        settled && (self.snapshot_due_since.is_some() || !self.held.is_empty())
    }

    fn next_job(&self) -> Option<usize> {
        self.jobs.iter().position(|job| !(self.waits && job.work.has_helpers()))
    }

    /// One slice: of a pending request, if any, and otherwise of training.
    pub fn work(&mut self) -> Vec<Message> {
        let until = now() + SLICE_SECONDS;
        if self.can_answer() {
            if let Some(since) = self.snapshot_due_since.take() {
                self.snapshot(since);
            }
            self.answer_held();
        } else if self.can_train() && self.run.as_ref().is_some_and(Run::is_committed) {
            // Requests wait for the end of a committed step, so that comes first.
            self.train(until);
        } else if let Some(job) = self.next_job().and_then(|place| self.jobs.remove(place)) {
            self.work_on(job, until);
        } else if self.can_train() {
            // A slice that was already on its way when Pause arrived must not train.
            self.train(until);
        } else if self.is_unsettled() {
            self.settle();
        } else if self.waits {
            self.look_after_gpu();
        }
        self.out.take()
    }

    fn work_on(&mut self, mut job: Job, until: f64) {
        let (id, started) = (job.id, now());
        match job.work.work(until, &mut self.pool) {
            Ok(Slice::Goes) => self.jobs.push_front(job),
            Ok(Slice::Waits) => {
                self.waits = true;
                self.jobs.push_front(job);
            }
            Ok(Slice::Shows(event)) => {
                self.out.send(None, *event);
                self.jobs.push_back(job);
            }
            Ok(Slice::Progress { stage, done, total }) => {
                self.out.send(id, Reply::Progress { stage: stage.into(), done, total });
                // The others get their turn, so that a long completion does not hold up a short one.
                self.jobs.push_back(job);
            }
            Ok(Slice::Ends(answer)) => {
                let seen = if id.is_none() { job.work.free_energy(&answer) } else { None };
                self.out.send(id, *answer);
                if let (Some((step, free_energy)), Some(run)) = (seen, &mut self.run)
                    && run.look_at_samples(step, free_energy)
                {
                    self.report(self.goal != Goal::Rest);
                }
            }
            Err(message) => self.out.fail(id, message),
        }
        if id.is_none() {
            let ended = self.jobs.iter().all(|job| job.id.is_some());
            self.shown.took_for_samples(now() - started, ended);
        }
    }

    /// What is to be done outside this worker, in order.
    pub fn take_outgoing(&mut self) -> Vec<Outgoing> {
        self.pool.take_outgoing()
    }

    /// The requested helpers are listening.
    pub fn helpers_ready(&mut self) {
        self.pool.came_up();
        self.waits = false;
    }

    /// Takes in a message from a helper.
    pub fn receive(&mut self, message: PeerMessage) -> Vec<Message> {
        self.waits = false;
        let trial = self.jobs.iter_mut().find(|job| job.work.has_helpers());
        let received = match (trial, &mut self.run) {
            (Some(trial), _) => trial.work.receive(message),
            (None, Some(run)) => run.receive(message),
            (None, None) => Ok(()),
        };
        match received {
            Ok(()) => Vec::new(),
            Err(error) => self.helper_lost(&error.to_string()),
        }
    }

    /// A helper is lost. The run continues, from its last checkpoint if necessary.
    pub fn helper_lost(&mut self, why: &str) -> Vec<Message> {
        let were_up = self.pool.lost();
        self.waits = false;
        let trial = self.jobs.iter().position(|job| job.work.has_helpers());
        if let Some(trial) = trial.and_then(|place| self.jobs.remove(place)) {
            self.out.fail(trial.id, format!("a worker that shared the steps was lost: {why}"));
        }
        if !were_up {
            let message = format!("This browser starts no workers to share the run with ({why}): it continues with one.");
            self.out.send(None, Event::Notice(message));
        }
        let Some(run) = self.run.as_mut().filter(|run| run.workers() > 1) else { return self.out.take() };
        let before = run.steps();
        match run.lose_helpers() {
            Ok(step) => {
                let from =
                    if step < before { format!(" from step {step}, where its last checkpoint was taken") } else { String::new() };
                let with = if self.pool.most() > 1 { "new workers are starting" } else { "one worker continues alone" };
                let message = format!("One of the workers that share the run was lost: {why}. The run continues{from}; {with}.");
                self.out.send(None, Event::Notice(message));
            }
            Err(error) => {
                self.stop();
                self.out.fail(None, format!("a worker was lost ({why}), and with it the run: {error}"));
            }
        }
        self.report(self.goal != Goal::Rest);
        self.out.take()
    }
}

/// Whether a command puts the run aside, replaces it, or gives the helpers another one.
fn needs_whole_run(command: &Command) -> bool {
    use Command::{NewRun, TryGpu, Undo, UseData, UseGpu};
    matches!(command, UseData { .. } | NewRun(_) | Undo | TryGpu | UseGpu(_))
}

/// Whether a command looks at the run in its present state: all commands that neither drive the run nor concern the pretrained model alone.
fn looks_at_run(command: &Command) -> bool {
    use Command::{Cancel, OpenModel, Pace, Step, Train, TrainUntil};
    !matches!(command, OpenModel(_) | Train | TrainUntil(_) | Step | Pace(_) | Cancel(_))
}
