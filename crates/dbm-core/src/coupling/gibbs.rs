//! The Gibbs coupling of Qiu et al. (2020): the even block of both chains is drawn from a joint maximal coupling, the odd block with common
//! uniforms.

use super::PairKernel;
use crate::chains::Chains;
use crate::linalg::add_scaled_rows;
use crate::math::{logistic_each, sum_softplus};
use crate::parity::Parity;
use crate::rng::Stream;
use crate::{Clamp, Dbm};
use std::rc::Rc;

/// How two distributions `p` and `q` of the same independent units are drawn together: `P(x_i = high) = p_i`, `P(y_i = high) = q_i`.
///
/// `x` is drawn from `p`. With probability `min(1, q(x)/p(x))`, that is if `Exp(1) >= log p(x) - log q(x)`, `y = x`. Otherwise both are
/// drawn from their residuals, `(p - min(p, q)) / (1 - sum min(p, q))` and likewise for `q`, by rejection from `p` and `q`: each try takes
/// one uniform per unit, common to both chains, and one for both decisions. This is a maximal coupling: no other makes `x = y` more likely.
#[derive(Clone, Copy, Debug)]
pub struct BlockCoupling {
    /// The largest number of rejection tries. If no try for x is accepted, its first draw is used; having been rejected, it follows the
    /// residual of `p`, so x stays exact. If no try for y is accepted, its last try is used; this follows `q` instead of its residual,
    /// which causes bias, and is counted.
    pub max_tries: u32,
}

impl BlockCoupling {
    /// Whether `y = x` can be kept, for a uniform `u` and `log_ratio = log p(x) - log q(x)`.
    pub fn keeps(u: f64, log_ratio: f64) -> bool {
        -libm::log(u) >= log_ratio
    }

    /// Whether a try from `p` belongs to the residual of `p`, for a uniform `u` and `log_ratio = log p(x) - log q(x)`: true with
    /// probability `max(0, 1 - q(x)/p(x))`, exactly when [`Self::keeps`] is false.
    pub fn in_residual(u: f64, log_ratio: f64) -> bool {
        !Self::keeps(u, log_ratio)
    }

    /// Draws the pair.
    pub fn draw(&self, p: &[f64], q: &[f64], stream: &mut Stream) -> BlockDraw {
        self.draw_by(p, q, |x| log_ratio(p, q, x), stream)
    }

    /// The same, for a known `ratio(x) = log p(x) - log q(x)`.
    fn draw_by(self, p: &[f64], q: &[f64], ratio: impl Fn(&[bool]) -> f64, stream: &mut Stream) -> BlockDraw {
        let first = common_uniforms(p, p, stream).0;
        if Self::keeps(stream.uniform(), ratio(&first)) {
            return BlockDraw { y: first.clone(), x: first, shared: true, tries: 0, capped: false };
        }
        let (mut x, mut y, mut last, mut tries) = (None, None, None, 0);
        while tries < self.max_tries && (x.is_none() || y.is_none()) {
            tries += 1;
            let (try_x, try_y) = common_uniforms(p, q, stream);
            let u = stream.uniform();
            if x.is_none() && Self::in_residual(u, ratio(&try_x)) {
                x = Some(try_x);
            }
            // log q(y) - log p(y)
            if y.is_none() && Self::in_residual(u, -ratio(&try_y)) {
                y = Some(try_y);
            } else {
                last = Some(try_y);
            }
        }
        let capped = x.is_none() || y.is_none();
        let x = x.unwrap_or(first);
        let y = y.or(last).unwrap_or_else(|| x.clone());
        BlockDraw { x, y, shared: false, tries, capped }
    }
}

/// A pair that a [`BlockCoupling`] drew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockDraw {
    /// The draw of x, one bit per unit.
    pub x: Vec<bool>,
    /// The draw of y, one bit per unit.
    pub y: Vec<bool>,
    /// Whether y kept the draw of x.
    pub shared: bool,
    /// Tries of the draws from the residuals; 0 if the draw was shared.
    pub tries: u32,
    /// Whether the cap on tries was reached.
    pub capped: bool,
}

