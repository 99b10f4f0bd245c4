//! What the worker holds and how it answers: two models, a run and the one before it, and the requests at work.
//!
//! Nothing here is of the browser, so all of it is tested natively.

use crate::bench::Benchmark;
use crate::clock::now;
use crate::jobs::{Job, Question, Slice, watch, watch_pair};
use crate::pool::{Outgoing, PeerMessage, WorkerPool};
use crate::run::{Advance, Run, about};
use crate::sources;
use dbm_core::Dbm;
use dbm_core::complete::SamplingSchedule;
use dbm_data::Checkpoint;
use dbm_data::raw::Visible;
use dbm_protocol::{Command, CompletionMethod, DataSource, Envelope, Event, ModelChoice, ModelInfo, Reply, RunPlan, VERSION};
use std::collections::VecDeque;
use std::rc::Rc;

/// A slice of work lasts about this long: Pause and Cancel are heard that often.
const SLICE_SECONDS: f64 = 0.015;
/// Metrics come at most this often.
const METRICS_SECONDS: f64 = 1.0 / 10.0;
/// A step that takes longer says how far it is, so that the page does not take the worker for dead.
const SLOW_SECONDS: f64 = 1.0;
/// Training shows samples, with a look at its signals, at most this often, and spends at most one part in [`SAMPLES_SHARE`] of its time on that.
const SAMPLES_SECONDS: f64 = 0.4;
const SAMPLES_SHARE: f64 = 54.0;
/// It looks at its signals alone at most this often, and spends at most one part in [`LOOKS_SHARE`] of its time on that: together a fortieth.
const LOOKS_SECONDS: f64 = 0.1;
const LOOKS_SHARE: f64 = 160.0;
/// Samples that training shows. They start from the same noise each time, so that one sees each of them form.
const TRAINING_SAMPLES: u32 = 64;
/// Training puts a snapshot away this often, and more rarely where that would cost more than one part in [`SNAPSHOT_SHARE`] of its time: at most
/// so much is lost with the tab, and what the browser's storage takes to write it.
const SNAPSHOT_SECONDS: f64 = 4.0;
const SNAPSHOT_SHARE: f64 = 20.0;
const MAX_PACE: u32 = 1000;
const MAX_SAMPLES: u32 = 400;
const MAX_ANSWERS: u32 = 64;
const MAX_PAIR_STEPS: u32 = 1000;
const MAX_GIBBS_SWEEPS: u32 = 10_000;
const MAX_COMPLETIONS: u32 = 256;

/// A command with the id of its request.
pub type Request = Envelope<Command>;
/// What the worker says.
pub type Message = Envelope<Reply<Event>>;

/// Everything the worker holds.
#[derive(Default)]
pub struct Lab {
    pretrained: Option<Opened>,
    run: Option<Run>,
    /// The run that the present one replaced.
    previous: Option<Run>,
    goal: Goal,
    jobs: VecDeque<Job>,
    shown: ReportTimes,
    pool: WorkerPool,
    /// Whether the run that is shared can do nothing until a helper says something.
    waits: bool,
    /// Requests that came while the run was in the middle of something that ends by itself, in milliseconds.
    held: VecDeque<Request>,
    /// Steps a second that training takes at most; 0 for as many as it can,
    pace: u32,
    /// and when the next one may begin.
    next_step: f64,
    /// Since when the page is to have a snapshot, as soon as all of the run is here.
    owes_snapshot: Option<f64>,
}

struct Opened {
    model: Rc<Dbm>,
    image: Option<(usize, usize)>,
    depth: u8,
    steps: u32,
    walk: SamplingSchedule,
}

/// How far training is to go.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Goal {
    #[default]
    Rest,
    OneStep(u32),
    Forever,
    /// This many gradient steps in all.
    Until(u32),
}

/// When the page last got what.
#[derive(Default)]
struct ReportTimes {
    metrics: f64,
    looks_due: f64,
    samples_due: f64,
    samples_seconds: f64,
    snapshot_due: f64,
}

type Answer = Result<Event, String>;

impl Lab {
    /// A lab whose runs may be shared by this many workers, this one included, where a step takes one of them at least so many seconds.
    pub fn with_workers(most: usize, pays_from: f64) -> Self {
        Self { pool: WorkerPool::new(most, pays_from), ..Self::default() }
    }

