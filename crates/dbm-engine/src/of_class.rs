//! Samples of one class: those that the model itself reads as that class.

use crate::samples::TOGETHER;
use crate::{EngineError, Job, MAX_SWEEPS, Progress};
use dbm_core::Dbm;
use dbm_core::classes::read;
use dbm_core::complete::{Completer, SamplingSchedule};
use dbm_core::sweep::SearchInfo;
use std::ops::{Deref, Range};

/// Maximum number of samples drawn for each one requested.
const TRIES: usize = 100;

/// The samples of one class requested from a model whose top layer stands for classes: the first that it reads as the class, in the order
/// of their chains. If the schedule draws a class first, all chains are of this class, because few would be read as it otherwise. If it
/// does not, the chains are free, because chains with a clamped class would have to mix again.
#[derive(Clone, Copy, Debug)]
pub struct OfClass {
    /// How each is drawn.
    pub schedule: SamplingSchedule,
    /// The class, counted from 0.
    pub class: usize,
    /// Whether the model was trained to predict classes by mean field, and so reads them that way.
    pub predicts: bool,
    /// How many are requested.
    pub count: usize,
    /// The seed of the samples.
    pub seed: u64,
}

/// Samples of a class.
#[derive(Clone, Debug, Default)]
pub struct OfClassSamples {
    /// `[count, n_0]`, bytes 0 and 1.
    pub bits: Vec<u8>,
    /// Statistics of each search.
    pub searches: Vec<SearchInfo>,
    /// Energy of the whole state of each.
    pub energies: Vec<f64>,
    /// Samples drawn so far.
    drawn: usize,
}

impl OfClass {
    /// Chains at their start.
    fn begin(&self, model: &Dbm, chains: Range<usize>) -> Completer {
        Completer::sample_class(model, (self.schedule, self.class), chains.len(), self.seed, chains.start as u64)
    }

    /// What finished chains contribute to the class.
    fn taken(&self, model: &Dbm, chains: &mut Completer) -> OfClassSamples {
        let (bits, searches) = chains.finish(model, MAX_SWEEPS);
        let (energies, classes) = (chains.energies(model), read(model, chains.layer(0), self.predicts));
        let mut kept = OfClassSamples { drawn: searches.len(), ..OfClassSamples::default() };
        for (((bits, search), energy), class) in bits.chunks(model.n_visible()).zip(searches).zip(energies).zip(classes) {
            if class == self.class {
                kept.bits.extend(bits);
                kept.searches.push(search);
                kept.energies.push(energy);
            }
        }
        kept
    }

    /// What these chains contribute to the class.
    pub fn draw(&self, model: &Dbm, chains: Range<usize>) -> OfClassSamples {
        let mut drawn = self.begin(model, chains);
        let mut done = 0;
        while drawn.advance(model, self.schedule, done, MAX_SWEEPS) {
            done += 1;
        }
        self.taken(model, &mut drawn)
    }

    /// Adds what the next chains contribute, up to the number requested. Returns whether that is enough, or whether so few are of the class
    /// that the search for more ends.
    pub fn collect(&self, kept: &mut OfClassSamples, part: &OfClassSamples) -> bool {
        let n = part.bits.len() / part.searches.len().max(1);
        let room = self.count - kept.searches.len();
        kept.bits.extend(part.bits.iter().take(room * n));
        kept.searches.extend(part.searches.iter().take(room));
        kept.energies.extend(part.energies.iter().take(room));
        kept.drawn += part.drawn;
        kept.searches.len() == self.count || kept.drawn >= TRIES * self.count
    }

    /// Why fewer were found than requested.
    pub fn few(&self, kept: &OfClassSamples) -> EngineError {
        let OfClassSamples { searches, drawn, .. } = kept;
        EngineError::FewOfClass { class: self.class, drawn: *drawn, found: searches.len(), wanted: self.count }
    }

    /// The samples as a job for one thread: as many as requested, at least one.
    pub fn job<M: Deref<Target = Dbm>>(self, model: M) -> impl Job<Result = OfClassSamples> {
        let chains = self.begin(&model, 0..TOGETHER);
        OfClassJob { model, wanted: self, chains, done: 0, kept: OfClassSamples::default() }
    }
}

struct OfClassJob<M> {
    model: M,
    wanted: OfClass,
    chains: Completer,
    /// Sweeps that these chains have made.
    done: u32,
    kept: OfClassSamples,
}

impl<M: Deref<Target = Dbm>> Job for OfClassJob<M> {
    type Result = OfClassSamples;

    fn advance(&mut self) -> Result<Progress<OfClassSamples>, EngineError> {
        let Self { model, wanted, chains, done, kept } = self;
        if chains.advance(model, wanted.schedule, *done, MAX_SWEEPS) {
            *done += 1;
        } else if wanted.collect(kept, &wanted.taken(model, chains)) {
            return if kept.searches.is_empty() { Err(wanted.few(kept)) } else { Ok(Progress::Ends(std::mem::take(kept))) };
        } else {
            (*chains, *done) = (wanted.begin(model, kept.drawn..kept.drawn + TOGETHER), 0);
        }
        Ok(Progress::Goes { done: kept.searches.len() as u32, total: wanted.count as u32 })
    }
}
