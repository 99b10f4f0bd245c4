//! One coupling from x_0 on, watched step by step: the same for meeting times and for the replay, so that the two cannot differ.

use super::CouplingKernel;
use crate::Dbm;
use crate::chains::Chains;
use crate::coupling::{
    BlockDraw, GibbsCoupling, Meeting, MetropolisCoupling, PairKernel, SharedUniform, StateWithEnergy, StateWithFields, meet,
};
use crate::rng::Stream;
use std::rc::Rc;

/// Caps of a coupling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Steps.
    pub meeting: u32,
    /// Gibbs: tries of one draw from a residual law.
    pub tries: u32,
}

/// A step of a pair. In the first one, y has not begun, and stands at x_0 before and after it.
pub struct Step<'s> {
    /// Where x and y are after it.
    pub after: [&'s [Vec<f32>]; 2],
    /// What was drawn.
    pub draw: Draw<'s>,
}

/// What a step drew.
pub enum Draw<'s> {
    /// One proposal and one uniform number for both chains.
    Metropolis {
        /// What both may go to.
        proposal: &'s StateWithEnergy,
        /// What both compare their probability of acceptance with.
        u: f64,
        /// Of x and y before the step.
        energies: [f64; 2],
    },
    /// The even block; nothing in the first step, which is a sweep of x alone. And the laws of the even block of x and y.
    Gibbs(Option<(&'s BlockDraw, &'s Laws<'s>)>),
}

/// The laws of the even block of x and y, computed where they are asked for.
pub type Laws<'l> = dyn Fn() -> [Vec<f64>; 2] + 'l;

/// Runs the coupling of one chain of a batch from where it is, and shows `watch` every step. Returns how it ended, and how many draws were cut.
pub fn couple(
    model: &Dbm,
    chains: &Chains,
    chain: usize,
    stream: &mut Stream,
    (kernel, caps): (CouplingKernel, Caps),
    watch: &mut dyn FnMut(&Step),
) -> (Meeting, u32) {
    match kernel {
        CouplingKernel::Metropolis => {
            let state = chains.state(chain);
            let x0 = Rc::new(StateWithEnergy { energy: model.energy(&state), state });
            let mut pair = Watched { pair: MetropolisCoupling::new(model, chains, chain, stream, &SharedUniform), watch };
            // Of a pair in one state, each chain moves as a single one.
            let x1 = pair.first(&x0);
            (meet(x0, x1, &mut pair, caps.meeting, |_, _| ()), 0)
        }
        CouplingKernel::Gibbs => {
            let mut pair = Watched { pair: GibbsCoupling::new(model, chains, chain, stream, caps.tries), watch };
            let x0 = pair.pair.point(chains.state(chain));
            let x1 = pair.first(&x0);
            let meeting = meet(x0, x1, &mut pair, caps.meeting, |_, _| ());
            (meeting, pair.pair.tries_capped)
        }
    }
}

/// A pair that shows its steps.
struct Watched<'w, K> {
    pair: K,
    watch: &'w mut dyn FnMut(&Step),
}

impl Watched<'_, MetropolisCoupling<'_, SharedUniform>> {
    fn first(&mut self, x0: &Rc<StateWithEnergy>) -> Rc<StateWithEnergy> {
        let x1 = self.pair.step(x0, x0).0;
        self.show([x0, x0], [&x1, x0]);
        x1
    }

    fn show(&mut self, before: [&StateWithEnergy; 2], after: [&StateWithEnergy; 2]) {
        if let Some((proposal, u)) = &self.pair.drawn {
            let draw = Draw::Metropolis { proposal, u: *u, energies: before.map(|point| point.energy) };
            (self.watch)(&Step { after: after.map(AsRef::as_ref), draw });
        }
    }
}

impl PairKernel for Watched<'_, MetropolisCoupling<'_, SharedUniform>> {
    type State = StateWithEnergy;

    fn step(&mut self, x: &Rc<StateWithEnergy>, y: &Rc<StateWithEnergy>) -> (Rc<StateWithEnergy>, Rc<StateWithEnergy>) {
        let ends = self.pair.step(x, y);
        self.show([x, y], [&ends.0, &ends.1]);
        ends
    }
}

impl Watched<'_, GibbsCoupling<'_>> {
    fn first(&mut self, x0: &Rc<StateWithFields>) -> Rc<StateWithFields> {
        let x1 = self.pair.single(x0);
        (self.watch)(&Step { after: [&x1.state[..], &x0.state[..]], draw: Draw::Gibbs(None) });
        x1
    }
}

impl PairKernel for Watched<'_, GibbsCoupling<'_>> {
    type State = StateWithFields;

    fn step(&mut self, x: &Rc<StateWithFields>, y: &Rc<StateWithFields>) -> (Rc<StateWithFields>, Rc<StateWithFields>) {
        let ends = self.pair.step(x, y);
        let pair = &self.pair;
        let laws = || [x, y].map(|point| pair.probabilities(crate::Parity::Even, point));
        let draw = Draw::Gibbs(pair.drawn.as_ref().map(|drawn| (drawn, &laws as &Laws)));
        (self.watch)(&Step { after: [&ends.0.state[..], &ends.1.state[..]], draw });
        ends
    }
}
