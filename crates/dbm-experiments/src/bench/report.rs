//! What `dbm bench` prints.

use super::Measured;
use super::parts::PhaseParts;
use crate::memory;
use dbm_core::format_bytes;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Bytes of a parameter.
const F32: usize = 4;

fn object(named: &[(&'static str, f64)]) -> Value {
    Value::Object(named.iter().map(|&(name, value)| (name.to_string(), json!(value))).collect::<Map<_, _>>())
}

impl Measured {
    /// One object: the median run's figures, and what they depend on.
    pub fn json(&self) -> Value {
        let (bench, run, median) = (&self.benchmark, &self.run, self.median());
        let (fastest, slowest) = (&self.runs[0], &self.runs[self.runs.len() - 1]);
        let each = |work: u64| work as f64 / median.steps as f64;
        let phase = |phase: &PhaseParts| {
            json!({
                "mean_sweeps": phase.mean_sweeps(),
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
            "wall_milliseconds": object(&median.wall()),
            "thread_milliseconds": object(&median.threads()),
            "positive": phase(&median.positive),
            "negative": phase(&median.negative),
            "parameter_bytes": F32 * run.model().n_parameters(),
            "footprint_bytes": self.footprint.total() as u64,
            "peak_memory_bytes": memory::peak(),
        })
    }

    /// The same for people.
    pub fn text(&self) -> String {
        let (bench, run, median) = (&self.benchmark, &self.run, self.median());
        let (fastest, slowest) = (&self.runs[0], &self.runs[self.runs.len() - 1]);
        let sizes: Vec<String> = run.model().sizes().iter().map(ToString::to_string).collect();
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{}, {}, batches of {} of {}, on {} threads\n{:.1} steps a second, {:.2} ms a step: median of {} runs of {} steps ({:.2} to {:.2} ms), after {} to warm up\n",
            sizes.join("-"),
            bench.estimator,
            bench.batch,
            self.data,
            self.threads,
            1e3 / median.each(median.step),
            median.each(median.step),
            self.runs.len(),
            bench.steps,
            fastest.each(fastest.step),
            slowest.each(slowest.step),
            bench.warm_up,
        );
        let _ = writeln!(out, "{:<18}{:>10}{:>8}", "of a step", "wall ms", "share");
        let whole = median.each(median.step);
        for (name, milliseconds) in median.wall() {
            let _ = writeln!(out, "{:<18}{milliseconds:>10.2}{:>7.0}%", name.replace('_', " "), 100.0 * milliseconds / whole);
        }
        let _ = writeln!(
            out,
            "\nWall ms of what ran on several threads: its share of their time. Thread-ms as measured, summed over {} threads at work:",
            self.threads
        );
        for (name, milliseconds) in median.threads() {
            let _ = writeln!(out, "{:<18}{milliseconds:>10.2}", name.replace('_', " "));
        }
        let _ = writeln!(out, "\n{:<18}{:>10}{:>22}{:>22}", "of a step", "mean T", "10^6 in products", "10^6 in carried rows");
        for (name, phase) in [("positive phase", &median.positive), ("negative phase", &median.negative)] {
            let sweeps = phase.mean_sweeps().map_or("-".into(), |sweeps| format!("{sweeps:.2}"));
            let millions = |work: u64| work as f64 / median.steps as f64 / 1e6;
            let _ = writeln!(
                out,
                "{name:<18}{sweeps:>10}{:>22.1}{:>22.1}",
                millions(phase.work.products),
                millions(phase.work.carried)
            );
        }
        let _ = writeln!(
            out,
            "(multiply-adds of the fields)\n\n{} of parameters; at most {} with all that training holds of them and of a batch; peak memory {}",
            format_bytes((F32 * run.model().n_parameters()) as u128),
            format_bytes(self.footprint.total()),
            memory::peak().map_or("not known here".into(), |bytes| format_bytes(bytes.into()))
        );
        out
    }
}
