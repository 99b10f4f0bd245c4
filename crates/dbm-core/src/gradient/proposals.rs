//! The first proposal of every chain, recycled from the random starts.

use super::phase::PhaseRun;
use crate::Dbm;
use crate::chains::{Chains, Clamp};
use crate::parity::Parity;
use crate::rng::Stream;

/// Each chain's first proposal with its energy.
///
/// The random state that another chain starts from is independent of this chain's x_0, and its energy falls out of the
/// fields of its first half-sweep: so it serves as this chain's first proposal. Where that is impossible (a chain with masked
/// units shares its known units with no other; a batch of one) a proposal is drawn anew.
pub(super) struct Proposals {
    /// Whose start it is, for recycled ones.
    donors: Vec<Option<usize>>,
    energies: Vec<f64>,
    /// The states drawn anew.
    fresh: Option<Chains>,
    /// Chain to row of `fresh`.
    fresh_rows: Vec<usize>,
}

impl Proposals {
    /// Takes the uniform starts, which the chains must be at.
    pub fn recycled(model: &Dbm, chains: &Chains) -> Self {
        let count = chains.count();
        let clamped = *chains.clamp() == Clamp::Visible;
        let shares: Vec<usize> = (0..count).filter(|&c| clamped || !chains.is_clamped(c)).collect();
        let (mut donors, mut energies) = (vec![None; count], vec![f64::NAN; count]);
        if shares.len() > 1 {
            for (place, &c) in shares.iter().enumerate() {
                let donor = shares[(place + 1) % shares.len()];
                donors[c] = Some(donor);
                energies[c] = if clamped { chains.energy_with_visible_of(model, donor, c) } else { chains.energy(model, donor) };
            }
        }
        Self { donors, energies, fresh: None, fresh_rows: vec![usize::MAX; count] }
    }

    /// Draws those still missing, from the streams of their own chains, in one batch.
    pub fn with_fresh(mut self, run: &PhaseRun, chains: &Chains, streams: &mut [Stream]) -> Self {
        let missing: Vec<usize> = (0..chains.count()).filter(|&c| self.donors[c].is_none()).collect();
        if missing.is_empty() {
            return self;
        }
        let mut fresh = chains.same_clamp(run.model, &missing);
        for (row, &c) in missing.iter().enumerate() {
            fresh.randomize(run.model, row, &mut streams[c]);
            self.fresh_rows[c] = row;
        }
        let rows: Vec<u32> = (0..missing.len() as u32).collect();
        fresh.refresh(run.model, Parity::Odd, &rows);
        for (row, &c) in missing.iter().enumerate() {
            self.energies[c] = fresh.energy(run.model, row);
        }
        self.fresh = Some(fresh);
        self
    }

    /// Energy of the state proposed to chain `c`.
    pub fn energy(&self, c: usize) -> f64 {
        self.energies[c]
    }

    /// The proposed state itself; a recycled one is drawn again from the beginning of its donor's stream.
    pub fn state(&self, run: &PhaseRun, chains: &Chains, c: usize) -> Vec<Vec<f32>> {
        match (self.donors[c], &self.fresh) {
            (None, Some(fresh)) => fresh.state(self.fresh_rows[c]),
            (donor, _) => chains.uniform_state(run.model, c, &mut run.stream(donor.unwrap_or(c))),
        }
    }
}
