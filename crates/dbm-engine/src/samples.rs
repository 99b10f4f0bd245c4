//! Samples of a model, and its chains after a number of sweeps.

use crate::{EngineError, Job, MAX_SWEEPS, Progress};
use dbm_core::complete::{Completer, SamplingSchedule};
use dbm_core::sweep::SearchInfo;
use dbm_core::{Dbm, decode};
use std::ops::{Deref, Range};

/// Chains that advance together; few, so that one sweep of them is short.
pub(crate) const TOGETHER: usize = 16;

/// Samples being drawn.
///
/// ```
/// use dbm_core::{Units, complete::SamplingSchedule, init};
/// use dbm_engine::{Job, Samples};
/// let model = init::orthogonal(&[4, 6], Units::Signs, 1)?;
/// let all = Samples::new(&model, SamplingSchedule::Mode, 0..40, 7).finish()?;
/// let last = Samples::new(&model, SamplingSchedule::Mode, 30..40, 7).finish()?;
/// assert_eq!(all.bits[30 * 4..], last.bits);
/// # Ok::<(), dbm_engine::EngineError>(())
/// ```
pub struct Samples<M> {
    model: M,
    schedule: SamplingSchedule,
    seed: u64,
    /// Their numbers.
    numbers: Range<usize>,
    layer: usize,
    drawn: Drawn,
    /// The chains of the next samples, and the sweeps they have made.
    chains: Option<(Completer, u32)>,
}

/// What was drawn.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// `[count, n_0]`, bytes 0 and 1.
    pub bits: Vec<u8>,
    /// Statistics of each search.
    pub searches: Vec<SearchInfo>,
    /// What one hidden layer of each says about the visible layer, `[count, n_0]` unit values, if requested.
    pub heard: Vec<f32>,
}

impl<M: Deref<Target = Dbm>> Samples<M> {
    /// The samples with these numbers. Each depends only on the model, the schedule, the seed and its number.
    pub fn new(model: M, schedule: SamplingSchedule, numbers: Range<usize>, seed: u64) -> Self {
        Self { model, schedule, seed, numbers, layer: 0, drawn: Drawn::default(), chains: None }
    }

    /// Also decodes this hidden layer of each ([`decode`]); 0 for none.
    #[must_use]
    pub fn hearing(self, layer: usize) -> Self {
        Self { layer, ..self }
    }
}

impl<M: Deref<Target = Dbm>> Job for Samples<M> {
    type Result = Drawn;

    fn advance(&mut self) -> Result<Progress<Drawn>, EngineError> {
        let (total, behind) = (self.numbers.len(), self.drawn.searches.len());
        let (model, first) = (&*self.model, self.numbers.start + behind);
        let together = TOGETHER.min(total - behind);
        let (chains, done) = self.chains.get_or_insert_with(|| (Completer::sample(model, together, self.seed, first as u64), 0));
        if chains.advance(model, self.schedule, *done, MAX_SWEEPS) {
            *done += 1;
            return Ok(Progress::Goes { done: behind as u32, total: total as u32 });
        }
        let (bits, searches) = chains.finish(model, MAX_SWEEPS);
        if self.layer > 0 {
            self.drawn.heard.extend(decode(model, self.layer, chains.layer(self.layer))?.data());
        }
        self.drawn.bits.extend(bits);
        self.drawn.searches.extend(searches);
        self.chains = None;
        let behind = self.drawn.searches.len();
        if behind < total {
            return Ok(Progress::Goes { done: behind as u32, total: total as u32 });
        }
        Ok(Progress::Ends(std::mem::take(&mut self.drawn)))
    }
}

/// Chains that start from noise and make a number of Gibbs sweeps.
pub struct Sweeps<M> {
    model: M,
    chains: Completer,
    total: u32,
    done: u32,
}

/// The chains after these sweeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Swept {
    /// The modes of local searches from the chains, `[count, n_0]`, bytes 0 and 1.
    pub bits: Vec<u8>,
    /// Energy of each, in nats.
    pub energies: Vec<f64>,
    /// High visible units of each.
    pub high: Vec<f64>,
}

impl<M: Deref<Target = Dbm>> Sweeps<M> {
    /// `count` chains. Chains with more sweeps are the same chains further on.
    pub fn new(model: M, count: usize, sweeps: u32, seed: u64) -> Self {
        let chains = Completer::sample(&model, count, seed, 0);
        Self { model, chains, total: sweeps, done: 0 }
    }
}

impl<M: Deref<Target = Dbm>> Job for Sweeps<M> {
    type Result = Swept;

    fn advance(&mut self) -> Result<Progress<Swept>, EngineError> {
        let Self { model, chains, total, done } = self;
        if done < total {
            chains.sweep(model);
            *done += 1;
            return Ok(Progress::Goes { done: *done, total: *total });
        }
        let standing = chains.visible_bits();
        let high = standing.chunks(model.n_visible()).map(|bits| bits.iter().map(|&bit| f64::from(bit)).sum()).collect();
        let energies = chains.energies(model);
        Ok(Progress::Ends(Swept { bits: chains.look(model, MAX_SWEEPS).0, energies, high }))
    }
}
