//! Samples, many at once.

use crate::Session;
use dbm_core::complete::{Completer, SamplingSchedule};
use dbm_core::sweep::SearchInfo;
use dbm_core::{Dbm, Host};
use dbm_data::Checkpoint;

/// Chains a task: enough for the batch products, few enough to keep every thread busy.
pub const CHAINS: usize = 32;

/// A search that goes on longer is stopped and counted.
pub const MAX_SWEEPS: u32 = 10_000;

/// What was drawn.
pub struct Samples {
    /// `[count, visible]`, bytes 0 and 1.
    pub bits: Vec<u8>,
    /// What the searches of each did.
    pub searches: Vec<SearchInfo>,
}

/// The schedule that a model's samples are best drawn by: as in its training, where its file says how that went.
pub fn of_training(checkpoint: &Checkpoint) -> SamplingSchedule {
    checkpoint.settings.as_ref().map_or(SamplingSchedule::Mode, SamplingSchedule::of_training)
}

/// `count` samples; each depends on the model, the seed and its number alone.
pub fn draw(session: &Session, model: &Dbm, schedule: SamplingSchedule, count: usize, seed: u64) -> Samples {
    session.progress.begin("samples", count as u64);
    let starts: Vec<usize> = (0..count).step_by(CHAINS).collect();
    let parts = session.map(starts, |start| {
        let chains = CHAINS.min(count - start);
        let part = Completer::sample(model, chains, seed, start as u64).run(model, schedule, MAX_SWEEPS);
        session.progress.advance(chains as u64);
        part
    });
    session.progress.end();
    let (bits, searches): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    Samples { bits: bits.concat(), searches: searches.concat() }
}

impl Samples {
    /// How many searches were cut at [`MAX_SWEEPS`].
    pub fn capped(&self) -> usize {
        self.searches.iter().filter(|search| search.capped).count()
    }

    /// Sweeps of a search, on average.
    pub fn mean_sweeps(&self) -> f64 {
        self.searches.iter().map(|search| f64::from(search.sweeps)).sum::<f64>() / self.searches.len() as f64
    }
}
