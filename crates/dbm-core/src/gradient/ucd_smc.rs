//! UCD-SMC: coupled chains whose states are runs of sequential Monte Carlo, so that they meet in models of any size.

use super::phase::PhaseRun;
use super::phases::{Phases, into_single};
use super::{Batch, Estimate, Estimator, ExpectedGradient, Info, Moments, PhaseInfo};
use crate::expectation::{Expected, StateSpace};
use crate::linalg::Matrix;
use crate::rng::Stream;
use crate::settings::estimator::SmcPath;
use crate::tempering::{Base, Pair, ParticleSet, Path, RunCoupling, Spread, Temperatures, runs};
use crate::{Clamp, Dbm, DbmError};

/// Runs with clamped units use the particles and steps of a free run divided by this number: far less is left for them to sample.
const CLAMPED_SHARE: u32 = 10;

/// Unbiased contrastive divergence by sequential Monte Carlo.
///
/// Each phase is the estimate of [`RunCoupling`]: the start and all proposals are independent runs of [`runs`], from independent units to
/// the model. The free chains of a shard share one pair of coupled chains, whose estimate counts for each of them. A chain with clamped
/// units (in the positive phase, of an example with gaps, or of a mask) has its own pair, whose runs begin at the mean field of the clamped
/// units. The mean is the exact gradient for any number of particles and any path, as long as nothing is cut at the cap. A run accepts
/// another with a fair probability, which no uniform proposal does in a wide model, so corrections happen at every size.
///
/// Nothing in a step depends on the step's own particles: a path along the run's past is fixed before it, and the temperatures are those
/// that earlier steps have set ([`Temperatures`]). In the first step, and for chains with clamped units, they are equally spaced.
#[derive(Clone, Debug)]
pub struct UcdSmc {
    /// Replace half of each particle by its conditional means.
    pub marginalize: bool,
    /// N: particles of a free run.
    pub particles: u32,
    /// K: temperatures of a free run's path, if it is one of temperatures.
    pub steps: u32,
    /// The path of free runs.
    pub path: SmcPath,
    /// The times over which the estimate averages, and the cap.
    pub coupling: RunCoupling,
}

impl Estimator for UcdSmc {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        let mut moments = [Moments::new(model)];
        let phases = Phases::of_one(model, batch, self.marginalize, clock);
        let positive = self.positive(&phases, &mut moments);
        let negative = phases.negative(&mut moments, |run| self.phase(run, batch));
        let ([moments], positive, negative) = (moments, into_single(positive), into_single(negative));
        Estimate { moments, info: Info { positive, negative }, persistent: None }
    }
}

impl ExpectedGradient for UcdSmc {
    /// Without a cap: this is the exact mean, whatever the runs are.
    fn expected_positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError> {
        let space = StateSpace::new(model, visible)?;
        Ok(if space.has_exact_posterior() {
            space.exact_posterior()
        } else {
            space.expected(&space.stationary(), self.marginalize)
        })
    }

    fn expected_negative(&self, model: &Dbm, visible: &[Option<bool>], known: &[bool], _: u32) -> Result<Expected, DbmError> {
        let space = StateSpace::of_known(model, visible, known)?;
        Ok(space.expected(&space.stationary(), self.marginalize))
    }
}

impl UcdSmc {
    /// The positive phase.
    pub(super) fn positive(&self, phases: &Phases, moments: &mut [Moments]) -> Vec<PhaseInfo> {
        phases.positive(moments, &mut |run| {
            if run.has_exact_posterior() { run.push_exact_posterior() } else { self.phase(run, phases.batch) }
        })
    }

