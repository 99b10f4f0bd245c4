//! Corrections of a phase's chains by coupling.

use super::PhaseInfo;
use super::phase::PhaseRun;
use super::proposals::Proposals;
use crate::chains::Chains;
use crate::coupling::{Acceptance, GibbsCoupling, Meeting, MetropolisCoupling, StateWithEnergy, meet};
use crate::groups::set_means;
use crate::math::sigma;
use crate::rng::Stream;
use crate::{Clamp, Dbm};
use std::rc::Rc;

impl PhaseRun<'_> {
    /// Adds the unbiased estimate of every chain from its present state, x_0 = y_0, by the Metropolis coupling; `proposals` are those of
    /// the first step.
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

    /// The same by the Gibbs coupling, whose rejection is cut at `max_tries`.
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

    /// Adds `f(x_0) + sum_{t=1}^{tau-1} f(x_t) - f(y_{t-1})` of every chain. `pair` runs the coupling of one chain, and passes the states
    /// of the corrections, with their weights, to the function it is given.
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

/// The conditional means of every layer given its neighbours, computed from a state alone; clamped units keep their values.
fn conditional_means(model: &Dbm, (clamp, top_clamped): (&Clamp, bool), state: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let (low, gap) = (model.units().low(), model.units().gap());
    let mean = |&a: &f32| low + gap * sigma(gap * a);
    let fields: Vec<Vec<f32>> = (0..state.len()).map(|l| model.field(l, state)).collect();
    let mut means: Vec<Vec<f32>> = fields.iter().map(|layer| layer.iter().map(mean).collect()).collect();
    let clamped = |unit: usize| clamp.holds(unit).then(|| state[0][unit] > 0.5);
    set_means(model.groups(), &fields[0], (low, gap), clamped, &mut means[0]);
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
