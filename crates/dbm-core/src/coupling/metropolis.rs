//! The Metropolis-Hastings coupling with uniform proposals: one proposal and one uniform for both chains (paper, Algorithms 1, 2).

use super::{PairKernel, Point};
use crate::Dbm;
use crate::chains::Chains;
use crate::rng::Stream;
use std::rc::Rc;

/// Whether each of two chains accepts one proposal.
pub trait Acceptance: Sync {
    /// For a uniform `u` in `[0, 1)`, the proposal's energy, and those of x and y.
    fn decide(&self, u: f64, proposal: f64, x: f64, y: f64) -> (bool, bool);
}

/// The coupling of the paper: both chains compare the same `u`, each with its own acceptance probability.
#[derive(Clone, Copy, Debug, Default)]
pub struct SharedUniform;

impl Acceptance for SharedUniform {
    fn decide(&self, u: f64, proposal: f64, x: f64, y: f64) -> (bool, bool) {
        (accepts(u, x, proposal), accepts(u, y, proposal))
    }
}

/// Accepts with probability `min(1, exp(current - proposal))`, compared in log space, so nothing overflows.
pub(crate) fn accepts(u: f64, current: f64, proposal: f64) -> bool {
    libm::log(u) < current - proposal
}

/// The coupled pair for one chain of a batch: what that chain has clamped stays clamped in every proposal.
pub struct Metropolis<'a, A> {
    /// The model.
    pub model: &'a Dbm,
    /// The batch.
    pub chains: &'a Chains,
    /// Which of its chains.
    pub chain: usize,
    /// That chain's stream.
    pub stream: &'a mut Stream,
    /// How acceptance is decided.
    pub acceptance: &'a A,
    /// Proposals made so far.
    pub proposals: u64,
    /// Proposals that x accepted so far.
    pub accepted: u64,
}

impl<A: Acceptance> PairKernel for Metropolis<'_, A> {
    fn step(&mut self, x: &Rc<Point>, y: &Rc<Point>) -> (Rc<Point>, Rc<Point>) {
        let state = self.chains.uniform_state(self.model, self.chain, self.stream);
        let proposal = Rc::new(Point { energy: self.model.energy(&state), state });
        let (x_accepts, y_accepts) = self.acceptance.decide(self.stream.uniform(), proposal.energy, x.energy, y.energy);
        self.proposals += 1;
        self.accepted += u64::from(x_accepts);
        (Rc::clone(if x_accepts { &proposal } else { x }), Rc::clone(if y_accepts { &proposal } else { y }))
    }
}
