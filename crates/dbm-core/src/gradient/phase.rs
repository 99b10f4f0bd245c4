//! One phase of one estimate: where its chains begin, where a coupling corrects them, and how their states enter the gradient.
//!
//! **Recycled proposals.** The uniform random state that starts another chain's search is independent of this chain's x_0, and its energy falls out of the
//! fields of its own first half-sweep: so it is this chain's first proposal. A chain with masked units shares its known units with no
//! other, and draws its own, as does a batch of one. Only when a proposal is accepted, which a wide model never sees, is a recycled state drawn again,
//! from the beginning of the other chain's stream. Chains become pairwise dependent; each estimate, and so their mean, stays unbiased.

use super::prediction::{Prediction, SWEEPS};
use super::{Batch, Estimate, Estimator, Info, Moments, Phase, PhaseInfo};
use crate::chains::Chains;
use crate::coupling::{Acceptance, GibbsCoupling, Meeting, MetropolisCoupling, StateWithEnergy, meet};
use crate::expectation::{Expected, StateSpace};
use crate::linalg::Matrix;
use crate::math::sigma;
use crate::rng::Stream;
use crate::sweep::{LocalMode, chains_starting_with, half_gibbs, uniform_start};
use crate::tempering::Run;
use crate::{Clamp, Dbm, DbmError, Parity};
use std::ops::Range;
use std::rc::Rc;

/// An estimator whose two phases differ by what is clamped alone.
pub(super) trait SamePhases: std::fmt::Debug + Send + Sync {
    /// Whether half of each state is replaced by its conditional means.
    fn marginalizes(&self) -> bool;

    /// Whether most of its time goes into sweeps of all chains, and not into coupling one after the other.
    fn sweeps_most(&self) -> bool;

    /// Takes the chains of a phase from nowhere to x_0, and adds the estimate.
    fn phase(&self, run: &mut PhaseRun);

    /// The mean of what [`SamePhases::phase`] adds for one chain.
    fn expected_phase(&self, space: &StateSpace) -> Expected;
}

impl<T: SamePhases> Estimator for T {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        only(self.estimate_together(model, &[batch], clock))
    }

    fn estimate_together(&self, model: &Dbm, batches: &[&Batch], clock: &dyn Fn() -> f64) -> Vec<Estimate> {
        together(model, batches, self.marginalizes(), clock, &|phases, moments| {
            let positive = phases.positive(moments, &mut |run| {
                if run.has_exact_posterior() { run.push_exact_posterior() } else { self.phase(run) }
            });
            (positive, phases.negative(moments, |run| self.phase(run)), None)
        })
    }

    fn gains_together(&self) -> bool {
        self.sweeps_most()
    }

    fn expected_positive(&self, model: &Dbm, visible: &[Option<bool>]) -> Result<Expected, DbmError> {
        let space = StateSpace::new(model, visible)?;
        Ok(if space.has_exact_posterior() { space.exact_posterior() } else { self.expected_phase(&space) })
    }

    fn expected_negative(&self, model: &Dbm, visible: &[Option<bool>], known: &[bool], _: u32) -> Result<Expected, DbmError> {
        Ok(self.expected_phase(&StateSpace::of_known(model, visible, known)?))
    }
}

/// The element of a list that has one.
pub(super) fn only<T>(mut of: Vec<T>) -> T {
    of.swap_remove(0)
}

/// How an estimator makes both phases of shards that go together: what happened in either, and where persistent chains end, `[rows, n_l]` a layer.
pub(super) type BothPhases<'a> = &'a dyn Fn(&Phases, &mut [Moments]) -> (Vec<PhaseInfo>, Vec<PhaseInfo>, Option<Vec<Matrix>>);

/// The estimates of shards of one step, made as one batch, or one by one where they cannot be.
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
        // Of both phases.
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
    /// The rows of each shard of it. Moments and what is noted are by shard, and proposals are recycled within one.
    shards: Vec<Range<usize>>,
    pub marginalize: bool,
    pub clock: &'a dyn Fn() -> f64,
}

impl<'a> Phases<'a> {
    /// Those of one shard.
    pub fn of_one(model: &'a Dbm, batch: &'a Batch, marginalize: bool, clock: &'a dyn Fn() -> f64) -> Self {
        Self { model, batch, shards: std::iter::once(0..batch.visible.rows()).collect(), marginalize, clock }
    }

