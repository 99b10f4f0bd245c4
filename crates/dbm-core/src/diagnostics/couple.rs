//! One coupling from x_0, observed step by step. Meeting times and traces share this code, so they cannot differ.
//!
//! The loop and the kernels are those of training ([`crate::coupling::meet`]) with an observer in between.

use super::trace::{CouplingTrace, PairDraw, PairStep, overlap};
use crate::chains::Chains;
use crate::coupling::{GibbsCoupling, Meeting, MetropolisCoupling, PairKernel, SharedUniform, StateWithEnergy, meet};
use crate::rng::Stream;
use crate::words::{choices, words};
use crate::{Dbm, Parity};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

choices! {
    /// How a pair of chains moves.
    #[derive(Default, Hash, Serialize, Deserialize)]
    pub enum CouplingKernel = words(
        "kernel",
        "Kernel",
        "How both chains move: one proposal and one u for both, or Gibbs sweeps drawn together where possible.",
    );
    /// Metropolis-Hastings with one uniform proposal and one uniform number for both (the paper's Algorithm 3).
    #[default]
    Metropolis = "metropolis", "Metropolis", "One uniform proposal and one uniform number for both chains";
    /// Gibbs sweeps, each block drawn from a maximal coupling (Qiu et al. 2020).
    Gibbs = "gibbs", "Gibbs", "Gibbs sweeps, each block drawn from a maximal coupling";
}

/// Caps of a coupling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Steps after which a coupling is cut.
    pub meeting: u32,
    /// Gibbs: tries of one draw from a residual distribution, after which the last try is used.
    pub tries: u32,
}

/// Called at every step of a coupling; the function it receives records step `t`.
pub(super) type Observer<'o> = dyn FnMut(&dyn Fn(u32) -> PairStep) + 'o;

/// Runs the coupling of one chain of a batch from its present state. Returns how it ended, and how many draws were cut at the cap on tries.
pub(super) fn couple(
    model: &Dbm,
    chains: &Chains,
    chain: usize,
    stream: &mut Stream,
    (kernel, caps): (CouplingKernel, Caps),
    observer: &mut Observer,
) -> (Meeting, u32) {
    let state = chains.state(chain);
    match kernel {
        CouplingKernel::Metropolis => {
            let pair = MetropolisCoupling::new(model, chains, chain, stream, &SharedUniform);
            let mut pair = Observed::new(pair, |pair, before, after| {
                let Some((proposal, u)) = &pair.drawn else { return };
                let log_accept = before.map(|state| state.energy - proposal.energy);
                observer(&|t| {
                    let draw = PairDraw::Metropolis {
                        proposal: model.units().bytes(proposal.state.iter().flatten()),
                        energy: proposal.energy,
                        u: *u,
                        log_accept_x: log_accept[0],
                        log_accept_y: (t > 1).then_some(log_accept[1]),
                    };
                    PairStep::new(model, t, after.map(|state| &state.state[..]), draw)
                });
            });
            let x0 = Rc::new(StateWithEnergy { energy: model.energy(&state), state });
            // When both are in one state, each moves as a single chain.
            let x1 = pair.kernel.step(&x0, &x0).0;
            pair.show([&x0, &x0], [&x1, &x0]);
            (meet(x0, x1, &mut pair, caps.meeting, |_, _| ()), 0)
        }
        CouplingKernel::Gibbs => {
            let pair = GibbsCoupling::new(model, chains, chain, stream, caps.tries);
            let mut pair = Observed::new(pair, |pair, before, after| {
                observer(&|t| {
                    let draw = pair.drawn.as_ref().map_or(PairDraw::Single, |drawn| PairDraw::Gibbs {
                        overlap: overlap(&before.map(|state| pair.probabilities(Parity::Even, state))),
                        shared: drawn.shared,
                        tries: drawn.tries,
                        tries_capped: drawn.capped,
                    });
                    PairStep::new(model, t, after.map(|state| &state.state[..]), draw)
                });
            });
            let x0 = pair.kernel.point(state);
            let x1 = pair.kernel.single(&x0);
            pair.show([&x0, &x0], [&x1, &x0]);
            let meeting = meet(x0, x1, &mut pair, caps.meeting, |_, _| ());
            (meeting, pair.kernel.tries_capped)
        }
    }
}

/// The same, recorded.
pub(crate) fn write_down(
    model: &Dbm,
    chains: &Chains,
    chain: usize,
    stream: &mut Stream,
    how: (CouplingKernel, Caps),
) -> CouplingTrace {
    let mut steps = Vec::new();
    let (meeting, _) = couple(model, chains, chain, stream, how, &mut |step| steps.push(step(steps.len() as u32 + 1)));
    CouplingTrace { approach: Vec::new(), steps, meeting }
}

/// A pair that reports where each step starts and ends.
struct Observed<K, F> {
    kernel: K,
    observer: F,
}

impl<K: PairKernel, F: FnMut(&K, [&K::State; 2], [&K::State; 2])> Observed<K, F> {
    fn new(kernel: K, observer: F) -> Self {
        Self { kernel, observer }
    }

    fn show(&mut self, before: [&K::State; 2], after: [&K::State; 2]) {
        (self.observer)(&self.kernel, before, after);
    }
}

impl<K: PairKernel, F: FnMut(&K, [&K::State; 2], [&K::State; 2])> PairKernel for Observed<K, F> {
    type State = K::State;

    fn step(&mut self, x: &Rc<K::State>, y: &Rc<K::State>) -> (Rc<K::State>, Rc<K::State>) {
        let ends = self.kernel.step(x, y);
        self.show([x, y], [&ends.0, &ends.1]);
        ends
    }
}
