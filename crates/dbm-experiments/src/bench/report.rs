//! What `dbm bench` prints.

use super::Measured;
use crate::memory;
use crate::template::text;
use dbm_core::linalg::vector_unit;
use minijinja::{Value, context};
use serde_json::json;
use std::collections::BTreeMap;

/// Bytes of a parameter.
const F32: usize = 4;

/// The median of times that rise (of an even number, the faster of the two in the middle), the shortest and the longest.
pub(super) fn spread(seconds: &[f64]) -> (f64, f64, f64) {
    (seconds[(seconds.len() - 1) / 2], seconds[0], seconds[seconds.len() - 1])
}

impl Measured {
    /// One object: the median run's figures, and what they depend on.
    pub fn json(&self) -> serde_json::Value {
        let (bench, run, median) = (&self.benchmark, &self.run, self.median());
        let (fastest, slowest) = (&self.runs[0], &self.runs[self.runs.len() - 1]);
        let phase = |phase| {
            json!({
                "mean_sweeps": median.mean_sweeps(phase),
                "proposals_accepted": (median.phase(phase, |its| its.accepted as f64) * median.0.len() as f64).round() as u64,
                "multiply_adds_in_products": median.phase(phase, |its| its.work.products as f64),
                "multiply_adds_in_carried_rows": median.phase(phase, |its| its.work.carried as f64),
            })
        };
        json!({
            "preset": bench.preset,
            "sizes": run.model().sizes(),
            "data": self.data,
            "estimator": bench.estimator.to_string(),
            "batch": bench.batch,
            "seed": bench.seed,
            "backend": run.model().backend(),
            "vector_unit": vector_unit(),
            "threads": self.threads,
            "warm_up": bench.warm_up,
            "runs": self.runs.len(),
            "steps": bench.steps,
            "milliseconds_per_step": median.milliseconds(),
            "milliseconds_per_step_min": fastest.milliseconds(),
            "milliseconds_per_step_max": slowest.milliseconds(),
            "steps_per_second": 1e3 / median.milliseconds(),
            "steps_per_second_min": 1e3 / slowest.milliseconds(),
            "steps_per_second_max": 1e3 / fastest.milliseconds(),
            "wall_milliseconds": BTreeMap::from(median.wall()),
            "thread_milliseconds": BTreeMap::from(median.threads()),
            "positive": phase(0),
            "negative": phase(1),
            "parameter_bytes": F32 * run.model().n_parameters(),
            "footprint_bytes": self.footprint.total() as u64,
            "peak_memory_bytes": memory::peak(),
        })
    }

    /// The same for people.
    pub fn text(&self) -> String {
        let (figures, median) = (self.json(), self.median());
        let values = context! { wall => median.wall(), thread => median.threads(), ..Value::from_serialize(&figures) };
        text("bench.txt", include_str!("bench.txt"), &values)
    }
}
