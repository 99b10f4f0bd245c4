//! The blocked Gibbs sweep: each parity drawn from its distribution given the other.

use crate::chains::{Chains, UpdateRule};
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
    in_order(first, |parity, group| {
        chains.half_sweep(model, parity, group, UpdateRule::Gibbs(streams));
    });
}

/// One sweep of all chains at the inverse temperature `beta`: as [`sweep`], but it leaves `exp(-beta E)` invariant. Below 1 chains cross between modes
/// more easily; at 1 it draws what [`sweep`] draws.
///
/// # Panics
/// If there is not one first parity and one stream a chain.
pub fn sweep_at(model: &Dbm, chains: &mut Chains, first: &[Parity], streams: &mut [Stream], beta: f32) {
    // On the way from units that are fair coins to the model.
    let coins: Vec<Vec<f32>> = model.sizes().iter().map(|&n| vec![0.0; n]).collect();
    assert_eq!((first.len(), streams.len()), (chains.count(), chains.count()));
    in_order(first, |parity, group| {
        chains.half_sweep(model, parity, group, UpdateRule::Annealed { streams, base: &coins, beta });
    });
}

/// Both halves of a sweep, of the chains that begin with one parity and of those that begin with the other.
fn in_order(first: &[Parity], mut half_sweep: impl FnMut(Parity, &[u32])) {
    for parity in [Parity::Even, Parity::Odd] {
        let group = chains_starting_with(parity, first);
        half_sweep(parity, &group);
        half_sweep(parity.other(), &group);
    }
}

/// Draws one parity of all chains given the other.
///
/// # Panics
/// If there is not one stream a chain.
pub fn half_sweep(model: &Dbm, chains: &mut Chains, parity: Parity, streams: &mut [Stream]) {
    assert_eq!(streams.len(), chains.count());
    let all: Vec<u32> = (0..chains.count() as u32).collect();
    chains.half_sweep(model, parity, &all, UpdateRule::Gibbs(streams));
}
