//! The traits of gradient estimators and of their exact means.

use super::{Batch, Estimate};
use crate::expectation::Expected;
use crate::tempering::LadderDepth;
use crate::{Dbm, DbmError};
use std::fmt::Debug;

/// Estimates the sum over a batch of the gradient of log p(v), or of log p(unknown | known); for examples with gaps, that of the marginal
/// of what is observed.
pub trait Estimator: Debug + Send + Sync {
    /// The estimate; `clock` gives seconds and does not affect the result.
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate;

    /// The estimates of several shards of one step: each is identical, bit for bit, to that of the shard alone, but shared work is done
    /// once.
    fn estimate_together(&self, model: &Dbm, batches: &[&Batch], clock: &dyn Fn() -> f64) -> Vec<Estimate> {
        batches.iter().map(|batch| self.estimate(model, batch, clock)).collect()
    }

    /// Whether joint estimation of several shards is faster than one after another.
    fn prefers_batching(&self) -> bool {
        false
    }

    /// How far down its ladder a step goes, if there is a ladder. The first step covers all of it.
    fn reach(&self, _step: u64) -> LadderDepth {
        LadderDepth::Whole(0)
    }
}

/// The mean of an estimate, by enumeration: for models that are small enough.
pub trait ExpectedGradient {
    /// Mean of its positive phase; `visible[i]` is `None` if unit `i` is missing.
    ///
    /// # Errors
    /// Those of [`crate::expectation::StateSpace::new`].
    fn expected_positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError>;

    /// Mean of its negative phase after `steps_before` steps with unchanged parameters (which matter to persistent chains only). The
    /// `known` units keep their values in `visible`, where it has any.
    ///
    /// # Errors
    /// Those of [`crate::expectation::StateSpace::new`].
    fn expected_negative(
        &self,
        model: &Dbm,
        visible: &[Option<bool>],
        known: &[bool],
        steps_before: u32,
    ) -> Result<Expected, DbmError>;

    /// Whether the negative phase depends on units that are not known.
    fn negative_sees_all(&self) -> bool {
        false
    }

    /// Mean of the estimated gradient of one example. A `max_meeting` of `u32::MAX` means no cap: the mean then sums over all time.
    ///
    /// ```
    /// use dbm_core::{Settings, Units, exact, gradient, init};
    /// let model = init::gaussian(&[2, 2, 1], Units::Signs, 0.5, 1)?;
    /// let (visible, known) = ([Some(true), Some(false)], [false, false]);
    /// let exact = exact::gradient_with_gaps(&model, &visible, &known)?;
    /// let bias = |name: &str| -> Result<f64, dbm_core::DbmError> {
    ///     let settings = Settings { estimator: name.parse()?, max_meeting: u32::MAX, ..Settings::default() };
    ///     let mean = gradient::expectation(&settings).expected(&model, &visible, &known, 0)?.values;
    ///     Ok(mean.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
    /// };
    /// assert!(bias("ucd-lmi")? < 1e-9);
    /// assert!(bias("cd-1")? > 1e-3);
    /// # Ok::<(), dbm_core::DbmError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`crate::expectation::StateSpace::new`].
    fn expected(&self, model: &Dbm, visible: &[Option<bool>], known: &[bool], steps_before: u32) -> Result<Expected, DbmError> {
        let positive = self.expected_positive(model, visible)?;
        Ok(positive.minus(&self.expected_negative(model, visible, known, steps_before)?))
    }
}
