//! UCD-LMI: search to a mode, one Gibbs sweep, then a coupled pair of Metropolis chains (Taniguchi et al. 2023, Algorithm 2).

use super::phase::{PhaseRun, Proposals, SamePhases};
use crate::Settings;
use crate::coupling::{Acceptance, SharedUniform};
use crate::expectation::{Expected, MetropolisPair, StateSpace};
use crate::sweep::LocalMode;

/// Unbiased contrastive divergence with local mode initialization.
///
/// For one example, `gradient = positive - negative`, each `f(x_0) + sum_{t=1}^{tau-1} f(x_t) - f(y_{t-1})` with
/// `f = -dE/dtheta`: visible layer clamped in the positive phase; free, or with the known units clamped, in the negative one.
/// Its mean is the exact gradient, for any `max_sweeps`, as long as no coupling is cut at `max_meeting`; one that is cut is kept with
/// the corrections it has, and counted.
#[derive(Clone, Debug)]
pub struct UcdLmi<A = SharedUniform> {
    /// Replace half of each state by its conditional means.
    pub marginalize: bool,
    /// How the chains come to x_0.
    pub start: LocalMode,
    /// Cap of a coupling, in steps.
    pub max_meeting: u32,
    /// The coupling's acceptance.
    pub acceptance: A,
}

impl UcdLmi {
    /// As a run's settings say.
    pub fn new(settings: &Settings) -> Self {
        let Settings { marginalize, max_meeting, .. } = *settings;
        Self { marginalize, start: settings.local_mode(), max_meeting, acceptance: SharedUniform }
    }
}

impl<A: Acceptance> SamePhases for UcdLmi<A> {
    fn marginalizes(&self) -> bool {
        self.marginalize
    }

    fn phase(&self, run: &mut PhaseRun) {
        let first = run.start_uniform();
        let proposals = Proposals::recycled(run);
        run.find_local_mode(self.start, &first);
        run.couple_by_metropolis(proposals, &self.acceptance, self.max_meeting);
    }

    fn expected_phase(&self, space: &StateSpace) -> Expected {
        let start = space.local_mode(self.start);
        let occupation = MetropolisPair::new(space, &self.acceptance).occupation(&start, self.max_meeting);
        space.expected_coupled(&start, occupation, self.marginalize)
    }
}