    /// Answers a request, puts it to work, or holds it until the run has settled.
    pub fn handle(&mut self, request: Request) -> Vec<Message> {
        let mut out = Vec::new();
        if request.version != VERSION {
            let message = format!(
                "the worker speaks version {VERSION} of the page's messages, but version {} came; reload the page",
                request.version
            );
            return vec![message_of(request.id, Reply::Failed { message })];
        }
        self.held.push_back(request);
        self.answer_held(&mut out);
        out
    }

    /// Answers what was held, in its order, as far as the run allows.
    fn answer_held(&mut self, out: &mut Vec<Message>) {
        while let Some(request) = self.held.front() {
            if self.run.as_ref().is_some_and(Run::is_committed) {
                return;
            }
            if (needs_whole_run(&request.body) || request.body == Command::Save)
                && let Some(run) = self.run.as_mut().filter(|run| !run.is_whole())
            {
                run.gather(&mut self.pool);
                return;
            }
            let Some(Request { id, body, .. }) = self.held.pop_front() else { return };
            let id = id.unwrap_or_default();
            if let Some(reply) = self.answer(id, body, out).transpose() {
                out.push(Message::new(Some(id), reply.into()));
            }
        }
    }

    /// What is to be done outside of this worker, in its order.
    pub fn take_outgoing(&mut self) -> Vec<Outgoing> {
        self.pool.take_outgoing()
    }

    /// The helpers that were asked for listen.
    pub fn helpers_ready(&mut self) {
        self.pool.came_up();
        self.waits = false;
    }

    /// A helper is gone; the run goes on, from where its last checkpoint was taken if need be.
    pub fn helper_lost(&mut self, why: &str) -> Vec<Message> {
        self.pool.lost();
        self.waits = false;
        let mut out = Vec::new();
        for bench in self.jobs.iter().filter(|job| job.is_bench()) {
            let message = format!("a worker that shared the steps was lost: {why}");
            out.push(message_of(bench.id, Reply::Failed { message }));
        }
        self.jobs.retain(|job| !job.is_bench());
        let Some(run) = self.run.as_mut().filter(|run| run.workers() > 1) else { return out };
        let before = run.steps();
        let reply = match run.lose_helpers() {
            Ok(step) => {
                let from =
                    if step < before { format!(" from step {step}, where its last checkpoint was taken") } else { String::new() };
                let with = if self.pool.most() > 1 { "new workers are called" } else { "one worker goes on alone" };
                let message = format!("One of the workers that share the run was lost: {why}. The run goes on{from}; {with}.");
                Reply::Answer(Event::Notice { message })
            }
            Err(error) => {
                self.stop(&mut out);
                Reply::Failed { message: format!("a worker was lost ({why}), and with it the run: {error}") }
            }
        };
        out.push(message_of(None, reply));
        if let Some(run) = &self.run {
            out.push(message_of(None, Event::Metrics(run.metrics(self.goal != Goal::Rest))));
        }
        out
    }

    /// Takes in what a helper sent.
    pub fn receive(&mut self, message: PeerMessage) -> Vec<Message> {
        self.waits = false;
        let bench = self.jobs.iter_mut().find_map(Job::bench_mut);
        let received = match (bench, &mut self.run) {
            (Some(bench), _) => bench.receive(message),
            (None, Some(run)) => run.receive(message),
            (None, None) => Ok(()),
        };
        match received {
            Ok(()) => Vec::new(),
            Err(error) => self.helper_lost(&error.to_string()),
        }
    }

    /// Whether [`Lab::work`] has something to do.
    pub fn has_work(&self) -> bool {
        self.can_answer() || self.next_job().is_some() || self.can_train()
    }

    fn can_answer(&self) -> bool {
        let settled = self.run.as_ref().is_none_or(|run| !run.is_committed() && !run.is_gathering());
        settled && (self.owes_snapshot.is_some() || !self.held.is_empty())
    }

    fn next_job(&self) -> Option<usize> {
        self.jobs.iter().position(|job| !(self.waits && job.is_bench()))
    }

    fn can_train(&self) -> bool {
        self.would_train() && self.pause().is_none()
    }

    fn would_train(&self) -> bool {
        let gathering = self.run.as_ref().is_some_and(Run::is_gathering);
        self.goal != Goal::Rest && !self.waits && !gathering && !self.jobs.iter().any(Job::is_bench)
    }

    /// Seconds until [`Lab::work`] has something to do, where there is nothing now but a step whose time has not come.
    pub fn due(&self) -> Option<f64> {
        self.pause().filter(|_| self.would_train())
    }

