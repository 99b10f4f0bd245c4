//! How many Gibbs sweeps a second: what samplers need, many chains and no gradient.

use super::report::spread;
use crate::template::text;
use crate::{Error, Session};
use dbm_core::chains::{Chains, Work};
use dbm_core::linalg::vector_unit;
use dbm_core::rng::{Purpose, Stream, Streams};
use dbm_core::sweep::half_gibbs;
use dbm_core::{Backend, Host, Parity, Units, init};
use minijinja::Value;
use serde_json::json;

/// Free chains of a model with sign units at its orthogonal start, where about half of all units flip in every sweep: the dearest case.
#[derive(Clone, Debug)]
pub struct SweepBenchmark {
    /// The name of this shape.
    pub preset: &'static str,
    /// Sizes of all layers.
    pub sizes: Vec<usize>,
    /// How many chains, divided evenly among the threads.
    pub chains: usize,
    /// Sweeps before anything is timed.
    pub warm_up: u64,
    /// How many runs are timed.
    pub runs: u64,
    /// Sweeps of each.
    pub sweeps: u64,
    /// Of the weights and of every random stream.
    pub seed: u64,
    /// Which kernels compute.
    pub backend: Backend,
}

/// What came out.
pub struct MeasuredSweeps {
    benchmark: SweepBenchmark,
    threads: usize,
    /// Seconds of each run, the fastest first.
    seconds: Vec<f64>,
    /// Of all sweeps together.
    work: Work,
}

impl SweepBenchmark {
    /// Sweeps, and times it.
    ///
    /// # Errors
    /// Sizes that make no sense.
    pub fn run(self, session: &Session) -> Result<MeasuredSweeps, Error> {
        let model = init::orthogonal_on(session, &self.sizes, Units::Signs, self.seed)?.with_backend(self.backend);
        let threads = session.threads().min(self.chains.max(1));
        let mut parts: Vec<(Chains, Vec<Stream>)> = (0..threads)
            .map(|part| {
                let own = self.chains * part / threads..self.chains * (part + 1) / threads;
                let mut chains = Chains::free(&model, own.len());
                let mut streams = Streams::new(self.seed).of_chains(Purpose::Completion, 0, own.start as u64..own.end as u64);
                chains.randomize_all(&model, &mut streams);
                (chains, streams)
            })
            .collect();
        let all = self.warm_up.saturating_add(self.runs.saturating_mul(self.sweeps));
        session.progress.begin("sweeps", all);
        let mut timed = |sweeps: u64| {
            let started = session.now();
            session.map(parts.iter_mut().collect(), |(chains, streams)| {
                for _ in 0..sweeps {
                    half_gibbs(&model, chains, Parity::Odd, streams);
                    half_gibbs(&model, chains, Parity::Even, streams);
                }
            });
            session.progress.advance(sweeps);
            session.now() - started
        };
        timed(self.warm_up);
        let mut seconds: Vec<f64> = (0..self.runs).map(|_| timed(self.sweeps)).collect();
        session.progress.end();
        seconds.sort_by(f64::total_cmp);
        let mut work = Work::default();
        parts.iter().for_each(|(chains, _)| work += chains.work());
        Ok(MeasuredSweeps { benchmark: self, threads, seconds, work })
    }
}

impl MeasuredSweeps {
    /// One object: the median run's figures, and what they depend on.
    pub fn json(&self) -> serde_json::Value {
        let bench = &self.benchmark;
        let (median, fastest, slowest) = spread(&self.seconds);
        let each = |seconds: f64| seconds / bench.sweeps as f64;
        let all = (bench.warm_up + bench.runs * bench.sweeps) as f64;
        json!({
            "preset": bench.preset,
            "sizes": bench.sizes,
            "chains": bench.chains,
            "seed": bench.seed,
            "backend": bench.backend,
            "vector_unit": vector_unit(),
            "threads": self.threads,
            "warm_up": bench.warm_up,
            "runs": bench.runs,
            "sweeps": bench.sweeps,
            "milliseconds_per_sweep": 1e3 * each(median),
            "sweeps_per_second": 1.0 / each(median),
            "sweeps_per_second_min": 1.0 / each(slowest),
            "sweeps_per_second_max": 1.0 / each(fastest),
            "multiply_adds_in_products": self.work.products as f64 / all,
            "multiply_adds_in_carried_rows": self.work.carried as f64 / all,
        })
    }

    /// The same for people.
    pub fn text(&self) -> String {
        text("sweeps.txt", include_str!("sweeps.txt"), &Value::from_serialize(self.json()))
    }
}
