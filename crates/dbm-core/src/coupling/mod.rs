//! Two chains with a lag of one, run until they meet: they turn a finite chain into an unbiased estimate (Jacob et al. 2020).
//!
//! [`meet`] is the loop. [`MetropolisCoupling`] is the pair of the paper, with one proposal and one uniform for both chains (Taniguchi et
//! al. 2023, Algorithm 3; Algorithm 4 if the visible layer is clamped). [`GibbsCoupling`] is the pair of Qiu et al. (2020).

mod gibbs;

pub use gibbs::{BlockCoupling, BlockDraw, GibbsCoupling, StateWithFields};
pub(crate) use gibbs::{is_high, log_ratio};

use crate::Dbm;
use crate::chains::Chains;
use crate::rng::Stream;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::rc::Rc;

/// A pair of chains that can move together.
pub trait PairKernel {
    /// A state, one vector per layer, with whatever the kernel needs to know about it.
    type State: AsRef<[Vec<f32>]>;

    /// One step of both chains: from `(x_t, y_{t-1})` to `(x_{t+1}, y_t)`. Each must follow the distribution of the single chain.
    fn step(&mut self, x: &Rc<Self::State>, y: &Rc<Self::State>) -> (Rc<Self::State>, Rc<Self::State>);
}

/// How a coupling ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meeting {
    /// tau: the first t with `x_t = y_{t-1}`, or the cap.
    pub time: u32,
    /// Whether it was cut at the cap: the later corrections are missing, which biases this estimate.
    pub capped: bool,
}

/// Runs a coupling from `x_0 = y_0` and `x_1` (Algorithm 3, with the test before the loop, so that tau = 1 is possible).
///
/// `correct` receives the terms of `sum_{t=1}^{tau-1} f(x_t) - f(y_{t-1})` as states with integer weights; consecutive repeats of a state
/// come as one. Nothing is stored, however long the coupling.
pub fn meet<K: PairKernel>(
    x0: Rc<K::State>,
    x1: Rc<K::State>,
    kernel: &mut K,
    cap: u32,
    mut correct: impl FnMut(i32, &[Vec<f32>]),
) -> Meeting {
    let same = |x: &Rc<K::State>, y: &Rc<K::State>| Rc::ptr_eq(x, y) || (**x).as_ref() == (**y).as_ref();
    let (mut x, mut y) = (x1, x0);
    let (mut x_stays, mut y_stays) = (0, 0);
    let mut time = 1;
    while !same(&x, &y) && time < cap {
        x_stays += 1;
        y_stays += 1;
        let (next_x, next_y) = kernel.step(&x, &y);
        time += 1;
        if !Rc::ptr_eq(&next_x, &x) {
            correct(std::mem::take(&mut x_stays), (*x).as_ref());
        }
        if !Rc::ptr_eq(&next_y, &y) {
            correct(-std::mem::take(&mut y_stays), (*y).as_ref());
        }
        (x, y) = (next_x, next_y);
    }
    for (weight, point) in [(x_stays, &x), (-y_stays, &y)] {
        if weight != 0 {
            correct(weight, (**point).as_ref());
        }
    }
    Meeting { time, capped: !same(&x, &y) }
}

/// A state with its energy.
#[derive(Clone, Debug, PartialEq)]
pub struct StateWithEnergy {
    /// One vector per layer.
    pub state: Vec<Vec<f32>>,
    /// Its energy, up to a constant set by the clamped units.
    pub energy: f64,
}

impl AsRef<[Vec<f32>]> for StateWithEnergy {
    fn as_ref(&self) -> &[Vec<f32>] {
        &self.state
    }
}

/// Whether each of two chains accepts one proposal.
pub trait Acceptance: Debug + Send + Sync {
    /// The decisions for x and y, given a uniform `u` in `[0, 1)` and the energies of the proposal, of x and of y.
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

/// One step of a pair with all randomness passed in: `proposal` is the state proposed to both chains, `u` the uniform that both compare.
/// The sampler draws these two; the exact transition law sums over them.
pub fn pair_step<T: Clone>(acceptance: &impl Acceptance, u: f64, proposal: (&T, f64), x: (&T, f64), y: (&T, f64)) -> (T, T) {
    let (x_accepts, y_accepts) = acceptance.decide(u, proposal.1, x.1, y.1);
    let end = |accepts: bool, stays: &T| if accepts { proposal.0.clone() } else { stays.clone() };
    (end(x_accepts, x.0), end(y_accepts, y.0))
}

/// The coupled pair for one chain of a batch: the units clamped in that chain stay clamped in every proposal.
pub struct MetropolisCoupling<'a, A> {
    /// The model on which both move.
    pub model: &'a Dbm,
    /// The batch that contains the chain.
    pub chains: &'a Chains,
    /// The chain's number in the batch.
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
