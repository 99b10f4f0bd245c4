//! The unbiased part of the coupled estimators: `f(x_0) + sum_{t=1}^{tau-1} f(x_t) - f(y_{t-1})`, chain by chain.

use super::phase::PhaseRun;
use super::proposals::Proposals;
use super::{Moments, PhaseInfo};
use crate::chains::Chains;
use crate::coupling::{Acceptance, GibbsCoupling, Meeting, MetropolisCoupling, StateWithEnergy, meet};
use crate::rng::Stream;
use std::rc::Rc;

/// Adds each chain's estimate from its present state x_0 = y_0. `couple` runs one coupling, given the energy of x_0, and hands what corrects
/// it to the function it is given.
fn add_estimates(
    run: &PhaseRun,
    chains: &mut Chains,
    streams: &mut [Stream],
    moments: &mut Moments,
    info: &mut PhaseInfo,
    mut couple: impl FnMut(&Chains, usize, f64, &mut Stream, &mut PhaseInfo, &mut dyn FnMut(i32, &[Vec<f32>])) -> Meeting,
) {
    let started = (run.clock)();
    run.settle(chains);
    info.chains = chains.count() as u32;
    for (c, stream) in streams.iter_mut().enumerate() {
        let energy = chains.energy(run.model, c);
        info.energy_sum += energy;
        run.push_chain(chains, c, moments);
        let mut correct = |weight: i32, state: &[Vec<f32>]| run.push_state(chains, c, weight as f32, state, moments);
        let meeting = couple(chains, c, energy, stream, info, &mut correct);
        info.meeting_times.push(meeting.time);
        info.couplings_capped += u32::from(meeting.capped);
    }
    info.work = chains.work();
    info.coupling_seconds = (run.clock)() - started;
}

/// With the Metropolis coupling.
pub(super) fn metropolis<A: Acceptance>(
    run: &PhaseRun,
    chains: &mut Chains,
    streams: &mut [Stream],
    proposals: Proposals,
    (acceptance, cap): (&A, u32),
    moments: &mut Moments,
    info: &mut PhaseInfo,
) {
    let proposals = proposals.with_fresh(run, chains, streams);
    add_estimates(run, chains, streams, moments, info, |chains, c, energy, stream, info, correct| {
        info.proposals += 1;
        let (accepts, _) = acceptance.decide(stream.uniform(), proposals.energy(c), energy, energy);
        if !accepts {
            return Meeting { time: 1, capped: false };
        }
        info.accepted += 1;
        let x0 = Rc::new(StateWithEnergy { state: chains.state(c), energy });
        let x1 = Rc::new(StateWithEnergy { state: proposals.state(run, chains, c), energy: proposals.energy(c) });
        let mut pair = MetropolisCoupling::new(run.model, chains, c, stream, acceptance);
        let meeting = meet(x0, x1, &mut pair, cap, correct);
        info.proposals += pair.proposals;
        info.accepted += pair.accepted;
        meeting
    });
}

/// With the Gibbs coupling.
pub(super) fn gibbs(
    run: &PhaseRun,
    chains: &mut Chains,
    streams: &mut [Stream],
    (max_tries, cap): (u32, u32),
    moments: &mut Moments,
    info: &mut PhaseInfo,
) {
    add_estimates(run, chains, streams, moments, info, |chains, c, _, stream, info, correct| {
        let mut pair = GibbsCoupling::new(run.model, chains, c, stream, max_tries);
        let x0 = pair.point(chains.state(c));
        let x1 = pair.single(&x0);
        let meeting = meet(x0, x1, &mut pair, cap, correct);
        info.tries_capped += pair.tries_capped;
        meeting
    });
}
