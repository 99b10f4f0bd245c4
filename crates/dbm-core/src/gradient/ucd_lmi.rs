//! UCD-LMI: search to a mode, one Gibbs sweep, then a coupled pair of Metropolis chains (Taniguchi et al. 2023, Algorithm 2); and UCD-MH, the same without the search
//! (the ablation in Figure 1 there).

use super::phase::PhaseRun;
use super::phases::{SameExpectation, SamePhases};
use super::proposals::Proposals;
use crate::coupling::{Acceptance, SharedUniform};
use crate::expectation::{Expected, MetropolisPair, StateSpace};
use crate::sweep::LocalMode;

/// Unbiased contrastive divergence with local mode initialization.
///
/// For one example, `gradient = positive - negative`, each `f(x_0) + sum_{t=1}^{tau-1} f(x_t) - f(y_{t-1})` with
/// `f = -dE/dtheta`: visible layer clamped in the positive phase; free, or with the known units clamped, in the negative one.
/// Its mean is the exact gradient, for any `max_sweeps`, as long as no coupling is cut at `max_meeting`; one that is cut is kept with
/// the corrections it has, which biases, and counted.
///
/// Without the search, x_0 being the uniform state itself (UCD-MH), it is unbiased too, and of a far greater variance: x_0 says nothing of the model, so everything is left to
/// the corrections, and they end only once the chains have accepted one proposal together.
#[derive(Clone, Debug)]
pub struct UcdLmi<A = SharedUniform> {
    /// Replace half of each state by its conditional means.
    pub marginalize: bool,
    /// How the chains come to x_0 from a uniform state; `None` where that is x_0.
    pub start: Option<LocalMode>,
    /// Cap of a coupling, in steps.
    pub max_meeting: u32,
    /// The coupling's acceptance.
    pub acceptance: A,
}

impl<A: Acceptance> SamePhases for UcdLmi<A> {
    fn marginalizes(&self) -> bool {
        self.marginalize
    }

    fn sweeps_most(&self) -> bool {
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

impl<A: Acceptance> SameExpectation for UcdLmi<A> {
    fn expected_phase(&self, space: &StateSpace) -> Expected {
        let start = self.start.map_or_else(|| space.uniform(), |start| space.local_mode(start));
        let occupation = MetropolisPair::new(space, &self.acceptance).occupation(&start, self.max_meeting);
        space.expected_coupled(&start, occupation, self.marginalize)
    }
}
