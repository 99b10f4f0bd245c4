//! PCD-k with a mean-field positive phase: the earlier way to train DBMs (Salakhutdinov and Hinton 2009, Algorithm 1).

use super::pcd_gibbs::{expected_persistent, persistent_phase};
use super::phases::{Phases, into_single};
use super::{Batch, Estimate, Estimator, ExpectedGradient, Info, Moments, Phase, PhaseInfo};
use crate::expectation::{Expected, StateSpace};
use crate::linalg::Matrix;
use crate::mean_field::{self, MeanFieldSettings};
use crate::{Clamp, Dbm, DbmError};

/// Persistent contrastive divergence with a variational posterior.
///
/// Positive phase: `f` at the means `mu` of the mean-field posterior, `E_q[s_l s_{l+1}^T] = mu_l mu_{l+1}^T`, where a missing visible unit
/// has a mean like a hidden one; exact for an RBM without gaps. Negative phase: as in [`super::PcdGibbs`]. If the iteration is cut, its
/// last iterate is used, and counted.
#[derive(Clone, Debug)]
pub struct Pcd {
    /// Replace half of each negative state by its conditional means.
    pub marginalize: bool,
    /// Gibbs sweeps of the persistent chains per step.
    pub k: u32,
    /// When the mean-field iteration stops.
    pub mean_field: MeanFieldSettings,
}

impl Estimator for Pcd {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        let mut moments = [Moments::new(model)];
        let started = clock();
        let phases = Phases::of_one(model, batch, self.marginalize, clock);
        phases.add_predictions(&mut moments);
        let rows = phases.rows_without_mask();
        let (visible, observed) = (batch.visible.select(&rows), batch.observed.of_rows(&rows, model.n_visible()));
        let labels = batch.labels.as_ref().map(|labels| labels.select(&rows));
        let posterior = mean_field::posterior_with_top(model, &visible, &observed, labels.as_ref(), self.mean_field);
        for row in 0..rows.len() {
            let means: Vec<&[f32]> = posterior.means.iter().map(|layer| layer.row(row)).collect();
            moments[0].push(Phase::Positive, 1.0, &means);
        }
        let positive = PhaseInfo {
            mean_field_sweeps: posterior.sweeps,
            mean_field_capped: posterior.capped,
            search_seconds: clock() - started,
            ..PhaseInfo::default()
        };
        let (persistent, negative) = persistent_phase(&phases, self.k, &mut moments);
        let ([moments], negative) = (moments, into_single(negative));
        Estimate { moments, info: Info { positive, negative }, persistent: Some(persistent) }
    }
}

impl ExpectedGradient for Pcd {
    fn expected_positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError> {
        let space = StateSpace::new(model, visible)?; // refuses what the other estimators refuse
        let values = visible.iter().map(|bit| model.units().value(*bit == Some(true))).collect();
        let known: Vec<bool> = visible.iter().map(Option::is_some).collect();
        let values = Matrix::from_vec(1, visible.len(), values);
        let means = mean_field::posterior(model, &values, &Clamp::Known(known), self.mean_field).means;
        let state: Vec<Vec<f64>> = means.iter().map(|layer| layer.row(0).iter().map(|&m| f64::from(m)).collect()).collect();
        Ok(space.expected_at(&state))
    }

    fn expected_negative(&self, model: &Dbm, _: &[Option<bool>], _: &[bool], steps_before: u32) -> Result<Expected, DbmError> {
        expected_persistent(model, self.k, steps_before, self.marginalize)
    }
}