/// Whether a unit of probability `p` is high, for a uniform `u` in `[0, 1)`.
pub(crate) fn is_high(u: f64, p: f64) -> bool {
    u < p
}

/// Draws both from the same uniforms, one per unit.
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
    // A unit with equal probabilities adds nothing, even if both are 0.
    let each = p.iter().zip(q).zip(x).filter(|((p, q), _)| p != q);
    each.map(|((&p, &q), &high)| log(p, high) - log(q, high)).sum()
}

/// The distribution of one parity's free units given the other parity: their fields times the units' gap.
struct Block {
    /// `log P(high) - log P(low)`.
    log_odds: Vec<f64>,
    /// `P(high)` of each unit.
    high: Vec<f64>,
}

impl Block {
    fn new(log_odds: Vec<f64>) -> Self {
        let mut high = vec![0.0; log_odds.len()];
        logistic_each(&log_odds, &mut high);
        Self { log_odds, high }
    }

    /// `log p(x) - log q(x)` as a function of x. Written with `log p(x) = sum_{i high} a_i - sum_i log(1 + exp(a_i))`, it needs no
    /// logarithm per unit.
    fn log_ratio_to(&self, other: &Self) -> impl Fn(&[bool]) -> f64 {
        let all_low = sum_softplus(&other.log_odds) - sum_softplus(&self.log_odds);
        let more: Vec<f64> = self.log_odds.iter().zip(&other.log_odds).map(|(a, b)| a - b).collect();
        move |x| all_low + more.iter().zip(x).map(|(&more, &high)| if high { more } else { 0.0 }).sum::<f64>()
    }
}

/// A state with its fields, which a step updates for the units that flip.
#[derive(Clone, Debug, PartialEq)]
pub struct StateWithFields {
    /// One vector per layer.
    pub state: Vec<Vec<f32>>,
    /// The fields, one vector per layer; those of a fully clamped visible layer are not kept up to date.
    fields: Vec<Vec<f64>>,
}

impl AsRef<[Vec<f32>]> for StateWithFields {
    fn as_ref(&self) -> &[Vec<f32>] {
        &self.state
    }
}

/// The coupled pair for one chain of a batch: the units clamped in that chain stay clamped.
pub struct GibbsCoupling<'a> {
    /// The model on which both move.
    pub model: &'a Dbm,
    /// The clamp of that chain.
    pub clamp: Clamp,
    /// That chain's stream.
    pub stream: &'a mut Stream,
    /// How the even block is drawn.
    pub block: BlockCoupling,
    /// Steps in which the cap on tries was reached.
    pub tries_capped: u32,
    /// What the last step of the pair drew for the even block.
    pub drawn: Option<BlockDraw>,
}

impl<'a> GibbsCoupling<'a> {
    /// For chain `chain` of a batch.
    pub fn new(model: &'a Dbm, chains: &Chains, chain: usize, stream: &'a mut Stream, max_tries: u32) -> Self {
        Self { model, clamp: chains.clamp_of(chain), stream, block: BlockCoupling { max_tries }, tries_capped: 0, drawn: None }
    }

    /// A state of the model's shape, with its fields.
    ///
    /// # Panics
    /// If the state does not have the model's shape.
    pub fn point(&self, state: Vec<Vec<f32>>) -> Rc<StateWithFields> {
        let fields = (0..state.len()).map(|l| self.model.exact_field(l, &state)).collect();
        Rc::new(StateWithFields { state, fields })
    }

    /// Whether a layer has units that are not clamped.
    fn is_free(&self, layer: usize) -> bool {
        layer > 0 || !self.clamp.holds_all()
    }

    /// `P(high | the other parity)` of the free units of a parity, layer by layer.
    pub fn probabilities(&self, parity: Parity, point: &StateWithFields) -> Vec<f64> {
        self.block_of(parity, point).high
    }

