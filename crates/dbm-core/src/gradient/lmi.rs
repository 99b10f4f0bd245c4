//! LMI: local mode and one Gibbs sweep, no coupling; what is left of UCD-LMI where couplings never happen.

use super::phase::both_phases;
use super::{Batch, Estimate, Estimator, PhaseInfo};
use crate::{Dbm, Settings};

/// Local mode initialization alone: each phase is `f(x_0)`, x_0 one Gibbs sweep from a mode.
///
/// Biased: x_0 follows where searches end, not the model. In a wide model UCD-LMI's couplings all end at tau = 1, and the two give the
/// same numbers.
#[derive(Clone, Debug)]
pub struct Lmi {
    /// Replace half of each state by its conditional means.
    pub marginalize: bool,
    /// Cap of a local search.
    pub max_sweeps: u32,
    /// Gibbs sweeps from the mode to x_0.
    pub mode_sweeps: u32,
}

impl Lmi {
    /// As a run's settings say.
    pub fn new(settings: &Settings) -> Self {
        let mode_sweeps = settings.estimator.mode_sweeps;
        Self { marginalize: settings.marginalize, max_sweeps: settings.max_sweeps, mode_sweeps }
    }
}

impl Estimator for Lmi {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        both_phases(model, batch, self.marginalize, clock, &|run, mut chains, moments| {
            let mut streams = run.streams();
            let mut info = PhaseInfo::default();
            let first = run.uniform_starts(&mut chains, &mut streams);
            run.mode_and_sweeps(&mut chains, &first, (self.max_sweeps, self.mode_sweeps), &mut streams, &mut info);
            run.push_chains(&mut chains, moments, &mut info);
            info.search_seconds = clock() - run.started;
            info
        })
    }
}
