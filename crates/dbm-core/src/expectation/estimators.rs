//! The expectation of each estimator, phase by phase.

use super::Expected;
use super::gibbs::GibbsPair;
use super::metropolis::MetropolisPair;
use super::space::{Features, StateSpace};
use crate::coupling::Acceptance;
use crate::gradient::{Cd, EstimatorKind, Lmi, Pcd, PcdGibbs, UcdGibbs, UcdLmi, UcdMh};
use crate::linalg::Matrix;
use crate::{Dbm, DbmError, Parity, Settings, mean_field};

/// A cap of this is none: the expectation then sums over all time.
const NO_CAP: u32 = u32::MAX;

/// An estimator whose mean is known.
pub trait ExactExpectation {
    /// Mean of its positive phase, `visible[i]` being `None` where unit `i` is missing.
    ///
    /// # Errors
    /// Those of [`StateSpace::new`].
    fn positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError>;

    /// Mean of its negative phase, in which the `known` units keep the values of `visible` where it has any, at the step after `steps_before` others with unchanged
    /// parameters (which only persistent chains remember).
    ///
    /// # Errors
    /// Those of [`StateSpace::new`].
    fn negative(&self, model: &Dbm, visible: &[Option<bool>], known: &[bool], steps_before: u32) -> Result<Expected, DbmError>;

    /// Whether the negative phase depends on units that are not known.
    fn negative_sees_all(&self) -> bool {
        false
    }

    /// Mean of the estimated gradient of one example.
    ///
    /// # Errors
    /// Those of [`StateSpace::new`].
    fn expectation(
        &self,
        model: &Dbm,
        visible: &[Option<bool>],
        known: &[bool],
        steps_before: u32,
    ) -> Result<Expected, DbmError> {
        let (positive, negative) = (self.positive(model, visible)?, self.negative(model, visible, known, steps_before)?);
        let values = positive.values.iter().zip(&negative.values).map(|(p, n)| p - n).collect();
        Ok(Expected { values, unmet: positive.unmet.max(negative.unmet) })
    }
}

/// The law of the estimator that a run's settings ask for. A `max_meeting` of `u32::MAX` is no cap: the expectation then sums over all
/// time. Rejections of `ucd-gibbs` are never cut here.
///
/// ```
/// use dbm_core::{Settings, Units, exact, init, expectation};
/// let model = init::gaussian(&[2, 2, 1], Units::Signs, 0.5, 1)?;
/// let (visible, known) = ([Some(true), Some(false)], [false, false]);
/// let exact = exact::gradient_with_gaps(&model, &visible, &known)?;
/// let bias = |name: &str| -> Result<f64, dbm_core::DbmError> {
///     let settings = Settings { estimator: name.parse()?, max_meeting: u32::MAX, ..Settings::default() };
///     let mean = expectation::of(&settings).expectation(&model, &visible, &known, 0)?.values;
///     Ok(mean.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
/// };
/// assert!(bias("ucd-lmi")? < 1e-9);
/// assert!(bias("cd-1")? > 1e-3);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
pub fn of(settings: &Settings) -> Box<dyn ExactExpectation> {
    match settings.estimator.kind {
        EstimatorKind::UcdLmi => Box::new(UcdLmi::new(settings)),
        EstimatorKind::UcdMh => Box::new(UcdMh::new(settings)),
        EstimatorKind::UcdGibbs => Box::new(UcdGibbs::new(settings)),
        EstimatorKind::Lmi => Box::new(Lmi::new(settings)),
        EstimatorKind::Cd => Box::new(Cd::new(settings)),
        EstimatorKind::Pcd => Box::new(Pcd::new(settings)),
        EstimatorKind::PcdGibbs => Box::new(PcdGibbs::new(settings)),
    }
}

fn partly_known<'m>(model: &'m Dbm, visible: &[Option<bool>], known: &[bool]) -> Result<StateSpace<'m>, DbmError> {
    StateSpace::new(model, &visible.iter().zip(known).map(|(&bit, &known)| bit.filter(|_| known)).collect::<Vec<_>>())
}

fn cap(max_meeting: u32) -> Option<u32> {
    (max_meeting != NO_CAP).then_some(max_meeting)
}

/// The mean of f under a law.
fn mean(space: &StateSpace, law: &[f64], marginalize: bool) -> Expected {
    Expected { values: space.features(law, marginalize), unmet: 0.0 }
}

/// With one hidden layer every positive phase without gaps is exact: a half-sweep from anywhere.
fn posterior(space: &StateSpace) -> Expected {
    mean(space, &space.half_sweep(&space.uniform(), Parity::Odd), false)
}

/// A phase of x_0 and the corrections to it.
fn coupled(space: &StateSpace, start: &[f64], occupation: super::Occupation, marginalize: bool) -> Expected {
    let weights: Vec<f64> = start.iter().zip(occupation.excess).map(|(p, excess)| p + excess).collect();
    Expected { unmet: occupation.unmet, ..mean(space, &weights, marginalize) }
}

