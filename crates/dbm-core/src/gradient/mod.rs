//! Estimates of the gradient of log p, one file per estimator, all behind one trait; and their means, behind another.
//!
//! | file | positive phase | negative phase | mean |
//! | --- | --- | --- | --- |
//! | `ucd_lmi` | mode, one Gibbs sweep, Metropolis coupling | the same | exact |
//! | `ucd_lmi` without its search, UCD-MH | uniform start, Metropolis coupling | the same | exact |
//! | `ucd_gibbs` | uniform start, Gibbs coupling | the same | exact |
//! | `ucd_smc` | runs of particles, coupled by their estimates of Z | the same | exact |
//! | `ucd_ptt` | as `ucd_smc` | chains at the run's own past, coupled with others | exact |
//! | `lmi` | mode, one Gibbs sweep | the same | biased |
//! | `cd` | k Gibbs sweeps from a uniform start | k sweeps from there | biased |
//! | `pcd` | mean field | k sweeps from the last step's states | biased |
//! | `pcd_gibbs` | k Gibbs sweeps from a uniform start | as `pcd` | biased |
//! | `ptt` | as `pcd_gibbs` | the same, with exchanges with chains at the run's own past | biased |
//! | `mp` | mean-field prediction of an example's unknown units | none | another objective |
//! | `pl` | each cell of an example given the others | none | another objective |
//!
//! With one hidden layer the posterior is exact, so all estimators have an exact positive phase, which needs no chain. The expectation of
//! each can also be computed without sampling, by [`crate::expectation`].
//!
//! **Gaps.** The gradient for an example with missing units is that of `log p(v_known) = log sum_{v_missing, h} exp(-E) - log Z`,
//! `E[f | v_known] - E[f]`. In the positive phase a missing visible unit is latent and treated like a hidden one: it is searched, sampled
//! and coupled with these, replaced by its conditional mean if the run marginalizes, and has its own mean in mean field. The posterior of
//! such an example is never exact, and takes chains with one hidden layer too.

mod batch;
mod binary_outer_products;
mod cd;
mod coupled;
mod estimator;
mod info;
mod lmi;
mod moments;
mod mp;
mod particles;
mod pcd;
mod pcd_gibbs;
mod phase;
mod phases;
mod pl;
mod prediction;
mod proposals;
mod ptt;
mod ucd_gibbs;
mod ucd_lmi;
mod ucd_ptt;
mod ucd_smc;

pub use crate::settings::estimator::{CENTERING_RATE, EstimatorDescriptor, EstimatorKind, EstimatorSettings, SmcPath};
pub use batch::{Batch, Estimate};
pub(crate) use binary_outer_products::BinaryOuterProducts;
pub use cd::Cd;
pub use estimator::{Estimator, ExpectedGradient};
pub use info::{Info, PhaseInfo};
pub use lmi::Lmi;
pub(crate) use moments::MAX_ROWS;
pub use moments::{Moments, Phase};
pub use mp::Mp;
pub use pcd::Pcd;
pub use pcd_gibbs::PcdGibbs;
pub use pl::Pl;
pub(crate) use prediction::SWEEPS as PREDICTION_SWEEPS;
pub use ptt::Ptt;
pub use ucd_gibbs::UcdGibbs;
pub use ucd_lmi::UcdLmi;
pub use ucd_ptt::UcdPtt;
pub use ucd_smc::UcdSmc;

use crate::Settings;
use crate::coupling::SharedUniform;
use crate::tempering::RunCoupling;
use std::sync::Arc;

/// Dispatches on the settings' kind, for either trait: a program that only samples does not carry the code of the means.
macro_rules! of_kind {
    ($settings:expr) => {{
        let settings = $settings;
        let Settings { marginalize, max_meeting, .. } = *settings;
        let EstimatorSettings { kind, k, max_tries, .. } = settings.estimator;
        let (start, acceptance) = (settings.local_mode(), SharedUniform);
        match kind {
            EstimatorKind::UcdLmi => Arc::new(UcdLmi { marginalize, start: Some(start), max_meeting, acceptance }),
            EstimatorKind::UcdMh => Arc::new(UcdLmi { marginalize, start: None, max_meeting, acceptance }),
            EstimatorKind::UcdGibbs => Arc::new(UcdGibbs { marginalize, max_meeting, max_tries }),
            EstimatorKind::UcdSmc => {
                let EstimatorSettings { particles, smc_steps: steps, path, average_from: first, average_to: last, .. } =
                    settings.estimator;
                Arc::new(UcdSmc { marginalize, particles, steps, path, coupling: RunCoupling { first, last, cap: max_meeting } })
            }
            EstimatorKind::UcdPtt => {
                let EstimatorSettings { particles, smc_steps: steps, path, average_from: first, average_to: last, .. } =
                    settings.estimator;
                let coupling = RunCoupling { first, last, cap: max_meeting };
                let of_runs = RunCoupling { first: 0, last: 0, cap: max_meeting };
                Arc::new(UcdPtt { k, coupling, clamped: UcdSmc { marginalize, particles, steps, path, coupling: of_runs } })
            }
            EstimatorKind::Lmi => Arc::new(Lmi { marginalize, start }),
            EstimatorKind::Cd => Arc::new(Cd { marginalize, k }),
            EstimatorKind::Pcd => Arc::new(Pcd { marginalize, k, mean_field: settings.estimator.mean_field() }),
            EstimatorKind::PcdGibbs => Arc::new(PcdGibbs(Cd { marginalize, k })),
            EstimatorKind::Mp => Arc::new(Mp { k }),
            EstimatorKind::Pl => Arc::new(Pl),
            EstimatorKind::Ptt => Arc::new(Ptt { cd: Cd { marginalize, k }, every: settings.estimator.ladder_every }),
        }
    }};
}

/// The estimator for a run's settings.
///
/// ```
/// use dbm_core::gradient::{self, Batch};
/// use dbm_core::{Settings, Units, init, linalg::Matrix, rng::Streams};
/// let model = init::orthogonal(&[4, 3, 2], Units::Signs, 1)?;
/// let settings = Settings { estimator: "cd-5".parse()?, ..Settings::default() };
/// let batch = Batch::new(Matrix::from_vec(1, 4, vec![1.0, -1.0, -1.0, 1.0]), Streams::new(7));
/// let estimate = gradient::estimator(&settings).estimate(&model, &batch, &|| 0.0);
/// assert_eq!(estimate.moments.gradient(model.backend(), 1.0).weights[0].len(), 4 * 3);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
pub fn estimator(settings: &Settings) -> Arc<dyn Estimator> {
    of_kind!(settings)
}

/// The exact mean of the estimator for a run's settings.
pub fn expectation(settings: &Settings) -> Arc<dyn ExpectedGradient> {
    of_kind!(settings)
}
