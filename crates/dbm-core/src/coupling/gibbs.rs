//! The Gibbs coupling of Qiu et al. (2020): the even block of both chains from a joint maximal coupling, the odd block with common
//! uniforms.

use super::PairKernel;
use crate::Dbm;
use crate::chains::Chains;
use crate::linalg::add_scaled_rows_exactly;
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

    /// Draws the pair.
    pub fn draw(&self, p: &[f64], q: &[f64], stream: &mut Stream) -> BlockDraw {
        let ratios = Ratios::new(p, q);
        let first = common_uniforms(p, p, stream).0;
        if Self::keeps(stream.uniform(), ratios.of(&first)) {
            return BlockDraw { y: first.clone(), x: first, shared: true, tries: 0, capped: false };
        }
        let (mut x, mut y, mut last, mut tries) = (None, None, None, 0);
        while tries < self.max_tries && (x.is_none() || y.is_none()) {
            tries += 1;
            let (try_x, try_y) = common_uniforms(p, q, stream);
            let u = stream.uniform();
            if x.is_none() && Self::in_residual(u, ratios.of(&try_x)) {
                x = Some(try_x);
            }
            // log q(y) - log p(y)
            if y.is_none() && Self::in_residual(u, -ratios.of(&try_y)) {
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
    /// One bit a unit.
    pub x: Vec<bool>,
    /// The same.
    pub y: Vec<bool>,
    /// Whether y kept what x had drawn.
    pub shared: bool,
    /// Tries of the draws from the residuals; 0 where the draw was shared.
    pub tries: u32,
    /// Whether the cap on tries was reached.
    pub capped: bool,
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
    Ratios::new(p, q).of(x)
}

/// `log p_i(x_i) - log q_i(x_i)` of every unit, low and high.
struct Ratios(Vec<[f64; 2]>);

impl Ratios {
    fn new(p: &[f64], q: &[f64]) -> Self {
        let each = p.iter().zip(q).map(|(&p, &q)| {
            // A unit of equal probabilities adds nothing, even where both are 0.
            if p == q { [0.0; 2] } else { [libm::log(1.0 - p) - libm::log(1.0 - q), libm::log(p) - libm::log(q)] }
        });
        Self(each.collect())
    }

    /// `log p(x) - log q(x)`.
    fn of(&self, x: &[bool]) -> f64 {
        self.0.iter().zip(x).map(|(ratios, &high)| ratios[usize::from(high)]).sum()
    }
}

/// A state with its fields, which a step carries along by the units that flip.
#[derive(Clone, Debug, PartialEq)]
pub struct GibbsPoint {
    /// One vector a layer.
    pub state: Vec<Vec<f32>>,
    /// The same; those of a wholly clamped visible layer are not kept up to date.
    fields: Vec<Vec<f64>>,
}

impl AsRef<[Vec<f32>]> for GibbsPoint {
    fn as_ref(&self) -> &[Vec<f32>] {
        &self.state
    }
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
    /// What the last step of the pair drew for the even block.
    pub drawn: Option<BlockDraw>,
}

impl<'a> Gibbs<'a> {
    /// For chain `chain` of a batch.
    pub fn new(model: &'a Dbm, chains: &Chains, chain: usize, stream: &'a mut Stream, max_tries: u32) -> Self {
        let known = chains.known(chain).unwrap_or_else(|| vec![true; model.n_visible()]);
        Self { model, known, stream, block: BlockCoupling { max_tries }, tries_capped: 0, drawn: None }
    }

    /// A state of the model's shape, with its fields.
    ///
    /// # Panics
    /// If the state does not have the model's shape.
    pub fn point(&self, state: Vec<Vec<f32>>) -> Rc<GibbsPoint> {
        let fields = (0..state.len()).map(|l| self.model.exact_field(l, &state)).collect();
        Rc::new(GibbsPoint { state, fields })
    }

    /// Whether a layer has units that are not clamped.
    fn is_free(&self, layer: usize) -> bool {
        layer > 0 || self.known.contains(&false)
    }

    /// `P(high | the other parity)` of the free units of a parity, layer after layer.
    pub fn probabilities(&self, parity: Parity, point: &GibbsPoint) -> Vec<f64> {
        let gap = f64::from(self.model.units().gap());
        let layers = parity.layers(self.model.depth()).filter(|&l| self.is_free(l));
        let fields = layers.flat_map(|l| point.fields[l].iter().enumerate().map(move |(i, &a)| (l, i, a)));
        fields.filter(|&(l, i, _)| l > 0 || !self.known[i]).map(|(_, _, a)| logistic(gap * a)).collect()
    }

    /// Puts bits into the free units of a parity, and carries the fields of the other one along.
    fn place(&self, parity: Parity, point: &mut GibbsPoint, bits: &[bool]) {
        let mut bits = bits.iter();
        let mut flips = Vec::new();
        let (units, depth) = (self.model.units(), self.model.depth());
        for l in parity.layers(depth) {
            flips.clear();
            for (i, value) in point.state[l].iter_mut().enumerate() {
                if l > 0 || !self.known[i] {
                    let new = units.value(bits.next().copied().unwrap_or_default());
                    if new != *value {
                        flips.push((i as u32, new - *value));
                        *value = new;
                    }
                }
            }
            if l > 0 && self.is_free(l - 1) {
                let rows = &self.model.transposed()[l - 1];
                add_scaled_rows_exactly(&mut point.fields[l - 1], &flips, |unit| rows.row(unit as usize));
            }
            if l < depth {
                let rows = &self.model.weights()[l];
                add_scaled_rows_exactly(&mut point.fields[l + 1], &flips, |unit| rows.row(unit as usize));
            }
        }
    }

    /// One step of a single chain: the even block, then the odd one, each from its conditional distribution.
    pub fn single(&mut self, from: &GibbsPoint) -> Rc<GibbsPoint> {
        let mut point = from.clone();
        for parity in [Parity::Even, Parity::Odd] {
            let p = self.probabilities(parity, &point);
            let (bits, _) = common_uniforms(&p, &p, self.stream);
            self.place(parity, &mut point, &bits);
        }
        Rc::new(point)
    }
}

impl PairKernel for Gibbs<'_> {
    type Point = GibbsPoint;

    fn step(&mut self, x: &Rc<GibbsPoint>, y: &Rc<GibbsPoint>) -> (Rc<GibbsPoint>, Rc<GibbsPoint>) {
        let (mut x, mut y) = ((**x).clone(), (**y).clone());
        let (p, q) = (self.probabilities(Parity::Even, &x), self.probabilities(Parity::Even, &y));
        let drawn = self.block.draw(&p, &q, self.stream);
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