/// Both phases of an estimator in which they differ by what is clamped alone.
macro_rules! alike_in_both_phases {
    () => {
        fn positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError> {
            let space = StateSpace::new(model, visible)?;
            Ok(if model.depth() == 1 && space.is_whole() { posterior(&space) } else { self.phase(&space) })
        }

        fn negative(&self, model: &Dbm, visible: &[Option<bool>], known: &[bool], _: u32) -> Result<Expected, DbmError> {
            Ok(self.phase(&partly_known(model, visible, known)?))
        }
    };
}

impl<A: Acceptance> UcdLmi<A> {
    fn phase(&self, space: &StateSpace) -> Expected {
        let start = space.mode_and_sweeps(self.max_sweeps, self.mode_sweeps);
        let occupation = MetropolisPair::new(space, &self.acceptance).occupation(&start, cap(self.max_meeting));
        coupled(space, &start, occupation, self.marginalize)
    }
}

impl<A: Acceptance> ExactExpectation for UcdLmi<A> {
    alike_in_both_phases!();
}

impl<A: Acceptance> UcdMh<A> {
    fn phase(&self, space: &StateSpace) -> Expected {
        let start = space.uniform();
        let occupation = MetropolisPair::new(space, &self.acceptance).occupation(&start, cap(self.max_meeting));
        coupled(space, &start, occupation, self.marginalize)
    }
}

impl<A: Acceptance> ExactExpectation for UcdMh<A> {
    alike_in_both_phases!();
}

impl UcdGibbs {
    fn phase(&self, space: &StateSpace) -> Expected {
        let start = space.uniform();
        let occupation = GibbsPair::new(space).occupation(&start, cap(self.max_meeting));
        coupled(space, &start, occupation, self.marginalize)
    }
}

impl ExactExpectation for UcdGibbs {
    alike_in_both_phases!();
}

impl Lmi {
    fn phase(&self, space: &StateSpace) -> Expected {
        mean(space, &space.mode_and_sweeps(self.max_sweeps, self.mode_sweeps), self.marginalize)
    }
}

impl ExactExpectation for Lmi {
    alike_in_both_phases!();
}

/// The law of the units that are not clamped after `k` sweeps with the data clamped, from uniform ones; exact for an RBM without gaps.
fn gibbs_posterior(space: &StateSpace, model: &Dbm, k: u32) -> Vec<f64> {
    let uniform = space.uniform();
    if model.depth() == 1 && space.is_whole() {
        space.half_sweep(&uniform, Parity::Odd)
    } else {
        space.sweeps(uniform, Parity::Odd, k)
    }
}

impl ExactExpectation for Cd {
    fn positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError> {
        let space = StateSpace::new(model, visible)?;
        let law = gibbs_posterior(&space, model, self.k);
        Ok(if model.depth() == 1 && space.is_whole() { posterior(&space) } else { mean(&space, &law, self.marginalize) })
    }

    fn negative(&self, model: &Dbm, visible: &[Option<bool>], known: &[bool], _: u32) -> Result<Expected, DbmError> {
        let (latent, space) = (StateSpace::new(model, visible)?, partly_known(model, visible, known)?);
        let posterior = gibbs_posterior(&latent, model, self.k);
        let mut start = vec![0.0; space.count()];
        for (state, p) in latent.states().iter().zip(posterior) {
            start[space.index_of(state)] = p;
        }
        Ok(mean(&space, &space.sweeps(start, Parity::Even, self.k), self.marginalize))
    }

    fn negative_sees_all(&self) -> bool {
        true
    }
}

/// The negative phase of free chains that have made `k` sweeps a step.
fn persistent(model: &Dbm, k: u32, steps_before: u32, marginalize: bool) -> Result<Expected, DbmError> {
    let space = StateSpace::new(model, &vec![None; model.n_visible()])?;
    let sweeps = k.saturating_mul(steps_before.saturating_add(1));
    Ok(mean(&space, &space.sweeps(space.uniform(), Parity::Even, sweeps), marginalize))
}

impl ExactExpectation for PcdGibbs {
    fn positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError> {
        Cd { marginalize: self.marginalize, k: self.k }.positive(model, visible)
    }

    fn negative(&self, model: &Dbm, _: &[Option<bool>], _: &[bool], steps_before: u32) -> Result<Expected, DbmError> {
        persistent(model, self.k, steps_before, self.marginalize)
    }
}

impl ExactExpectation for Pcd {
    fn positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError> {
        StateSpace::new(model, visible)?; // refuses what the other estimators refuse
        let values = visible.iter().map(|bit| model.units().value(*bit == Some(true))).collect();
        let (values, known): (_, Vec<bool>) =
            (Matrix::from_vec(1, visible.len(), values), visible.iter().map(Option::is_some).collect());
        let means = mean_field::posterior_with_gaps(model, &values, &known, self.max_sweeps, self.tolerance).means;
        let state: Vec<Vec<f64>> = means.iter().map(|layer| layer.row(0).iter().map(|&m| f64::from(m)).collect()).collect();
        let mut features = Features::zeros(model);
        features.add(1.0, &state);
        Ok(Expected { values: features.flat(), unmet: 0.0 })
    }

    fn negative(&self, model: &Dbm, _: &[Option<bool>], _: &[bool], steps_before: u32) -> Result<Expected, DbmError> {
        persistent(model, self.k, steps_before, self.marginalize)
    }
}
