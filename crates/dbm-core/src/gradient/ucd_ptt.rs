//! UCD-PTT: coupled tempered ladders. Persistent chains as those of [`super::Ptt`], corrected by a second ladder that meets the first.

use super::phase::PhaseRun;
use super::phases::{Phases, into_single};
use super::{Batch, Estimate, Estimator, ExpectedGradient, Info, Moments, PhaseInfo, UcdSmc};
use crate::expectation::Expected;
use crate::linalg::Matrix;
use crate::tempering::{LadderDepth, Replicas, RunCoupling};
use crate::{Dbm, DbmError};

/// Unbiased contrastive divergence by coupled ladders.
///
/// `X_t` and `Y_t` are states of chains at all rungs of a ladder, from independent units to the model; a step of either is a round of
/// [`Replicas`], which leaves the product of the rungs' distributions invariant. Both begin at the chains that the last step left. `X` is
/// one step ahead, and from then on `X_{t+1}` and `Y_t` are made from the same random numbers: a unit is drawn high in both ladders if one
/// uniform number is below both of its probabilities, and an exchange is accepted in both if one uniform number is below both ratios. The
/// lowest rung is drawn afresh, and so is the same in both at once; what is the same climbs with accepted exchanges until, at time `tau`,
/// the ladders are equal, and stay so. The estimate of Jacob, O'Leary and Atchade (2020) with a lag of 1,
///
/// `H_{k:m} = sum_{t=k}^m f(X_t) / (m - k + 1) + sum_{t=k+1}^{tau-1} min(1, (t - k) / (m - k + 1)) (f(X_t) - f(Y_{t-1}))`
///
/// with `f` at the model's rung, has the mean of `f` under the model, whatever the chains were at the beginning of the step, as long as no
/// meeting is cut at the cap.
///
/// The positive phase, and chains with known units, are those of [`UcdSmc`].
#[derive(Clone, Debug)]
pub struct UcdPtt {
    /// Gibbs sweeps of the chains at the model in a round.
    pub k: u32,
    /// The times over which the estimate averages, and the cap.
    pub coupling: RunCoupling,
    /// What estimates phases with clamped units.
    pub clamped: UcdSmc,
}

impl Estimator for UcdPtt {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        let mut moments = [Moments::new(model)];
        let phases = Phases::of_one(model, batch, self.clamped.marginalize, clock);
        let positive = self.clamped.positive(&phases, &mut moments);
        let mut negative = phases.known_negative(&mut moments, &mut |run| self.clamped.phase(run, batch));
        let (persistent, free) = self.coupled_phase(&phases, &mut moments);
        negative.iter_mut().zip(&free).for_each(|(info, free)| info.append(free));
        let ([moments], positive, negative) = (moments, into_single(positive), into_single(negative));
        Estimate { moments, info: Info { positive, negative }, persistent: Some(persistent) }
    }

    fn reach(&self, step: u64) -> LadderDepth {
        LadderDepth::at(step, 1)
    }
}

impl ExpectedGradient for UcdPtt {
    /// Without a cap: this is the exact mean, whatever the ladder is.
    fn expected_positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError> {
        self.clamped.expected_positive(model, visible)
    }

    fn expected_negative(
        &self,
        model: &Dbm,
        visible: &[Option<bool>],
        known: &[bool],
        before: u32,
    ) -> Result<Expected, DbmError> {
        self.clamped.expected_negative(model, visible, known, before)
    }
}

impl UcdPtt {
    /// The free negative phase; returns the chains at all rungs as they are at the last time of the average.
    fn coupled_phase(&self, phases: &Phases, moments: &mut [Moments]) -> (Vec<Matrix>, Vec<PhaseInfo>) {
        let mut ends = Vec::new();
        let ladder = phases.batch.ladder(phases.model);
        let infos = phases.free_negative(moments, |run| {
            let Batch { step, persistent, .. } = phases.batch;
            let reach = self.reach(*step);
            let mut x = Replicas::new(&ladder, run.model, reach, persistent.as_deref(), &mut run.streams);
            let mut y = Replicas::new(&ladder, run.model, reach, Some(&x.states()), &mut run.streams);
            ends = self.couple(run, &mut x, &mut y);
            run.infos[0].work += x.work();
            run.infos[0].work += y.work();
        });
        (ends, infos)
    }

    /// Adds the estimate of every chain from ladders at the same states, and returns the later ones of `x`.
    fn couple(&self, run: &mut PhaseRun, x: &mut Replicas, y: &mut Replicas) -> Vec<Matrix> {
        let RunCoupling { first, last, cap } = self.coupling;
        let span = f64::from(last - first + 1);
        let count = run.chains.count();
        let mut met: Vec<Option<u32>> = vec![None; count];
        let mut ends = Vec::new();
        for t in 0_u32.. {
            if t > 0 {
                let mut again = run.streams.clone();
                x.round(self.k, &mut run.streams);
                if t > 1 && met.iter().any(Option::is_none) {
                    y.round(self.k, &mut again);
                }
                for (c, met) in met.iter_mut().enumerate().filter(|(_, met)| met.is_none()) {
                    *met = x.coincides(y, c).then_some(t);
                }
            }
            let is_cut = t >= cap.max(last);
            let average = if (first..=last).contains(&t) { 1.0 / span } else { 0.0 };
            let correction = if t > first { (f64::from(t - first) / span).min(1.0) } else { 0.0 };
            let corrected = |c: usize| if met[c].is_none() && t > 0 { correction } else { 0.0 };
            let weights: Vec<f64> = (0..count).map(|c| average + corrected(c)).collect();
            run.push_weighted(x.top().layers(), &weights);
            run.push_weighted(y.top().layers(), &(0..count).map(|c| -corrected(c)).collect::<Vec<_>>());
            if t == 1 {
                // Later rounds happen only to chains that have not met.
                run.infos[0].exchanges = x.exchanges.clone();
            }
            if t == last.max(1) {
                ends = x.states();
            }
            if t >= last.max(1) && (is_cut || met.iter().all(Option::is_some)) {
                break;
            }
        }
        for (met, &shard) in met.iter().zip(&run.shard_of) {
            run.infos[shard].meeting_times.push(met.unwrap_or(cap));
            run.infos[shard].couplings_capped += u32::from(met.is_none());
        }
        run.note_states(&ends[ends.len() - run.model.sizes().len()..]);
        ends
    }
}
