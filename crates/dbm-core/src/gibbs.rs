//! The blocked Gibbs sweep: each parity drawn from its distribution given the other.

use crate::chains::{Chains, Rule};
use crate::rng::Stream;
use crate::search::chains_starting_with;
use crate::{Dbm, parity::Parity};

/// One sweep of all chains; `first[c]` is the parity that chain `c` draws first. Leaves `exp(-E)`, restricted to what is not
/// clamped, invariant.
///
/// # Panics
/// If there is not one first parity and one stream a chain.
pub fn sweep(model: &Dbm, chains: &mut Chains, first: &[Parity], streams: &mut [Stream]) {
    assert_eq!((first.len(), streams.len()), (chains.count(), chains.count()));
    for parity in [Parity::Even, Parity::Odd] {
        let group = chains_starting_with(parity, first);
        for half in [parity, parity.other()] {
            chains.half_sweep(model, half, &group, Rule::Gibbs(streams));
        }
    }
}

/// Draws one parity of all chains given the other.
///
/// # Panics
/// If there is not one stream a chain.
pub fn half_sweep(model: &Dbm, chains: &mut Chains, parity: Parity, streams: &mut [Stream]) {
    assert_eq!(streams.len(), chains.count());
    let all: Vec<u32> = (0..chains.count() as u32).collect();
    chains.half_sweep(model, parity, &all, Rule::Gibbs(streams));
}