    /// Seconds until the next step may begin; none where one may, or has.
    fn pause(&self) -> Option<f64> {
        let single = matches!(self.goal, Goal::OneStep(_));
        let wait = if self.pace == 0 || single { 0.0 } else { self.next_step - now() };
        (wait > 0.0 && self.run.as_ref().is_some_and(Run::between_steps)).then_some(wait)
    }

    /// One slice: of the request at work, if any, and otherwise of training.
    pub fn work(&mut self) -> Vec<Message> {
        let mut out = Vec::new();
        let until = now() + SLICE_SECONDS;
        if self.can_answer() {
            if let Some(since) = self.owes_snapshot.take() {
                self.snapshot_asked(since, &mut out);
            }
            self.answer_held(&mut out);
            return out;
        }
        // Requests wait for the end of a step that is committed, so it comes first.
        if self.can_train() && self.run.as_ref().is_some_and(Run::is_committed) {
            self.train(until, &mut out);
        } else if let Some(mut job) = self.next_job().and_then(|place| self.jobs.remove(place)) {
            let (own, started) = (job.id.is_none(), now());
            match job.work(until, &mut self.pool) {
                Slice::Goes => self.jobs.push_front(job),
                Slice::Waits => {
                    self.waits = true;
                    self.jobs.push_front(job);
                }
                Slice::Progress { done, total } => {
                    out.push(message_of(job.id, Reply::progress(done, total)));
                    // Others get their turn, so that a long completion does not hold up a short one.
                    self.jobs.push_back(job);
                }
                Slice::Ends(reply) => {
                    let seen = job.free_energy(&reply);
                    out.push(message_of(job.id, *reply));
                    if let (Some((step, free_energy)), Some(run)) = (seen, &mut self.run)
                        && run.look_at_samples(step, free_energy)
                    {
                        out.push(message_of(None, Event::Metrics(run.metrics(self.goal != Goal::Rest))));
                    }
                }
            }
            if own {
                self.shown.samples_seconds += now() - started;
                if self.jobs.iter().all(|job| job.id.is_some()) {
                    self.samples_shown();
                }
            }
        } else if self.can_train() {
            // A slice that was on its way when Pause came must not train.
            self.train(until, &mut out);
        }
        out
    }

    fn answer(&mut self, id: u32, command: Command, out: &mut Vec<Message>) -> Result<Option<Event>, String> {
        if needs_whole_run(&command) {
            self.stop_sharing();
        }
        match command {
            Command::OpenModel { name, bytes } => self.open_model(&name, &bytes).map(Some),
            Command::UseData { source, plan } => self.use_data(&source, plan, out).map(Some),
            Command::NewRun { plan } => self.new_run(plan, out).map(Some),
            Command::Restore { source, plan, checkpoint } => self.restore(&source, plan, &checkpoint, out).map(Some),
            Command::Undo => self.undo(out).map(Some),
            Command::Train => self.set_goal(Goal::Forever, out).map(|()| Some(Event::Done)),
            Command::TrainUntil { step } => self.train_until(step, out).map(|()| Some(Event::Done)),
            Command::Step => self.set_goal(Goal::OneStep(id), out).map(|()| None),
            Command::Pause => {
                self.rest(out);
                Ok(Some(Event::Done))
            }
            Command::Save => self.save().map(Some),
            Command::Pace { steps_a_second } => {
                if steps_a_second > 0 {
                    within("the number of steps a second", steps_a_second, MAX_PACE)?;
                }
                self.pace = steps_a_second;
                self.next_step = 0.0;
                Ok(Some(Event::Done))
            }
            Command::Filters { model, layer, count } => self.filters(model, layer, count).map(Some),
            Command::Impute { completions, sweeps, seed } => {
                let job = self.impute(id, imputing(completions, sweeps, seed)?)?;
                self.jobs.push_back(job);
                Ok(None)
            }
            Command::Evaluate { completions, sweeps, seed } => {
                let job = self.evaluate(id, imputing(completions, sweeps, seed)?)?;
                self.jobs.push_back(job);
                Ok(None)
            }
            Command::Samples { model, count, seed } => {
                within("the number of samples", count, MAX_SAMPLES)?;
                let job = Job::samples(Some(id), self.view(model)?, count, seed);
                self.jobs.push_back(job);
                Ok(None)
            }
            Command::Picture { source, model, seed } => self.digit(source, model, seed).map(Some),
            Command::Complete { model, values, unknown, answers, method, clean_up, seed } => {
                within("the number of answers", answers, MAX_ANSWERS)?;
                if let CompletionMethod::Gibbs { sweeps }
                | CompletionMethod::Annealed { sweeps }
                | CompletionMethod::Sample { sweeps } = method
                {
                    within("the number of Gibbs sweeps", sweeps, MAX_GIBBS_SWEEPS)?;
                }
                let view = self.view(model)?;
                let question = Question::new(view.model.n_visible(), values, unknown)?;
                self.jobs.push_back(Job::complete(id, view, &question, answers, (method, clean_up), seed));
                Ok(None)
            }
            Command::Watch { model, values, unknown, seed } => {
                let view = self.view(model)?;
                let question = Question::new(view.model.n_visible(), values, unknown)?;
                Ok(Some(Event::Search(watch(&view, &question, seed))))
            }
            Command::WatchPair { model, values, unknown, kernel, steps, seed } => {
                within("the number of steps", steps, MAX_PAIR_STEPS)?;
                let view = self.view(model)?;
                let question = Question::new(view.model.n_visible(), values, unknown)?;
                Ok(Some(Event::Pair(watch_pair(&view, &question, kernel, steps, seed))))
            }
            Command::Bench { source, plan, protocol, workers } => {
                if self.jobs.iter().any(Job::is_bench) {
                    return Err("a benchmark is at work already: wait for it to end, or cancel it".into());
                }
                self.jobs.push_back(Job::bench(id, Benchmark::new(&source, plan, protocol, &workers, self.pool.most())?));
                Ok(None)
            }
            Command::Cancel { request } => {
                let before = self.jobs.len();
                self.jobs.retain(|job| job.id != Some(request));
                if self.jobs.len() < before {
                    out.push(message_of(Some(request), Event::Cancelled));
                }
                Ok(Some(Event::Done))
            }
        }
    }

