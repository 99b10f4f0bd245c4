//! PCD-k with a mean-field positive phase: how DBMs were trained before (Salakhutdinov and Hinton 2009, Algorithm 1).

use super::pcd_gibbs::persistent_phase;
use super::phase::PhaseRun;
use super::{Batch, Estimate, Estimator, Info, Moments, Phase, PhaseInfo};
use crate::{Dbm, Settings, mean_field};

/// Persistent contrastive divergence with a variational posterior.
///
/// Positive phase: `f` of the means `mu` of the mean-field posterior, `E_q[s_l s_{l+1}^T] = mu_l mu_{l+1}^T`, in which a missing visible unit has a
/// mean as a hidden one has; exact for an RBM without gaps. Negative phase: as [`super::PcdGibbs`]'s. An iteration cut at `max_sweeps` is used as it stands, and counted.
#[derive(Clone, Debug)]
pub struct Pcd {
    /// Replace half of each negative state by its conditional means.
    pub marginalize: bool,
    /// Sweeps of the persistent chains.
    pub k: u32,
    /// Cap of the mean-field iteration, in sweeps.
    pub max_sweeps: u32,
    /// It ends when no probability moves by more than this.
    pub tolerance: f64,
}

impl Pcd {
    /// As a run's settings say.
    pub fn new(settings: &Settings) -> Self {
        let its = &settings.estimator;
        Self {
            marginalize: settings.marginalize,
            k: its.k,
            max_sweeps: its.mean_field_sweeps,
            tolerance: its.mean_field_tolerance,
        }
    }
}

impl Estimator for Pcd {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        let mut moments = Moments::new(model);
        let started = clock();
        let posterior = match &batch.observed {
            None => mean_field::posterior(model, &batch.visible, self.max_sweeps, self.tolerance),
            Some(observed) => mean_field::posterior_with_gaps(model, &batch.visible, observed, self.max_sweeps, self.tolerance),
        };
        for row in 0..batch.visible.rows() {
            let means: Vec<&[f32]> = posterior.means.iter().map(|layer| layer.row(row)).collect();
            moments.push(Phase::Positive, 1.0, &means);
        }
        let positive = PhaseInfo {
            mean_field_sweeps: posterior.sweeps,
            mean_field_capped: posterior.capped,
            search_seconds: clock() - started,
            ..PhaseInfo::default()
        };
        let run = PhaseRun::negative(model, batch, self.marginalize, clock);
        let (persistent, negative) = persistent_phase(&run, self.k, &mut moments);
        Estimate { moments, info: Info { positive, negative }, persistent: Some(persistent) }
    }
}
