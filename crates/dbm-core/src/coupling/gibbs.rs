//! The Gibbs coupling of Qiu et al. (2020): the even block of both chains from a joint maximal coupling, the odd block with common
//! uniforms.

use super::PairKernel;
use crate::Dbm;
use crate::chains::Chains;
use crate::math::logistic;
use crate::parity::Parity;
use crate::rng::Stream;
use std::rc::Rc;

/// How two independent-unit distributions `p` and `q`, of the same units, are drawn together: `P(x_i = high) = p_i`,
/// `P(y_i = high) = q_i`.
///
/// `x` is drawn from `p`; with probability `min(1, q(x)/p(x))`, that is where `Exp(1) >= log p(x) - log q(x)`, `y = x`. Otherwise both
/// are drawn from their residuals, `(p - min(p, q)) / (1 - sum min(p, q))` and its like for `q`, by rejection from `p` and `q`: every try takes one
/// uniform a unit, common to both chains, and one for both decisions. This is a maximal coupling: no other makes `x = y` likelier.
#[derive(Clone, Copy, Debug)]
pub struct BlockCoupling {
    /// Tries of the rejection. Where x has none accepted, its first draw is taken, whose law, having been rejected, is the residual of `p`: x
    /// stays exact. Where y has none accepted, its last try is taken, whose law is `q` and not its residual: that biases, and is counted.
    pub max_tries: u32,
}

impl BlockCoupling {
    /// Whether `y = x` can be kept, for a uniform `u` and `log_ratio = log p(x) - log q(x)`.
    pub fn keeps(u: f64, log_ratio: f64) -> bool {
        -libm::log(u) >= log_ratio
    }

    /// Whether a try from `p` belongs to the residual of `p`, for a uniform `u` and `log_ratio = log p(x) - log q(x)`: with probability
    /// `max(0, 1 - q(x)/p(x))`, the opposite of keeping it.
    pub fn in_residual(u: f64, log_ratio: f64) -> bool {
        !Self::keeps(u, log_ratio)
    }

    /// Draws the pair as bits, and says whether the cap on tries was reached.
    pub fn draw(&self, p: &[f64], q: &[f64], stream: &mut Stream) -> (Vec<bool>, Vec<bool>, bool) {
        let first = common_uniforms(p, q, stream).0;
        if Self::keeps(stream.uniform(), log_ratio(p, q, &first)) {
            return (first.clone(), first, false);
        }
        let (mut x, mut y, mut last) = (None, None, None);
        for _ in 0..self.max_tries {
            let (try_x, try_y) = common_uniforms(p, q, stream);
            let u = stream.uniform();
            if x.is_none() && Self::in_residual(u, log_ratio(p, q, &try_x)) {
                x = Some(try_x);
            }
            if y.is_none() && Self::in_residual(u, log_ratio(q, p, &try_y)) {
                y = Some(try_y);
            } else {
                last = Some(try_y);
            }
            if x.is_some() && y.is_some() {
                break;
            }
        }
        let capped = x.is_none() || y.is_none();
        let x = x.unwrap_or(first);
        let y = y.or(last).unwrap_or_else(|| x.clone());
        (x, y, capped)
    }
}

/// Whether a unit of probability `p` is high, for a uniform `u` in `[0, 1)`.
pub(crate) fn is_high(u: f64, p: f64) -> bool {
    u < p
}

/// Draws both from the same uniforms, one a unit.
fn common_uniforms(p: &[f64], q: &[f64], stream: &mut Stream) -> (Vec<bool>, Vec<bool>) {
    p.iter()
        .zip(q)
        .map(|(&p, &q)| {
            let u = stream.uniform();
            (is_high(u, p), is_high(u, q))
        })
        .unzip()
}