    /// The positive phase: first the examples without gaps, whose visible layer is clamped whole, then those with gaps, whose missing units are searched,
    /// sampled and coupled like hidden ones.
    pub fn positive(&self, moments: &mut [Moments], phase: &mut dyn FnMut(&mut PhaseRun)) -> Vec<PhaseInfo> {
        self.positive_of((0..self.batch.visible.rows()).collect(), moments, phase)
    }

    /// The same of these rows.
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

    /// The negative phase, in which the chains are free or keep what is known.
    pub fn negative(&self, moments: &mut [Moments], mut phase: impl FnMut(&mut PhaseRun)) -> Vec<PhaseInfo> {
        let rows = (0..self.batch.visible.rows()).collect();
        self.run(Phase::Negative, rows, self.batch.known.clone(), moments, &mut phase)
    }

    /// The negative phase of estimators whose chains live on and so can keep nothing known: one free chain an example, all of which together count as many as there are examples without a mask.
    pub fn free_negative(&self, moments: &mut [Moments], mut phase: impl FnMut(&mut PhaseRun)) -> Vec<PhaseInfo> {
        let weight =
            |rows: &Range<usize>| rows.clone().filter(|&row| !self.is_masked(row)).count() as f32 / rows.len().max(1) as f32;
        let weights: Vec<f32> = self.shards.iter().map(weight).collect();
        self.run(Phase::Negative, (0..self.batch.visible.rows()).collect(), Clamp::Free, moments, &mut |run| {
            run.weights.clone_from(&weights);
            phase(run);
        })
    }

    /// The rows of such estimators that a positive phase is made for.
    pub fn rows_without_mask(&self) -> Vec<usize> {
        (0..self.batch.visible.rows()).filter(|&row| !self.is_masked(row)).collect()
    }

    /// Adds what the other rows count for: the gradient of what mean field predicts of their unknown units.
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

    // By a `dyn` function, so that its code is there once and not for each estimator: the page's worker has to be fetched.
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

/// One phase at work, or the part of it whose examples have gaps, or have none.
pub(super) struct PhaseRun<'a> {
    pub model: &'a Dbm,
    phase: Phase,
    /// What the state of a shard's chain counts.
    weights: Vec<f32>,
    marginalize: bool,
    clock: &'a dyn Fn() -> f64,
    /// Rows of the batch, one a chain.
    pub rows: Vec<usize>,
    /// Number of each chain's shard.
    shard_of: Vec<usize>,
    /// When it began, in seconds.
    started: f64,
    pub chains: Chains,
    pub streams: Vec<Stream>,
    /// The streams as they were before the uniform starts were drawn.
    starts: Vec<Stream>,
    /// One a shard.
    moments: &'a mut [Moments],
    /// One a shard; what is not of single chains is in the first.
    pub infos: Vec<PhaseInfo>,
}

