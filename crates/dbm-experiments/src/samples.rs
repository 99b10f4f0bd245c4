//! Samples, many at once.

use crate::Session;
use dbm_core::Dbm;
use dbm_core::complete::{Completer, SamplingSchedule};
use dbm_core::sweep::SearchInfo;
use dbm_data::Checkpoint;

/// Chains a task: enough for the batch products, few enough to keep every thread busy.
pub const CHAINS: usize = 32;

/// A search that goes on longer is stopped and counted.
pub const MAX_SWEEPS: u32 = 10_000;

/// What was drawn.
pub struct Samples {
    /// `[count, visible]`, bytes 0 and 1, or what was kept of them.
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
    draw_as(session, model, schedule, (count, seed), |bits| bits)
}

/// The same of which something else is kept than their bits, which can be many more bytes.
pub fn draw_as(
    session: &Session,
    model: &Dbm,
    schedule: SamplingSchedule,
    (count, seed): (usize, u64),
    kept: impl Fn(Vec<u8>) -> Vec<u8> + Sync + Send,
) -> Samples {
    let parts = session.in_parts("samples", 0..count, CHAINS, |part| {
        let mut chains = Completer::sample(model, part.len(), seed, part.start as u64);
        let (bits, searches) = chains.run(model, schedule, MAX_SWEEPS);
        (kept(bits), searches)
    });
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
