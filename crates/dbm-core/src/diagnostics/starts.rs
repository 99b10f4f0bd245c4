//! Where couplings begin: the states x_0 of a batch of runs.

use super::CouplingStart;
use crate::chains::Chains;
use crate::rng::Stream;
use crate::search::{SearchInfo, search};
use crate::{Dbm, Parity, gibbs};

/// Sweeps of a local search, after which it stops where it is. Searches take tens of sweeps; each lowers the energy or ends, so only rounding could keep
/// one going.
pub(super) const MAX_SWEEPS: u32 = 100_000;

/// Takes the chains, one a stream, from uniform states to x_0, and says what their searches did; nothing where there was none.
///
/// The draws are those of UCD-LMI, and from a uniform start those of UCD-MH and UCD-Gibbs: uniform state, coin of the search, coin of the sweep, sweep.
pub(super) fn begin(model: &Dbm, chains: &mut Chains, start: CouplingStart, streams: &mut [Stream]) -> Vec<SearchInfo> {
    let mut first = Vec::with_capacity(streams.len());
    for (c, stream) in streams.iter_mut().enumerate() {
        chains.randomize(model, c, stream);
        first.push(Parity::first(stream.coin()));
    }
    if start == CouplingStart::Uniform {
        return vec![SearchInfo::default(); streams.len()];
    }
    let searches = search(model, chains, &first, MAX_SWEEPS);
    let first: Vec<Parity> = streams.iter_mut().map(|stream| Parity::first(stream.coin())).collect();
    gibbs::sweep(model, chains, &first, streams);
    searches
}
