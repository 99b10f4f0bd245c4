//! Training, slice by slice: how far it is to go, how fast, and what the page is shown when.

use super::Coordinator;
use super::times::{Goal, SNAPSHOT_SECONDS};
use crate::clock::now;
use crate::job::Job;
use crate::run::{Advance, Run};
use crate::samples::SampleRequest;
use dbm_protocol::{Event, Metrics, ModelChoice};

/// Metrics are sent at most this often.
const METRICS_SECONDS: f64 = 1.0 / 10.0;
/// A step that takes longer reports its progress, so that the page does not take the worker for dead.
pub(super) const SLOW_SECONDS: f64 = 1.0;
/// Samples drawn from a run at rest. They start from the same noise each time, so that one sees what training changed.
const DRAWN_SAMPLES: u32 = 64;

impl Coordinator {
    pub(super) fn can_train(&self) -> bool {
        self.would_train() && self.pause().is_none()
    }

    fn would_train(&self) -> bool {
        let gathering = self.run.as_ref().is_some_and(Run::is_gathering);
        self.goal != Goal::Rest && !self.waits && !gathering && !self.jobs.iter().any(|job| job.work.has_helpers())
    }

    /// Seconds until [`Coordinator::work`] has something to do, if all it has now is a step that is not due yet.
    pub fn due(&self) -> Option<f64> {
        let waits_for_gpu = self.waits && self.pool.is_gpu_asked();
        self.pause().filter(|_| self.would_train()).or_else(|| waits_for_gpu.then_some(SLOW_SECONDS))
    }

    /// Seconds until the next step may begin; `None` if one may begin or has begun.
    fn pause(&self) -> Option<f64> {
        let between = self.run.as_ref().is_some_and(Run::between_steps);
        if between && !matches!(self.goal, Goal::OneStep(_)) { self.pace.pause() } else { None }
    }

    pub(super) fn set_goal(&mut self, goal: Goal) -> Result<Event, String> {
        if self.run.is_none() {
            return Err("training needs data: choose a data set first".into());
        }
        if let Goal::OneStep(earlier) = std::mem::replace(&mut self.goal, goal) {
            // Two presses of Step request two steps; a step that training overtakes is still taken.
            self.out.send(Some(earlier), Event::Done);
        }
        // Samples being drawn from the run at rest belong to a step that is about to be past.
        self.jobs.retain(|job| job.id.is_some());
        let time = now();
        (self.shown.chains_due, self.shown.drawn_due, self.shown.looks_due) = (time, time, time);
        self.shown.metrics = time - METRICS_SECONDS;
        self.shown.snapshot_due = self.shown.snapshot_due.max(time + SNAPSHOT_SECONDS);
        Ok(Event::Done)
    }

    pub(super) fn train_until(&mut self, step: u32) -> Result<Event, String> {
        if let Some(taken) = self.run.as_ref().map(Run::steps).filter(|taken| *taken >= step) {
            return Err(format!("expected a step that is still to come; the run has taken {taken}, but got {step}"));
        }
        self.set_goal(Goal::Until(step))
    }

    /// Stops training; work under way in the old run stays with it. A single step that was under way gets no other answer.
    pub(super) fn stop(&mut self) {
        if let Goal::OneStep(id) = std::mem::take(&mut self.goal) {
            self.out.send(Some(id), Event::Cancelled);
        }
        self.unsettled = false;
        // Training's own samples belong to the run that is gone.
        self.jobs.retain(|job| job.id.is_some());
        self.run.iter_mut().chain(&mut self.previous).for_each(Run::rest);
    }

    /// Stops training at the visitor's request.
    pub(super) fn rest(&mut self) -> Event {
        let trained = self.goal != Goal::Rest;
        self.stop();
        if trained {
            self.report(false);
            self.snapshot(now());
            self.show_where_it_stands();
        }
        Event::Done
    }

    /// Reports the state of the run to the page.
    pub(super) fn report(&mut self, running: bool) {
        if let Some(run) = &self.run {
            let metrics = Metrics { gpu: self.pool.is_gpu_chosen(), ..run.metrics(running) };
            self.out.send(None, Event::Metrics(metrics));
        }
    }

