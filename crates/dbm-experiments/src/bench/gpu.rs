//! As many steps on the GPU, beside the processor's: which to take is decided by measuring.

use super::Measured;
use super::report::spread;
use crate::{Error, Session};
use dbm_core::{Examples, Host};
use dbm_gpu::{Gpu, GpuTrainer};
use pollster::block_on;
use serde_json::json;

/// What came out on the GPU, beside what came out on the processor.
pub struct MeasuredOnGpu {
    measured: Measured,
    /// What the GPU calls itself.
    device: String,
    /// Milliseconds a step of each run, the fastest first.
    milliseconds: Vec<f64>,
}

impl Measured {
    /// Goes on with the training on the GPU, on the same data, and times as many runs of as many steps there, after as many to warm up.
    ///
    /// # Errors
    /// [`Error::Gpu`] where there is none, or it cannot train such a run.
    pub fn on_gpu(self, data: &Examples, session: &Session) -> Result<MeasuredOnGpu, Error> {
        let bench = &self.benchmark;
        let gpu = block_on(Gpu::open())?;
        let device = gpu.name().to_owned();
        let mut run = GpuTrainer::new(gpu, &self.run)?;
        session.progress.begin("steps on the GPU", bench.warm_up.saturating_add(bench.runs.saturating_mul(bench.steps)));
        let mut timed = |steps: u64| -> Result<f64, Error> {
            let began = session.now();
            for _ in 0..steps {
                block_on(run.step(data, 0))?;
                session.progress.advance(1);
            }
            Ok(1e3 * (session.now() - began) / steps as f64)
        };
        timed(bench.warm_up)?;
        let mut milliseconds = (0..bench.runs).map(|_| timed(bench.steps)).collect::<Result<Vec<_>, _>>()?;
        session.progress.end();
        milliseconds.sort_by(f64::total_cmp);
        Ok(MeasuredOnGpu { measured: self, device, milliseconds })
    }
}

impl MeasuredOnGpu {
    /// How many of the GPU's median steps fit into the processor's.
    fn ratio(&self) -> f64 {
        self.measured.median().milliseconds() / spread(&self.milliseconds).0
    }

    /// [`Measured::json`], and an object of the GPU in it.
    pub fn json(&self) -> serde_json::Value {
        let (median, fastest, slowest) = spread(&self.milliseconds);
        let mut json = self.measured.json();
        json["gpu"] = json!({
            "device": self.device,
            "milliseconds_per_step": median,
            "milliseconds_per_step_min": fastest,
            "milliseconds_per_step_max": slowest,
            "times_as_fast_as_the_processor": self.ratio(),
        });
        json
    }

    /// [`Measured::text`], and a line of the GPU under it.
    pub fn text(&self) -> String {
        let (median, fastest, slowest) = spread(&self.milliseconds);
        let (times, than) = if self.ratio() > 1.0 { (self.ratio(), "fast") } else { (1.0 / self.ratio(), "slow") };
        let (processor, device) = (self.measured.text(), &self.device);
        format!(
            "{processor}\nOn {device}: {median:.2} ms a step ({fastest:.2} to {slowest:.2}), {times:.1} times as {than} as on the processor.\n"
        )
    }
}
