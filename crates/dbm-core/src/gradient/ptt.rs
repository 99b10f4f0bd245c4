//! PTT-k: parallel trajectory tempering, with persistent chains at every rung of the run's own past.

use super::phases::{Phases, into_single};
use super::{Batch, Cd, Estimate, Estimator, ExpectedGradient, Info, Moments, PhaseInfo};
use crate::expectation::{Expected, StateSpace};
use crate::linalg::Matrix;
use crate::tempering::{LadderDepth, Replicas, held_parity};
use crate::{Dbm, DbmError};

/// Parallel trajectory tempering (Bereux, Decelle, Furtlehner and Seoane 2025, "Fast training and sampling of restricted Boltzmann machines").
///
/// Positive phase: as in [`super::PcdGibbs`]. Negative phase: as many free persistent chains as examples, at the model and at every rung of
/// the run's ladder (earlier versions of the model, from independent units on). In each step they exchange states with their neighbours and
/// make one sweep, or `k` sweeps at the model. Unlike persistent chains alone, the chains at the model cannot get stuck in a mode: states
/// keep coming up from independent units. Biased like [`super::PcdGibbs`] because chains lag behind the parameters, but far less.
///
/// A round over the full ladder costs at least as much as a sweep of every rung. It is made once in `every` steps; in the steps in between,
/// the model exchanges only with the last rung.
#[derive(Clone, Debug)]
pub struct Ptt {
    /// Its positive phase, and the settings of both.
    pub cd: Cd,
    /// Steps from one round over the full ladder to the next.
    pub every: u32,
}

impl Estimator for Ptt {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        let mut moments = [Moments::new(model)];
        let phases = Phases::of_one(model, batch, self.cd.marginalize, clock);
        phases.add_predictions(&mut moments);
        let positive = phases.positive_of(phases.rows_without_mask(), &mut moments, &mut |run| self.cd.positive_phase(run));
        let (persistent, negative) = self.tempered_phase(&phases, &mut moments);
        let ([moments], positive, negative) = (moments, into_single(positive), into_single(negative));
        Estimate { moments, info: Info { positive, negative }, persistent: Some(persistent) }
    }

    fn reach(&self, step: u64) -> LadderDepth {
        LadderDepth::at(step, self.every)
    }
}

impl ExpectedGradient for Ptt {
    fn expected_positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError> {
        self.cd.expected_positive(model, visible)
    }

    /// Without a ladder: independent fair coins are the only rung below the model, and are drawn again at every step.
    fn expected_negative(&self, model: &Dbm, _: &[Option<bool>], _: &[bool], steps_before: u32) -> Result<Expected, DbmError> {
        let space = StateSpace::new(model, &vec![None; model.n_visible()])?;
        let held = held_parity(model);
        let start = space.sweeps(space.uniform(), held.other(), 1);
        let law = (0..=steps_before).fold(start, |law, _| {
            let law = space.exchanged_with_uniform(&law, held);
            space.sweeps(law, held.other(), self.cd.k)
        });
        Ok(space.expected(&law, self.cd.marginalize))
    }
}

impl Ptt {
    /// The negative phase; returns the new states of the chains at all rungs, `[count, n_l]` for each layer of each rung.
    fn tempered_phase(&self, phases: &Phases, moments: &mut [Moments]) -> (Vec<Matrix>, Vec<PhaseInfo>) {
        let mut ends = Vec::new();
        let ladder = phases.batch.ladder(phases.model);
        let infos = phases.free_negative(moments, |run| {
            let Batch { step, persistent, .. } = phases.batch;
            let mut replicas = Replicas::new(&ladder, run.model, self.reach(*step), persistent.as_deref(), &mut run.streams);
            replicas.round(self.cd.k, &mut run.streams);
            run.chains.place_all(replicas.top().layers());
            run.push_states();
            ends = replicas.states();
            run.infos[0].work += replicas.work();
            run.infos[0].exchanges = replicas.exchanges;
        });
        (ends, infos)
    }
}
