//! A batch of states with their fields; the only code that changes a state, so that the two can never disagree.
//!
//! Fields of a parity depend on the states of the other. After a half-sweep they are carried along by the rows of the units
//! that flipped, or, where so many flipped that a product is cheaper, marked stale and recomputed for all such chains at once.

use crate::linalg::{Matrix, add_scaled_rows, dot};
use crate::math::sigma_each;
use crate::rng::Stream;
use crate::vector::vectorized;
use crate::{Dbm, parity::Parity};
use serde::{Deserialize, Serialize};

/// A row addition costs about as much as this many multiply-adds of a batch product of the same length.
const ROW_COST: usize = 4;

/// Which visible units never change.
#[derive(Clone, Debug, PartialEq)]
pub enum Clamp {
    /// None: chains of p(v, h).
    Free,
    /// All: chains of p(h | v).
    Visible,
    /// Those marked, `[chains, n_0]` row by row: chains of p(unknown, h | known).
    Known(Vec<bool>),
}

/// Draws visible units that are not independent, given the fields of their layer, into decisions.
pub type JointVisible<'a> = dyn Fn(&[f32], &mut Stream, &mut [f32]) + 'a;

/// How a half-sweep sets a unit from its field.
pub enum UpdateRule<'a> {
    /// To its conditional minimum of the energy: high where `a >= 0`.
    Minimum,
    /// To a draw from its conditional distribution; one stream a chain.
    Gibbs(&'a mut [Stream]),
    /// As Gibbs, but for visible units that are not independent: `together` is told the fields of a chain's visible layer and puts decisions of its
    /// own, at least zero for a high unit, in place of those of units that are not clamped.
    JointVisible {
        /// One a chain.
        streams: &'a mut [Stream],
        /// What draws them.
        together: &'a JointVisible<'a>,
    },
    /// To a draw from its conditional distribution under the fields `(1 - beta) base_l + beta a_l`: those of the energy
    /// `- (1 - beta) sum_l base_l . s_l + beta E(s)`, on the way from independent units to the model. One stream a chain.
    Annealed {
        /// One a chain.
        streams: &'a mut [Stream],
        /// Biases at `beta = 0`, `[n_l]` a layer.
        base: &'a [Vec<f32>],
        /// How much of the model is there, in `0..=1`.
        beta: f32,
    },
}

/// Multiply-adds that went into fields, most of the arithmetic of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// In batch products.
    pub products: u64,
    /// In rows of flipped units, added to the fields of their neighbours.
    pub carried: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.products += other.products;
        self.carried += other.carried;
    }
}

/// `count` chains of one model: states `[count, n_l]` and fields `[count, n_l]` of every layer.
pub struct Chains {
    count: usize,
    clamp: Clamp,
    states: Vec<Matrix>,
    fields: Vec<Matrix>,
    /// Whether the fields of (even, odd) layers belong to the present states, chain by chain.
    valid: [Vec<bool>; 2],
    /// `b_1 + W_0^T v`, `[count, n_1]`, where the visible layer is clamped: it never changes.
    drive: Matrix,
    work: Work,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    gathered: Vec<f32>,
    product: Vec<f32>,
    uniforms: Vec<f32>,
    annealed: Vec<f32>,
    decisions: Vec<f32>,
    flips: Vec<(u32, f32)>,
    /// Where in `flips` each layer of the parity ends.
    ends: Vec<(usize, usize)>,
}

impl Chains {
    /// Chains with nothing clamped. All units are low until [`Chains::randomize`].
    pub fn free(model: &Dbm, count: usize) -> Self {
        Self::new(
            model,
            Matrix::from_vec(count, model.n_visible(), vec![model.units().low(); count * model.n_visible()]),
            Clamp::Free,
        )
    }

    /// Chains whose visible layer is clamped to the rows of `visible`, `[count, n_0]`.
    pub fn clamped(model: &Dbm, visible: Matrix) -> Self {
        Self::new(model, visible, Clamp::Visible)
    }

