//! The four pairs of chains that the figure compares: a kernel and a start each.

use dbm_core::diagnostics::{CouplingKernel, CouplingStart};

/// One of the four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pair {
    /// The paper's: Metropolis from the local mode.
    MetropolisMode,
    /// Metropolis from a uniform state.
    MetropolisUniform,
    /// Gibbs from the local mode.
    GibbsMode,
    /// Gibbs from a uniform state: Qiu et al. (2020).
    GibbsUniform,
}

/// What a pair is called, and what it is.
pub struct PairRow {
    /// In the legend.
    pub title: &'static str,
    /// In the address.
    pub name: &'static str,
    /// What it does, as hover help.
    pub help: &'static str,
    /// How it moves.
    pub kernel: CouplingKernel,
    /// Where it begins.
    pub start: CouplingStart,
    /// Lengths of ink and gap of its line, in pixels.
    pub dash: &'static [f64],
}

const ROWS: [PairRow; 4] = [
    PairRow {
        title: "Metropolis, local mode",
        name: "mh-mode",
        help: "The paper’s coupling: a local search and one Gibbs sweep give the start; then one uniform proposal and one uniform number for both chains.",
        kernel: CouplingKernel::Metropolis,
        start: CouplingStart::LocalMode,
        dash: &[],
    },
    PairRow {
        title: "Metropolis, uniform",
        name: "mh-uniform",
        help: "The same proposals, but both chains begin at a uniform state, without a search.",
        kernel: CouplingKernel::Metropolis,
        start: CouplingStart::Uniform,
        dash: &[7.0, 3.0],
    },
    PairRow {
        title: "Gibbs, local mode",
        name: "gibbs-mode",
        help: "Gibbs sweeps, each block of units drawn together as often as the two laws allow, from a local mode.",
        kernel: CouplingKernel::Gibbs,
        start: CouplingStart::LocalMode,
        dash: &[2.0, 3.0],
    },
    PairRow {
        title: "Gibbs, uniform",
        name: "gibbs-uniform",
        help: "The coupling of Qiu et al. (2020): Gibbs sweeps, each block drawn together as often as the two laws allow, from a uniform state.",
        kernel: CouplingKernel::Gibbs,
        start: CouplingStart::Uniform,
        dash: &[9.0, 3.0, 2.0, 3.0],
    },
];

impl Pair {
    /// In the order of legend and table.
    pub const ALL: [Self; 4] = [Self::MetropolisMode, Self::MetropolisUniform, Self::GibbsMode, Self::GibbsUniform];

    /// Its names and parts.
    pub const fn row(self) -> &'static PairRow {
        &ROWS[self as usize]
    }
}
