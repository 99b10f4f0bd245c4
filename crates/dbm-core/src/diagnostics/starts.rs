//! Where couplings begin: the states x_0 of a batch of runs.

use crate::Dbm;
use crate::chains::Chains;
use crate::rng::{Purpose, Stream, Streams};
use crate::sweep::{LocalMode, Reached, SearchInfo, uniform_start};
use crate::words::{choices, words};
use serde::{Deserialize, Serialize};
use std::ops::Range;

choices! {
    /// Where a pair of chains begins.
    #[derive(Default, Hash, Serialize, Deserialize)]
    pub enum CouplingStart = words(
        "start",
        "Start",
        "Where both begin: a local mode and one Gibbs sweep from it, or a uniform state.",
    );
    /// The local search's mode from a uniform state, then one Gibbs sweep (the paper's section 3.3).
    #[default]
    LocalMode = "local-mode", "local mode", "A local mode and one Gibbs sweep from it, as in the paper";
    Uniform = "uniform", "uniform", "A uniform state";
}

/// Sweeps after which a local search stops where it is. Searches take tens of sweeps; each sweep lowers the energy or ends the search, so
/// only rounding could keep one running.
const MAX_SWEEPS: u32 = 100_000;

/// Runs that are searched together.
const BATCH: u32 = 50;

/// Takes free chains of these runs to x_0, batch by batch, each run with the stream of its number; `each` receives a batch, its streams,
/// and what its searches did.
pub(super) fn begin_runs(
    model: &Dbm,
    start: CouplingStart,
    (streams, step): (Streams, u64),
    runs: Range<u32>,
    mut each: impl FnMut(&Chains, &mut [Stream], &[SearchInfo]),
) {
    for first in runs.clone().step_by(BATCH as usize) {
        let numbers = u64::from(first)..u64::from(runs.end.min(first.saturating_add(BATCH)));
        let mut streams = streams.of_chains(Purpose::Negative, step, numbers);
        let mut chains = Chains::free(model, streams.len());
        let searches = begin(model, &mut chains, start, &mut streams, |_, _| ());
        each(&chains, &mut streams, &searches);
    }
}

/// Takes the chains, one per stream, from uniform states to x_0, and returns what their searches did, or nothing if there was none.
/// `observe` sees the uniform states and then the chains after every half-sweep; it is meant for one chain.
///
/// The draws are those of UCD-LMI, and from a uniform start those of UCD-MH and UCD-Gibbs: uniform state, coin of the search, coin of the
/// sweep, sweep.
pub(super) fn begin(
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
            LocalMode { max_sweeps: MAX_SWEEPS, gibbs_sweeps: 1 }.apply(model, chains, &first, streams, observe)
        }
    }
}
