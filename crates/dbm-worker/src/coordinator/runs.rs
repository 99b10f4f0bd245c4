//! Operations on whole models and runs: opening, beginning, restoring, undoing, writing checkpoints.

use super::times::ReportTimes;
use super::{Coordinator, NO_RUN};
use crate::clock::now;
use crate::run::Run;
use crate::sources;
use crate::view::View;
use dbm_core::settings::RunPlan;
use dbm_protocol::{DataSource, Event, Metrics, RunInfo, Snapshot};

type Answer = Result<Event, String>;

impl Coordinator {
    pub(super) fn open_model(&mut self, name: &str, bytes: &[u8]) -> Answer {
        let (view, info) = View::open(name, bytes)?;
        self.pretrained = Some(view);
        Ok(Event::ModelOpened(info))
    }

    /// Takes data into use, with a run resumed from its checkpoint, or with a new run of the plan if there is no checkpoint.
    pub(super) fn use_data(&mut self, source: &DataSource, plan: RunPlan, checkpoint: &[u8]) -> Answer {
        let data = sources::make(source).map_err(|error| error.to_string())?;
        let run = if checkpoint.is_empty() {
            Run::new(data, plan).map_err(|error| error.to_string())?
        } else {
            Run::restore(data, plan, checkpoint).map_err(|error| error.to_string())?
        };
        let computed_by = run.computed_by();
        if !computed_by.is_empty() && !self.pool.is_gpu_chosen() {
            let message =
                format!("This run was computed by {computed_by}: from here on it draws other numbers than it would have there.");
            self.out.send(None, Event::Notice(message));
        }
        self.replace(run);
        self.data_ready()
    }

    pub(super) fn new_run(&mut self, plan: RunPlan) -> Answer {
        let old = self.run.as_ref().ok_or("a run needs data: choose a data set first")?;
        let run = Run::new(old.material.clone(), plan).map_err(|error| error.to_string())?;
        self.replace(run);
        Ok(Event::RunReady(self.about(self.run.as_ref().ok_or(NO_RUN)?)))
    }

    pub(super) fn undo(&mut self) -> Answer {
        if self.previous.is_none() {
            return Err("there is nothing to restore".into());
        }
        std::mem::swap(&mut self.run, &mut self.previous);
        self.stop();
        // The run that was set aside may no longer be saved anywhere.
        self.snapshot_due_since = begun(self.run.as_ref()).then(now);
        self.data_ready()
    }

    /// Takes a new run into use and keeps the old one for Undo, unless the old one did nothing yet and the one kept before it did.
    fn replace(&mut self, run: Run) {
        self.stop();
        self.snapshot_due_since = None;
        self.shown.snapshot_due = 0.0;
        let old = self.run.replace(run);
        if begun(old.as_ref()) || !begun(self.previous.as_ref()) {
            self.previous = old.or(self.previous.take());
        }
    }

    fn data_ready(&self) -> Answer {
        let run = self.run.as_ref().ok_or(NO_RUN)?;
        Ok(Event::DataReady(sources::about(&run.material), self.about(run)))
    }

    fn about(&self, run: &Run) -> RunInfo {
        let metrics = Metrics { gpu: self.pool.is_gpu_chosen(), ..run.metrics(false) };
        RunInfo { model: run.about(), plan: run.plan.clone(), metrics, can_undo: self.previous.is_some() }
    }

    /// Stops sharing the run, so that another one can be shared or this one put aside: helpers have room for one.
    pub(super) fn stop_sharing(&mut self) {
        self.run.iter_mut().for_each(Run::go_alone);
        self.waits = false;
    }

    /// The run in its present state, which is complete by now.
    pub(super) fn save(&mut self) -> Answer {
        let run = self.run.as_mut().ok_or(NO_RUN)?;
        let step = run.steps();
        let checkpoint = run.take_checkpoint().map_err(|error| error.to_string())?;
        let checkpoint = checkpoint.ok_or("a run that is being pretrained cannot be saved yet: wait for its first step")?;
        Ok(Event::Snapshot(Snapshot { step, checkpoint }))
    }

    /// Sends the page a snapshot once the complete run is here. The time this takes, counted from when it was due, decides when the next
    /// one is due.
    pub(super) fn snapshot(&mut self, since: f64) {
        let Some(run) = &mut self.run else { return };
        if !run.is_whole() {
            run.gather(&mut self.pool);
            self.snapshot_due_since = Some(since);
            return;
        }
        let checkpoint = match run.take_checkpoint() {
            Ok(None) => return,
            Ok(Some(checkpoint)) => Ok(checkpoint),
            Err(error) => Err(format!("the run could not be written as a checkpoint: {error}")),
        };
        self.shown.snapshot_due = ReportTimes::next_snapshot(now() - since);
        self.out.send(None, checkpoint.map(|checkpoint| Event::Snapshot(Snapshot { step: run.steps(), checkpoint })));
    }
}

/// Whether there is a run that has done anything.
fn begun(run: Option<&Run>) -> bool {
    run.is_some_and(|run| run.metrics(false).begun())
}