impl PhaseRun<'_> {
    /// Whether the units that are not clamped are independent, in the positive phase.
    pub fn has_exact_posterior(&self) -> bool {
        let hidden = self.model.depth() - usize::from(self.chains.top_is_clamped());
        hidden == 1 && *self.chains.clamp() == Clamp::Visible
    }

    /// Adds `f(v, h)` of a model with one hidden layer, the layers around it clamped: no chain is needed. Where the run marginalizes, `h` is replaced by its means, which is
    /// exact there.
    pub fn push_exact_posterior(&mut self) {
        if self.marginalize {
            self.chains.refresh(self.model, Parity::Odd, &self.chains.all());
        } else {
            half_gibbs(self.model, &mut self.chains, Parity::Odd, &mut self.streams);
        }
        self.push_posterior();
    }

    /// The same, from hidden units that are drawn already.
    pub fn push_posterior(&mut self) {
        let mut means = vec![0.0; self.model.sizes()[1]];
        for c in 0..self.chains.count() {
            if self.marginalize {
                self.chains.means(self.model, 1, c, &mut means);
            } else {
                means.copy_from_slice(self.chains.layer(1).row(c));
            }
            let state = self.chains.layers().iter().enumerate().map(|(l, layer)| if l == 1 { &means[..] } else { layer.row(c) });
            self.moments[self.shard_of[c]].push(self.phase, 1.0, &state.collect::<Vec<_>>());
        }
        self.note_search();
    }

    /// Puts every chain at a uniform random state, tosses the coin of its first sweep, and computes the fields that sweep needs.
    pub fn start_uniform(&mut self) -> Vec<Parity> {
        self.starts = self.streams.clone();
        let first = uniform_start(self.model, &mut self.chains, &mut self.streams);
        for parity in [Parity::Even, Parity::Odd] {
            self.chains.refresh(self.model, parity, &chains_starting_with(parity, &first));
        }
        first
    }

    /// From uniform states to x_0 by a local mode.
    pub fn find_local_mode(&mut self, start: LocalMode, first: &[Parity]) {
        let searches = start.apply(self.model, &mut self.chains, first, &mut self.streams, |_, _| ());
        for (search, &shard) in searches.iter().zip(&self.shard_of) {
            self.infos[shard].sweeps.push(search.sweeps);
            self.infos[shard].searches_capped += u32::from(search.capped);
        }
        self.note_search();
    }

    /// `k` Gibbs sweeps of all chains, each with this parity first.
    pub fn gibbs_sweeps(&mut self, first: Parity, k: u32) {
        for _ in 0..k {
            for parity in [first, first.other()] {
                half_gibbs(self.model, &mut self.chains, parity, &mut self.streams);
            }
        }
    }

    /// Notes how long the chains took to where they are.
    pub fn note_search(&mut self) {
        self.infos[0].search_seconds = (self.clock)() - self.started;
    }

    /// Brings all fields up to date, which energies and means need.
    fn settle(&mut self) {
        let all = self.chains.all();
        self.chains.refresh(self.model, Parity::Even, &all);
        self.chains.refresh(self.model, Parity::Odd, &all);
        self.shard_of.iter().for_each(|&shard| self.infos[shard].chains += 1);
        if self.phase == Phase::Negative {
            self.note_visible();
        }
    }

    /// Notes what the free chains look like: their fields are at hand, so it costs nothing that could be measured.
    fn note_visible(&mut self) {
        let bit = |(place, &field): (usize, &f32)| u8::from(field >= 0.0) << place;
        for c in (0..self.chains.count()).filter(|&c| !self.chains.clamp_of(c).holds_any()) {
            let fields = self.chains.field(0, c).expect("settled").chunks(8);
            self.infos[self.shard_of[c]].visible.extend(fields.map(|fields| fields.iter().enumerate().map(bit).sum::<u8>()));
        }
    }

    /// Adds `f` of every chain's present state, and notes their energies.
    pub fn push_states(&mut self) {
        self.settle();
        for c in 0..self.chains.count() {
            self.infos[self.shard_of[c]].energy_sum += self.push_state(c);
        }
        self.note_search();
    }

    /// Adds a run's `sum_i W^i f(x^i)`, so many times.
    pub fn push_run(&mut self, times: f64, run: &Run, clamp: &Clamp) {
        if times == 0.0 {
            return;
        }
        for (particle, w) in run.weights.iter().enumerate() {
            let of =
                |layers: &'_ [Matrix]| -> Vec<Vec<f32>> { layers.iter().map(|layer| layer.row(particle).to_vec()).collect() };
            let (state, weight) = (of(&run.states), (times * w) as f32);
            if self.marginalize {
                self.moments[0].push_marginal(self.phase, weight, &state, &of(&run.means), *clamp == Clamp::Visible);
            } else {
                self.moments[0].push(self.phase, weight, &state);
            }
        }
    }

    /// Notes the run that so many chains start from, and what its particles look like, where they are free.
    pub fn note_run(&mut self, run: &Run, chains: f64, free: bool) {
        self.infos[0].energy_sum += chains * run.energy;
        self.infos[0].chains += chains as u32;
        if free && self.phase == Phase::Negative {
            let units = self.model.units();
            let middle = units.low() + 0.5 * units.gap();
            let bit = |(place, &mean): (usize, &f32)| u8::from(mean >= middle) << place;
            for row in 0..run.means[0].rows() {
                let means = run.means[0].row(row).chunks(8);
                self.infos[0].visible.extend(means.map(|means| means.iter().enumerate().map(bit).sum::<u8>()));
            }
        }
    }

    /// Notes how the coupling of two chains of runs ended, and how many runs were offered and accepted.
    pub fn note_meeting(&mut self, (time, capped): (u32, bool), (offered, accepted): (u64, u64)) {
        let info = &mut self.infos[0];
        info.meeting_times.push(time);
        info.couplings_capped += u32::from(capped);
        info.proposals += offered;
        info.accepted += accepted;
    }

    /// Adds `f` of the present state of chain `c`, whose fields are at hand, and returns its energy.
    fn push_state(&mut self, c: usize) -> f64 {
        let (layers, shard) = (0..self.model.sizes().len(), self.shard_of[c]);
        let (moments, weight) = (&mut self.moments[shard], self.weights[shard]);
        let state: Vec<&[f32]> = layers.clone().map(|l| self.chains.layer(l).row(c)).collect();
        if self.marginalize {
            let means = layers.map(|l| {
                let mut means = vec![0.0; self.model.sizes()[l]];
                self.chains.means(self.model, l, c, &mut means);
                means
            });
            let means: Vec<Vec<f32>> = means.collect();
            let means: Vec<&[f32]> = means.iter().map(Vec::as_slice).collect();
            moments.push_marginal(self.phase, weight, &state, &means, *self.chains.clamp() == Clamp::Visible);
        } else {
            moments.push(self.phase, weight, &state);
        }
        self.chains.energy(self.model, c)
    }

    /// Adds the unbiased estimate of every chain from where it is, x_0 = y_0, by the Metropolis coupling; `proposals` are those of the first step.
    pub fn couple_by_metropolis(&mut self, proposals: Proposals, acceptance: &impl Acceptance, cap: u32) {
        let started = (self.clock)();
        let proposals = proposals.with_fresh(self);
        self.couple(|chain, correct| {
            let CoupledChain { model, chains, c, energy, stream, info } = chain;
            info.proposals += 1;
            let (accepts, _) = acceptance.decide(stream.uniform(), proposals.energies[c], energy, energy);
            if !accepts {
                return Meeting { time: 1, capped: false };
            }
            info.accepted += 1;
            let x0 = Rc::new(StateWithEnergy { state: chains.state(c), energy });
            let x1 = Rc::new(StateWithEnergy { state: proposals.state(model, chains, c), energy: proposals.energies[c] });
            let mut pair = MetropolisCoupling::new(model, chains, c, stream, acceptance);
            let meeting = meet(x0, x1, &mut pair, cap, correct);
            info.proposals += pair.proposals;
            info.accepted += pair.accepted;
            meeting
        });
        self.infos[0].coupling_seconds = (self.clock)() - started;
    }

    /// The same by the Gibbs coupling, whose rejections are cut at `max_tries`.
    pub fn couple_by_gibbs(&mut self, max_tries: u32, cap: u32) {
        let started = (self.clock)();
        self.couple(|chain, correct| {
            let CoupledChain { model, chains, c, stream, info, .. } = chain;
            let mut pair = GibbsCoupling::new(model, chains, c, stream, max_tries);
            let x0 = pair.point(chains.state(c));
            let x1 = pair.single(&x0);
            let meeting = meet(x0, x1, &mut pair, cap, correct);
            info.tries_capped += pair.tries_capped;
            meeting
        });
        self.infos[0].coupling_seconds = (self.clock)() - started;
    }

    /// Adds `f(x_0) + sum_{t=1}^{tau-1} f(x_t) - f(y_{t-1})` of every chain: `pair` runs the coupling of one chain, and hands the states of the
    /// corrections with their weights to the function it is given.
    fn couple(&mut self, mut pair: impl FnMut(CoupledChain, &mut dyn FnMut(i32, &[Vec<f32>])) -> Meeting) {
        self.settle();
        for c in 0..self.chains.count() {
            let (energy, shard) = (self.push_state(c), self.shard_of[c]);
            let Self { model, phase, marginalize, chains, streams, moments, infos, .. } = self;
            let (model, chains, moments, info) = (*model, &*chains, &mut moments[shard], &mut infos[shard]);
            info.energy_sum += energy;
            let clamp = chains.clamp_of(c);
            let mut correct = |weight: i32, state: &[Vec<f32>]| {
                if *marginalize {
                    let means = conditional_means(model, (&clamp, chains.top_is_clamped()), state);
                    moments.push_marginal(*phase, weight as f32, state, &means, clamp == Clamp::Visible);
                } else {
                    moments.push(*phase, weight as f32, state);
                }
            };
            let chain = CoupledChain { model, chains, c, energy, stream: &mut streams[c], info: &mut *info };
            let meeting = pair(chain, &mut correct);
            info.meeting_times.push(meeting.time);
            info.couplings_capped += u32::from(meeting.capped);
        }
    }
}

