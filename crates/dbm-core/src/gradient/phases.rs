//! Both phases of an estimate, for one shard or for several that are estimated together.

use super::phase::PhaseRun;
use super::prediction::{Prediction, SWEEPS};
use super::{Batch, Estimate, Estimator, ExpectedGradient, Info, Moments, Phase, PhaseInfo};
use crate::chains::Chains;
use crate::expectation::{Expected, StateSpace};
use crate::linalg::Matrix;
use crate::{Clamp, Dbm, DbmError};
use std::ops::Range;

/// An estimator whose two phases differ only in what is clamped.
pub(super) trait SymmetricEstimator: std::fmt::Debug + Send + Sync {
    /// Whether half of each state is replaced by its conditional means.
    fn marginalizes(&self) -> bool;

    /// Whether most of its time goes into sweeps of all chains, and not into coupling them one after another.
    fn batches_well(&self) -> bool;

    /// Takes the chains of a phase from scratch to x_0, and adds the estimate.
    fn phase(&self, run: &mut PhaseRun);
}

/// The mean of such an estimator.
pub(super) trait SymmetricExpectation {
    /// The mean of what [`SymmetricEstimator::phase`] adds for one chain.
    fn expected_phase(&self, space: &StateSpace) -> Expected;
}

impl<T: SymmetricEstimator> Estimator for T {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        into_single(self.estimate_together(model, &[batch], clock))
    }

    fn estimate_together(&self, model: &Dbm, batches: &[&Batch], clock: &dyn Fn() -> f64) -> Vec<Estimate> {
        together(model, batches, self.marginalizes(), clock, &|phases, moments| {
            let positive = phases.positive(moments, &mut |run| {
                if run.has_exact_posterior() { run.push_exact_posterior() } else { self.phase(run) }
            });
            (positive, phases.negative(moments, |run| self.phase(run)), None)
        })
    }

    fn prefers_batching(&self) -> bool {
        self.batches_well()
    }
}

impl<T: SymmetricExpectation> ExpectedGradient for T {
    fn expected_positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError> {
        let space = StateSpace::new(model, visible)?;
        Ok(if space.has_exact_posterior() { space.exact_posterior() } else { self.expected_phase(&space) })
    }

    fn expected_negative(&self, model: &Dbm, visible: &[Option<bool>], known: &[bool], _: u32) -> Result<Expected, DbmError> {
        Ok(self.expected_phase(&StateSpace::of_known(model, visible, known)?))
    }
}

/// The element of a list that has exactly one.
pub(super) fn into_single<T>(mut of: Vec<T>) -> T {
    of.swap_remove(0)
}

/// How an estimator makes both phases of shards that are estimated together: what happened in each, and the final states of persistent
/// chains, `[rows, n_l]` per layer.
pub(super) type BothPhases<'a> = &'a dyn Fn(&Phases, &mut [Moments]) -> (Vec<PhaseInfo>, Vec<PhaseInfo>, Option<Vec<Matrix>>);

/// The estimates of shards of one step, made as one batch, or one by one if they cannot be joined.
pub(super) fn together(
    model: &Dbm,
    batches: &[&Batch],
    marginalize: bool,
    clock: &dyn Fn() -> f64,
    both: BothPhases,
) -> Vec<Estimate> {
    let joined = if let [_, _, ..] = batches { Batch::joined(batches) } else { None };
    let Some((batch, shards)) = &joined else {
        let alone = |batch: &&Batch| of_shards(&Phases::of_one(model, batch, marginalize, clock), both);
        return batches.iter().flat_map(alone).collect();
    };
    of_shards(&Phases { model, batch, shards: shards.clone(), marginalize, clock }, both)
}