    fn open_model(&mut self, name: &str, bytes: &[u8]) -> Answer {
        let checkpoint = Checkpoint::read(name, bytes).map_err(words)?;
        let model = checkpoint.model().map_err(words)?;
        let steps = checkpoint.step.min(u64::from(u32::MAX)) as u32;
        let visible =
            checkpoint.notes.get(Visible::NOTE).map(|json| Visible::from_json(name, json)).transpose().map_err(words)?;
        let walk = checkpoint.settings.as_ref().map_or(SamplingSchedule::Mode, SamplingSchedule::of_training);
        let about = ModelInfo {
            steps,
            resumable: checkpoint.settings.is_some() && checkpoint.moments.is_some(),
            settings: checkpoint.settings,
            ..about(&model, checkpoint.image, visible.as_ref())
        };
        self.pretrained = Some(Opened { model: Rc::new(model), image: checkpoint.image, depth: about.depth, steps, walk });
        let event = Event::ModelOpened(about);
        Ok(event)
    }

    fn use_data(&mut self, source: &DataSource, plan: RunPlan, out: &mut Vec<Message>) -> Answer {
        let data = sources::make(source).map_err(words)?;
        let run = Run::new(data, plan).map_err(words)?;
        self.replace(run, out);
        self.data_ready()
    }

    fn new_run(&mut self, plan: RunPlan, out: &mut Vec<Message>) -> Answer {
        let Some(old) = &self.run else {
            return Err("a run needs data: choose a data set first".into());
        };
        let run = Run::new(old.material.clone(), plan).map_err(words)?;
        self.replace(run, out);
        match &self.run {
            Some(run) => Ok(Event::RunReady {
                model: run.about(),
                plan: run.plan.clone(),
                metrics: run.metrics(false),
                can_undo: self.previous.is_some(),
            }),
            None => Err(NO_RUN.into()),
        }
    }

    fn restore(&mut self, source: &DataSource, plan: RunPlan, checkpoint: &[u8], out: &mut Vec<Message>) -> Answer {
        let data = sources::make(source).map_err(words)?;
        let run = if checkpoint.is_empty() {
            Run::new(data, plan).map_err(words)?
        } else {
            Run::restore(data, plan, checkpoint).map_err(words)?
        };
        self.replace(run, out);
        self.data_ready()
    }

    fn undo(&mut self, out: &mut Vec<Message>) -> Answer {
        if self.previous.is_none() {
            return Err("there is nothing to put back".into());
        }
        std::mem::swap(&mut self.run, &mut self.previous);
        self.stop(out);
        // What was set aside may not be kept anywhere any more.
        let begun = self.run.as_ref().is_some_and(|run| run.metrics(false).begun());
        self.owes_snapshot = begun.then(now);
        self.data_ready()
    }