/// The conditional means of every layer given its neighbours, from a state alone; clamped units keep their values.
fn conditional_means(model: &Dbm, (clamp, top_clamped): (&Clamp, bool), state: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let (low, gap) = (model.units().low(), model.units().gap());
    let mean = |a: f32| low + gap * sigma(gap * a);
    let mut means: Vec<Vec<f32>> = (0..state.len()).map(|l| model.field(l, state).into_iter().map(mean).collect()).collect();
    clamp.for_each_held(0, state[0].len(), |unit| means[0][unit] = state[0][unit]);
    if top_clamped {
        means[model.depth()].copy_from_slice(&state[model.depth()]);
    }
    means
}

/// A chain at x_0, about to be coupled.
struct CoupledChain<'a> {
    model: &'a Dbm,
    chains: &'a Chains,
    /// Its number in the batch.
    c: usize,
    /// The energy of x_0.
    energy: f64,
    stream: &'a mut Stream,
    info: &'a mut PhaseInfo,
}

/// Each chain's first proposal with its energy: recycled from another chain's start, or drawn anew.
pub(super) struct Proposals {
    /// Whose start it is, for recycled ones.
    donors: Vec<Option<usize>>,
    energies: Vec<f64>,
    /// Each chain's stream as it was before its start was drawn.
    starts: Vec<Stream>,
    /// The states drawn anew.
    fresh: Option<Chains>,
    /// Chain to row of `fresh`.
    fresh_rows: Vec<usize>,
}

