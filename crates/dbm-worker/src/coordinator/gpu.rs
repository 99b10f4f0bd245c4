//! The coordinator's side of the GPU: its answers, how long to wait for them, and what becomes of a run when the GPU fails.

use super::train::SLOW_SECONDS;
use super::{Coordinator, Goal, Message};
use crate::clock::now;
use crate::pool::OnGpu;
use crate::run::Run;
use dbm_protocol::{Envelope, Event, GpuEvent, Reply};

impl Coordinator {
    /// Takes in a message from the worker that has the GPU.
    pub fn receive_from_gpu(&mut self, Envelope { id, body, .. }: Envelope<Reply<GpuEvent>>) -> Vec<Message> {
        self.waits = false;
        match body {
            Reply::Ready => self.pool.gpu_came_up(),
            // The message holds nothing but its answers.
            Reply::Progress { .. } => {}
            Reply::Failed(why) => return if id.is_none_or(|id| self.expects(id)) { self.gpu_lost(&why) } else { Vec::new() },
            Reply::Answer(event) => {
                let session = id.unwrap_or_default();
                let trial = self.jobs.iter_mut().find(|job| job.work.has_helpers());
                let received = match (trial, &mut self.run) {
                    (Some(trial), _) => trial.work.receive_from_gpu(session, event),
                    (None, Some(run)) => run.receive_from_gpu(session, event),
                    (None, None) => Ok(()),
                };
                if let Err(error) = received {
                    return self.gpu_lost(&error.to_string());
                }
            }
        }
        Vec::new()
    }

    /// Whether anything waits for the answer of this GPU session.
    fn expects(&self, session: u32) -> bool {
        let of_run = self.run.as_ref().and_then(Run::on_gpu);
        of_run.into_iter().chain(self.jobs.iter().filter_map(|job| job.work.on_gpu())).any(|on_gpu| on_gpu.is_of(session))
    }

    /// The GPU or its worker is lost or refuses. The run continues on the processor from its last checkpoint. The GPU is not tried again
    /// until the visitor chooses it again.
    pub fn gpu_lost(&mut self, why: &str) -> Vec<Message> {
        self.waits = false;
        let was_chosen = self.pool.is_gpu_chosen();
        self.pool.choose_gpu(false);
        self.pool.end_gpu();
        if let Some(trial) = self.jobs.iter().position(|job| job.work.has_helpers()).and_then(|place| self.jobs.remove(place)) {
            self.out.fail(trial.id, format!("The GPU could not be timed: {why}."));
        }
        if let Some(run) = self.run.as_mut().filter(|run| was_chosen || run.on_gpu().is_some()) {
            let before = run.steps();
            let step = run.leave_gpu();
            let from =
                if step < before { format!(" from step {step}, where its last checkpoint was taken") } else { String::new() };
            let message = format!("The GPU has stopped: {why}. The run continues{from}, on the processor.");
            self.out.send(None, Event::Notice(message));
            self.report(self.goal != Goal::Rest);
        }
        self.out.take()
    }

    /// Reports that work continues while the GPU computes, so that the page does not take this worker for dead. Gives up on a GPU that has
    /// been silent for too long.
    pub(super) fn look_after_gpu(&mut self) {
        let measured = self.jobs.iter().find(|job| job.work.has_helpers());
        let on_gpu = match measured {
            Some(job) => job.work.on_gpu(),
            None => self.run.as_ref().and_then(Run::on_gpu),
        };
        if on_gpu.is_some_and(OnGpu::is_silent) {
            let messages = self.gpu_lost("it has not answered for ten minutes");
            self.out.0.extend(messages);
        } else if let Some((id, (done, total))) = measured.map(|job| (job.id, job.work.done())) {
            self.out.send(id, Reply::progress(done, total));
        } else if now() - self.shown.metrics >= SLOW_SECONDS {
            self.shown.metrics = now();
            self.report(self.goal != Goal::Rest);
        }
    }
}