    fn block_of(&self, parity: Parity, point: &StateWithFields) -> Block {
        let gap = f64::from(self.model.units().gap());
        let layers = parity.layers(self.model.depth()).filter(|&l| self.is_free(l));
        let fields = layers.flat_map(|l| point.fields[l].iter().enumerate().map(move |(i, &a)| (l, i, a)));
        Block::new(fields.filter(|&(l, i, _)| l > 0 || !self.clamp.holds(i)).map(|(_, _, a)| gap * a).collect())
    }

    /// Writes bits into the free units of a parity, and updates the fields of the other parity.
    fn place(&self, parity: Parity, point: &mut StateWithFields, bits: &[bool]) {
        let mut bits = bits.iter();
        let mut flips = Vec::new();
        let units = self.model.units();
        for l in parity.layers(self.model.depth()) {
            // Branch-free, since no branch predictor can guess what flips.
            flips.resize(point.state[l].len(), (0, 0.0));
            let mut count = 0;
            for (i, value) in point.state[l].iter_mut().enumerate() {
                if l > 0 || !self.clamp.holds(i) {
                    let new = units.value(bits.next().copied().unwrap_or_default());
                    flips[count] = (i as u32, new - *value);
                    count += usize::from(new != *value);
                    *value = new;
                }
            }
            let flips = &flips[..count];
            for (to, rows) in self.model.rows_to_neighbours(l).filter(|&(to, _)| self.is_free(to)) {
                add_scaled_rows(&mut point.fields[to], flips, |unit| rows.row(unit as usize));
            }
        }
    }

    /// One step of a single chain: the even block, then the odd one, each from its conditional distribution.
    pub fn single(&mut self, from: &StateWithFields) -> Rc<StateWithFields> {
        let mut point = from.clone();
        for parity in [Parity::Even, Parity::Odd] {
            let p = self.probabilities(parity, &point);
            let (bits, _) = common_uniforms(&p, &p, self.stream);
            self.place(parity, &mut point, &bits);
        }
        Rc::new(point)
    }
}

impl PairKernel for GibbsCoupling<'_> {
    type State = StateWithFields;

    fn step(&mut self, x: &Rc<StateWithFields>, y: &Rc<StateWithFields>) -> (Rc<StateWithFields>, Rc<StateWithFields>) {
        let (mut x, mut y) = ((**x).clone(), (**y).clone());
        let (p, q) = (self.block_of(Parity::Even, &x), self.block_of(Parity::Even, &y));
        let drawn = self.block.draw_by(&p.high, &q.high, p.log_ratio_to(&q), self.stream);
        self.tries_capped += u32::from(drawn.capped);
        self.place(Parity::Even, &mut x, &drawn.x);
        self.place(Parity::Even, &mut y, &drawn.y);
        self.drawn = Some(drawn);
        let (p, q) = (self.probabilities(Parity::Odd, &x), self.probabilities(Parity::Odd, &y));
        let (x_bits, y_bits) = common_uniforms(&p, &q, self.stream);
        self.place(Parity::Odd, &mut x, &x_bits);
        self.place(Parity::Odd, &mut y, &y_bits);
        (Rc::new(x), Rc::new(y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_of_fields_is_that_of_probabilities() {
        let (a, b) = ([-3.0, 0.5, 6.0, 0.0, 1.25], [2.0, 0.5, -1.0, 8.0, 1.5]);
        let (p, q) = (Block::new(a.to_vec()), Block::new(b.to_vec()));
        for code in 0..32 {
            let x: Vec<bool> = (0..5).map(|place| code >> place & 1 == 1).collect();
            let (fast, plain) = (p.log_ratio_to(&q)(&x), log_ratio(&p.high, &q.high, &x));
            assert!((fast - plain).abs() < 1e-10, "{fast} and {plain}");
        }
    }
}
