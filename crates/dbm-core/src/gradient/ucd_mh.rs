//! UCD-MH: the Metropolis coupling from a uniform start, without the local search (the ablation in Figure 1 of Taniguchi et al. 2023).

use super::phase::{PhaseRun, Proposals, SamePhases};
use crate::Settings;
use crate::coupling::{Acceptance, SharedUniform};
use crate::expectation::{Expected, MetropolisPair, StateSpace};

/// Unbiased contrastive divergence by coupled Metropolis chains from uniform states.
///
/// As [`super::UcdLmi`], but x_0 is the uniform state itself. Unbiased too, and of a far greater variance: x_0 says nothing of the
/// model, so everything is left to the corrections, and they end only once the chains have accepted one proposal together. A coupling cut at
/// `max_meeting` is kept with the corrections it has, which biases, and counted.
#[derive(Clone, Debug)]
pub struct UcdMh<A = SharedUniform> {
    /// Replace half of each state by its conditional means.
    pub marginalize: bool,
    /// Cap of a coupling, in steps.
    pub max_meeting: u32,
    /// The coupling's acceptance.
    pub acceptance: A,
}

impl UcdMh {
    /// As a run's settings say.
    pub fn new(settings: &Settings) -> Self {
        Self { marginalize: settings.marginalize, max_meeting: settings.max_meeting, acceptance: SharedUniform }
    }
}

impl<A: Acceptance> SamePhases for UcdMh<A> {
    fn marginalizes(&self) -> bool {
        self.marginalize
    }

    fn phase(&self, run: &mut PhaseRun) {
        run.start_uniform();
        let proposals = Proposals::recycled(run);
        run.couple_by_metropolis(proposals, &self.acceptance, self.max_meeting);
    }

    fn expected_phase(&self, space: &StateSpace) -> Expected {
        let start = space.uniform();
        let occupation = MetropolisPair::new(space, &self.acceptance).occupation(&start, self.max_meeting);
        space.expected_coupled(&start, occupation, self.marginalize)
    }
}