/// `log p(x) - log q(x)`.
pub(crate) fn log_ratio(p: &[f64], q: &[f64], x: &[bool]) -> f64 {
    let log = |probability: f64, high: bool| libm::log(if high { probability } else { 1.0 - probability });
    // A unit of equal probabilities adds nothing, even where both are 0.
    let each = p.iter().zip(q).zip(x).filter(|((p, q), _)| p != q);
    each.map(|((&p, &q), &high)| log(p, high) - log(q, high)).sum()
}

/// The coupled pair for one chain of a batch: what that chain has clamped stays clamped.
pub struct Gibbs<'a> {
    /// The model.
    pub model: &'a Dbm,
    /// Marks of the visible units that are clamped, one a unit.
    pub known: Vec<bool>,
    /// That chain's stream.
    pub stream: &'a mut Stream,
    /// How the even block is drawn.
    pub block: BlockCoupling,
    /// Steps in which the cap on tries was reached.
    pub tries_capped: u32,
}

impl<'a> Gibbs<'a> {
    /// For chain `chain` of a batch.
    pub fn new(model: &'a Dbm, chains: &Chains, chain: usize, stream: &'a mut Stream, max_tries: u32) -> Self {
        let known = chains.known(chain).unwrap_or_else(|| vec![true; model.n_visible()]);
        Self { model, known, stream, block: BlockCoupling { max_tries }, tries_capped: 0 }
    }

    /// `P(high | the other parity)` of the free units of a parity, layer after layer.
    fn probabilities(&self, parity: Parity, state: &[Vec<f32>]) -> Vec<f64> {
        let gap = f64::from(self.model.units().gap());
        let layers = parity.layers(self.model.depth()).filter(|&l| l > 0 || self.known.contains(&false));
        let fields = layers.flat_map(|l| self.model.exact_field(l, state).into_iter().enumerate().map(move |(i, a)| (l, i, a)));
        fields.filter(|&(l, i, _)| l > 0 || !self.known[i]).map(|(_, _, a)| logistic(gap * a)).collect()
    }

    /// Puts bits into the free units of a parity.
    fn place(&self, parity: Parity, state: &mut [Vec<f32>], bits: &[bool]) {
        let mut bits = bits.iter();
        for l in parity.layers(self.model.depth()) {
            for (i, value) in state[l].iter_mut().enumerate() {
                if l > 0 || !self.known[i] {
                    *value = self.model.units().value(bits.next().copied().unwrap_or_default());
                }
            }
        }
    }

    /// One step of a single chain: the even block, then the odd one, each from its conditional distribution.
    pub fn single(&mut self, from: &[Vec<f32>]) -> Vec<Vec<f32>> {
        let mut state = from.to_vec();
        for parity in [Parity::Even, Parity::Odd] {
            let p = self.probabilities(parity, &state);
            let (bits, _) = common_uniforms(&p, &p, self.stream);
            self.place(parity, &mut state, &bits);
        }
        state
    }
}

impl PairKernel for Gibbs<'_> {
    type Point = Vec<Vec<f32>>;

    fn step(&mut self, x: &Rc<Self::Point>, y: &Rc<Self::Point>) -> (Rc<Self::Point>, Rc<Self::Point>) {
        let (mut x, mut y) = ((**x).clone(), (**y).clone());
        let (p, q) = (self.probabilities(Parity::Even, &x), self.probabilities(Parity::Even, &y));
        let (x_bits, y_bits, capped) = self.block.draw(&p, &q, self.stream);
        self.tries_capped += u32::from(capped);
        self.place(Parity::Even, &mut x, &x_bits);
        self.place(Parity::Even, &mut y, &y_bits);
        let (p, q) = (self.probabilities(Parity::Odd, &x), self.probabilities(Parity::Odd, &y));
        let (x_bits, y_bits) = common_uniforms(&p, &q, self.stream);
        self.place(Parity::Odd, &mut x, &x_bits);
        self.place(Parity::Odd, &mut y, &y_bits);
        (Rc::new(x), Rc::new(y))
    }
}
