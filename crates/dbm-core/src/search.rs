//! Local search: conditional minima, parity by parity, until a mode (paper, Algorithm 1).

use crate::chains::{Chains, UpdateRule};
use crate::{Dbm, parity::Parity};

/// What one chain's search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchInfo {
    /// T: whole sweeps, the last of which changed nothing.
    pub sweeps: u32,
    /// Whether the cap stopped it before a mode was reached.
    pub capped: bool,
}

/// Searches from the present states of all chains; `first[c]` is the parity that chain `c` updates first.
///
/// The energy never rises, and each search that is not capped ends in a state where neither parity alone can lower it. Chains
/// leave the batch as they arrive.
///
/// # Panics
/// If there is not one first parity a chain.
pub fn search(model: &Dbm, chains: &mut Chains, first: &[Parity], max_sweeps: u32) -> Vec<SearchInfo> {
    assert_eq!(first.len(), chains.count());
    let mut info = vec![SearchInfo::default(); chains.count()];
    for parity in [Parity::Even, Parity::Odd] {
        let mut active = chains_starting_with(parity, first);
        for sweep in 1..=max_sweeps {
            if active.is_empty() {
                break;
            }
            let flipped = chains.half_sweep(model, parity, &active, UpdateRule::Minimum);
            // From the second sweep on, a first half that changes nothing leaves nothing for the second half to change.
            let mut still = Vec::with_capacity(active.len());
            let mut first_half = Vec::with_capacity(active.len());
            for (&c, &flipped) in active.iter().zip(&flipped) {
                if flipped == 0 && sweep > 1 {
                    info[c as usize].sweeps = sweep;
                } else {
                    still.push(c);
                    first_half.push(flipped);
                }
            }
            let flipped = chains.half_sweep(model, parity.other(), &still, UpdateRule::Minimum);
            active.clear();
            for ((&c, &before), &after) in still.iter().zip(&first_half).zip(&flipped) {
                if after > 0 {
                    active.push(c);
                } else {
                    // Nothing can change any more; the sweep that would find so is counted, but need not be made.
                    info[c as usize].sweeps = sweep + u32::from(before > 0);
                }
            }
        }
        for c in active {
            info[c as usize] = SearchInfo { sweeps: max_sweeps, capped: true };
        }
    }
    info
}

/// Chains whose coin chose this parity to be updated first.
pub(crate) fn chains_starting_with(parity: Parity, first: &[Parity]) -> Vec<u32> {
    (0..first.len() as u32).filter(|&c| first[c as usize] == parity).collect()
}

/// Searches with chain 0 alone, showing `observe` the chains after every half-sweep with the number of units it flipped.
pub fn search_observed(
    model: &Dbm,
    chains: &mut Chains,
    first: Parity,
    max_sweeps: u32,
    mut observe: impl FnMut(&Chains, u32),
) -> SearchInfo {
    for sweep in 1..=max_sweeps {
        let mut changed = false;
        for parity in [first, first.other()] {
            let flipped = chains.half_sweep(model, parity, &[0], UpdateRule::Minimum)[0];
            changed |= flipped > 0;
            observe(chains, flipped);
        }
        if !changed {
            return SearchInfo { sweeps: sweep, capped: false };
        }
    }
    SearchInfo { sweeps: max_sweeps, capped: true }
}