    /// Chains whose `known` visible units, `[count, n_0]` row by row, are clamped to `visible`.
    ///
    /// # Panics
    /// If there is not one mark a visible unit.
    pub fn partly_known(model: &Dbm, visible: Matrix, known: Vec<bool>) -> Self {
        assert_eq!(known.len(), visible.data().len());
        Self::new(model, visible, Clamp::Known(known))
    }

    /// New chains, with visible units clamped to the values that they have in these rows of the present ones.
    pub fn same_clamp(&self, model: &Dbm, rows: &[usize]) -> Self {
        let n = model.n_visible();
        let mut values = Matrix::zeros(0, n);
        rows.iter().for_each(|&row| values.push_row(self.states[0].row(row)));
        let clamp = match &self.clamp {
            Clamp::Free => Clamp::Free,
            Clamp::Visible => Clamp::Visible,
            Clamp::Known(known) => Clamp::Known(rows.iter().flat_map(|&row| &known[row * n..(row + 1) * n]).copied().collect()),
        };
        Self::new(model, values, clamp)
    }

    fn new(model: &Dbm, visible: Matrix, clamp: Clamp) -> Self {
        assert_eq!(visible.columns(), model.n_visible());
        let count = visible.rows();
        let mut states = vec![visible];
        for &size in &model.sizes()[1..] {
            states.push(Matrix::from_vec(count, size, vec![model.units().low(); count * size]));
        }
        let all_clamped = clamp == Clamp::Visible;
        let fields = model.sizes().iter().enumerate();
        let fields = fields.map(|(l, &size)| Matrix::zeros(if l == 0 && all_clamped { 0 } else { count }, size)).collect();
        let mut drive = Matrix::zeros(0, model.sizes()[1]);
        let mut work = Work::default();
        if all_clamped {
            work.products += (count * model.weights()[0].data().len()) as u64;
            for _ in 0..count {
                drive.push_row(&model.biases()[1]);
            }
            model.backend().add_binary_product(drive.data_mut(), states[0].data(), model.units().values(), &model.weights()[0]);
        }
        let valid = [vec![false; count], vec![false; count]];
        Self { count, clamp, states, fields, valid, drive, work, scratch: Scratch::default() }
    }

    /// How many chains.
    pub fn count(&self) -> usize {
        self.count
    }

    /// What is clamped.
    pub fn clamp(&self) -> &Clamp {
        &self.clamp
    }

    /// What their fields have cost so far.
    pub fn work(&self) -> Work {
        self.work
    }

    /// The states of a layer, `[count, n_l]`.
    pub fn layer(&self, layer: usize) -> &Matrix {
        &self.states[layer]
    }

    /// The whole state of one chain.
    pub fn state(&self, chain: usize) -> Vec<Vec<f32>> {
        self.states.iter().map(|layer| layer.row(chain).to_vec()).collect()
    }

    /// Whether any visible unit of this chain is clamped.
    pub fn is_clamped(&self, chain: usize) -> bool {
        match &self.clamp {
            Clamp::Free => false,
            Clamp::Visible => true,
            Clamp::Known(known) => {
                let n = self.states[0].columns();
                known[chain * n..(chain + 1) * n].iter().any(|&k| k)
            }
        }
    }

    /// A state of one chain with every unit that is not clamped drawn uniformly, layer by layer; the chain stays as it is.
    pub fn uniform_state(&self, model: &Dbm, chain: usize, stream: &mut Stream) -> Vec<Vec<f32>> {
        let (low, high) = (model.units().low(), model.units().high());
        let mut state = self.state(chain);
        for (l, layer) in state.iter_mut().enumerate() {
            match (&self.clamp, l) {
                (Clamp::Visible, 0) => {}
                (Clamp::Known(known), 0) => {
                    let n = layer.len();
                    let given = std::mem::replace(layer, vec![low; n]);
                    stream.fill_coins(low, high, layer);
                    for ((value, given), &known) in layer.iter_mut().zip(given).zip(&known[chain * n..(chain + 1) * n]) {
                        if known {
                            *value = given;
                        }
                    }
                }
                _ => stream.fill_coins(low, high, layer),
            }
        }
        state
    }

