//! CD-k: contrastive divergence (Hinton 2002), for DBMs of any depth.

use super::phase::PhaseRun;
use super::phases::{into_single, together};
use super::{Batch, Estimate, Estimator, ExpectedGradient};
use crate::expectation::{Expected, StateSpace};
use crate::linalg::Matrix;
use crate::sweep::half_gibbs;
use crate::{Dbm, DbmError, Parity};

/// Contrastive divergence with `k` Gibbs sweeps.
///
/// Positive phase: with the visible layer clamped, the hidden layers (and missing visible units) start uniformly at random and make `k`
/// sweeps, odd layers first; with one hidden layer and no gaps, a single half-sweep is an exact draw. Negative phase: `k` sweeps from that
/// state with nothing clamped (or with the known units clamped), even layers first. Both phases are biased, except the positive phase of an
/// RBM without gaps.
#[derive(Clone, Debug)]
pub struct Cd {
    /// Replace half of each state by its conditional means. The last state is not stationary, so this also changes the bias.
    pub marginalize: bool,
    /// Gibbs sweeps of each phase.
    pub k: u32,
}

impl Cd {
    /// A positive phase of `k` Gibbs sweeps from uniform states, with the observed units clamped; exact for an RBM without gaps.
    pub(super) fn positive_phase(&self, run: &mut PhaseRun) {
        if run.has_exact_posterior() {
            half_gibbs(run.model, &mut run.chains, Parity::Odd, &mut run.streams);
            run.push_posterior();
        } else {
            run.chains.randomize_all(run.model, &mut run.streams);
            run.gibbs_sweeps(Parity::Odd, self.k);
            run.push_states();
        }
    }

    /// The distribution of the free units after the positive phase.
    fn posterior(&self, space: &StateSpace) -> Vec<f64> {
        let uniform = space.uniform();
        if space.has_exact_posterior() {
            space.half_sweep(&uniform, Parity::Odd)
        } else {
            space.sweeps(uniform, Parity::Odd, self.k)
        }
    }
}

impl Estimator for Cd {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        into_single(self.estimate_together(model, &[batch], clock))
    }

    fn estimate_together(&self, model: &Dbm, batches: &[&Batch], clock: &dyn Fn() -> f64) -> Vec<Estimate> {
        together(model, batches, self.marginalize, clock, &|phases, moments| {
            let mut ends: Vec<Matrix> = model.sizes().iter().map(|&n| Matrix::zeros(phases.batch.visible.rows(), n)).collect();
            let positive = phases.positive(moments, &mut |run| {
                self.positive_phase(run);
                for (l, layer) in ends.iter_mut().enumerate() {
                    let rows = run.rows.iter().enumerate();
                    rows.for_each(|(c, &row)| layer.row_mut(row).copy_from_slice(run.chains.layer(l).row(c)));
                }
            });
            let negative = phases.negative(moments, |run| {
                run.chains.place_all(&ends);
                run.gibbs_sweeps(Parity::Even, self.k);
                run.push_states();
            });
            (positive, negative, None)
        })
    }

    fn prefers_batching(&self) -> bool {
        true
    }
}

impl ExpectedGradient for Cd {
    fn expected_positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError> {
        let space = StateSpace::new(model, visible)?;
        let law = self.posterior(&space);
        Ok(if space.has_exact_posterior() { space.exact_posterior() } else { space.expected(&law, self.marginalize) })
    }

    fn expected_negative(&self, model: &Dbm, visible: &[Option<bool>], known: &[bool], _: u32) -> Result<Expected, DbmError> {
        let (latent, space) = (StateSpace::new(model, visible)?, StateSpace::of_known(model, visible, known)?);
        let mut start = vec![0.0; space.count()];
        for (state, p) in latent.states().iter().zip(self.posterior(&latent)) {
            start[space.index_of(state)] = p;
        }
        Ok(space.expected(&space.sweeps(start, Parity::Even, self.k), self.marginalize))
    }

    fn negative_sees_all(&self) -> bool {
        true
    }
}
