//! What happened while a gradient was estimated; the views of the page read this and nothing else.

use crate::chains::FieldCost;
use crate::tempering::{Exchanges, Spread};
use serde::{Deserialize, Serialize};

/// One phase of a batch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseInfo {
    /// T of each local search.
    pub sweeps: Vec<u32>,
    /// Searches cut at the cap: their chains do not start in a mode, which causes no bias.
    pub searches_capped: u32,
    /// tau of each coupling.
    pub meeting_times: Vec<u32>,
    /// Couplings cut at the cap: their estimates are kept, though biased.
    pub couplings_capped: u32,
    /// Metropolis proposals made to x chains.
    pub proposals: u64,
    /// Proposals accepted.
    pub accepted: u64,
    /// Steps of Gibbs couplings in which the rejection reached its cap on tries, so that y's draw is biased.
    pub tries_capped: u32,
    /// Sweeps of each mean-field iteration.
    pub mean_field_sweeps: Vec<u32>,
    /// Mean-field iterations cut at the cap: their last iterate is used.
    pub mean_field_capped: u32,
    /// Sum of the energies of the states x_0, or of the last states if the chains are not coupled.
    pub energy_sum: f64,
    /// Number of states in that sum.
    pub chains: u32,
    /// The visible layers of the free chains of a negative phase, `[chains, n_0]`, at the states x_0, or at their last states if they are
    /// not coupled. Each unit has its likelier value given the layer above; rows are packed as in
    /// [`Examples::packed`](crate::Examples::packed). Chains that keep known units are left out.
    pub visible: Vec<u8>,
    /// The outcome of exchanges between neighbouring rungs, if there are any.
    pub exchanges: Exchanges,
    /// How much each step of the free particles' path changed their weights, if there are particles.
    pub spread: Spread,
    /// Multiply-adds spent on the fields of its chains.
    pub work: FieldCost,
    /// Seconds of search and sweeps, including the creation of the chains, summed over shards on all threads.
    pub search_seconds: f64,
    /// Seconds of coupling, including the first proposals, means and moments, summed likewise.
    pub coupling_seconds: f64,
}

impl PhaseInfo {
    /// Mean energy of the states x_0; NaN for none.
    pub fn mean_energy(&self) -> f64 {
        self.energy_sum / f64::from(self.chains)
    }

    /// Share of proposals accepted; 0 for none.
    pub fn acceptance(&self) -> f64 {
        if self.proposals == 0 { 0.0 } else { self.accepted as f64 / self.proposals as f64 }
    }

    /// Adds what happened in other chains of the same phase.
    pub(super) fn append(&mut self, other: &Self) {
        self.sweeps.extend_from_slice(&other.sweeps);
        self.searches_capped += other.searches_capped;
        self.meeting_times.extend_from_slice(&other.meeting_times);
        self.couplings_capped += other.couplings_capped;
        self.proposals += other.proposals;
        self.accepted += other.accepted;
        self.tries_capped += other.tries_capped;
        self.mean_field_sweeps.extend_from_slice(&other.mean_field_sweeps);
        self.mean_field_capped += other.mean_field_capped;
        self.energy_sum += other.energy_sum;
        self.chains += other.chains;
        self.visible.extend_from_slice(&other.visible);
        self.exchanges.append(&other.exchanges);
        self.spread.append(&other.spread);
        self.work += other.work;
        self.search_seconds += other.search_seconds;
        self.coupling_seconds += other.coupling_seconds;
    }
}

/// Both phases of a batch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Info {
    /// With the data clamped. Empty for an RBM, whose posterior is exact, unless examples have gaps: those need chains.
    pub positive: PhaseInfo,
    /// Free, or with known units clamped.
    pub negative: PhaseInfo,
}

impl Info {
    /// Adds what happened in another shard of the same batch.
    pub fn append(&mut self, other: &Self) {
        self.positive.append(&other.positive);
        self.negative.append(&other.negative);
    }
}