    /// Puts a chain at [`Chains::uniform_state`].
    pub fn randomize(&mut self, model: &Dbm, chain: usize, stream: &mut Stream) {
        let state = self.uniform_state(model, chain, stream);
        self.place(chain, &state);
    }

    /// Puts a chain at a state of the model's shape. A clamped unit is then clamped to its value there.
    ///
    /// # Panics
    /// If the state has another shape, or another visible layer than the one a wholly clamped chain was made with.
    pub fn place(&mut self, chain: usize, state: &[Vec<f32>]) {
        assert_eq!(state.len(), self.states.len());
        assert!(self.clamp != Clamp::Visible || self.states[0].row(chain) == state[0], "the clamped visible layer");
        for (layer, values) in self.states.iter_mut().zip(state) {
            layer.row_mut(chain).copy_from_slice(values);
        }
        self.valid[0][chain] = false;
        self.valid[1][chain] = false;
    }

    /// The fields of a layer of one chain, `[n_l]`, where they are up to date.
    pub fn field(&self, layer: usize, chain: usize) -> Option<&[f32]> {
        let there = self.valid[layer % 2][chain] && self.fields[layer].rows() > 0;
        there.then(|| self.fields[layer].row(chain))
    }

    /// Which visible units of one chain are clamped; `None` where all are.
    pub fn known(&self, chain: usize) -> Option<Vec<bool>> {
        let n = self.states[0].columns();
        match &self.clamp {
            Clamp::Free => Some(vec![false; n]),
            Clamp::Visible => None,
            Clamp::Known(known) => Some(known[chain * n..(chain + 1) * n].to_vec()),
        }
    }

    /// Brings the fields of one parity up to date for these chains, all stale ones in one batch of products.
    pub fn refresh(&mut self, model: &Dbm, parity: Parity, chains: &[u32]) {
        let stale: Vec<u32> = chains.iter().copied().filter(|&c| !self.valid[parity as usize][c as usize]).collect();
        if stale.is_empty() {
            return;
        }
        for l in parity.layers(model.depth()) {
            if l == 0 && self.clamp == Clamp::Visible {
                continue;
            }
            self.recompute(model, l, &stale);
        }
        for c in stale {
            self.valid[parity as usize][c as usize] = true;
        }
    }

    fn recompute(&mut self, model: &Dbm, l: usize, chains: &[u32]) {
        let n = model.sizes()[l];
        let driven = l == 1 && self.clamp == Clamp::Visible;
        let Scratch { gathered, product, .. } = &mut self.scratch;
        product.clear();
        for &c in chains {
            product.extend_from_slice(if driven { self.drive.row(c as usize) } else { &model.biases()[l] });
        }
        let below = (l > 0 && !driven).then(|| (l - 1, &model.weights()[l - 1]));
        let above = (l < model.depth()).then(|| (l + 1, &model.transposed()[l]));
        for (neighbour, weight) in below.into_iter().chain(above) {
            gathered.clear();
            for &c in chains {
                gathered.extend_from_slice(self.states[neighbour].row(c as usize));
            }
            model.backend().add_binary_product(product, gathered, model.units().values(), weight);
            self.work.products += (chains.len() * weight.data().len()) as u64;
        }
        for (&c, field) in chains.iter().zip(product.chunks_exact(n)) {
            self.fields[l].row_mut(c as usize).copy_from_slice(field);
        }
    }

    /// Sets the layers of one parity by `rule`, for these chains, and carries the fields of the other parity along.
    /// Returns how many units flipped, chain by chain.
    pub fn half_sweep(&mut self, model: &Dbm, parity: Parity, chains: &[u32], mut rule: UpdateRule) -> Vec<u32> {
        self.refresh(model, parity, chains);
        let mut flipped = Vec::with_capacity(chains.len());
        for &c in chains {
            let c = c as usize;
            let (stream, annealing, together) = match &mut rule {
                UpdateRule::Minimum => (None, None, None),
                UpdateRule::Gibbs(streams) => (Some(&mut streams[c]), None, None),
                UpdateRule::JointVisible { streams, together } => (Some(&mut streams[c]), None, Some(*together)),
                UpdateRule::Annealed { streams, base, beta } => (Some(&mut streams[c]), Some((*base, *beta)), None),
            };
            self.set(model, parity, c, stream, annealing, together);
            flipped.push(self.scratch.flips.len() as u32);
            self.carry(model, parity, c);
        }
        flipped
    }

