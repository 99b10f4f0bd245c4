//! One coupling on a small model from its uniform state, state by state and draw by draw.

use super::couple::{Caps, CouplingKernel, write_down};
use super::meetings::{check_caps, one_chain};
use super::starts::{CouplingStart, begin};
use super::trace::{ApproachState, CouplingTrace};
use crate::error::within;
use crate::rng::{Purpose, Streams};
use crate::{Backend, Dbm, DbmError};
use serde::{Deserialize, Serialize};

/// The most units, in total, of a model whose couplings can be replayed.
pub const MAX_REPLAY_UNITS: usize = 64;

/// The longest coupling that is traced in full, in steps.
pub const MAX_REPLAY_STEPS: u32 = 20_000;

/// A coupling to replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayPlan {
    /// What the visible layer is clamped to (the positive phase); `None` if all units are free.
    pub clamped: Option<Vec<bool>>,
    /// How the chains move.
    pub kernel: CouplingKernel,
    /// Where the chains begin.
    pub start: CouplingStart,
    /// Steps after which the coupling is cut, 1 to [`MAX_REPLAY_STEPS`].
    pub max_meeting: u32,
    /// Gibbs: tries of one draw, after which the last try is used.
    pub max_tries: u32,
    /// Seed of the runs.
    pub seed: u64,
    /// Number of the run, which selects its stream.
    pub run: u32,
}

impl ReplayPlan {
    /// Runs the coupling with the draws and decisions of [`super::Couplings`] and records it: the uniform state; if there is a search, the
    /// state after each of its `2 T` half-sweeps, the last of which change nothing, and after both halves of the Gibbs sweep; then the
    /// pair.
    ///
    /// # Errors
    /// [`DbmError::TooManyUnits`] above [`MAX_REPLAY_UNITS`], [`DbmError::Setting`] for caps of 0 or a `max_meeting` above [`MAX_REPLAY_STEPS`],
    /// [`DbmError::Shape`] for a clamp of another size than the visible layer.
    pub fn run(&self, model: &Dbm) -> Result<CouplingTrace, DbmError> {
        let units = model.sizes().iter().sum();
        if units > MAX_REPLAY_UNITS {
            return Err(DbmError::TooManyUnits { units, limit: MAX_REPLAY_UNITS });
        }
        check_caps(self.max_meeting, self.max_tries)?;
        within("max meeting time", "1 to 20000", f64::from(self.max_meeting), self.max_meeting <= MAX_REPLAY_STEPS)?;
        let given = self.clamped.as_ref().map_or(model.n_visible(), Vec::len);
        DbmError::check_shape("the clamped visible layer", model.n_visible(), given)?;
        let model = &model.clone().with_backend(Backend::Plain);
        let values = |bits: &Vec<bool>| bits.iter().map(|&bit| model.units().value(bit)).collect();
        let mut chains = one_chain(model, self.clamped.as_ref().map(values));
        let purpose = if self.clamped.is_some() { Purpose::Positive } else { Purpose::Negative };
        let mut stream = [Streams::new(self.seed).at(purpose, 0, u64::from(self.run))];
        let mut approach = Vec::new();
        begin(model, &mut chains, self.start, &mut stream, |chains, by| {
            approach.push(ApproachState::new(model, &chains.state(0), by));
        });
        let caps = Caps { meeting: self.max_meeting, tries: self.max_tries };
        Ok(CouplingTrace { approach, ..write_down(model, &chains, 0, &mut stream[0], (self.kernel, caps)) })
    }
}
