//! UCD-Gibbs: coupled Gibbs chains from a uniform start (Qiu, Zhang and Wang 2020).

use super::phase::PhaseRun;
use super::phases::{SymmetricEstimator, SymmetricExpectation};
use crate::expectation::{Expected, GibbsPair, StateSpace};

/// Unbiased contrastive divergence by coupled Gibbs chains.
///
/// x_0 = y_0 is uniform, and x_1 is one Gibbs sweep from it (even block, then odd); from then on both chains move together by
/// [`crate::coupling::GibbsCoupling`]. Unbiased as long as neither cap is reached: a coupling cut at `max_meeting` is kept with the
/// corrections it has, and a rejection cut at `max_tries` uses its last try. Both cause bias, and both are counted.
#[derive(Clone, Debug)]
pub struct UcdGibbs {
    /// Replace half of each state by its conditional means.
    pub marginalize: bool,
    /// Cap on a coupling, in steps.
    pub max_meeting: u32,
    /// Cap on a rejection, in tries. The expectation ignores it.
    pub max_tries: u32,
}

impl SymmetricEstimator for UcdGibbs {
    fn marginalizes(&self) -> bool {
        self.marginalize
    }

    fn batches_well(&self) -> bool {
        false
    }

    fn phase(&self, run: &mut PhaseRun) {
        run.start_uniform();
        run.couple_by_gibbs(self.max_tries, self.max_meeting);
    }
}

impl SymmetricExpectation for UcdGibbs {
    fn expected_phase(&self, space: &StateSpace) -> Expected {
        let start = space.uniform();
        let occupation = GibbsPair::new(space).occupation(&start, self.max_meeting);
        space.expected_coupled(&start, occupation, self.marginalize)
    }
}
