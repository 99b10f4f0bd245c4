//! Gibbs sweeps per second: the work of samplers, with many chains and no gradient.

use super::parts::spread;
use super::{BenchReport, Benchmark};
use crate::{Error, Workbench};
use dbm_core::chains::{Chains, FieldCost};
use dbm_core::linalg::vector_unit;
use dbm_core::rng::{Purpose, Stream, Streams};
use dbm_core::sweep::half_gibbs;
use dbm_core::{Host, Parity, Units, init};
use serde_json::json;

impl Benchmark {
    /// Sweeps this many free chains, divided evenly among the threads, and times it, for a model with sign units at its orthogonal start,
    /// where about half of all units flip in every sweep, which is the most expensive case. Each of its steps is a sweep.
    ///
    /// # Errors
    /// Invalid sizes.
    pub fn sweep(&self, visible: usize, chains: usize, session: &Workbench) -> Result<BenchReport, Error> {
        let sizes = [&[visible], &self.hidden[..]].concat();
        let model = init::orthogonal_on(session, &sizes, Units::Signs, self.seed)?.with_backend(self.backend);
        let threads = session.threads().min(chains.max(1));
        let mut parts: Vec<(Chains, Vec<Stream>)> = (0..threads)
            .map(|part| {
                let own = chains * part / threads..chains * (part + 1) / threads;
                let mut chains = Chains::free(&model, own.len());
                let mut streams = Streams::new(self.seed).of_chains(Purpose::Completion, 0, own.start as u64..own.end as u64);
                chains.randomize_all(&model, &mut streams);
                (chains, streams)
            })
            .collect();
        let all = self.warm_up.saturating_add(self.runs.saturating_mul(self.steps));
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
        let mut seconds: Vec<f64> = (0..self.runs).map(|_| timed(self.steps)).collect();
        session.progress.end();
        seconds.sort_by(f64::total_cmp);
        let mut work = FieldCost::default();
        parts.iter().for_each(|(chains, _)| work += chains.work());
        let (median, fastest, slowest) = spread(&seconds);
        let each = |seconds: &f64| seconds / self.steps as f64;
        let figures = json!({
            "preset": self.preset,
            "sizes": sizes,
            "chains": chains,
            "seed": self.seed,
            "backend": self.backend,
            "vector_unit": vector_unit(),
            "threads": threads,
            "warm_up": self.warm_up,
            "runs": self.runs,
            "sweeps": self.steps,
            "milliseconds_per_sweep": 1e3 * each(median),
            "sweeps_per_second": 1.0 / each(median),
            "sweeps_per_second_min": 1.0 / each(slowest),
            "sweeps_per_second_max": 1.0 / each(fastest),
            "multiply_adds_in_products": work.products as f64 / all as f64,
            "multiply_adds_in_carried_rows": work.carried as f64 / all as f64,
        });
        Ok(BenchReport { figures, words: ("sweeps.txt", include_str!("sweeps.txt")) })
    }
}
