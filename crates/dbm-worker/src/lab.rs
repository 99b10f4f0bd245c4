//! What the worker holds and how it answers: two models, a run and the one before it, and the requests at work.
//!
//! Nothing here is of the browser, so all of it is tested natively.

use crate::bench::Bench;
use crate::clock::now;
use crate::jobs::{Job, Question, Slice, View, watch};
use crate::run::{Run, about};
use crate::sources;
use dbm_core::rng::{Purpose, Streams};
use dbm_core::{Dbm, complete::Completer};
use dbm_data::{Checkpoint, digits};
use dbm_protocol::{
    Command, CompletionMethod, DataSource, Digit, DigitSource, Event, Message, ModelChoice, Request, RunPlan, VERSION,
};
use std::collections::VecDeque;
use std::rc::Rc;

/// A slice of work lasts about this long: Pause and Cancel are heard that often.
const SLICE_SECONDS: f64 = 0.015;
/// Metrics come at most this often.
const METRICS_SECONDS: f64 = 1.0 / 20.0;
/// A step that takes longer says how far it is, so that the page does not take the worker for dead.
const SLOW_SECONDS: f64 = 1.0;
/// Training shows samples at most this often, and spends at most one part in [`SAMPLES_SHARE`] of its time on them.
const SAMPLES_SECONDS: f64 = 0.4;
const SAMPLES_SHARE: f64 = 15.0;
/// Samples that training shows. They start from the same noise each time, so that one sees each of them form.
const TRAINING_SAMPLES: u32 = 64;
/// Training puts a snapshot away this often.
const SNAPSHOT_SECONDS: f64 = 10.0;
const MAX_SAMPLES: u32 = 400;
const MAX_ANSWERS: u32 = 64;
const MAX_GIBBS_SWEEPS: u32 = 10_000;

/// Everything the worker holds.
#[derive(Default)]
pub struct Lab {
    pretrained: Option<Opened>,
    run: Option<Run>,
    /// The run that the present one replaced.
    previous: Option<Run>,
    goal: Goal,
    jobs: VecDeque<Job>,
    shown: Shown,
}

struct Opened {
    model: Rc<Dbm>,
    image: Option<(usize, usize)>,
    steps: u32,
}

/// How far training is to go.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Goal {
    #[default]
    Rest,
    OneStep(u32),
    Forever,
}

/// When the page last got what.
#[derive(Default)]
struct Shown {
    metrics: f64,
    samples_due: f64,
    samples_seconds: f64,
    snapshot: f64,
}

type Answer = Result<Event, String>;

impl Lab {
    /// Answers a request, or puts it to work.
    pub fn handle(&mut self, request: Request) -> Vec<Message> {
        let Request { version, id, command } = request;
        let mut out = Vec::new();
        if version != VERSION {
            let message = format!(
                "the worker speaks version {VERSION} of the page's messages, but version {version} came; reload the page"
            );
            return vec![message_of(Some(id), Event::Failed { message })];
        }
        match self.answer(id, command, &mut out) {
            Ok(Some(event)) => out.push(message_of(Some(id), event)),
            Ok(None) => {}
            Err(message) => out.push(message_of(Some(id), Event::Failed { message })),
        }
        out
    }

    /// Whether [`Lab::work`] has something to do.
    pub fn has_work(&self) -> bool {
        !self.jobs.is_empty() || self.goal != Goal::Rest
    }

    /// One slice: of the request at work, if any, and otherwise of training.
    pub fn work(&mut self) -> Vec<Message> {
        let mut out = Vec::new();
        let until = now() + SLICE_SECONDS;
        if let Some(mut job) = self.jobs.pop_front() {
            let (own, started) = (job.id.is_none(), now());
            match job.work(until) {
                Slice::Goes => self.jobs.push_front(job),
                Slice::Progress { done, total } => {
                    out.push(message_of(job.id, Event::Progress { done, total }));
                    // Others get their turn, so that a long completion does not hold up a short one.
                    self.jobs.push_back(job);
                }
                Slice::Ends(event) => out.push(message_of(job.id, *event)),
            }
            self.shown.samples_seconds += if own { now() - started } else { 0.0 };
        } else if self.goal != Goal::Rest {
            // A slice that was on its way when Pause came must not train.
            self.train(until, &mut out);
        }
        out
    }

