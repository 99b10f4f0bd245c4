//! UCD-LMI: search to a mode, one Gibbs sweep, then a coupled pair of Metropolis chains (Taniguchi et al. 2023, Algorithm 2); and UCD-MH,
//! the same without the search (the ablation in their Figure 1).

use super::phase::PhaseRun;
use super::phases::{SymmetricEstimator, SymmetricExpectation};
use super::proposals::Proposals;
use crate::coupling::{Acceptance, SharedUniform};
use crate::expectation::{Expected, MetropolisPair, StateSpace};
use crate::sweep::LocalMode;

/// Unbiased contrastive divergence with local mode initialization.
///
/// For one example, `gradient = positive - negative`, each `f(x_0) + sum_{t=1}^{tau-1} f(x_t) - f(y_{t-1})` with `f = -dE/dtheta`. The
/// visible layer is clamped in the positive phase; in the negative phase it is free, or has the known units clamped. The mean is the exact
/// gradient, for any `max_sweeps`, as long as no coupling is cut at `max_meeting`. One that is cut is kept with the corrections it has,
/// which causes bias, and is counted.
///
/// Without the search, x_0 is the uniform state itself (UCD-MH). This is also unbiased, but with a far larger variance: x_0 says nothing
/// about the model, so everything is left to the corrections, and these end only once the chains have accepted a proposal together.
#[derive(Clone, Debug)]
pub struct UcdLmi<A = SharedUniform> {
    /// Replace half of each state by its conditional means.
    pub marginalize: bool,
    /// How the chains get to x_0 from a uniform state; `None` if that is x_0.
    pub start: Option<LocalMode>,
    /// Cap on a coupling, in steps.
    pub max_meeting: u32,
    /// The coupling's acceptance.
    pub acceptance: A,
}

impl<A: Acceptance> SymmetricEstimator for UcdLmi<A> {
    fn marginalizes(&self) -> bool {
        self.marginalize
    }

    fn batches_well(&self) -> bool {
        self.start.is_some()
    }

    fn phase(&self, run: &mut PhaseRun) {
        let first = run.start_uniform();
        let proposals = Proposals::recycled(run);
        if let Some(start) = self.start {
            run.find_local_mode(start, &first);
        }
        run.couple_by_metropolis(proposals, &self.acceptance, self.max_meeting);
    }
}

impl<A: Acceptance> SymmetricExpectation for UcdLmi<A> {
    fn expected_phase(&self, space: &StateSpace) -> Expected {
        let start = self.start.map_or_else(|| space.uniform(), |start| space.local_mode(start));
        let occupation = MetropolisPair::new(space, &self.acceptance).occupation(&start, self.max_meeting);
        space.expected_coupled(&start, occupation, self.marginalize)
    }
}
