//! The run: begun, trained, paused and saved, and what the worker reports about it.

use super::held::Session;
use crate::settings::Draft;
use crate::ui::download;
use crate::worker::client::Failure;
use dbm_core::settings::RunPlan;
use dbm_protocol::{Command, Event, Metrics, ModelChoice, RunInfo, Snapshot};
use js_sys::Uint8Array;
use leptos::prelude::*;

/// Steps per second that can be chosen, besides no limit.
pub const PACES: [u32; 3] = [1, 5, 20];

impl Session {
    /// Trains or takes one step. Settings that were changed before the run has done anything are applied first.
    ///
    /// # Errors
    /// If such a setting makes no sense, and as [`Session::ask`].
    pub async fn train(self, command: Command) -> Result<(), Failure> {
        self.models.model.set(ModelChoice::Training);
        self.models.looks_at_pretrained.set(false);
        if !self.run.metrics.with_untracked(Metrics::begun) {
            let plan = self.drafted()?;
            if !self.run.plan.with_untracked(|present| present.as_ref().is_some_and(|present| present.same_run(&plan))) {
                self.run.running.set(command == Command::Train);
                if let Err(failure) = self.new_run(plan).await {
                    self.run.running.set(false);
                    return Err(failure);
                }
            }
        }
        self.go(command).await
    }

    /// Trains or takes one step, whatever the form says.
    ///
    /// # Errors
    /// As [`Session::ask`].
    pub async fn go(self, command: Command) -> Result<(), Failure> {
        let trains = command != Command::Step;
        if trains {
            self.run.running.set(true);
        }
        let answer = self.ask(command).await;
        if trains && answer.is_err() {
            self.run.running.set(false);
        }
        answer.map(|_| ())
    }

    /// Stops training between two parts of a step.
    ///
    /// # Errors
    /// As [`Session::ask`].
    pub async fn pause(self) -> Result<(), Failure> {
        self.ask(Command::Pause).await?;
        self.run.running.set(false);
        Ok(())
    }

    /// Returns to step 0 with the settings of the form, or with those of the present run.
    ///
    /// # Errors
    /// If a setting makes no sense, and as [`Session::ask`].
    pub async fn reset(self, same: bool) -> Result<(), Failure> {
        let present = if same { self.run.plan.get_untracked() } else { None };
        let plan = present.map_or_else(|| self.drafted(), Ok)?;
        let (lost, begun) = self.run.metrics.with_untracked(|metrics| (metrics.step, metrics.begun()));
        self.new_run(plan).await?;
        if begun {
            let what = match lost {
                0 => "run".into(),
                1 => "step".into(),
                _ => format!("{lost} steps"),
            };
            self.say_undoable(format!("Back to step 0. Your {what} can be restored."));
        }
        Ok(())
    }

    /// Limits the worker to this many training steps per second; 0 for no limit.
    pub fn set_pace(self, steps_a_second: u32) {
        self.run.pace.set(steps_a_second);
        if self.client.is_ready() {
            self.send_pace();
        }
    }

    pub(super) fn send_pace(self) {
        let steps_a_second = self.run.pace.get_untracked();
        self.perform(async move { self.ask(Command::Pace(steps_a_second)).await.map(|_| ()) });
    }

    /// The present run: gradient steps taken, and a checkpoint with everything it needs to resume.
    ///
    /// # Errors
    /// As [`Session::ask`].
    pub async fn save(self) -> Result<(u32, Uint8Array), Failure> {
        match self.ask(Command::Save).with_bulk().await? {
            (Event::Snapshot(Snapshot { step, .. }), Some(checkpoint)) => {
                self.take_snapshot(step, checkpoint.clone());
                Ok((step, checkpoint))
            }
            _ => Err(Failure::Ended),
        }
    }

    /// Saves the run's checkpoint as a file.
    pub fn save_file(self, step: u32, checkpoint: &Uint8Array) {
        download::save(self.notices, &format!("dbm-step-{step}.safetensors"), checkpoint);
    }

    /// The run that the form describes.
    fn drafted(self) -> Result<RunPlan, Failure> {
        let unusable = "Fix the highlighted setting, below the buttons.";
        self.run.draft.with_untracked(Draft::plan).ok_or_else(|| Failure::Refused(unusable.into()))
    }

    async fn new_run(self, plan: RunPlan) -> Result<(), Failure> {
        if let Event::RunReady(run) = self.ask(Command::NewRun(plan)).await? {
            self.sets.choice_before.set(self.sets.choice_in_use.get_untracked());
            self.take_run(run);
            self.keep_anew();
        }
        Ok(())
    }

    /// Replaces the run on the page.
    pub(super) fn take_run(self, RunInfo { model, plan, metrics, .. }: RunInfo) {
        if !self.run.draft.with_untracked(Draft::plan).is_some_and(|drafted| drafted.same_run(&plan)) {
            self.run.draft.set(Draft::of(&plan));
        }
        self.run.plan.set(Some(plan));
        self.models.training.set(Some(model));
        self.models.looks_at_pretrained.set(false);
        self.take_metrics(metrics);
        self.run.snapshot.set(None);
        self.samples_of(ModelChoice::Training).set(None);
        self.run.runs.update(|runs| *runs = runs.wrapping_add(1));
    }

    /// Handles an event that answers no request.
    pub(super) fn take_event(self, event: Event, bulk: Option<Uint8Array>) {
        match event {
            Event::Metrics(metrics) => {
                if metrics.step > self.run.metrics.with_untracked(|before| before.step) {
                    self.run.failed.set_value(0);
                }
                self.take_metrics(metrics);
            }
            Event::Samples(grid) => self.samples_of(grid.model).set(Some(grid)),
            Event::Snapshot(snapshot) => bulk.into_iter().for_each(|checkpoint| self.take_snapshot(snapshot.step, checkpoint)),
            Event::Looked(look) => self.sets.looked.set(Some(look)),
            Event::Notice(message) => self.notices.news(message),
            _ => {}
        }
    }

    fn take_metrics(self, metrics: Metrics) {
        self.run.running.set(metrics.running);
        self.run.metrics.set(metrics);
    }

    fn take_snapshot(self, step: u32, checkpoint: Uint8Array) {
        self.run.checkpoint.set_value(Some(checkpoint));
        self.run.snapshot.set(Some(step));
        self.keep(step);
    }
}
