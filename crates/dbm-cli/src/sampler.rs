//! Samples, many at once.

use clap::Args;
use dbm_core::complete::{Completer, SamplingSchedule};
use dbm_core::search::SearchInfo;
use dbm_core::{Dbm, Host};
use dbm_data::Checkpoint;
use indicatif::ProgressBar;

/// Chains a task: enough for the batch products, few enough to keep every thread busy.
pub const CHAINS: usize = 32;

/// A search that goes on longer is stopped and counted.
pub const MAX_SWEEPS: u32 = 10_000;

/// How samples are drawn.
#[derive(Args, Clone, Copy)]
pub struct SamplerArgs {
    /// How samples are drawn: `mode`, local search from noise; `gibbs:K`, K Gibbs sweeps from noise and a search; `mode+gibbs:K`, a search, K Gibbs sweeps from its
    /// mode, and a search; `annealed:K`, K Gibbs sweeps from noise, each a little colder, and a search [default: as the negative phase of the model's training went: `mode`,
    /// `mode+gibbs:K` where it was trained with --mode-sweeps K, `gibbs:300` with persistent chains]
    #[arg(long, value_name = "WALK")]
    sampler: Option<SamplingSchedule>,
}

impl SamplerArgs {
    /// The way asked for, or that of the model's training.
    pub fn walk(self, checkpoint: &Checkpoint) -> SamplingSchedule {
        self.sampler.unwrap_or_else(|| of_training(checkpoint))
    }
}

/// What was drawn.
pub struct Samples {
    /// `[count, visible]`, bytes 0 and 1.
    pub bits: Vec<u8>,
    /// What the searches of each did.
    pub searches: Vec<SearchInfo>,
}

/// The walk that a model's samples are best drawn by: as in its training, where its file says how that went.
pub fn of_training(checkpoint: &Checkpoint) -> SamplingSchedule {
    checkpoint.settings.as_ref().map_or(SamplingSchedule::Mode, SamplingSchedule::of_training)
}

/// `count` samples; each depends on the model, the seed and its number alone. `bar` counts them.
pub fn draw(threads: &impl Host, model: &Dbm, walk: SamplingSchedule, count: usize, seed: u64, bar: &ProgressBar) -> Samples {
    let starts: Vec<usize> = (0..count).step_by(CHAINS).collect();
    let parts = threads.map(starts, |start| {
        let chains = CHAINS.min(count - start);
        let part = Completer::sample(model, chains, seed, start as u64).run(model, walk, MAX_SWEEPS);
        bar.inc(chains as u64);
        part
    });
    let (bits, searches): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    Samples { bits: bits.concat(), searches: searches.concat() }
}

impl Samples {
    /// How many searches were cut at [`MAX_SWEEPS`].
    pub fn capped(&self) -> usize {
        self.searches.iter().filter(|search| search.capped).count()
    }
}