fn of_shards(phases: &Phases, both: BothPhases) -> Vec<Estimate> {
    let mut moments: Vec<Moments> = phases.shards.iter().map(|_| Moments::new(phases.model)).collect();
    for (moments, rows) in moments.iter_mut().zip(&phases.shards) {
        // Room for both phases.
        moments.reserve(2 * rows.len() * if phases.marginalize { 2 } else { 1 });
    }
    let (positive, negative, persistent) = both(phases, &mut moments);
    let infos = positive.into_iter().zip(negative).map(|(positive, negative)| Info { positive, negative });
    let own = |rows: &Range<usize>| persistent.as_ref().map(|layers| layers.iter().map(|l| l.rows_of(rows.clone())).collect());
    let each = moments.into_iter().zip(infos).zip(&phases.shards);
    each.map(|((moments, info), rows)| Estimate { moments, info, persistent: own(rows) }).collect()
}

/// What both phases of an estimate share.
pub(super) struct Phases<'a> {
    pub model: &'a Dbm,
    pub batch: &'a Batch,
    /// The rows of each shard. Moments and records are kept per shard, and proposals are recycled within a shard.
    shards: Vec<Range<usize>>,
    pub marginalize: bool,
    pub clock: &'a dyn Fn() -> f64,
}

impl<'a> Phases<'a> {
    /// The phases of one shard.
    pub fn of_one(model: &'a Dbm, batch: &'a Batch, marginalize: bool, clock: &'a dyn Fn() -> f64) -> Self {
        Self { model, batch, shards: std::iter::once(0..batch.visible.rows()).collect(), marginalize, clock }
    }

    /// The positive phase: first the examples without gaps, whose visible layer is fully clamped, then those with gaps, whose missing units
    /// are searched, sampled and coupled like hidden ones.
    pub fn positive(&self, moments: &mut [Moments], phase: &mut dyn FnMut(&mut PhaseRun)) -> Vec<PhaseInfo> {
        self.positive_of((0..self.batch.visible.rows()).collect(), moments, phase)
    }

    /// The same for these rows.
    pub fn positive_of(&self, rows: Vec<usize>, moments: &mut [Moments], phase: &mut dyn FnMut(&mut PhaseRun)) -> Vec<PhaseInfo> {
        let (whole, gaps): (Vec<usize>, Vec<usize>) = rows.into_iter().partition(|&row| self.batch.is_whole(row));
        let mut infos = vec![PhaseInfo::default(); self.shards.len()];
        for (rows, whole) in [(whole, true), (gaps, false)].into_iter().filter(|(rows, _)| !rows.is_empty()) {
            let n = self.model.n_visible();
            let clamp = if whole { Clamp::Visible } else { self.batch.observed.of_rows(&rows, n) };
            let part = self.run(Phase::Positive, rows, clamp, moments, phase);
            infos.iter_mut().zip(&part).for_each(|(info, part)| info.append(part));
        }
        infos
    }

    /// The negative phase, in which the chains are free or keep the known units.
    pub fn negative(&self, moments: &mut [Moments], mut phase: impl FnMut(&mut PhaseRun)) -> Vec<PhaseInfo> {
        let rows = (0..self.batch.visible.rows()).collect();
        self.run(Phase::Negative, rows, self.batch.known.clone(), moments, &mut phase)
    }

    /// The negative phase of estimators with persistent chains, which cannot keep units known: one free chain per example, with a total
    /// weight equal to the number of examples without a mask.
    pub fn free_negative(&self, moments: &mut [Moments], mut phase: impl FnMut(&mut PhaseRun)) -> Vec<PhaseInfo> {
        let weight =
            |rows: &Range<usize>| rows.clone().filter(|&row| !self.is_masked(row)).count() as f32 / rows.len().max(1) as f32;
        let weights: Vec<f32> = self.shards.iter().map(weight).collect();
        self.run(Phase::Negative, (0..self.batch.visible.rows()).collect(), Clamp::Free, moments, &mut |run| {
            run.weights.clone_from(&weights);
            phase(run);
        })
    }

    /// The negative phase of the rows with known units, whose chains keep these.
    pub fn known_negative(&self, moments: &mut [Moments], phase: &mut dyn FnMut(&mut PhaseRun)) -> Vec<PhaseInfo> {
        let rows: Vec<usize> = (0..self.batch.visible.rows()).filter(|&row| self.is_masked(row)).collect();
        if rows.is_empty() {
            return vec![PhaseInfo::default(); self.shards.len()];
        }
        let known = self.batch.known.of_rows(&rows, self.model.n_visible());
        self.run(Phase::Negative, rows, known, moments, phase)
    }