    /// Sets one chain's layers of a parity from their fields, noting what flipped.
    fn set(
        &mut self,
        model: &Dbm,
        parity: Parity,
        c: usize,
        mut stream: Option<&mut Stream>,
        annealing: Option<(&[Vec<f32>], f32)>,
        together: Option<&JointVisible>,
    ) {
        let units = model.units();
        let Scratch { uniforms, annealed, decisions, flips, ends, .. } = &mut self.scratch;
        flips.clear();
        ends.clear();
        for l in parity.layers(model.depth()) {
            if l == 0 && self.clamp == Clamp::Visible {
                continue;
            }
            let mut field = self.fields[l].row(c);
            if let Some((base, beta)) = annealing {
                annealed.clear();
                annealed.extend(base[l].iter().zip(field).map(|(base, a)| (1.0 - beta) * base + beta * a));
                field = annealed;
            }
            let state = self.states[l].row_mut(c);
            // A unit is set high where its decision is at least zero.
            decisions.resize(field.len(), 0.0);
            if let Some(stream) = stream.as_deref_mut() {
                uniforms.resize(field.len(), 0.0);
                stream.fill_uniform(uniforms);
                sigma_each(field, units.gap(), 0.0, 1.0, decisions);
                for (decision, &u) in decisions.iter_mut().zip(&*uniforms) {
                    *decision -= u;
                }
            } else {
                decisions.copy_from_slice(field);
            }
            if let (0, Clamp::Known(known)) = (l, &self.clamp) {
                let n = field.len();
                for ((decision, &value), &known) in decisions.iter_mut().zip(&*state).zip(&known[c * n..(c + 1) * n]) {
                    if known {
                        *decision = value - 0.5;
                    }
                }
            }
            if let (0, Some(together), Some(stream)) = (l, together, stream.as_deref_mut()) {
                together(field, stream, decisions);
            }
            flip(decisions, state, units.low(), units.high(), flips);
            ends.push((l, flips.len()));
        }
    }

    /// Moves the other parity's fields by the rows of the flipped units, or marks them stale where recomputing is cheaper.
    fn carry(&mut self, model: &Dbm, parity: Parity, c: usize) {
        let Scratch { flips, ends, .. } = &self.scratch;
        if flips.is_empty() || !self.valid[parity.other() as usize][c] {
            return;
        }
        let sizes = model.sizes();
        let below_moves = |l: usize| l > 0 && !(l == 1 && self.clamp == Clamp::Visible);
        let (mut carrying, mut recomputing, mut start) = (0, 0, 0);
        for &(l, end) in ends {
            let below = if below_moves(l) { sizes[l - 1] } else { 0 };
            let above = if l < model.depth() { sizes[l + 1] } else { 0 };
            carrying += (end - start) * (below + above) * ROW_COST;
            recomputing += sizes[l] * (below + above);
            start = end;
        }
        if carrying > recomputing {
            self.valid[parity.other() as usize][c] = false;
            return;
        }
        let mut start = 0;
        for &(l, end) in ends {
            let flips = &flips[start..end];
            if below_moves(l) {
                let rows = &model.transposed()[l - 1];
                add_scaled_rows(self.fields[l - 1].row_mut(c), flips, |unit| rows.row(unit as usize));
                self.work.carried += (flips.len() * sizes[l - 1]) as u64;
            }
            if l < model.depth() {
                let rows = &model.weights()[l];
                add_scaled_rows(self.fields[l + 1].row_mut(c), flips, |unit| rows.row(unit as usize));
                self.work.carried += (flips.len() * sizes[l + 1]) as u64;
            }
            start = end;
        }
    }