    /// Shards of the present step, or a minibatch of pretraining, until the clock shows `until` or the step is done.
    pub(super) fn train(&mut self, until: f64) {
        let Some(run) = &mut self.run else {
            self.goal = Goal::Rest;
            return;
        };
        if run.wants_gpu(&self.pool) {
            if !self.pool.is_gpu_up() {
                self.waits = true;
                return;
            }
            if let Err(error) = run.go_to_gpu(&mut self.pool) {
                self.pool.choose_gpu(false);
                self.out.fail(None, format!("the run could not be put on the GPU: {error}"));
            }
        }
        let Some(run) = &mut self.run else { return };
        if run.wants_helpers(&self.pool)
            && self.pool.is_up(run.most_replicas())
            && let Err(error) = run.share(&mut self.pool, usize::MAX)
        {
            // The run is unchanged, on this worker alone.
            self.out.fail(None, format!("the run could not be shared: {error}"));
            self.goal = Goal::Rest;
            return;
        }
        if run.between_steps() {
            self.pace.count();
        }
        match run.advance_until(until, &mut self.pool) {
            Ok(Advance::Finished) => self.step_ended(),
            Ok(advance) => {
                self.waits |= advance == Advance::Waits;
                if now() - self.shown.metrics >= SLOW_SECONDS {
                    self.shown.metrics = now();
                    self.report(true);
                }
            }
            Err(error) => {
                let asked = if let Goal::OneStep(id) = self.goal { Some(id) } else { None };
                self.goal = Goal::Rest;
                run.rest();
                let message = if run.is_pretraining() { format!("pretraining: {error}") } else { error.to_string() };
                self.report(false);
                self.out.fail(asked, message);
            }
        }
    }

    /// A step is done: shows what is due, and stops when the goal is reached.
    fn step_ended(&mut self) {
        let Some(run) = &mut self.run else { return };
        let time = now();
        let asked = match self.goal {
            Goal::Rest => return,
            Goal::OneStep(id) => Some(id),
            Goal::Until(step) if run.steps() >= step => None,
            Goal::Forever | Goal::Until(_) => return self.show_what_is_due(time),
        };
        self.goal = Goal::Rest;
        run.rest();
        self.report(false);
        if asked.is_some() {
            self.out.send(asked, Event::Done);
        }
        self.snapshot(now());
        self.show_where_it_stands();
    }

    fn show_what_is_due(&mut self, time: f64) {
        let Some(run) = &mut self.run else { return };
        if time >= self.shown.looks_due {
            run.look();
            self.shown.looked(time);
        }
        if time - self.shown.metrics >= METRICS_SECONDS {
            self.shown.metrics = time;
            self.report(true);
            // After the counter, so that no grid is from a later step than the counter shows.
            self.show_samples(time);
        }
        if time >= self.shown.snapshot_due {
            self.snapshot(now());
        }
    }

    /// What the chains of the last step look like, or samples if the step has none to show; only once they are due.
    fn show_samples(&mut self, time: f64) {
        if time < self.shown.chains_due {
            return;
        }
        self.shown.showed_chains();
        if let Some(grid) = self.run.as_ref().and_then(Run::visible_samples) {
            self.out.send(None, Event::Samples(grid));
        } else if time >= self.shown.drawn_due && self.jobs.iter().all(|job| job.id.is_some()) {
            self.draw_samples();
        }
    }

    fn draw_samples(&mut self) {
        let started = now();
        let Ok(view) = self.view(ModelChoice::Training) else { return };
        self.shown.took_for_samples(now() - started, false);
        self.jobs.push_back(Job { id: None, work: Box::new(SampleRequest::new(view, 0, DRAWN_SAMPLES, 0)) });
    }

    /// Shows a resting run in its present state: its persistent chains or samples, and its signals on all examples, in slices that let
    /// requests in between.
    fn show_where_it_stands(&mut self) {
        self.unsettled = true;
        self.unshown = self.run.as_ref().is_some_and(|run| !run.is_present());
        if self.unshown {
            return;
        }
        match self.run.as_ref().and_then(Run::persistent_samples) {
            Some(chains) => self.out.send(None, Event::Samples(chains)),
            None => self.draw_samples(),
        }
    }

    /// Whether a run at rest has more to show.
    pub(super) fn is_unsettled(&self) -> bool {
        self.unsettled && self.goal == Goal::Rest && self.run.as_ref().is_some_and(Run::is_present)
    }

    /// A look at some examples of a run at rest; once all have been looked at, the page gets the result.
    pub(super) fn settle(&mut self) {
        if self.unshown {
            return self.show_where_it_stands();
        }
        let Some(run) = self.run.as_mut().filter(|run| !run.is_looked_at()) else {
            self.unsettled = false;
            return self.report(false);
        };
        run.look();
    }
}
