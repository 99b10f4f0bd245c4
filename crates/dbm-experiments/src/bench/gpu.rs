//! As many steps on the GPU, compared with the processor's: measuring decides which to use.

use super::parts::spread;
use crate::{Error, Workbench};
use dbm_core::{Examples, Host, Trainer};
use dbm_gpu::{Gpu, GpuFootprint, GpuTrainer};
use pollster::block_on;
use serde_json::{Value, json};

/// Continues a training on the GPU, on the same data, and times as many runs of as many steps there, after as many for warming up. Returns
/// the results next to the processor's median milliseconds per step. Multiply-adds are those of products per step, including the warm-up
/// steps.
///
/// # Errors
/// [`Error::Gpu`] if there is none, or it cannot train such a run.
pub(super) fn figures(
    (warm_up, runs, steps): (u64, u64, u64),
    run: &Trainer,
    on_processor: f64,
    data: &Examples,
    session: &Workbench,
) -> Result<Value, Error> {
    let gpu = block_on(Gpu::open())?;
    let footprint = GpuFootprint::of(&gpu, run.model().sizes(), run.settings());
    let mut run = GpuTrainer::new(gpu.clone(), run)?;
    let all = warm_up.saturating_add(runs.saturating_mul(steps));
    session.progress.begin("steps on the GPU", all);
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
    timed(warm_up)?;
    let mut milliseconds = (0..runs).map(|_| timed(steps)).collect::<Result<Vec<_>, _>>()?;
    session.progress.end();
    milliseconds.sort_by(f64::total_cmp);
    let (median, fastest, slowest) = spread(&milliseconds);
    let [positive, negative] = phases;
    let of_gradient = gpu.multiply_adds() - positive - negative;
    let [positive, negative, of_gradient] = [positive, negative, of_gradient].map(|count| count as f64 / all as f64);
    let GpuFootprint { parameters, moments, gradient, chains, others } = footprint;
    Ok(json!({
        "device": gpu.name(),
        "multiply_adds_in_products": { "positive": positive, "negative": negative, "gradient": of_gradient },
        "footprint_bytes": {
            "parameters": parameters, "moments": moments, "gradient": gradient, "chains": chains, "others": others,
            "total": footprint.total(),
        },
        "milliseconds_per_step": median,
        "milliseconds_per_step_min": fastest,
        "milliseconds_per_step_max": slowest,
        "times_as_fast_as_the_processor": on_processor / median,
    }))
}
