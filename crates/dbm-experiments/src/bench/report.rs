//! What `dbm bench` prints.

use super::Measured;
use crate::memory;
use crate::steps::mean;
use crate::template::text;
use dbm_core::gradient::PhaseInfo;
use minijinja::{Value, context};
use serde_json::json;
use std::collections::BTreeMap;

/// Bytes of a parameter.
const F32: usize = 4;

impl Measured {
    /// One object: the median run's figures, and what they depend on.
    pub fn json(&self) -> serde_json::Value {
        let (bench, run, median) = (&self.benchmark, &self.run, self.median());
        let (fastest, slowest) = (&self.runs[0], &self.runs[self.runs.len() - 1]);
        let each = |work: u64| work as f64 / median.steps as f64;
        let phase = |phase: &PhaseInfo| {
            json!({
                "mean_sweeps": mean(&phase.sweeps),
                "proposals_accepted": phase.accepted,
                "multiply_adds_in_products": each(phase.work.products),
                "multiply_adds_in_carried_rows": each(phase.work.carried),
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
            "threads": self.threads,
            "warm_up": bench.warm_up,
            "runs": self.runs.len(),
            "steps": bench.steps,
            "milliseconds_per_step": median.each(median.step),
            "milliseconds_per_step_min": fastest.each(fastest.step),
            "milliseconds_per_step_max": slowest.each(slowest.step),
            "steps_per_second": 1e3 / median.each(median.step),
            "steps_per_second_min": 1e3 / slowest.each(slowest.step),
            "steps_per_second_max": 1e3 / fastest.each(fastest.step),
            "wall_milliseconds": BTreeMap::from(median.wall()),
            "thread_milliseconds": BTreeMap::from(median.threads()),
            "positive": phase(&median.info.positive),
            "negative": phase(&median.info.negative),
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
