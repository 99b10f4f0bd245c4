//! Where couplings begin: the states x_0 of a batch of runs.

use crate::Dbm;
use crate::chains::Chains;
use crate::rng::Stream;
use crate::sweep::{LocalMode, Reached, SearchInfo, uniform_start};
use crate::words::{Choice, Choose, Words, choice, words};
use serde::{Deserialize, Serialize};

/// Where a pair of chains begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CouplingStart {
    /// The local search's mode from a uniform state, then one Gibbs sweep (the paper's section 3.3).
    #[default]
    LocalMode,
    /// A uniform state.
    Uniform,
}

impl Choose for CouplingStart {
    const WORDS: Words =
        words("start", "Start", "Where both begin: a local mode and one Gibbs sweep from it, or a uniform state.");
    const CHOICES: &'static [Choice<Self>] = &[
        choice(Self::LocalMode, "local-mode", "local mode", "A local mode and one Gibbs sweep from it, as in the paper"),
        choice(Self::Uniform, "uniform", "uniform", "A uniform state"),
    ];
}

/// Sweeps of a local search, after which it stops where it is. Searches take tens of sweeps; each lowers the energy or ends, so only rounding could keep
/// one going.
const MAX_SWEEPS: u32 = 100_000;

/// Takes the chains, one a stream, from uniform states to x_0, and says what their searches did; nothing where there was none.
///
/// The draws are those of UCD-LMI, and from a uniform start those of UCD-MH and UCD-Gibbs: uniform state, coin of the search, coin of the sweep, sweep.
pub(super) fn begin(model: &Dbm, chains: &mut Chains, start: CouplingStart, streams: &mut [Stream]) -> Vec<SearchInfo> {
    begin_observed(model, chains, start, streams, |_, _| ())
}

/// The same; `observe` sees the uniform states and then the chains after every half-sweep. Meant for one chain.
pub(super) fn begin_observed(
    model: &Dbm,
    chains: &mut Chains,
    start: CouplingStart,
    streams: &mut [Stream],
    mut observe: impl FnMut(&Chains, Reached),
) -> Vec<SearchInfo> {
    let first = uniform_start(model, chains, streams);
    observe(chains, Reached::Uniform);
    match start {
        CouplingStart::Uniform => vec![SearchInfo::default(); streams.len()],
        CouplingStart::LocalMode => {
            LocalMode { max_sweeps: MAX_SWEEPS, gibbs_sweeps: 1 }.apply_observed(model, chains, &first, streams, observe)
        }
    }
}