    /// The rows for which such estimators make a positive phase.
    pub fn rows_without_mask(&self) -> Vec<usize> {
        (0..self.batch.visible.rows()).filter(|&row| !self.is_masked(row)).collect()
    }

    /// Adds the contribution of the other rows: the gradient of the mean-field prediction of their unknown units.
    pub fn add_predictions(&self, moments: &mut [Moments]) {
        for (moments, rows) in moments.iter_mut().zip(&self.shards) {
            let masked: Vec<usize> = rows.clone().filter(|&row| self.is_masked(row)).collect();
            if !masked.is_empty() {
                Prediction::of(self.model, self.batch, &masked, SWEEPS).add_gradient(moments);
            }
        }
    }

    fn is_masked(&self, row: usize) -> bool {
        self.batch.known.of_rows(&[row], self.model.n_visible()).holds_any()
    }

    // Through a `dyn` function, so that its code exists once and not per estimator: the page has to download the worker.
    fn run(
        &self,
        phase: Phase,
        rows: Vec<usize>,
        clamp: Clamp,
        moments: &mut [Moments],
        estimate: &mut dyn FnMut(&mut PhaseRun),
    ) -> Vec<PhaseInfo> {
        let started = (self.clock)();
        let Self { model, batch, ref shards, marginalize, clock } = *self;
        let mut chains = Chains::new(model, batch.visible.select(&rows), clamp);
        if let (Phase::Positive, Some(labels)) = (phase, &batch.labels) {
            chains = chains.with_top(labels.select(&rows));
        }
        let streams = rows.iter().map(|&row| batch.stream(phase, row)).collect();
        let shard_of = rows.iter().map(|row| shards.partition_point(|shard| shard.end <= *row)).collect();
        let (starts, infos, weights) = (Vec::new(), vec![PhaseInfo::default(); shards.len()], vec![1.0; shards.len()]);
        let mut run = PhaseRun {
            model,
            phase,
            weights,
            marginalize,
            clock,
            rows,
            shard_of,
            started,
            chains,
            streams,
            starts,
            moments,
            infos,
        };
        estimate(&mut run);
        run.infos[0].work += run.chains.work();
        run.infos
    }
}

#[cfg(test)]
mod tests {
    use crate::gradient::{Batch, estimator};
    use crate::linalg::Matrix;
    use crate::rng::Streams;
    use crate::{Clamp, Examples, Settings, Units, init};

    #[test]
    fn free_chains_show_the_likelier_visible_layer_given_the_layer_above() {
        let model = init::gaussian(&[11, 6, 4], Units::Signs, 0.5, 3).unwrap();
        let mut batch = Batch::new(Matrix::zeros(3, 11), Streams::new(5));
        let by = |name: &str, batch: &Batch| {
            let settings = Settings { estimator: name.parse().unwrap(), ..Settings::default() };
            estimator(&settings).estimate(&model, batch, &|| 0.0)
        };
        let estimate = by("pcd-2", &batch);
        let (chains, shown) = (estimate.persistent.unwrap(), Examples::from_packed(11, estimate.info.negative.visible).unwrap());
        for chain in 0..3 {
            let state: Vec<Vec<f32>> = chains.iter().map(|layer| layer.row(chain).to_vec()).collect();
            let likelier: Vec<u8> = model.field(0, &state).into_iter().map(|field| u8::from(field >= 0.0)).collect();
            assert_eq!(shown.row(chain), likelier);
        }
        assert!(estimate.info.positive.visible.is_empty());
        // Of three chains the second keeps a known unit.
        batch.known = Clamp::Known((0..33).map(|place| place == 12).collect());
        assert_eq!(by("ucd-lmi", &batch).info.negative.visible.len(), 2 * 2);
    }
}
