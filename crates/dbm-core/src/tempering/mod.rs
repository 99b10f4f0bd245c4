//! The path from independent units to a model, through distributions in between: parallel tempering exchanges states along it, and
//! sequential Monte Carlo moves particles along it.
//!
//! A state holds one parity of layers; the other is summed out, which makes neighbouring distributions overlap more. With `p` the parity
//! held,
//!
//! `log p*(s_p) = sum_{l in p} b_l . s_l + sum_{l not in p} sum_j log sum_j(a_lj)`,
//!
//! where `a_l` is the field of layer `l`, and `log sum_j(a)` the log of the sum over one unit, `log 2 cosh a` for signs and `log(1 + e^a)` for bits.

mod exchange;
mod ladder;
mod overlaps;
mod path;
mod smc;
mod temperatures;

pub use exchange::{LadderDepth, Replicas};
pub use ladder::{Change, GROW_BELOW, INSERT_BELOW, Ladder};
pub(crate) use overlaps::Overlaps;
pub use overlaps::{Exchanges, SPACED, Spread};
pub use path::{Base, Path, PathPoint};
pub use smc::{OnWeightedSet, Pair, ParticleSet, RunCoupling, Weighing, runs};
pub use temperatures::Temperatures;

use crate::{Dbm, Parity};

/// The parity held by a state of free units: the one with fewer units, so that more are summed out; the odd one if they have equally many.
pub fn held_parity(model: &Dbm) -> Parity {
    let units = |parity: Parity| parity.layers(model.depth()).map(|l| model.sizes()[l]).sum::<usize>();
    if units(Parity::Even) < units(Parity::Odd) { Parity::Even } else { Parity::Odd }
}