    fn answer(&mut self, id: u32, command: Command, out: &mut Vec<Message>) -> Result<Option<Event>, String> {
        match command {
            Command::OpenModel { name, bytes } => self.open_model(&name, &bytes).map(Some),
            Command::UseData { source, plan } => self.use_data(&source, plan, out).map(Some),
            Command::NewRun { plan } => self.new_run(plan, out).map(Some),
            Command::Restore { source, plan, checkpoint } => self.restore(&source, plan, &checkpoint, out).map(Some),
            Command::Undo => self.undo(out).map(Some),
            Command::Train => self.set_goal(Goal::Forever, out).map(|()| Some(Event::Done)),
            Command::Step => self.set_goal(Goal::OneStep(id), out).map(|()| None),
            Command::Pause => {
                self.rest(out);
                Ok(Some(Event::Done))
            }
            Command::Samples { model, count, seed } => {
                within("the number of samples", count, MAX_SAMPLES)?;
                let job = Job::samples(Some(id), self.view(model)?, count, seed);
                self.jobs.push_back(job);
                Ok(None)
            }
            Command::Digit { source, model, seed } => self.digit(source, model, seed).map(Some),
            Command::Complete { model, values, unknown, answers, method, seed } => {
                within("the number of answers", answers, MAX_ANSWERS)?;
                if let CompletionMethod::Gibbs { sweeps } = method {
                    within("the number of Gibbs sweeps", sweeps, MAX_GIBBS_SWEEPS)?;
                }
                let view = self.view(model)?;
                let question = Question::new(view.model.n_visible(), values, unknown)?;
                self.jobs.push_back(Job::complete(id, view, &question, answers, method, seed));
                Ok(None)
            }
            Command::Watch { model, values, unknown, seed } => {
                let view = self.view(model)?;
                let question = Question::new(view.model.n_visible(), values, unknown)?;
                Ok(Some(Event::Search(watch(&view, &question, seed))))
            }
            Command::Bench { source, plan, protocol } => {
                if self.jobs.iter().any(Job::is_bench) {
                    return Err("a benchmark is at work already: wait for it to end, or cancel it".into());
                }
                self.jobs.push_back(Job::bench(id, Bench::new(&source, plan, protocol)?));
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
        let event = Event::ModelOpened(about(&model, checkpoint.image, steps, checkpoint.settings));
        self.pretrained = Some(Opened { model: Rc::new(model), image: checkpoint.image, steps });
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
        let run = Run::new(old.data.clone(), plan).map_err(words)?;
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
        self.data_ready()
    }

    /// Takes a new run into use and keeps the old one for Undo, unless that did nothing yet and the one kept before it did.
    fn replace(&mut self, run: Run, out: &mut Vec<Message>) {
        self.stop(out);
        let begun = |run: &Option<Run>| run.as_ref().is_some_and(|run| run.metrics(false).begun());
        let old = self.run.replace(run);
        if begun(&old) || !begun(&self.previous) {
            self.previous = old.or(self.previous.take());
        }
    }

    fn data_ready(&self) -> Answer {
        let run = self.run.as_ref().ok_or(NO_RUN)?;
        Ok(Event::DataReady {
            data: sources::about(&run.data),
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
        (self.shown.snapshot, self.shown.metrics) = (time, time);
        Ok(())
    }

    /// Shards of the present step, or a minibatch of pretraining, until the clock shows `until` or the step is done.
    fn train(&mut self, until: f64, out: &mut Vec<Message>) {
        let Some(run) = &mut self.run else {
            self.goal = Goal::Rest;
            return;
        };
        let finished = loop {
            match run.advance() {
                Ok(finished) if finished || now() >= until => break finished,
                Ok(_) => {}
                Err(error) => {
                    let asked = if let Goal::OneStep(id) = self.goal { Some(id) } else { None };
                    self.goal = Goal::Rest;
                    run.rest();
                    out.push(message_of(None, Event::Metrics(run.metrics(false))));
                    let message = if run.is_pretraining() { format!("pretraining: {error}") } else { error.to_string() };
                    out.push(message_of(asked, Event::Failed { message }));
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
            Goal::OneStep(id) => {
                self.goal = Goal::Rest;
                run.rest();
                run.look();
                out.push(message_of(None, Event::Metrics(run.metrics(false))));
                out.push(message_of(Some(id), Event::Done));
                self.snapshot(out);
                self.show_samples();
            }
            Goal::Forever => {
                if time >= self.shown.samples_due {
                    run.look();
                }
                if time - self.shown.metrics >= METRICS_SECONDS {
                    self.shown.metrics = time;
                    out.push(message_of(None, Event::Metrics(run.metrics(true))));
                }
                if time >= self.shown.samples_due {
                    self.show_samples();
                }
                if time - self.shown.snapshot >= SNAPSHOT_SECONDS {
                    self.snapshot(out);
                }
            }
            Goal::Rest => {}
        }
    }

    fn show_samples(&mut self) {
        let Ok(view) = self.view(ModelChoice::Training) else { return };
        self.jobs.push_back(Job::samples(None, view, TRAINING_SAMPLES, 0));
        // What the last samples took decides when the next ones are due.
        let pause = SAMPLES_SECONDS.max(SAMPLES_SHARE * self.shown.samples_seconds);
        self.shown.samples_due = now() + pause;
        self.shown.samples_seconds = 0.0;
    }

    fn snapshot(&mut self, out: &mut Vec<Message>) {
        let Some(run) = &self.run else { return };
        let event = match run.checkpoint() {
            Ok(Some(checkpoint)) => Event::Snapshot { step: run.steps(), checkpoint },
            Ok(None) => return,
            Err(error) => Event::Failed { message: format!("the run could not be put away: {error}") },
        };
        self.shown.snapshot = now();
        out.push(message_of(None, event));
    }

    fn view(&self, choice: ModelChoice) -> Result<View, String> {
        match (choice, &self.pretrained, &self.run) {
            (ModelChoice::Pretrained, Some(Opened { model, image, steps }), _) => {
                Ok(View { model: Rc::clone(model), choice, image: *image, step: *steps })
            }
            (ModelChoice::Training, _, Some(run)) => {
                Ok(View { model: Rc::new(run.model()), choice, image: run.data.image, step: run.steps() })
            }
            (ModelChoice::Pretrained, None, _) => {
                Err("the pretrained model has not been read; choose the model in training".into())
            }
            (ModelChoice::Training, _, None) => Err(NO_RUN.into()),
        }
    }

    fn digit(&self, source: DigitSource, choice: ModelChoice, seed: u32) -> Answer {
        let view = self.view(choice)?;
        let n = view.model.n_visible();
        let fits = |what: &str, width: usize| {
            if width == n {
                return Ok(());
            }
            Err(format!("{what} have {width} bits, but this model has {n} visible units; take a sample of the model instead"))
        };
        let bits = match source {
            DigitSource::Sample => {
                Completer::sample(&view.model, 1, u64::from(seed), 1 << 32).finish(&view.model, crate::jobs::MAX_SWEEPS).0
            }
            DigitSource::Generated => {
                fits("generated digits", digits::PIXELS)?;
                // A series of its own, not the one a run trains on.
                let (grey, _) = digits::image(u64::MAX, u64::from(seed));
                grey.iter().map(|&grey| u8::from(grey > dbm_data::THRESHOLD)).collect()
            }
            DigitSource::Data => {
                let data = &self.run.as_ref().ok_or("there are no data: choose a data set first")?.data.examples;
                fits("the examples", data.width())?;
                let row = Streams::new(u64::from(seed)).at(Purpose::Order, 0, 1).below(data.len() as u64);
                data.row(row as usize)
            }
        };
        Ok(Event::Digit(Digit { source, image: view.shape(), bits }))
    }
}

const NO_RUN: &str = "there is no model in training: choose a data set first";

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

pub fn within(what: &str, value: u32, most: u32) -> Result<(), String> {
    if (1..=most).contains(&value) { Ok(()) } else { Err(format!("{what} should be from 1 to {most}, but is {value}")) }
}

fn message_of(id: Option<u32>, event: Event) -> Message {
    Message { version: VERSION, id, event }
}

#[cfg(test)]
mod tests;
