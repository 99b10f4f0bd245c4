//! PCD-k with a Gibbs positive phase: persistent chains (Tieleman 2008), and sweeps with the data clamped.

use super::phases::{Phases, into_single, together};
use super::{Batch, Cd, Estimate, Estimator, ExpectedGradient, Moments, PhaseInfo};
use crate::expectation::{Expected, StateSpace};
use crate::linalg::Matrix;
use crate::{Dbm, DbmError, Parity};

/// Persistent contrastive divergence: the negative phase continues from the last step's states.
///
/// Positive phase: as in [`super::Cd`]. Negative phase: one free chain per example, which makes `k` sweeps from where the last step left
/// it, even layers first; uniform at the first step. Biased by the positive phase, and because the chains lag behind the parameters.
#[derive(Clone, Debug)]
pub struct PcdGibbs(
    /// Its positive phase, and the settings of both.
    pub Cd,
);

impl Estimator for PcdGibbs {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        into_single(self.estimate_together(model, &[batch], clock))
    }

    fn estimate_together(&self, model: &Dbm, batches: &[&Batch], clock: &dyn Fn() -> f64) -> Vec<Estimate> {
        together(model, batches, self.0.marginalize, clock, &|phases, moments| {
            phases.add_predictions(moments);
            let rows = phases.rows_without_mask();
            let positive = phases.positive_of(rows, moments, &mut |run| self.0.positive_phase(run));
            let (persistent, negative) = persistent_phase(phases, self.0.k, moments);
            (positive, negative, Some(persistent))
        })
    }

    fn prefers_batching(&self) -> bool {
        true
    }
}

impl ExpectedGradient for PcdGibbs {
    fn expected_positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError> {
        self.0.expected_positive(model, visible)
    }

    fn expected_negative(&self, model: &Dbm, _: &[Option<bool>], _: &[bool], steps_before: u32) -> Result<Expected, DbmError> {
        expected_persistent(model, self.0.k, steps_before, self.0.marginalize)
    }
}

/// The negative phase by persistent chains; returns their new states, `[count, n_l]` per layer.
pub(super) fn persistent_phase(phases: &Phases, k: u32, moments: &mut [Moments]) -> (Vec<Matrix>, Vec<PhaseInfo>) {
    let mut ends = Vec::new();
    let infos = phases.free_negative(moments, |run| {
        match &phases.batch.persistent {
            Some(layers) => run.chains.place_all(layers),
            None => run.chains.randomize_all(run.model, &mut run.streams),
        }
        run.gibbs_sweeps(Parity::Even, k);
        run.push_states();
        ends = run.chains.layers().to_vec();
    });
    (ends, infos)
}

/// The mean of the negative phase with free chains that make `k` sweeps per step, at the step after `steps_before` others.
pub(super) fn expected_persistent(model: &Dbm, k: u32, steps_before: u32, marginalize: bool) -> Result<Expected, DbmError> {
    let space = StateSpace::new(model, &vec![None; model.n_visible()])?;
    let sweeps = k.saturating_mul(steps_before.saturating_add(1));
    Ok(space.expected(&space.sweeps(space.uniform(), Parity::Even, sweeps), marginalize))
}
