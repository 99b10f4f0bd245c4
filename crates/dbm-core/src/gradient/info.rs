//! What happened while a gradient was estimated: views read this and nothing else.

/// One phase of a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhaseInfo {
    /// T of each local search.
    pub sweeps: Vec<u32>,
    /// Searches cut at the cap: their chains start elsewhere than in a mode, which biases nothing.
    pub searches_capped: u32,
    /// tau of each coupling.
    pub meeting_times: Vec<u32>,
    /// Couplings cut at the cap: their estimates are kept, and biased.
    pub couplings_capped: u32,
    /// Metropolis proposals made to x chains.
    pub proposals: u64,
    /// Of these, accepted.
    pub accepted: u64,
    /// Sum of the energies of the states x_0.
    pub energy_sum: f64,
    /// How many x_0 that sum covers.
    pub chains: u32,
    /// Seconds of search and sweep.
    pub search_seconds: f64,
    /// Seconds of coupling.
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

    fn append(&mut self, other: &Self) {
        self.sweeps.extend_from_slice(&other.sweeps);
        self.searches_capped += other.searches_capped;
        self.meeting_times.extend_from_slice(&other.meeting_times);
        self.couplings_capped += other.couplings_capped;
        self.proposals += other.proposals;
        self.accepted += other.accepted;
        self.energy_sum += other.energy_sum;
        self.chains += other.chains;
        self.search_seconds += other.search_seconds;
        self.coupling_seconds += other.coupling_seconds;
    }
}

/// Both phases of a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info {
    /// Data clamped. Empty for an RBM, whose posterior is exact.
    pub positive: PhaseInfo,
    /// Free, or known units clamped.
    pub negative: PhaseInfo,
}

impl Info {
    /// Adds what happened in another shard of the same batch.
    pub fn append(&mut self, other: &Self) {
        self.positive.append(&other.positive);
        self.negative.append(&other.negative);
    }
}