    /// Takes a new run into use and keeps the old one for Undo, unless that did nothing yet and the one kept before it did.
    fn replace(&mut self, run: Run, out: &mut Vec<Message>) {
        self.stop(out);
        self.owes_snapshot = None;
        self.shown.snapshot_due = 0.0;
        let begun = |run: &Option<Run>| run.as_ref().is_some_and(|run| run.metrics(false).begun());
        let old = self.run.replace(run);
        if begun(&old) || !begun(&self.previous) {
            self.previous = old.or(self.previous.take());
        }
    }

    fn data_ready(&self) -> Answer {
        let run = self.run.as_ref().ok_or(NO_RUN)?;
        Ok(Event::DataReady {
            data: sources::about(&run.material),
            model: run.about(),
            plan: run.plan.clone(),
            metrics: run.metrics(false),
            can_undo: self.previous.is_some(),
        })
    }

    /// Stops training; what was under way in the old run stays with it. A single step that was under way has no other answer.
    fn stop(&mut self, out: &mut Vec<Message>) {
        if let Goal::OneStep(id) = std::mem::take(&mut self.goal) {
            out.push(message_of(Some(id), Event::Cancelled));
        }
        // Training's own samples are of the run that is gone.
        self.jobs.retain(|job| job.id.is_some());
        self.run.iter_mut().chain(&mut self.previous).for_each(Run::rest);
    }

    /// Ends the sharing of the run, so that another one can be shared or it can be put aside: helpers have room for one.
    fn stop_sharing(&mut self) {
        self.run.iter_mut().for_each(Run::go_alone);
        self.waits = false;
    }

    fn rest(&mut self, out: &mut Vec<Message>) {
        let was_training = self.goal != Goal::Rest;
        self.stop(out);
        if let Some(run) = self.run.as_ref().filter(|_| was_training) {
            out.push(message_of(None, Event::Metrics(run.metrics(false))));
            self.snapshot(out);
        }
    }

    fn set_goal(&mut self, goal: Goal, out: &mut Vec<Message>) -> Result<(), String> {
        if self.run.is_none() {
            return Err("training needs data: choose a data set first".into());
        }
        if let Goal::OneStep(earlier) = std::mem::replace(&mut self.goal, goal) {
            // Two presses of Step ask for two steps; one that training overtakes is taken all the same.
            out.push(message_of(Some(earlier), Event::Done));
        }
        let time = now();
        self.shown.metrics = time;
        self.shown.snapshot_due = self.shown.snapshot_due.max(time + SNAPSHOT_SECONDS);
        Ok(())
    }

    fn train_until(&mut self, step: u32, out: &mut Vec<Message>) -> Result<(), String> {
        if let Some(taken) = self.run.as_ref().map(Run::steps).filter(|taken| *taken >= step) {
            return Err(format!("expected a step that is still to come; the run has taken {taken}, and {step} were asked for"));
        }
        self.set_goal(Goal::Until(step), out)
    }

