//! UCD-MH: the Metropolis coupling from a uniform start, without the local search (the paper's ablation in Figure 1).

use super::coupled;
use super::phase::both_phases;
use super::proposals::Proposals;
use super::{Batch, Estimate, Estimator, PhaseInfo};
use crate::coupling::{Acceptance, SharedUniform};
use crate::{Dbm, Settings};

/// Unbiased contrastive divergence by coupled Metropolis chains from uniform states.
///
/// As [`super::UcdLmi`], but x_0 is the uniform state itself. Unbiased too, and of a far greater variance: x_0 says nothing of the
/// model, so everything is left to the corrections, and they end only once the chains have accepted one proposal together. A coupling cut at
/// `max_meeting` is kept with the corrections it has, which biases, and counted.
#[derive(Clone, Debug)]
pub struct UcdMh<A = SharedUniform> {
    /// Replace half of each state by its conditional means.
    pub marginalize: bool,
    /// Cap of a coupling.
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

impl<A: Acceptance> Estimator for UcdMh<A> {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        both_phases(model, batch, self.marginalize, clock, &|run, mut chains, moments| {
            let mut streams = run.streams();
            let mut info = PhaseInfo::default();
            run.uniform_starts(&mut chains, &mut streams);
            let proposals = Proposals::recycled(model, &chains);
            let how = (&self.acceptance, self.max_meeting);
            coupled::metropolis(run, &mut chains, &mut streams, proposals, how, moments, &mut info);
            info
        })
    }
}