    /// One phase: the pairs of the chains with clamped units, and one of all free chains together.
    pub(super) fn phase(&self, run: &mut PhaseRun, batch: &Batch) {
        let n = run.model.n_visible();
        let (free, held): (Vec<usize>, Vec<usize>) = (0..run.rows.len()).partition(|&c| !run.chains.clamp_of(c).holds_any());
        if !held.is_empty() {
            let visible = run.chains.layer(0).select(&held);
            let clamp = run.chains.clamp().of_rows(&held, n);
            let fewer = |of: u32| (of / CLAMPED_SHARE).max(2);
            let temperatures = Temperatures::equal(fewer(self.steps));
            let path = Path::of_temperatures(Base::of_mean_field(run.model, &visible, &clamp), run.model, &temperatures);
            let mut streams: Vec<Stream> = held.iter().map(|&c| run.streams[c].clone()).collect();
            let weights = vec![1.0; held.len()];
            self.couple(run, &path, (&visible, &clamp), fewer(self.particles), &mut streams, &weights);
        }
        if let Some(&first) = free.first() {
            let ladder = batch.ladder(run.model);
            let path = match self.path {
                SmcPath::Temperatures => {
                    Path::of_temperatures(Base::of(&ladder.rungs()[0]), run.model, &ladder.temperatures(self.steps))
                }
                SmcPath::Past => Path::of_ladder(&ladder, run.model),
            };
            let visible = Matrix::from_vec(1, n, vec![run.model.units().low(); n]);
            let mut streams = vec![run.streams[first].clone()];
            self.couple(run, &path, (&visible, &Clamp::Free), self.particles, &mut streams, &[free.len() as f64]);
        }
        run.note_search();
    }

    /// Adds the estimates of some pairs, each counted this many times.
    fn couple(
        &self,
        run: &mut PhaseRun,
        path: &Path,
        (visible, clamp): (&Matrix, &Clamp),
        particles: u32,
        streams: &mut [Stream],
        counts: &[f64],
    ) {
        let n = visible.columns();
        let mut spread = Spread::default();
        // Starts and first proposals together make larger products.
        let twice: Vec<usize> = (0..2 * counts.len()).map(|run| run % counts.len()).collect();
        let mut forks: Vec<Stream> = twice.iter().map(|&pair| streams[pair].fork()).collect();
        let mut first = runs(
            &path.of_runs(&twice),
            &visible.select(&twice),
            &clamp.of_rows(&twice, n),
            particles as usize,
            &mut forks,
            (&mut spread, &mut run.infos[0].work),
        );
        let mut offered: Vec<Option<ParticleSet>> = first.split_off(counts.len()).into_iter().map(Some).collect();
        let mut pairs: Vec<Option<Pair>> = Vec::new();
        for (start, &count) in first.into_iter().zip(counts) {
            run.note_run(&start, count, *clamp == Clamp::Free);
            pairs.push(Some(Pair::new(&self.coupling, start)));
        }
        loop {
            for (place, pair) in pairs.iter_mut().enumerate() {
                let Some(mut at_work) = pair.take() else { continue };
                if let Some(offered) = offered[place].take() {
                    let u = streams[place].uniform();
                    at_work.step(offered, u, &mut |times, _, of| run.push_run(counts[place] * times, of, clamp));
                }
                if at_work.is_done() {
                    run.note_meeting(at_work.meeting(), at_work.offered);
                    at_work.finish(&mut |times, _, of| run.push_run(counts[place] * times, of, clamp));
                } else {
                    *pair = Some(at_work);
                }
            }
            let left: Vec<usize> = (0..pairs.len()).filter(|&place| pairs[place].is_some()).collect();
            if left.is_empty() {
                break;
            }
            let mut forks: Vec<Stream> = left.iter().map(|&place| streams[place].fork()).collect();
            let more = runs(
                &path.of_runs(&left),
                &visible.select(&left),
                &clamp.of_rows(&left, n),
                particles as usize,
                &mut forks,
                (&mut spread, &mut run.infos[0].work),
            );
            left.into_iter().zip(more).for_each(|(place, run)| offered[place] = Some(run));
        }
        if *clamp == Clamp::Free {
            run.infos[0].spread.append(&spread);
        }
    }
}
