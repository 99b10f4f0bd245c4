//! Estimates of the gradient of log p, one file an estimator, all behind one trait.
//!
//! | file | positive phase | negative phase | mean |
//! | --- | --- | --- | --- |
//! | `ucd_lmi` | mode, one Gibbs sweep, Metropolis coupling | the same | exact |
//! | `ucd_mh` | uniform start, Metropolis coupling | the same | exact |
//! | `ucd_gibbs` | uniform start, Gibbs coupling | the same | exact |
//! | `lmi` | mode, one Gibbs sweep | the same | biased |
//! | `cd` | k Gibbs sweeps from a uniform start | k sweeps on from there | biased |
//! | `pcd` | mean field | k sweeps on from the last step's states | biased |
//! | `pcd_gibbs` | k Gibbs sweeps from a uniform start | as `pcd` | biased |
//!
//! With one hidden layer the posterior is exact, so the positive phase of all of them is, and needs no chain. Each can also tell its
//! expectation without sampling, by [`crate::expectation`].
//!
//! **Gaps.** The gradient of an example of which some units are missing is that of `log p(v_known) = log sum_{v_missing, h} exp(-E) - log Z`,
//! `E[f | v_known] - E[f]`: in its positive phase a missing visible unit is latent, and treated as a hidden one is. It is searched,
//! sampled and coupled with them, replaced by its conditional mean where the run marginalizes, and has a mean of its own in mean field.
//! Such an example's posterior is exact for no model, and takes chains with one hidden layer too.

mod binary_outer_products;
mod cd;
mod descriptor;
mod info;
mod lmi;
mod moments;
mod pcd;
mod pcd_gibbs;
mod phase;
mod settings;
mod ucd_gibbs;
mod ucd_lmi;
mod ucd_mh;

pub(crate) use binary_outer_products::BinaryOuterProducts;
pub use cd::Cd;
pub use descriptor::{About, EstimatorDescriptor, IfSmall};
pub use info::{Info, PhaseInfo};
pub use lmi::Lmi;
pub(crate) use moments::MAX_ROWS;
pub use moments::{Gradient, Moments, Phase};
pub use pcd::Pcd;
pub use pcd_gibbs::PcdGibbs;
pub use settings::{CENTERING_RATE, EstimatorSettings};
pub use ucd_gibbs::UcdGibbs;
pub use ucd_lmi::UcdLmi;
pub use ucd_mh::UcdMh;

use crate::expectation::Expected;
use crate::linalg::Matrix;
use crate::rng::{Stream, Streams};
use crate::words::{Choice, Choose, Words};
use crate::{Clamp, Dbm, DbmError, Settings};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::sync::Arc;

/// Makes [`EstimatorKind`] of a list of kinds and the modules that describe them.
macro_rules! estimators {
    ($($(#[$doc:meta])* $kind:ident = $module:ident),+ $(,)?) => {
        /// Every estimator of the gradient, the unbiased ones first. Its name in files and commands is its file's in this folder, with dashes.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum EstimatorKind { $($(#[$doc])* $kind),+ }

        impl EstimatorKind {
            /// All of them.
            pub const ALL: [Self; [$(Self::$kind),+].len()] = [$(Self::$kind),+];

            /// What the program says of it and asks for it.
            pub fn descriptor(self) -> &'static EstimatorDescriptor {
                match self { $(Self::$kind => &$module::DESCRIPTOR),+ }
            }

            /// The estimator of this kind. Apart from the descriptor, so that the page, which reads only words, need not carry the mathematics.
            fn make(self, settings: &Settings) -> Arc<dyn Estimator> {
                match self { $(Self::$kind => Arc::new($kind::new(settings))),+ }
            }
        }

        impl Choose for EstimatorKind {
            const WORDS: Words = Words {
                key: "estimator",
                label: "Estimator",
                hint: "",
                help: "How a step estimates the gradient of the log-likelihood. Unbiased: its mean is the exact gradient.",
            };
            const CHOICES: &'static [Choice<Self>] = &[$($module::DESCRIPTOR.choice(Self::$kind)),+];
        }
    };
}

// The table of estimators. What is made of it: names and their parsing, settings, `dbm bias`, the page's form and help. Further ones are appended, so that messages
// keep their numbers.
estimators! {
    /// Local mode, one Gibbs sweep, coupled Metropolis chains: unbiased.
    #[default]
    UcdLmi = ucd_lmi,
    /// Coupled Metropolis chains from a uniform start: unbiased.
    UcdMh = ucd_mh,
    /// Coupled Gibbs chains from a uniform start: unbiased.
    UcdGibbs = ucd_gibbs,
    /// Local mode and one Gibbs sweep, no coupling: biased.
    Lmi = lmi,
    /// Contrastive divergence: biased.
    Cd = cd,
    /// Persistent chains, mean-field positive phase: biased.
    Pcd = pcd,
    /// Persistent chains, Gibbs positive phase: biased.
    PcdGibbs = pcd_gibbs,
}

/// Examples of one shard of a minibatch, and where their random streams are.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Visible layers, `[count, n_0]`, as unit values; what a missing unit has does not matter.
    pub visible: Matrix,
    /// What the data tell, and the positive phase clamps: [`Clamp::Visible`] where no row has gaps.
    pub observed: Clamp,
    /// For the conditional gradient: what the negative phase keeps clamped, all of it observed; a row without a mark is the
    /// plain gradient of its example. [`Clamp::Free`] where no row has one.
    pub known: Clamp,
    /// Where the last step left this shard's persistent chains, `[count, n_l]` a layer; `None` before the first.
    pub persistent: Option<Vec<Matrix>>,
    /// The run's streams.
    pub streams: Streams,
    /// The step they are drawn for.
    pub step: u64,
    /// Index in the whole minibatch of the first example here.
    pub first_chain: u64,
}

