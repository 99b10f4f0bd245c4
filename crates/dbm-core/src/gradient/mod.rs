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
//! With one hidden layer the posterior is exact, so the positive phase of all of them is, and needs no chain. [`crate::expectation`] has
//! their expectations without sampling.
//!
//! **Gaps.** The gradient of an example of which some units are missing is that of `log p(v_known) = log sum_{v_missing, h} exp(-E) - log Z`,
//! `E[f | v_known] - E[f]`: in its positive phase a missing visible unit is latent, and treated as a hidden one is. It is searched,
//! sampled and coupled with them, replaced by its conditional mean where the run marginalizes, and has a mean of its own in mean field.
//! Such an example's posterior is exact for no model, and takes chains with one hidden layer too.

mod binary_outer_products;
mod cd;
mod coupled;
mod info;
mod lmi;
mod moments;
mod pcd;
mod pcd_gibbs;
mod phase;
mod proposals;
mod settings;
mod ucd_gibbs;
mod ucd_lmi;
mod ucd_mh;

pub(crate) use binary_outer_products::BinaryOuterProducts;
pub use cd::Cd;
pub use info::{Info, PhaseInfo};
pub use lmi::Lmi;
pub use moments::{Gradient, Moments, Phase};
pub use pcd::Pcd;
pub use pcd_gibbs::PcdGibbs;
pub use settings::{CENTERING_RATE, EstimatorKind, EstimatorSettings};
pub use ucd_gibbs::UcdGibbs;
pub use ucd_lmi::UcdLmi;
pub use ucd_mh::UcdMh;

use crate::linalg::Matrix;
use crate::rng::Streams;
use crate::{Dbm, Settings};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::sync::Arc;

/// Examples of one shard of a minibatch, and where their random streams are.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Visible layers, `[count, n_0]`, as unit values; what a missing unit has does not matter.
    pub visible: Matrix,
    /// Which visible units the data tell, `[count, n_0]`: these alone are clamped in the positive phase. `None` where no row has gaps.
    pub observed: Option<Vec<bool>>,
    /// For the conditional gradient: what the negative phase keeps clamped, `[count, n_0]`, all of it observed; a row without a mark is the
    /// plain gradient of its example. `None` where no row has one.
    pub known: Option<Vec<bool>>,
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
    /// Which visible units of a row the data tell; `None` where no row has gaps.
    pub fn observed(&self, row: usize) -> Option<&[bool]> {
        let n = self.visible.columns();
        self.observed.as_ref().map(|observed| &observed[row * n..(row + 1) * n])
    }

    /// Whether the data tell all visible units of a row.
    pub fn is_whole(&self, row: usize) -> bool {
        self.observed(row).is_none_or(|observed| !observed.contains(&false))
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
/// that of the marginal of what is observed.
pub trait Estimator: Debug + Send + Sync {
    /// The estimate; `clock` gives seconds and touches no result.
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate;
}

/// The estimator that a run's settings ask for.
///
/// ```
/// use dbm_core::gradient::{self, Batch};
/// use dbm_core::{Settings, Units, init, linalg::Matrix, rng::Streams};
/// let model = init::orthogonal(&[4, 3, 2], Units::Signs, 1)?;
/// let settings = Settings { estimator: "cd-5".parse()?, ..Settings::default() };
/// let visible = Matrix::from_vec(1, 4, vec![1.0, -1.0, -1.0, 1.0]);
/// let streams = Streams::new(7);
/// let batch = Batch { visible, observed: None, known: None, persistent: None, streams, step: 0, first_chain: 0 };
/// let estimate = gradient::estimator(&settings).estimate(&model, &batch, &|| 0.0);
/// assert_eq!(estimate.moments.gradient(model.backend(), 1.0).weights[0].data().len(), 4 * 3);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
pub fn estimator(settings: &Settings) -> Arc<dyn Estimator> {
    match settings.estimator.kind {
        EstimatorKind::UcdLmi => Arc::new(UcdLmi::new(settings)),
        EstimatorKind::UcdMh => Arc::new(UcdMh::new(settings)),
        EstimatorKind::UcdGibbs => Arc::new(UcdGibbs::new(settings)),
        EstimatorKind::Lmi => Arc::new(Lmi::new(settings)),
        EstimatorKind::Cd => Arc::new(Cd::new(settings)),
        EstimatorKind::Pcd => Arc::new(Pcd::new(settings)),
        EstimatorKind::PcdGibbs => Arc::new(PcdGibbs::new(settings)),
    }
}
