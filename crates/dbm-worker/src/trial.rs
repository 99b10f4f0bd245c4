//! A trial of the GPU: ten steps of the run on the processor and ten on the GPU, both timed, from the run's present state. This measurement
//! decides which of them takes the steps.

use crate::clock::now;
use crate::job::{LongJob, Slice};
use crate::pool::{OnGpu, PeerMessage, WorkerPool};
use crate::run::{Advance, Run};
use crate::sources::TrainingData;
use dbm_core::DbmError;
use dbm_core::settings::RunPlan;
use dbm_data::DataError;
use dbm_protocol::{Event, GpuEvent, GpuTrial};

/// Steps that each takes before it is timed.
const WARM_UP: u32 = 2;
/// Steps that are timed.
const STEPS: u32 = 10;

/// Who takes the steps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Processor,
    Gpu,
}

/// What a [`dbm_protocol::Command::TryGpu`] requested, and its progress. It steps copies of the run.
pub struct Trial {
    data: TrainingData,
    plan: RunPlan,
    /// The run at the start, from which both copies begin.
    checkpoint: Vec<u8>,
    /// The present step.
    first: u32,
    /// Workers that are to share the processor's steps.
    workers: usize,
    by: By,
    run: Run,
    /// Whether the present copy has been handed to those that are to compute it.
    handed_over: bool,
    /// When the timed steps of the present copy began.
    started: Option<f64>,
    measured: GpuTrial,
}

impl Trial {
    /// A trial of this run, which is complete; there can be `most` workers. Nothing is timed yet.
    ///
    /// # Errors
    /// A run that is being pretrained, or one that cannot be copied.
    pub fn of_run(run: &Run, most: usize) -> Result<Self, String> {
        let checkpoint = run.checkpoint().map_err(|error| error.to_string())?;
        let checkpoint = checkpoint.ok_or("a run that is being pretrained cannot be timed yet: wait for its first step")?;
        let (data, plan) = (run.material.clone(), run.plan.clone());
        let copy = Run::restore(data.clone(), plan.clone(), &checkpoint).map_err(|error| error.to_string())?;
        Ok(Self {
            data,
            plan,
            checkpoint,
            first: copy.steps(),
            workers: most.min(copy.most_replicas()).max(1),
            by: By::Processor,
            run: copy,
            handed_over: false,
            started: None,
            measured: GpuTrial::default(),
        })
    }

    /// Steps of the present copy, including the warm-up steps.
    fn steps(&self) -> u32 {
        self.run.steps() - self.first
    }

    /// Hands the present copy to those that are to compute it; false if they are not up yet.
    fn hand_over(&mut self, pool: &mut WorkerPool) -> Result<bool, DataError> {
        match self.by {
            By::Processor => {
                if self.workers > 1 && !pool.is_up(self.workers) {
                    return Ok(false);
                }
                self.run.share(pool, self.workers)?;
                self.measured.workers = self.run.workers() as u32;
            }
            By::Gpu => {
                if !pool.is_gpu_up() {
                    return Ok(false);
                }
                self.run.go_to_gpu(pool)?;
            }
        }
        Ok(true)
    }
}

impl LongJob for Trial {
    /// Steps until the clock shows `until`, at most one whole step.
    fn work(&mut self, until: f64, pool: &mut WorkerPool) -> Result<Slice, String> {
        if !self.handed_over {
            if !self.hand_over(pool).map_err(|error| error.to_string())? {
                return Ok(Slice::Waits);
            }
            self.handed_over = true;
        }
        if self.started.is_none() && self.steps() >= WARM_UP && self.run.between_steps() {
            self.started = Some(now());
        }
        match self.run.advance_until(until, pool).map_err(|error| error.to_string())? {
            Advance::Finished => {}
            Advance::Waits => return Ok(Slice::Waits),
            Advance::Goes => return Ok(Slice::Goes),
        }
        let (done, total) = self.done();
        if self.steps() == WARM_UP + STEPS {
            let seconds = self.started.map_or(0.0, |started| now() - started);
            if self.by == By::Gpu {
                let measured = GpuTrial { gpu_seconds: seconds, ..std::mem::take(&mut self.measured) };
                return Slice::ends(Event::GpuTried(measured));
            }
            self.measured.processor_seconds = seconds;
            self.run = Run::restore(self.data.clone(), self.plan.clone(), &self.checkpoint).map_err(|error| error.to_string())?;
            (self.by, self.handed_over, self.started) = (By::Gpu, false, None);
        }
        Ok(Slice::Progress { stage: "", done, total })
    }

    fn has_helpers(&self) -> bool {
        true
    }

    fn receive(&mut self, message: PeerMessage) -> Result<(), DbmError> {
        self.run.receive(message)
    }

    fn receive_from_gpu(&mut self, session: u32, event: GpuEvent) -> Result<(), DataError> {
        if let GpuEvent::Opened(device) = &event {
            self.measured.gpu.clone_from(device);
        }
        self.run.receive_from_gpu(session, event)
    }

    fn on_gpu(&self) -> Option<&OnGpu> {
        self.run.on_gpu()
    }

    /// Steps done of both copies, and the total.
    fn done(&self) -> (u32, u32) {
        let each = WARM_UP + STEPS;
        let before = if self.by == By::Gpu { each } else { 0 };
        (before + self.steps(), 2 * each)
    }
}
