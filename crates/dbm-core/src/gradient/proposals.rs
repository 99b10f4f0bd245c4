//! The first proposals of chains.
//!
//! **Recycled proposals.** The uniform random state that starts another chain's search is independent of this chain's x_0, and its energy
//! is a by-product of the fields of its own first half-sweep: so it serves as this chain's first proposal. A chain with masked units shares
//! its known units with no other and draws its own proposal, and so does a batch of one. Only if a proposal is accepted, which never
//! happens in a wide model, is a recycled state drawn again, from the beginning of the other chain's stream. Chains become pairwise
//! dependent; each estimate, and so their mean, stays unbiased.

use super::phase::PhaseRun;
use crate::chains::Chains;
use crate::rng::Stream;
use crate::{Clamp, Dbm, Parity};

/// Each chain's first proposal with its energy: recycled from another chain's start, or freshly drawn.
pub(super) struct Proposals {
    /// For recycled proposals, the chain whose start it is.
    donors: Vec<Option<usize>>,
    pub energies: Vec<f64>,
    /// Each chain's stream as it was before its start was drawn.
    starts: Vec<Stream>,
    /// The freshly drawn states.
    fresh: Option<Chains>,
    /// The row in `fresh` of each chain.
    fresh_rows: Vec<usize>,
}

impl Proposals {
    /// Takes the uniform starts; the chains of the phase must be there.
    pub fn recycled(run: &PhaseRun) -> Self {
        let PhaseRun { model, chains, starts, .. } = run;
        let count = chains.count();
        let clamped = *chains.clamp() == Clamp::Visible;
        // Hidden states drawn with another label clamped cannot be proposals.
        let shares = (0..count).filter(|&c| (clamped || !chains.clamp_of(c).holds_any()) && !chains.top_is_clamped());
        let shares: Vec<usize> = shares.collect();
        let (mut donors, mut energies) = (vec![None; count], vec![f64::NAN; count]);
        for shares in shares.chunk_by(|&a, &b| run.shard_of[a] == run.shard_of[b]).filter(|shares| shares.len() > 1) {
            for (place, &c) in shares.iter().enumerate() {
                let donor = shares[(place + 1) % shares.len()];
                donors[c] = Some(donor);
                energies[c] = if clamped { chains.energy_with_visible_of(model, donor, c) } else { chains.energy(model, donor) };
            }
        }
        Self { donors, energies, starts: starts.clone(), fresh: None, fresh_rows: vec![usize::MAX; count] }
    }

    /// Draws the missing proposals from their own chains' streams, in one batch.
    pub fn with_fresh(mut self, run: &mut PhaseRun) -> Self {
        let missing: Vec<usize> = (0..run.chains.count()).filter(|&c| self.donors[c].is_none()).collect();
        if missing.is_empty() {
            return self;
        }
        let mut fresh = run.chains.same_clamp(run.model, &missing);
        for (row, &c) in missing.iter().enumerate() {
            fresh.randomize(run.model, row, &mut run.streams[c]);
            self.fresh_rows[c] = row;
        }
        fresh.refresh(run.model, Parity::Odd, &fresh.all());
        for (row, &c) in missing.iter().enumerate() {
            self.energies[c] = fresh.energy(run.model, row);
        }
        self.fresh = Some(fresh);
        self
    }

    /// The state proposed to a chain; a recycled one is drawn again.
    pub fn state(&self, model: &Dbm, chains: &Chains, c: usize) -> Vec<Vec<f32>> {
        match (self.donors[c], &self.fresh) {
            (None, Some(fresh)) => fresh.state(self.fresh_rows[c]),
            (donor, _) => chains.uniform_state(model, c, &mut self.starts[donor.unwrap_or(c)].clone()),
        }
    }
}