    /// Shards of the present step, or a minibatch of pretraining, until the clock shows `until` or the step is done.
    fn train(&mut self, until: f64, out: &mut Vec<Message>) {
        let Some(run) = &mut self.run else {
            self.goal = Goal::Rest;
            return;
        };
        if run.wants_helpers(&self.pool)
            && self.pool.is_up(run.most_replicas())
            && let Err(error) = run.share(&mut self.pool, usize::MAX)
        {
            // The run is as it was, on this worker alone.
            out.push(message_of(None, Reply::Failed { message: format!("the run could not be shared: {error}") }));
            self.goal = Goal::Rest;
            return;
        }
        if self.pace > 0 && run.between_steps() {
            // Late by less than a step, the next one makes up for it.
            let (time, apart) = (now(), 1.0 / f64::from(self.pace));
            self.next_step = apart + self.next_step.clamp(time - apart, time);
        }
        let finished = loop {
            match run.advance(&mut self.pool) {
                Ok(Advance::Goes) if now() >= until || self.pool.has_outgoing() => break false,
                Ok(Advance::Goes) => {}
                Ok(Advance::Waits) => {
                    self.waits = true;
                    break false;
                }
                Ok(Advance::Finished) => break true,
                Err(error) => {
                    let asked = if let Goal::OneStep(id) = self.goal { Some(id) } else { None };
                    self.goal = Goal::Rest;
                    run.rest();
                    out.push(message_of(None, Event::Metrics(run.metrics(false))));
                    let message = if run.is_pretraining() { format!("pretraining: {error}") } else { error.to_string() };
                    out.push(message_of(asked, Reply::Failed { message }));
                    return;
                }
            }
        };
        let time = now();
        if !finished {
            if time - self.shown.metrics >= SLOW_SECONDS {
                self.shown.metrics = time;
                out.push(message_of(None, Event::Metrics(run.metrics(true))));
            }
            return;
        }
        match self.goal {
            Goal::Until(step) if run.steps() >= step => {
                self.goal = Goal::Rest;
                run.rest();
                run.look();
                out.push(message_of(None, Event::Metrics(run.metrics(false))));
                self.snapshot(out);
                self.show_samples();
            }
            Goal::OneStep(id) => {
                self.goal = Goal::Rest;
                run.rest();
                run.look();
                out.push(message_of(None, Event::Metrics(run.metrics(false))));
                out.push(message_of(Some(id), Event::Done));
                self.snapshot(out);
                self.show_samples();
            }
            Goal::Forever | Goal::Until(_) => {
                if time >= self.shown.samples_due {
                    run.look();
                    self.shown.samples_seconds += now() - time;
                } else if time >= self.shown.looks_due {
                    run.look();
                    let looked = now();
                    self.shown.looks_due = looked + LOOKS_SECONDS.max(LOOKS_SHARE * (looked - time));
                }
                if time - self.shown.metrics >= METRICS_SECONDS {
                    self.shown.metrics = time;
                    out.push(message_of(None, Event::Metrics(run.metrics(true))));
                }
                if time >= self.shown.samples_due {
                    self.show_samples();
                }
                if time >= self.shown.snapshot_due {
                    self.snapshot(out);
                }
            }
            Goal::Rest => {}
        }
    }

    fn show_samples(&mut self) {
        let started = now();
        let Ok(view) = self.view(ModelChoice::Training) else { return };
        self.shown.samples_seconds += now() - started;
        self.jobs.push_back(Job::samples(None, view, TRAINING_SAMPLES, 0));
    }

    /// What these samples took, the look at the signals included, decides when the next ones are due.
    fn samples_shown(&mut self) {
        let pause = SAMPLES_SECONDS.max(SAMPLES_SHARE * self.shown.samples_seconds);
        self.shown.samples_due = now() + pause;
        self.shown.samples_seconds = 0.0;
    }

    /// Gives the page a snapshot, once all of the run is here.
    fn snapshot(&mut self, out: &mut Vec<Message>) {
        self.snapshot_asked(now(), out);
    }

    /// The same, counting from when it was wanted what it takes: that decides when the next one is due.
    fn snapshot_asked(&mut self, since: f64, out: &mut Vec<Message>) {
        let Some(run) = &mut self.run else { return };
        if !run.is_whole() {
            run.gather(&mut self.pool);
            self.owes_snapshot = Some(since);
            return;
        }
        let reply = match run.take_checkpoint() {
            Ok(Some(checkpoint)) => Event::Snapshot { step: run.steps(), checkpoint }.into(),
            Ok(None) => return,
            Err(error) => Reply::Failed { message: format!("the run could not be written as a checkpoint: {error}") },
        };
        let time = now();
        self.shown.snapshot_due = time + SNAPSHOT_SECONDS.max(SNAPSHOT_SHARE * (time - since));
        out.push(message_of(None, reply));
    }

    /// The run as it stands, which is whole by now.
    fn save(&mut self) -> Answer {
        let run = self.run.as_mut().ok_or(NO_RUN)?;
        let step = run.steps();
        let checkpoint = run
            .take_checkpoint()
            .map_err(words)?
            .ok_or("a run that is being pretrained cannot be saved yet: wait for its first step")?;
        Ok(Event::Snapshot { step, checkpoint })
    }
}

const NO_RUN: &str = "there is no model in training: choose a data set first";

/// Whether a command puts the run away or aside, or has the helpers work on another.
fn needs_whole_run(command: &Command) -> bool {
    matches!(
        command,
        Command::UseData { .. } | Command::NewRun { .. } | Command::Restore { .. } | Command::Undo | Command::Bench { .. }
    )
}

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

pub fn within(what: &str, value: u32, most: u32) -> Result<(), String> {
    if (1..=most).contains(&value) { Ok(()) } else { Err(format!("{what} should be from 1 to {most}, but is {value}")) }
}

fn message_of(id: Option<u32>, reply: impl Into<Reply<Event>>) -> Message {
    Message::new(id, reply.into())
}

mod looks;
use looks::imputing;
#[cfg(test)]
mod tests;
