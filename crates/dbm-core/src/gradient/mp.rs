//! MP-k: multi-prediction training.

use super::prediction::Prediction;
use super::{Batch, Estimate, Estimator, ExpectedGradient, Info, Moments, PhaseInfo};
use crate::expectation::{Expected, StateSpace};
use crate::linalg::Matrix;
use crate::rng::Streams;
use crate::{Clamp, Dbm, DbmError};

/// The multi-prediction training of deep Boltzmann machines (Goodfellow, Mirza, Courville and Bengio 2013, "Multi-Prediction Deep Boltzmann
/// Machines").
///
/// There are no phases and no chains. A part of each example is known, as given by its mask (all examples are masked), and `k` mean-field
/// sweeps predict the rest, labels included. Training follows the gradient of the log of that prediction through all sweeps. This is not a
/// gradient of log p(v), nor of log p(unknown | known), since mean field takes the unknown units to be independent.
#[derive(Clone, Debug)]
pub struct Mp {
    /// Sweeps of mean field.
    pub k: u32,
}

impl Estimator for Mp {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        let (mut moments, started) = (Moments::new(model), clock());
        let rows: Vec<usize> = (0..batch.visible.rows()).collect();
        Prediction::of(model, batch, &rows, self.k).add_gradient(&mut moments);
        let positive =
            PhaseInfo { mean_field_sweeps: vec![self.k; rows.len()], search_seconds: clock() - started, ..PhaseInfo::default() };
        Estimate { moments, info: Info { positive, negative: PhaseInfo::default() }, persistent: None }
    }
}

impl ExpectedGradient for Mp {
    /// Zero: a prediction needs to know which units are known, so all of it happens instead of the negative phase.
    fn expected_positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError> {
        StateSpace::new(model, visible)?; // refuses what the other estimators refuse
        Ok(Expected { values: vec![0.0; model.n_parameters()], unmet: 0.0 })
    }

    /// The gradient with its sign reversed.
    fn expected_negative(&self, model: &Dbm, visible: &[Option<bool>], known: &[bool], _: u32) -> Result<Expected, DbmError> {
        StateSpace::of_known(model, visible, known)?;
        let values = visible.iter().map(|bit| model.units().value(*bit == Some(true))).collect();
        let observed: Vec<bool> = visible.iter().map(Option::is_some).collect();
        let both: Vec<bool> = observed.iter().zip(known).map(|(observed, known)| observed & known).collect();
        let batch = Batch {
            observed: Clamp::of_units(&observed, 1),
            known: if both.contains(&true) { Clamp::Known(both) } else { Clamp::Free },
            ..Batch::new(Matrix::from_vec(1, visible.len(), values), Streams::new(0))
        };
        let gradient = self.estimate(model, &batch, &|| 0.0).moments.gradient(model.backend(), -1.0);
        Ok(Expected { values: gradient.flat(), unmet: 0.0 })
    }

    fn negative_sees_all(&self) -> bool {
        true
    }
}
