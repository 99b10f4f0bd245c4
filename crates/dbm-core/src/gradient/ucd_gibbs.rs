//! UCD-Gibbs: coupled Gibbs chains from a uniform start (Qiu, Zhang and Wang 2020).

use super::coupled;
use super::phase::both_phases;
use super::{Batch, Estimate, Estimator, PhaseInfo};
use crate::{Dbm, Settings};

/// Unbiased contrastive divergence by coupled Gibbs chains.
///
/// x_0 = y_0 is uniform, x_1 one Gibbs sweep on (even block, then odd), and from then on both chains move together by
/// [`crate::coupling::GibbsCoupling`]. Unbiased as long as neither cap is reached: a coupling cut at `max_meeting` is kept with the corrections it has, a
/// rejection cut at `max_tries` with its last try; both bias, and both are counted.
#[derive(Clone, Debug)]
pub struct UcdGibbs {
    /// Replace half of each state by its conditional means.
    pub marginalize: bool,
    /// Cap of a coupling.
    pub max_meeting: u32,
    /// Cap of a rejection.
    pub max_tries: u32,
}

impl UcdGibbs {
    /// As a run's settings say.
    pub fn new(settings: &Settings) -> Self {
        Self { marginalize: settings.marginalize, max_meeting: settings.max_meeting, max_tries: settings.estimator.max_tries }
    }
}

impl Estimator for UcdGibbs {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        both_phases(model, batch, self.marginalize, clock, &|run, mut chains, moments| {
            let mut streams = run.streams();
            let mut info = PhaseInfo::default();
            run.uniform_starts(&mut chains, &mut streams);
            coupled::gibbs(run, &mut chains, &mut streams, (self.max_tries, self.max_meeting), moments, &mut info);
            info
        })
    }
}
