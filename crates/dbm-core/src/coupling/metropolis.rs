//! The Metropolis-Hastings coupling with uniform proposals: one proposal and one uniform for both chains (paper, Algorithms 1, 2).

use super::PairKernel;
use crate::Dbm;
use crate::chains::Chains;
use crate::rng::Stream;
use std::fmt::Debug;
use std::rc::Rc;

/// A state with its energy.
#[derive(Clone, Debug, PartialEq)]
pub struct StateWithEnergy {
    /// One vector a layer.
    pub state: Vec<Vec<f32>>,
    /// Its energy, up to what is clamped.
    pub energy: f64,
}

impl AsRef<[Vec<f32>]> for StateWithEnergy {
    fn as_ref(&self) -> &[Vec<f32>] {
        &self.state
    }
}

/// Whether each of two chains accepts one proposal.
pub trait Acceptance: Debug + Send + Sync {
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
fn accepts(u: f64, current: f64, proposal: f64) -> bool {
    libm::log(u) < current - proposal
}

/// One step of a pair, all chance taken out of it: `proposal` is the state proposed to both chains, `u` the uniform both compare.
/// The sampler draws these two; the law of the pair sums over them.
pub fn pair_step<T: Clone>(acceptance: &impl Acceptance, u: f64, proposal: (&T, f64), x: (&T, f64), y: (&T, f64)) -> (T, T) {
    let (x_accepts, y_accepts) = acceptance.decide(u, proposal.1, x.1, y.1);
    let end = |accepts: bool, stays: &T| if accepts { proposal.0.clone() } else { stays.clone() };
    (end(x_accepts, x.0), end(y_accepts, y.0))
}

/// The coupled pair for one chain of a batch: what that chain has clamped stays clamped in every proposal.
pub struct MetropolisCoupling<'a, A> {
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
    /// What the last step drew: the proposal, and the uniform that both chains compared.
    pub drawn: Option<(Rc<StateWithEnergy>, f64)>,
}

impl<'a, A> MetropolisCoupling<'a, A> {
    /// For chain `chain` of a batch.
    pub fn new(model: &'a Dbm, chains: &'a Chains, chain: usize, stream: &'a mut Stream, acceptance: &'a A) -> Self {
        Self { model, chains, chain, stream, acceptance, proposals: 0, accepted: 0, drawn: None }
    }
}

impl<A: Acceptance> PairKernel for MetropolisCoupling<'_, A> {
    type State = StateWithEnergy;

    fn step(&mut self, x: &Rc<StateWithEnergy>, y: &Rc<StateWithEnergy>) -> (Rc<StateWithEnergy>, Rc<StateWithEnergy>) {
        let state = self.chains.uniform_state(self.model, self.chain, self.stream);
        let proposal = Rc::new(StateWithEnergy { energy: self.model.energy(&state), state });
        let u = self.stream.uniform();
        let ends = pair_step(self.acceptance, u, (&proposal, proposal.energy), (x, x.energy), (y, y.energy));
        self.proposals += 1;
        self.accepted += u64::from(Rc::ptr_eq(&ends.0, &proposal));
        self.drawn = Some((proposal, u));
        ends
    }
}
