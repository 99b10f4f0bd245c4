//! LMI: a local mode and one Gibbs sweep without coupling; what UCD-LMI amounts to where couplings never make a correction.

use super::phase::PhaseRun;
use super::phases::{SymmetricEstimator, SymmetricExpectation};
use crate::expectation::{Expected, StateSpace};
use crate::sweep::LocalMode;

/// Local mode initialization alone: each phase is `f(x_0)`, where x_0 is one Gibbs sweep from a mode (Taniguchi et al. 2023, section 3.3).
///
/// Biased: x_0 is distributed by where searches end, not by the model. In a wide model the couplings of UCD-LMI all end at tau = 1, and
/// the two estimators give the same numbers.
#[derive(Clone, Debug)]
pub struct Lmi {
    /// Replace half of each state by its conditional means.
    pub marginalize: bool,
    /// How the chains get to x_0.
    pub start: LocalMode,
}

impl SymmetricEstimator for Lmi {
    fn marginalizes(&self) -> bool {
        self.marginalize
    }

    fn batches_well(&self) -> bool {
        true
    }

    fn phase(&self, run: &mut PhaseRun) {
        let first = run.start_uniform();
        run.find_local_mode(self.start, &first);
        run.push_states();
    }
}

impl SymmetricExpectation for Lmi {
    fn expected_phase(&self, space: &StateSpace) -> Expected {
        space.expected(&space.local_mode(self.start), self.marginalize)
    }
}
