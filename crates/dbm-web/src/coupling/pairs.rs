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

impl Pair {
    /// In the order of legend and table.
    pub const ALL: [Self; 4] = [Self::MetropolisMode, Self::MetropolisUniform, Self::GibbsMode, Self::GibbsUniform];

    /// In the legend.
    pub const fn title(self) -> &'static str {
        ["Metropolis, local mode", "Metropolis, uniform", "Gibbs, local mode", "Gibbs, uniform"][self as usize]
    }

    /// In the address.
    pub const fn name(self) -> &'static str {
        ["mh-mode", "mh-uniform", "gibbs-mode", "gibbs-uniform"][self as usize]
    }

    /// What it does, as hover help.
    pub const fn help(self) -> &'static str {
        [
            "The paper’s coupling: a local search and one Gibbs sweep give the start; then one uniform proposal and one uniform number for both chains.",
            "The same proposals, but both chains begin at a uniform state, without a search.",
            "Gibbs sweeps, each block of units drawn together as often as the two laws allow, from a local mode.",
            "The coupling of Qiu et al. (2020): Gibbs sweeps, each block drawn together as often as the two laws allow, from a uniform state.",
        ][self as usize]
    }

    /// How it moves.
    pub const fn kernel(self) -> CouplingKernel {
        match self {
            Self::MetropolisMode | Self::MetropolisUniform => CouplingKernel::Metropolis,
            Self::GibbsMode | Self::GibbsUniform => CouplingKernel::Gibbs,
        }
    }

    /// Where it begins.
    pub const fn start(self) -> CouplingStart {
        match self {
            Self::MetropolisMode | Self::GibbsMode => CouplingStart::LocalMode,
            Self::MetropolisUniform | Self::GibbsUniform => CouplingStart::Uniform,
        }
    }

    /// Lengths of ink and gap of its line.
    pub const fn dash(self) -> &'static [f64] {
        const DASHES: [&[f64]; 4] = [&[], &[7.0, 3.0], &[2.0, 3.0], &[9.0, 3.0, 2.0, 3.0]];
        DASHES[self as usize]
    }
}

/// As address and CSV have it.
pub const fn kernel_name(kernel: CouplingKernel) -> &'static str {
    match kernel {
        CouplingKernel::Metropolis => "metropolis",
        CouplingKernel::Gibbs => "gibbs",
    }
}

/// Likewise.
pub const fn start_name(start: CouplingStart) -> &'static str {
    match start {
        CouplingStart::LocalMode => "local-mode",
        CouplingStart::Uniform => "uniform",
    }
}