impl Batch {
    /// Examples without gaps and masks at the first step of a run, the first of its minibatch.
    pub fn new(visible: Matrix, streams: Streams) -> Self {
        Self { visible, observed: Clamp::Visible, known: Clamp::Free, persistent: None, streams, step: 0, first_chain: 0 }
    }

    /// How many examples.
    pub fn count(&self) -> usize {
        self.visible.rows()
    }

    /// Whether the data tell all visible units of a row.
    pub fn is_whole(&self, row: usize) -> bool {
        self.observed.of_rows(&[row], self.visible.columns()).holds_all()
    }

    /// The stream of a row's chain, from its beginning.
    fn stream(&self, phase: Phase, row: usize) -> Stream {
        self.streams.at(phase.purpose(), self.step, self.first_chain + row as u64)
    }
}

/// What an estimator returns. Serialized, it keeps its bits, so that replicas of a run can exchange it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The sum over the batch of the gradient, as a sum of outer products.
    pub moments: Moments,
    /// What happened on the way.
    pub info: Info,
    /// Where persistent chains are now; `None` for estimators that have none.
    pub persistent: Option<Vec<Matrix>>,
}

impl Estimate {
    /// Whether it can be one of `chains` chains of a model.
    pub fn fits(&self, model: &Dbm, chains: usize) -> bool {
        let rows = |layers: &Vec<Matrix>| {
            layers.iter().map(Matrix::columns).eq(model.sizes().iter().copied())
                && layers.iter().all(|layer| layer.rows() == chains)
        };
        self.moments.fits(model.sizes()) && self.persistent.as_ref().is_none_or(rows)
    }
}

/// Anything that estimates the sum over a batch of the gradient of log p(v), or of log p(unknown | known); of examples with gaps
/// that of the marginal of what is observed. And its mean, for models small enough to enumerate.
pub trait Estimator: Debug + Send + Sync {
    /// The estimate; `clock` gives seconds and touches no result.
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate;

    /// Mean of its positive phase, `visible[i]` being `None` where unit `i` is missing.
    ///
    /// # Errors
    /// Those of [`crate::expectation::StateSpace::new`].
    fn expected_positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError>;

    /// Mean of its negative phase, in which the `known` units keep the values of `visible` where it has any, at the step after `steps_before` others with
    /// unchanged parameters (which only persistent chains remember).
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

    /// Mean of the estimated gradient of one example. A `max_meeting` of `u32::MAX` is no cap: the mean then sums over all time.
    ///
    /// ```
    /// use dbm_core::{Settings, Units, exact, gradient, init};
    /// let model = init::gaussian(&[2, 2, 1], Units::Signs, 0.5, 1)?;
    /// let (visible, known) = ([Some(true), Some(false)], [false, false]);
    /// let exact = exact::gradient_with_gaps(&model, &visible, &known)?;
    /// let bias = |name: &str| -> Result<f64, dbm_core::DbmError> {
    ///     let settings = Settings { estimator: name.parse()?, max_meeting: u32::MAX, ..Settings::default() };
    ///     let mean = gradient::estimator(&settings).expected(&model, &visible, &known, 0)?.values;
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

/// The estimator that a run's settings ask for.
///
/// ```
/// use dbm_core::gradient::{self, Batch};
/// use dbm_core::{Settings, Units, init, linalg::Matrix, rng::Streams};
/// let model = init::orthogonal(&[4, 3, 2], Units::Signs, 1)?;
/// let settings = Settings { estimator: "cd-5".parse()?, ..Settings::default() };
/// let batch = Batch::new(Matrix::from_vec(1, 4, vec![1.0, -1.0, -1.0, 1.0]), Streams::new(7));
/// let estimate = gradient::estimator(&settings).estimate(&model, &batch, &|| 0.0);
/// assert_eq!(estimate.moments.gradient(model.backend(), 1.0).weights[0].data().len(), 4 * 3);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
pub fn estimator(settings: &Settings) -> Arc<dyn Estimator> {
    settings.estimator.kind.make(settings)
}
