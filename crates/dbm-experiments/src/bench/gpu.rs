//! As many steps on the GPU, beside the processor's: which to take is decided by measuring.

use super::Measured;
use super::report::spread;
use crate::{Error, Session};
use dbm_core::{Examples, Host, format_bytes};
use dbm_gpu::{Gpu, GpuFootprint, GpuTrainer};
use pollster::block_on;
use serde_json::json;

/// What came out on the GPU, beside what came out on the processor.
pub struct MeasuredOnGpu {
    measured: Measured,
    /// What the GPU calls itself.
    device: String,
    /// What the run takes there.
    footprint: GpuFootprint,
    /// In products, a step, those to warm up included: of the positive and the negative phase, and of the gradient.
    multiply_adds: [f64; 3],
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
        let footprint = GpuFootprint::of(&gpu, self.run.model().sizes(), self.run.settings());
        let mut run = GpuTrainer::new(gpu.clone(), &self.run)?;
        session.progress.begin("steps on the GPU", bench.warm_up.saturating_add(bench.runs.saturating_mul(bench.steps)));
        let mut phases = [0; 2];
        let mut timed = |steps: u64| -> Result<f64, Error> {
            let began = session.now();
            for _ in 0..steps {
                let info = block_on(run.step(data, 0))?;
                phases[0] += info.positive.work.products;
                phases[1] += info.negative.work.products;
                session.progress.advance(1);
            }
            Ok(1e3 * (session.now() - began) / steps as f64)
        };
        timed(bench.warm_up)?;
        let mut milliseconds = (0..bench.runs).map(|_| timed(bench.steps)).collect::<Result<Vec<_>, _>>()?;
        session.progress.end();
        milliseconds.sort_by(f64::total_cmp);
        let [positive, negative] = phases;
        let gradient = gpu.multiply_adds() - positive - negative;
        let multiply_adds =
            [positive, negative, gradient].map(|count| count as f64 / (bench.warm_up + bench.runs * bench.steps) as f64);
        Ok(MeasuredOnGpu { measured: self, device, footprint, multiply_adds, milliseconds })
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
        let GpuFootprint { parameters, moments, gradient, chains, others } = self.footprint;
        let [positive, negative, of_gradient] = self.multiply_adds;
        json["gpu"] = json!({
            "device": self.device,
            "multiply_adds_in_products": { "positive": positive, "negative": negative, "gradient": of_gradient },
            "footprint_bytes": {
                "parameters": parameters, "moments": moments, "gradient": gradient, "chains": chains, "others": others,
                "total": self.footprint.total(),
            },
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
        let GpuFootprint { parameters, moments, gradient, chains, .. } = self.footprint;
        let [total, parameters, moments, gradient, chains] =
            [self.footprint.total(), parameters, moments, gradient, chains].map(|bytes| format_bytes(bytes.into()));
        let [positive, negative, of_gradient] = self.multiply_adds.map(|count| count / 1e6);
        format!(
            "{processor}
On {device}: {median:.2} ms a step ({fastest:.2} to {slowest:.2}), {times:.1} times as {than} as on the processor.
10^6 multiply-adds in products: positive phase {positive:.1}, negative phase {negative:.1}, gradient {of_gradient:.1}.
Memory there: {total}: parameters {parameters}, the optimizer's moments {moments}, a block of the gradient {gradient}, chains {chains}.
"
        )
    }
}