impl Proposals {
    /// Takes the uniform starts, at which the chains of the phase must be.
    pub fn recycled(run: &PhaseRun) -> Self {
        let PhaseRun { model, chains, starts, .. } = run;
        let count = chains.count();
        let clamped = *chains.clamp() == Clamp::Visible;
        // Hidden states that were drawn with another label clamped are no proposal.
        let shares = (0..count).filter(|&c| (clamped || !chains.clamp_of(c).holds_any()) && !chains.top_is_clamped());
        let shares: Vec<usize> = shares.collect();
        let (mut donors, mut energies) = (vec![None; count], vec![f64::NAN; count]);
        for shares in shares.chunk_by(|&a, &b| run.shard_of[a] == run.shard_of[b]).filter(|shares| shares.len() > 1) {
            for (place, &c) in shares.iter().enumerate() {
                let donor = shares[(place + 1) % shares.len()];
                donors[c] = Some(donor);
                energies[c] = if clamped { chains.energy_with_visible_of(model, donor, c) } else { chains.energy(model, donor) };
            }
        }
        Self { donors, energies, starts: starts.clone(), fresh: None, fresh_rows: vec![usize::MAX; count] }
    }

    /// Draws those still missing, from the streams of their own chains, in one batch.
    fn with_fresh(mut self, run: &mut PhaseRun) -> Self {
        let missing: Vec<usize> = (0..run.chains.count()).filter(|&c| self.donors[c].is_none()).collect();
        if missing.is_empty() {
            return self;
        }
        let mut fresh = run.chains.same_clamp(run.model, &missing);
        for (row, &c) in missing.iter().enumerate() {
            fresh.randomize(run.model, row, &mut run.streams[c]);
            self.fresh_rows[c] = row;
        }
        fresh.refresh(run.model, Parity::Odd, &fresh.all());
        for (row, &c) in missing.iter().enumerate() {
            self.energies[c] = fresh.energy(run.model, row);
        }
        self.fresh = Some(fresh);
        self
    }

    /// The state proposed to a chain; a recycled one is drawn again.
    fn state(&self, model: &Dbm, chains: &Chains, c: usize) -> Vec<Vec<f32>> {
        match (self.donors[c], &self.fresh) {
            (None, Some(fresh)) => fresh.state(self.fresh_rows[c]),
            (donor, _) => chains.uniform_state(model, c, &mut self.starts[donor.unwrap_or(c)].clone()),
        }
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
