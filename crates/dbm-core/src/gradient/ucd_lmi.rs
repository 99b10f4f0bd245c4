//! UCD-LMI: search to a mode, one Gibbs sweep, then a coupled pair of Metropolis chains (Taniguchi et al. 2023, Algorithm 4).

use super::coupled;
use super::phase::both_phases;
use super::proposals::Proposals;
use super::{Batch, Estimate, Estimator, PhaseInfo};
use crate::coupling::{Acceptance, SharedUniform};
use crate::{Dbm, Settings};

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
    /// Cap of a local search.
    pub max_sweeps: u32,
    /// Gibbs sweeps from the mode to x_0.
    pub mode_sweeps: u32,
    /// Cap of a coupling.
    pub max_meeting: u32,
    /// The coupling's acceptance.
    pub acceptance: A,
}

impl UcdLmi {
    /// As a run's settings say.
    pub fn new(settings: &Settings) -> Self {
        Self {
            marginalize: settings.marginalize,
            max_sweeps: settings.max_sweeps,
            mode_sweeps: settings.estimator.mode_sweeps,
            max_meeting: settings.max_meeting,
            acceptance: SharedUniform,
        }
    }
}

impl<A: Acceptance> Estimator for UcdLmi<A> {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        both_phases(model, batch, self.marginalize, clock, &|run, mut chains, moments| {
            let mut streams = run.streams();
            let mut info = PhaseInfo::default();
            let first = run.uniform_starts(&mut chains, &mut streams);
            let proposals = Proposals::recycled(model, &chains);
            run.mode_and_sweeps(&mut chains, &first, (self.max_sweeps, self.mode_sweeps), &mut streams, &mut info);
            run.settle(&mut chains);
            info.search_seconds = clock() - run.started;
            let how = (&self.acceptance, self.max_meeting);
            coupled::metropolis(run, &mut chains, &mut streams, proposals, how, moments, &mut info);
            info
        })
    }
}
