//! Meeting times of couplings on a random RBM: the paper's Figure 1.

use super::couple::{Caps, CouplingKernel, couple};
use super::samples::ProgressFn;
use super::starts::{CouplingStart, begin_runs};
use crate::chains::Chains;
use crate::coupling::Meeting;
use crate::error::within;
use crate::linalg::Matrix;
use crate::rng::Streams;
use crate::{Backend, Clamp, Dbm, DbmError, Units, init};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The largest model studied: this many visible units, and as many hidden ones.
pub const MAX_DIMENSION: usize = 400;

/// Numbered couplings of one kind on one random orthogonal RBM.
///
/// The model has the weights of [`init::orthogonal`] for `[dimension, dimension]` and the seed. Its biases are zero, as in the paper's
/// energy and its figure: with the initial biases of training, which hold many units, the Gibbs chains meet after 61 steps instead of 4000
/// at 100 dimensions. Run `r` draws from its own stream whatever the kernel and the start, so both kernels begin at the same x_0. All units
/// are free.
///
/// ```
/// use dbm_core::diagnostics::{Couplings, CouplingKernel, CouplingStart};
/// use dbm_core::Units;
/// let couplings = Couplings { dimension: 30, units: Units::Signs, kernel: CouplingKernel::Metropolis, start: CouplingStart::LocalMode,
///                             max_meeting: 1000, max_tries: 1000, seed: 1 };
/// let model = couplings.model()?;
/// let runs = couplings.run(&model, 0..10, &mut |_, _| ());
/// assert_eq!(runs.len(), 10);
/// assert!(runs.iter().all(|run| run.meeting.time == 1 && run.sweeps > 1));
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Couplings {
    /// Number of visible units, and of hidden ones.
    pub dimension: usize,
    /// Kind of units.
    pub units: Units,
    /// How the chains move.
    pub kernel: CouplingKernel,
    /// Where the chains begin.
    pub start: CouplingStart,
    /// A coupling that has not met by then is cut, and reported as such.
    pub max_meeting: u32,
    /// Gibbs: tries of one draw, after which the last try is used and counted.
    pub max_tries: u32,
    /// Seed of the model and of every run.
    pub seed: u64,
}

/// The outcome of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouplingRun {
    /// tau, and whether it was cut at the cap.
    pub meeting: Meeting,
    /// T: sweeps of the local search; 0 if the run began at a uniform state.
    pub sweeps: u32,
    /// Draws cut at the cap on tries.
    pub tries_capped: u32,
}

impl Couplings {
    /// Accepts settings that make sense.
    ///
    /// # Errors
    /// [`DbmError::Setting`], naming the first setting out of range.
    pub fn check(&self) -> Result<(), DbmError> {
        within("dimension", "1 to 400", self.dimension as f64, (1..=MAX_DIMENSION).contains(&self.dimension))?;
        check_caps(self.max_meeting, self.max_tries)
    }

    /// The model used by all runs.
    ///
    /// # Errors
    /// Those of [`Couplings::check`].
    pub fn model(&self) -> Result<Dbm, DbmError> {
        self.check()?;
        let model = init::orthogonal(&[self.dimension; 2], self.units, self.seed)?;
        let weights = model.weights().iter().map(|weights| weights.data().to_vec()).collect();
        Ok(Dbm::new(self.units, weights, vec![vec![0.0; self.dimension]; 2])?.with_backend(Backend::Plain))
    }

    /// These runs on [`Couplings::model`], in order.
    pub fn run(&self, model: &Dbm, runs: Range<u32>, progress: &mut ProgressFn) -> Vec<CouplingRun> {
        let how = (self.kernel, Caps { meeting: self.max_meeting, tries: self.max_tries });
        let mut done = Vec::with_capacity(runs.len());
        let address = (Streams::new(self.seed), self.dimension as u64);
        begin_runs(model, self.start, address, runs, |chains, streams, searches| {
            progress(done.len() as u32, chains.work().products + chains.work().carried);
            for (c, (stream, search)) in streams.iter_mut().zip(searches).enumerate() {
                let so_far = done.len() as u32;
                let (meeting, tries_capped) =
                    couple(model, chains, c, stream, how, &mut |_| progress(so_far, model.n_parameters() as u64));
                done.push(CouplingRun { meeting, sweeps: search.sweeps, tries_capped });
            }
        });
        done
    }
}

/// Accepts caps of a coupling that make sense.
pub(super) fn check_caps(max_meeting: u32, max_tries: u32) -> Result<(), DbmError> {
    within("max meeting time", "at least 1", f64::from(max_meeting), max_meeting >= 1)?;
    within("max tries", "at least 1", f64::from(max_tries), max_tries >= 1)
}

/// One chain, with the visible layer clamped to these values if there are any.
pub(super) fn one_chain(model: &Dbm, clamped: Option<Vec<f32>>) -> Chains {
    match clamped {
        Some(visible) => Chains::new(model, Matrix::from_vec(1, model.n_visible(), visible), Clamp::Visible),
        None => Chains::free(model, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn couplings(dimension: usize, units: Units, kernel: CouplingKernel, start: CouplingStart) -> Couplings {
        Couplings { dimension, units, kernel, start, max_meeting: 300, max_tries: 1000, seed: 7 }
    }

    #[test]
    fn runs_are_the_same_in_any_partition() {
        for (units, kernel, start) in [
            (Units::Signs, CouplingKernel::Gibbs, CouplingStart::LocalMode),
            (Units::Bits, CouplingKernel::Gibbs, CouplingStart::Uniform),
            (Units::Signs, CouplingKernel::Metropolis, CouplingStart::Uniform),
            (Units::Bits, CouplingKernel::Metropolis, CouplingStart::LocalMode),
        ] {
            let couplings = couplings(9, units, kernel, start);
            let model = couplings.model().unwrap();
            let whole = couplings.run(&model, 0..120, &mut |_, _| ());
            let parts = [0..1, 1..60, 60..61, 61..120].map(|runs| couplings.run(&model, runs, &mut |_, _| ()));
            assert_eq!(whole, parts.concat());
            assert!(whole.iter().any(|run| run.meeting.time > 1));
            assert_eq!(whole.iter().all(|run| run.sweeps == 0), start == CouplingStart::Uniform);
        }
    }

    #[test]
    fn a_cap_is_told() {
        let cut = Couplings { max_meeting: 2, ..couplings(60, Units::Signs, CouplingKernel::Gibbs, CouplingStart::Uniform) };
        let runs = cut.run(&cut.model().unwrap(), 0..20, &mut |_, _| ());
        assert!(runs.iter().any(|run| run.meeting == Meeting { time: 2, capped: true }));
        assert!(runs.iter().all(|run| run.meeting.time <= 2));
    }

    #[test]
    fn refuses_nonsense() {
        let good = couplings(5, Units::Bits, CouplingKernel::Gibbs, CouplingStart::Uniform);
        assert!(Couplings { dimension: 0, ..good }.model().is_err());
        assert!(Couplings { dimension: 401, ..good }.model().is_err());
        assert!(Couplings { max_meeting: 0, ..good }.model().is_err());
        assert!(Couplings { max_tries: 0, ..good }.model().is_err());
    }
}
