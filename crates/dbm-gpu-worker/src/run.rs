//! The device and the run on it.

use dbm_core::{Examples, Trainer};
use dbm_data::{Checkpoint, DataError, Precision};
use dbm_gpu::{Gpu, GpuTrainer};
use dbm_protocol::{GpuCommand, GpuEvent, RunForGpu};
use std::collections::BTreeMap;

/// Number of chains shown from a step.
const SHOWN: usize = 64;
/// They are shown at most this often, in seconds: each time they must be read back from the device.
const SHOWN_EVERY: f64 = 0.1;
/// Name of the run's checkpoint in error messages.
const RUN: &str = "the run for the GPU";

/// The device, from the first run on, and the run on it.
#[derive(Default)]
pub struct GpuRun {
    gpu: Option<Gpu>,
    run: Option<(GpuTrainer, Examples)>,
    /// When chains are shown next.
    shown_due: f64,
}

impl GpuRun {
    /// Carries out a command, at this time in seconds.
    ///
    /// # Errors
    /// In words: if there is no device, if the run cannot be trained on it, or if it has failed. A device that has failed is given up.
    pub async fn answer(&mut self, command: GpuCommand, now: f64) -> Result<GpuEvent, String> {
        let answer = match command {
            GpuCommand::Open(run) => self.open(*run).await,
            GpuCommand::Step => self.step(now).await,
            GpuCommand::Save => self.save().await,
        };
        if answer.is_err() {
            *self = Self::default();
        }
        answer
    }

    /// The device, for tests that remove it.
    pub fn device(&self) -> Option<&Gpu> {
        self.gpu.as_ref()
    }

    async fn open(&mut self, run: RunForGpu) -> Result<GpuEvent, String> {
        let RunForGpu { width, packed, known, checkpoint } = run;
        // The old run is freed first to make room.
        self.run = None;
        let mut data = Examples::from_packed(width as usize, packed).map_err(message)?;
        if !known.is_empty() {
            data = data.with_packed_gaps(known).map_err(message)?;
        }
        let trainer = restored(&checkpoint).map_err(message)?;
        let gpu = match self.gpu.take() {
            Some(gpu) => gpu,
            None => Gpu::open().await.map_err(message)?,
        };
        let name = gpu.name().to_string();
        let trainer = GpuTrainer::new(gpu.clone(), &trainer).map_err(message)?;
        (self.gpu, self.run, self.shown_due) = (Some(gpu), Some((trainer, data)), 0.0);
        Ok(GpuEvent::Opened(name))
    }

    async fn step(&mut self, now: f64) -> Result<GpuEvent, String> {
        let shown = if now >= self.shown_due { SHOWN } else { 0 };
        let (run, data) = self.run.as_mut().ok_or(NO_RUN)?;
        let info = run.step(data, shown).await.map_err(message)?;
        if shown > 0 {
            self.shown_due = now + SHOWN_EVERY;
        }
        Ok(GpuEvent::Stepped(Box::new(info)))
    }

    async fn save(&mut self) -> Result<GpuEvent, String> {
        let (run, _) = self.run.as_ref().ok_or(NO_RUN)?;
        let snapshot = run.snapshot().await.map_err(message)?;
        let checkpoint = Checkpoint::from_snapshot(snapshot, None, BTreeMap::new());
        checkpoint.to_bytes(Precision::Full).map(GpuEvent::Saved).map_err(message)
    }
}

/// The reason, without the advice to use the processor: the computing worker does so.
#[expect(clippy::needless_pass_by_value, reason = "what map_err gives")]
fn message(error: impl ToString) -> String {
    error.to_string().trim_end_matches("; continue without it").to_string()
}

const NO_RUN: &str = "no run is on the GPU";

fn restored(checkpoint: &[u8]) -> Result<Trainer, DataError> {
    Trainer::restore(Checkpoint::read(RUN, checkpoint)?.into_snapshot()?).map_err(DataError::refused(RUN))
}