    /// Energy of one chain's state, from its fields: `O(units)`, not `O(weights)`.
    ///
    /// # Panics
    /// If no parity's fields are up to date.
    pub fn energy(&self, model: &Dbm, chain: usize) -> f64 {
        let [even, odd] = [self.valid[0][chain], self.valid[1][chain]];
        assert!(even || odd, "refresh before asking for an energy");
        // Every pair of layers is counted once by the fields of either parity.
        let parity = if odd { Parity::Odd } else { Parity::Even };
        let through_fields = |l: usize| dot(self.states[l].row(chain), self.fields[l].row(chain));
        let through_biases = |l: usize| dot(self.states[l].row(chain), &model.biases()[l]);
        let depth = model.depth();
        if parity == Parity::Even && self.clamp == Clamp::Visible {
            // A clamped visible layer has no fields; its pairs are in the drive of layer 1, with that layer's bias.
            let visible = through_biases(0) + dot(self.states[1].row(chain), self.drive.row(chain));
            let rest: f64 = Parity::Even.layers(depth).skip(1).map(through_fields).sum();
            let biases: f64 = Parity::Odd.layers(depth).skip(1).map(through_biases).sum();
            return -visible - rest - biases;
        }
        -parity.layers(depth).map(through_fields).sum::<f64>() - parity.other().layers(depth).map(through_biases).sum::<f64>()
    }

    /// Energy of this chain's hidden state with the clamped visible layer of `other` in place of its own.
    ///
    /// # Panics
    /// If the visible layer is not clamped, or no parity's fields are up to date.
    pub fn energy_with_visible_of(&self, model: &Dbm, chain: usize, other: usize) -> f64 {
        assert_eq!(self.clamp, Clamp::Visible);
        let share = |c: usize| dot(self.states[0].row(c), &model.biases()[0]) + dot(self.states[1].row(chain), self.drive.row(c));
        self.energy(model, chain) + share(chain) - share(other)
    }

    /// Conditional means of a layer given its neighbours; a clamped unit keeps its value.
    ///
    /// # Panics
    /// If the layer's fields are not up to date.
    pub fn means(&self, model: &Dbm, layer: usize, chain: usize, into: &mut [f32]) {
        if layer == 0 && self.clamp == Clamp::Visible {
            into.copy_from_slice(self.states[0].row(chain));
            return;
        }
        assert!(self.valid[layer % 2][chain], "refresh before asking for means");
        let (low, gap) = (model.units().low(), model.units().gap());
        sigma_each(self.fields[layer].row(chain), gap, low, gap, into);
        if let (0, Clamp::Known(known)) = (layer, &self.clamp) {
            let n = into.len();
            for ((mean, &value), &known) in into.iter_mut().zip(self.states[0].row(chain)).zip(&known[chain * n..]) {
                if known {
                    *mean = value;
                }
            }
        }
    }
}

/// Sets each unit high where its decision is at least zero, noting `(unit, new - old)` of those that changed.
fn flip(decisions: &[f32], state: &mut [f32], low: f32, high: f32, flips: &mut Vec<(u32, f32)>) {
    // A bit for each of 32 units, found without a branch: at the start of a search every other unit flips, and no machine could guess which.
    const BLOCK: usize = 32;
    flips.reserve(state.len());
    vectorized(
        #[inline(always)]
        || {
            for (block, (decisions, state)) in decisions.chunks(BLOCK).zip(state.chunks_mut(BLOCK)).enumerate() {
                let mut changes = 0_u32;
                for (place, (&decision, &value)) in decisions.iter().zip(&*state).enumerate() {
                    changes |= u32::from((decision >= 0.0) != (value > 0.5)) << place;
                }
                while changes != 0 {
                    let place = changes.trailing_zeros() as usize;
                    changes &= changes - 1;
                    let (old, new) = (state[place], if decisions[place] >= 0.0 { high } else { low });
                    flips.push(((block * BLOCK + place) as u32, new - old));
                    state[place] = new;
                }
            }
        },
    );
}
