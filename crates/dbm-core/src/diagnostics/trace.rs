//! A coupling recorded state by state and draw by draw, as shown on the page.

use crate::Dbm;
use crate::coupling::Meeting;
use crate::sweep::Reached;
use serde::{Deserialize, Serialize};

/// One coupling. States are bytes, 1 for a high unit, with all layers one after another and the visible one first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CouplingTrace {
    /// How x_0 was reached, as far as it was recorded; the last state is x_0.
    pub approach: Vec<ApproachState>,
    /// The steps of the pair, `t = 1, 2, ...`; the last is the meeting or the cut.
    pub steps: Vec<PairStep>,
    /// tau, and whether it was cut at the cap.
    pub meeting: Meeting,
}

/// A state on the way to x_0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApproachState {
    /// All layers, one byte per unit.
    pub state: Vec<u8>,
    /// Energy of this state, in nats.
    pub energy: f64,
    /// How it was reached.
    pub reached_by: Reached,
}

/// Step `t` of a pair: x goes from `x_{t-1}` to `x_t` and, from `t = 2`, y goes from `y_{t-2}` to `y_{t-1}` with the same draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairStep {
    /// `t`, counted from 1.
    pub step: u32,
    /// `x_t`, one byte per unit.
    pub x: Vec<u8>,
    /// `y_{t-1}`, one byte per unit; at `t = 1`, when y has not moved yet, y_0 = x_0.
    pub y: Vec<u8>,
    /// Energies of `x_t` and of `y_{t-1}`.
    pub energies: [f64; 2],
    /// What both chains drew.
    pub draw: PairDraw,
}

/// What a pair drew in one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PairDraw {
    /// One proposal and one uniform number for both chains.
    Metropolis {
        /// The proposal, one byte per unit.
        proposal: Vec<u8>,
        /// Energy of the proposal, in nats.
        energy: f64,
        /// The uniform number that both compare, in `[0, 1)`.
        u: f64,
        /// `E(x_{t-1}) - E(proposal)`: the logarithm of x's acceptance probability if it is below 0. x accepts if `ln u` is below it.
        log_accept_x: f64,
        /// The same for y; `None` at `t = 1`, when y has not moved yet.
        log_accept_y: Option<f64>,
    },
    /// A Gibbs sweep of x alone, at `t = 1`.
    Single,
    /// Two blocks: the even layers by a maximal coupling, the odd ones with common uniform numbers.
    Gibbs {
        /// `sum min(p, q)` over the states of the even block, if it has at most [`MAX_OVERLAP_UNITS`] free units: the probability of a
        /// shared draw.
        overlap: Option<f64>,
        /// Whether the draw of the even block was shared.
        shared: bool,
        /// Tries of the draws from the residual distributions; 0 if the draw was shared.
        tries: u32,
        /// Whether they were cut at the cap on tries.
        tries_capped: bool,
    },
}

/// The most free even units for which the overlap of two distributions of the even block is summed.
pub const MAX_OVERLAP_UNITS: usize = 12;

impl ApproachState {
    pub(crate) fn new(model: &Dbm, state: &[Vec<f32>], reached_by: Reached) -> Self {
        Self { state: model.units().bytes(state.iter().flatten()), energy: model.energy(state), reached_by }
    }
}

impl PairStep {
    pub(super) fn new(model: &Dbm, step: u32, [x, y]: [&[Vec<f32>]; 2], draw: PairDraw) -> Self {
        let energies = [x, y].map(|state| model.energy(state));
        let [x, y] = [x, y].map(|state| model.units().bytes(state.iter().flatten()));
        Self { step, x, y, energies, draw }
    }

    /// Number of units, over all layers, in which x and y differ.
    pub fn differing(&self) -> usize {
        self.x.iter().zip(&self.y).filter(|(x, y)| x != y).count()
    }
}

/// `min(1, exp(log))`: the acceptance probability for a logarithm from [`PairDraw::Metropolis`].
pub fn acceptance_probability(log: f64) -> f64 {
    libm::exp(log.min(0.0))
}

/// `sum_s min(p(s), q(s))` over the states of independent units, if there are few enough.
pub(super) fn overlap([p, q]: &[Vec<f64>; 2]) -> Option<f64> {
    if p.len() > MAX_OVERLAP_UNITS {
        return None;
    }
    let pairs = p.iter().zip(q).fold(vec![(1.0, 1.0)], |states, (&p, &q)| {
        let grown = states.into_iter().flat_map(|(a, b)| [(a * (1.0 - p), b * (1.0 - q)), (a * p, b * q)]);
        grown.collect()
    });
    Some(pairs.into_iter().map(|(p, q): (f64, f64)| p.min(q)).sum())
}
