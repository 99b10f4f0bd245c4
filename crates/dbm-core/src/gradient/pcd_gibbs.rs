//! PCD-k with a Gibbs positive phase: persistent chains (Tieleman 2008), and sweeps with the data clamped.

use super::cd::{gibbs_posterior, gibbs_sweeps};
use super::phase::PhaseRun;
use super::{Batch, Estimate, Estimator, Info, Moments, PhaseInfo};
use crate::chains::Chains;
use crate::linalg::Matrix;
use crate::parity::Parity;
use crate::{Dbm, Settings};

/// Persistent contrastive divergence: the negative phase goes on from the last step's states.
///
/// Positive phase: as [`super::Cd`]'s. Negative phase: one free chain an example, `k` sweeps on from where the last step left it, even layers
/// first; uniform at the first step. Biased by the positive phase, and by chains that lag behind the parameters.
#[derive(Clone, Debug)]
pub struct PcdGibbs {
    /// Replace half of each state by its conditional means.
    pub marginalize: bool,
    /// Sweeps of both phases.
    pub k: u32,
}

impl PcdGibbs {
    /// As a run's settings say.
    pub fn new(settings: &Settings) -> Self {
        Self { marginalize: settings.marginalize, k: settings.estimator.k }
    }
}

impl Estimator for PcdGibbs {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        let mut moments = Moments::new(model);
        let parts = PhaseRun::positive(model, batch, self.marginalize, clock);
        let positive = gibbs_posterior(parts, self.k, &mut moments, |_, _| ());
        let run = PhaseRun::negative(model, batch, self.marginalize, clock);
        let (persistent, negative) = persistent_phase(&run, self.k, &mut moments);
        Estimate { moments, info: Info { positive, negative }, persistent: Some(persistent) }
    }
}

/// The negative phase by persistent chains; returns where they are afterwards.
pub(super) fn persistent_phase(run: &PhaseRun, k: u32, moments: &mut Moments) -> (Vec<Matrix>, PhaseInfo) {
    let count = run.batch.visible.rows();
    let mut chains = Chains::free(run.model, count);
    let mut streams = run.streams();
    match &run.batch.persistent {
        Some(layers) => (0..count).for_each(|c| {
            let state: Vec<Vec<f32>> = layers.iter().map(|layer| layer.row(c).to_vec()).collect();
            chains.place(c, &state);
        }),
        None => streams.iter_mut().enumerate().for_each(|(c, stream)| chains.randomize(run.model, c, stream)),
    }
    gibbs_sweeps(run.model, &mut chains, Parity::Even, k, &mut streams);
    let mut info = PhaseInfo::default();
    run.push_chains(&mut chains, moments, &mut info);
    info.search_seconds = (run.clock)() - run.started;
    ((0..run.model.sizes().len()).map(|l| chains.layer(l).clone()).collect(), info)
}
