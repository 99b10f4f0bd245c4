//! A batch of states with their fields; no other code changes a state, so the two can never disagree.
//!
//! The fields of one parity depend on the states of the other. After a half-sweep they are updated by the rows of the units that flipped.
//! Where so many units flipped that a product is cheaper, they are marked stale, and all stale chains are recomputed at once.

use crate::groups::{Group, set_means, uniform_levels};
use crate::linalg::{Matrix, add_scaled_rows, dot};
use crate::math::sigma_each;
use crate::rng::Stream;
use crate::vector::{bits_of, vectorized};
use crate::{Clamp, Dbm, Parity, Units};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The fields of one layer of one chain, on which an [`UpdateRule`] decides.
#[derive(Clone, Copy, Debug)]
pub struct LayerFields<'a> {
    /// The chain's number in its batch.
    pub chain: usize,
    /// The layer's number, 0 for the visible one.
    pub layer: usize,
    /// Kind of units.
    pub units: Units,
    /// The fields of its units, `a_l: [n_l]`.
    pub fields: &'a [f32],
    /// The units of the visible layer that stand for one value together; of another layer, none.
    pub groups: &'a [Group],
    /// Its clamped units.
    held: Held<'a>,
}

impl<'a> LayerFields<'a> {
    /// The same with other fields.
    pub(crate) fn with_fields<'b>(self, fields: &'b [f32]) -> LayerFields<'b>
    where
        'a: 'b,
    {
        LayerFields { fields, ..self }
    }

    /// The bit of a unit, if it is clamped.
    pub fn clamped(&self, unit: usize) -> Option<bool> {
        self.held.bit(unit)
    }
}

/// The clamped units of one chain's visible layer, with its present values.
#[derive(Clone, Copy, Debug)]
struct Held<'a> {
    clamp: &'a Clamp,
    chain: usize,
    values: &'a [f32],
}

impl Held<'_> {
    /// The bit of a unit, if it is clamped.
    fn bit(&self, unit: usize) -> Option<bool> {
        self.clamp.holds(self.chain * self.values.len() + unit).then(|| self.values[unit] > 0.5)
    }
}

/// How a half-sweep sets the units of a layer, which are independent given the other parity. The rules are defined next to their users:
/// those of the search and of the Gibbs sweep are in [`crate::sweep`].
pub trait UpdateRule {
    /// Writes a decision for each unit, `[n_l]`: a unit is set high if its decision is at least zero. Clamped units keep their values in
    /// any case.
    fn decide(&mut self, layer: LayerFields, decisions: &mut [f32]);
}

/// Multiply-adds spent on fields, which are most of the arithmetic of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldCost {
    /// Spent on batch products.
    pub products: u64,
    /// Spent on adding the rows of flipped units to the fields of their neighbours.
    pub carried: u64,
}

impl std::ops::AddAssign for FieldCost {
    fn add_assign(&mut self, other: Self) {
        self.products += other.products;
        self.carried += other.carried;
    }
}

/// `count` chains of one model: states `[count, n_l]` and fields `[count, n_l]` of every layer.
pub struct Chains {
    count: usize,
    clamp: Clamp,
    /// Whether the top layer keeps its values.
    top_clamped: bool,
    states: Vec<Matrix>,
    fields: Vec<Matrix>,
    /// Whether the fields of (even, odd) layers are up to date, chain by chain.
    valid: [Vec<bool>; 2],
    /// `b_1 + W_0^T v`, `[count, n_1]`, if the visible layer is clamped: it never changes.
    drive: Matrix,
    work: FieldCost,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    gathered: Vec<f32>,
    product: Vec<f32>,
    decisions: Vec<f32>,
    /// Which units of each layer of the parity flipped, one bit per unit, and how many.
    changes: Vec<Changes>,
    flips: Vec<(u32, f32)>,
}

impl Chains {
    /// Chains with nothing clamped. All units are low until [`Chains::randomize`].
    pub fn free(model: &Dbm, count: usize) -> Self {
        let low = vec![model.units().low(); count * model.n_visible()];
        Self::new(model, Matrix::from_vec(count, model.n_visible(), low), Clamp::Free)
    }

    /// One chain per row of `visible`, `[count, n_0]`; clamped units keep their values from it. Hidden units are low until
    /// [`Chains::randomize`].
    ///
    /// # Panics
    /// If `visible` is not as wide as the visible layer, or the clamp does not have one mark per visible unit.
    pub fn new(model: &Dbm, visible: Matrix, clamp: Clamp) -> Self {
        assert!(!matches!(&clamp, Clamp::Known(known) if known.len() != visible.data().len()), "one mark a visible unit");
        assert_eq!(visible.columns(), model.n_visible());
        let count = visible.rows();
        let mut states = vec![visible];
        for &size in &model.sizes()[1..] {
            states.push(Matrix::from_vec(count, size, vec![model.units().low(); count * size]));
        }
        let all_clamped = clamp == Clamp::Visible;
        let fields = model.sizes().iter().enumerate();
        let fields = fields.map(|(l, &size)| Matrix::zeros(if l == 0 && all_clamped { 0 } else { count }, size)).collect();
        let (drive, work) = (Matrix::zeros(0, model.sizes()[1]), FieldCost::default());
        let valid = [vec![false; count], vec![false; count]];
        let mut chains =
            Self { count, clamp, top_clamped: false, states, fields, valid, drive, work, scratch: Scratch::default() };
        if all_clamped {
            chains.set_drive(model);
        }
        chains
    }

    /// The same chains with their top layers clamped to these values, `[count, n_top]`.
    ///
    /// # Panics
    /// If their shape does not fit.
    #[must_use]
    pub fn with_top(mut self, top: Matrix) -> Self {
        self.clamp_top(top);
        self
    }

    /// Clamps the top layers to these values, as [`Self::with_top`].
    pub(crate) fn clamp_top(&mut self, top: Matrix) {
        let layer = self.states.last_mut().expect("a model has layers");
        assert_eq!((layer.rows(), layer.columns()), (top.rows(), top.columns()), "the clamped top layer");
        *layer = top;
        self.top_clamped = true;
        self.valid.iter_mut().for_each(|valid| valid.fill(false));
    }

    /// Whether the top layer is clamped.
    pub fn top_is_clamped(&self) -> bool {
        self.top_clamped
    }

    /// The layers that are not fully clamped.
    fn free_layers(&self) -> Range<usize> {
        usize::from(self.clamp == Clamp::Visible)..self.states.len() - usize::from(self.top_clamped)
    }

    /// Computes what a fully clamped visible layer adds to the layer above.
    fn set_drive(&mut self, model: &Dbm) {
        let Self { count, states, drive, work, .. } = self;
        *drive = Matrix::zeros(0, model.sizes()[1]);
        drive.reserve_rows(*count);
        work.products += (*count * model.weights()[0].data().len()) as u64;
        for _ in 0..*count {
            drive.push_row(&model.biases()[1]);
        }
        model.backend().add_binary_product(drive.data_mut(), states[0].data(), model.units().values(), &model.weights()[0]);
    }

    /// Number of chains.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The numbers of all chains.
    pub fn all(&self) -> Vec<u32> {
        (0..self.count as u32).collect()
    }

    /// The clamp of all chains.
    pub fn clamp(&self) -> &Clamp {
        &self.clamp
    }

    /// The work spent on their fields so far.
    pub fn work(&self) -> FieldCost {
        self.work
    }

    /// The states of a layer, `[count, n_l]`.
    pub fn layer(&self, layer: usize) -> &Matrix {
        &self.states[layer]
    }

    /// The states of all layers, `[count, n_l]` each.
    pub(crate) fn layers(&self) -> &[Matrix] {
        &self.states
    }

    /// The full state of one chain.
    pub fn state(&self, chain: usize) -> Vec<Vec<f32>> {
        self.states.iter().map(|layer| layer.row(chain).to_vec()).collect()
    }

    /// The clamp of one chain.
    pub fn clamp_of(&self, chain: usize) -> Clamp {
        self.clamp.of_rows(&[chain], self.states[0].columns())
    }

    /// New chains whose visible units are clamped to their values in these rows of the present chains.
    pub fn same_clamp(&self, model: &Dbm, rows: &[usize]) -> Self {
        let chains = Self::new(model, self.states[0].select(rows), self.clamp.of_rows(rows, model.n_visible()));
        if self.top_clamped { chains.with_top(self.states[model.depth()].select(rows)) } else { chains }
    }

    /// A state of one chain with every free unit drawn uniformly, layer by layer; the chain itself does not change.
    pub fn uniform_state(&self, model: &Dbm, chain: usize, stream: &mut Stream) -> Vec<Vec<f32>> {
        let mut state = self.state(chain);
        let free = self.free_layers();
        for (l, layer) in state.iter_mut().enumerate().filter(|(l, _)| free.contains(l)) {
            stream.fill_coins(model.units().low(), model.units().high(), layer);
            if l == 0 {
                uniform_levels(model.groups(), model.units().values(), |unit| self.clamped(chain, unit), stream, layer);
                self.keep_clamped(chain, layer);
            }
        }
        state
    }

    /// The bit of a visible unit of this chain, if it is clamped.
    pub(crate) fn clamped(&self, chain: usize, unit: usize) -> Option<bool> {
        Held { clamp: &self.clamp, chain, values: self.states[0].row(chain) }.bit(unit)
    }

    /// Writes the values of this chain's clamped units into a visible layer.
    fn keep_clamped(&self, chain: usize, visible: &mut [f32]) {
        let values = self.states[0].row(chain);
        self.clamp.for_each_held(chain, visible.len(), |unit| visible[unit] = values[unit]);
    }

    /// Puts a chain at [`Chains::uniform_state`].
    pub fn randomize(&mut self, model: &Dbm, chain: usize, stream: &mut Stream) {
        let state = self.uniform_state(model, chain, stream);
        self.place(chain, &state);
    }

    /// Puts every chain at [`Chains::uniform_state`]; one stream per chain.
    pub fn randomize_all(&mut self, model: &Dbm, streams: &mut [Stream]) {
        streams.iter_mut().enumerate().for_each(|(chain, stream)| self.randomize(model, chain, stream));
    }

    /// Puts a chain at a state of the model's shape. A clamped unit is then clamped to its value there.
    ///
    /// # Panics
    /// If the state has another shape, or another visible layer than a fully clamped chain was made with.
    pub fn place(&mut self, chain: usize, state: &[Vec<f32>]) {
        assert_eq!(state.len(), self.states.len());
        assert!(self.clamp != Clamp::Visible || self.states[0].row(chain) == state[0], "the clamped visible layer");
        for (layer, values) in self.states.iter_mut().zip(state) {
            layer.row_mut(chain).copy_from_slice(values);
        }
        self.valid[0][chain] = false;
        self.valid[1][chain] = false;
    }

    /// Puts every chain at a row of these states, `[count, n_l]` per layer. A clamped unit is then clamped to its value there.
    pub(crate) fn place_all(&mut self, states: &[Matrix]) {
        self.states.clone_from_slice(states);
        self.valid.iter_mut().for_each(|valid| valid.fill(false));
    }

    /// Replaces the chains from `from` on by copies of these ancestors, fields included; ancestors are counted from `from`. All must have
    /// the same clamp.
    pub(crate) fn resample(&mut self, from: usize, ancestors: &[usize]) {
        let rows: Vec<usize> = ancestors.iter().map(|ancestor| from + ancestor).collect();
        for tensor in self.states.iter_mut().chain(&mut self.fields).filter(|tensor| tensor.rows() > 0) {
            let chosen = tensor.select(&rows);
            (0..rows.len()).for_each(|row| tensor.row_mut(from + row).copy_from_slice(chosen.row(row)));
        }
        for valid in &mut self.valid {
            let chosen: Vec<bool> = rows.iter().map(|&row| valid[row]).collect();
            valid[from..from + rows.len()].copy_from_slice(&chosen);
        }
    }

    /// Keeps the states but continues under another model of the same shape.
    pub(crate) fn change_model(&mut self, model: &Dbm) {
        self.valid.iter_mut().for_each(|valid| valid.fill(false));
        if self.clamp == Clamp::Visible {
            self.set_drive(model);
        }
    }

    /// Copies the state and fields of the same chain of another batch of the same model. Both must have the same clamp.
    pub(crate) fn copy_chain(&mut self, chain: usize, from: &Self) {
        let tensors = self.states.iter_mut().chain(&mut self.fields).zip(from.states.iter().chain(&from.fields));
        tensors.filter(|(to, _)| to.rows() > 0).for_each(|(to, from)| to.row_mut(chain).copy_from_slice(from.row(chain)));
        self.valid.iter_mut().zip(&from.valid).for_each(|(to, from)| to[chain] = from[chain]);
    }

    /// The fields of a layer of one chain, `[n_l]`, if they are up to date.
    pub fn field(&self, layer: usize, chain: usize) -> Option<&[f32]> {
        let there = self.valid[layer % 2][chain] && self.fields[layer].rows() > 0;
        there.then(|| self.fields[layer].row(chain))
    }

    /// Brings the fields of one parity up to date for these chains, with one batch of products for all stale ones.
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
        let neighbours = model.neighbours(l).filter(|&(neighbour, _)| neighbour > 0 || !driven);
        let (units, backend) = (model.units().values(), model.backend());
        let Self { states, fields, drive, work, scratch: Scratch { gathered, product, .. }, .. } = self;
        // If all chains are computed they are used in place; otherwise they are gathered first.
        let all = chains.len() == states[0].rows();
        let into = if all {
            fields[l].data_mut()
        } else {
            // All of it is overwritten.
            if product.len() < chains.len() * n {
                product.clear();
                product.resize(chains.len() * n, 0.0);
            }
            &mut product[..chains.len() * n]
        };
        if driven {
            for (place, &c) in chains.iter().enumerate() {
                // If all are computed, they may come in any order.
                let row = if all { c as usize } else { place };
                into[row * n..][..n].copy_from_slice(drive.row(c as usize));
            }
        }
        let mut written = driven;
        for (neighbour, weight) in neighbours {
            let values = if all {
                states[neighbour].data()
            } else {
                gathered.clear();
                gathered.reserve(chains.len() * states[neighbour].columns());
                chains.iter().for_each(|&c| gathered.extend_from_slice(states[neighbour].row(c as usize)));
                &gathered[..]
            };
            if std::mem::replace(&mut written, true) {
                backend.add_binary_product(into, values, units, weight);
            } else {
                backend.set_binary_product(into, &model.biases()[l], values, units, weight);
            }
            work.products += (chains.len() * weight.data().len()) as u64;
        }
        if !all {
            for (&c, field) in chains.iter().zip(product.chunks_exact(n)) {
                fields[l].row_mut(c as usize).copy_from_slice(field);
            }
        }
    }

    /// Sets the layers of one parity by `rule` for these chains, and updates the fields of the other parity. Returns how many units
    /// flipped, chain by chain.
    pub fn half_sweep(&mut self, model: &Dbm, parity: Parity, chains: &[u32], rule: &mut dyn UpdateRule) -> Vec<u32> {
        self.refresh(model, parity, chains);
        let mut flipped = Vec::with_capacity(chains.len());
        for &c in chains {
            let c = c as usize;
            self.set(model, parity, c, rule);
            flipped.push(self.scratch.changes.iter().map(|changes| changes.count).sum());
            self.carry(model, parity, c);
        }
        flipped
    }

    /// Sets one chain's layers of a parity from their fields, noting what flipped.
    fn set(&mut self, model: &Dbm, parity: Parity, c: usize, rule: &mut dyn UpdateRule) {
        let units = model.units();
        let free = self.free_layers();
        let Scratch { decisions, changes, .. } = &mut self.scratch;
        changes.resize_with(model.sizes().len(), Changes::default);
        changes.iter_mut().for_each(|changes| changes.count = 0);
        for l in parity.layers(model.depth()).filter(|l| free.contains(l)) {
            let fields = self.fields[l].row(c);
            decisions.resize(fields.len(), 0.0);
            let groups: &[Group] = if l == 0 { model.groups() } else { &[] };
            let held = Held { clamp: &self.clamp, chain: c, values: self.states[l].row(c) };
            rule.decide(LayerFields { chain: c, layer: l, units, fields, groups, held }, decisions);
            let state = self.states[l].row_mut(c);
            if l == 0 {
                self.clamp.for_each_held(c, state.len(), |unit| decisions[unit] = state[unit] - 0.5);
            }
            changes[l].flip(decisions, state, units.values());
        }
    }

    /// Updates the other parity's fields by the rows of the flipped units, or marks them stale if recomputing is cheaper.
    fn carry(&mut self, model: &Dbm, parity: Parity, c: usize) {
        let free = self.free_layers();
        let Scratch { changes, flips, .. } = &mut self.scratch;
        let changed = || changes.iter().enumerate().filter(|(_, changes)| changes.count > 0);
        if changed().next().is_none() || !self.valid[parity.other() as usize][c] {
            return;
        }
        let visible = self.clamp == Clamp::Visible;
        let moving = |l: usize| model.rows_to_neighbours(l).filter(move |&(to, _)| to > 0 || !visible);
        let moved = |l: usize| moving(l).map(|(_, rows)| rows.columns()).sum::<usize>();
        let carrying: usize = changed().map(|(l, changes)| changes.count as usize * moved(l) * model.backend().row_cost()).sum();
        let recomputing: usize =
            parity.layers(model.depth()).filter(|l| free.contains(l)).map(|l| model.sizes()[l] * moved(l)).sum();
        if carrying > recomputing {
            self.valid[parity.other() as usize][c] = false;
            return;
        }
        for (l, changes) in changed() {
            changes.list(self.states[l].row(c), model.units().gap(), flips);
            for (to, rows) in moving(l) {
                add_scaled_rows(self.fields[to].row_mut(c), flips, |unit| rows.row(unit as usize));
                self.work.carried += (flips.len() * rows.columns()) as u64;
            }
        }
    }

    /// Energy of one chain's state, from its fields: `O(units)`, not `O(weights)`.
    ///
    /// # Panics
    /// If no parity's fields are up to date.
    pub fn energy(&self, model: &Dbm, chain: usize) -> f64 {
        let [even, odd] = [self.valid[0][chain], self.valid[1][chain]];
        assert!(even || odd, "refresh before asking for an energy");
        // The fields of either parity count every pair of layers once.
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

    /// Energy of this chain's hidden state with the clamped visible layer of `other` instead of its own.
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
        if !self.free_layers().contains(&layer) {
            into.copy_from_slice(self.states[layer].row(chain));
            return;
        }
        assert!(self.valid[layer % 2][chain], "refresh before asking for means");
        let (low, gap) = (model.units().low(), model.units().gap());
        let fields = self.fields[layer].row(chain);
        sigma_each(fields, gap, low, gap, into);
        if layer == 0 {
            set_means(model.groups(), fields, (low, gap), |unit| self.clamped(chain, unit), into);
            self.keep_clamped(chain, into);
        }
    }
}

/// Which units of a layer flipped, one bit per unit, and how many.
#[derive(Default)]
struct Changes {
    words: Vec<u32>,
    count: u32,
}

impl Changes {
    const WORD: usize = 32;

    /// Sets each unit high if its decision is at least zero. Branch-free: at the start of a search every other unit flips, which no branch
    /// predictor can guess.
    fn flip(&mut self, decisions: &[f32], state: &mut [f32], (low, high): (f32, f32)) {
        self.words.resize(state.len().div_ceil(Self::WORD), 0);
        let words = &mut self.words[..];
        self.count = vectorized(
            #[inline(always)]
            || {
                let (whole, rest) = decisions.as_chunks::<{ Self::WORD }>();
                let (states, last) = state.as_chunks_mut::<{ Self::WORD }>();
                let mut count = 0;
                for (word, (decisions, state)) in words.iter_mut().zip(whole.iter().zip(states)) {
                    *word = set(decisions, state, low, high);
                    count += word.count_ones();
                }
                if let (false, Some(word)) = (last.is_empty(), words.last_mut()) {
                    // Units beyond the end of the layer are low, and stay low.
                    let (mut decided, mut values) = ([-1.0; Self::WORD], [low; Self::WORD]);
                    decided[..rest.len()].copy_from_slice(rest);
                    values[..last.len()].copy_from_slice(last);
                    *word = set(&decided, &mut values, low, high);
                    last.copy_from_slice(&values[..last.len()]);
                    count += word.count_ones();
                }
                count
            },
        );
    }

    /// Lists them as `(unit, new - old)`, given the layer's new state.
    fn list(&self, state: &[f32], gap: f32, flips: &mut Vec<(u32, f32)>) {
        flips.clear();
        for (block, &word) in self.words.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                let unit = block * Self::WORD + left.trailing_zeros() as usize;
                left &= left - 1;
                flips.push((unit as u32, if state[unit] > 0.5 { gap } else { -gap }));
            }
        }
    }
}

/// Sets a word's units high where their decisions are at least zero; returns which of them flipped.
#[inline(always)]
fn set(decisions: &[f32; Changes::WORD], state: &mut [f32; Changes::WORD], low: f32, high: f32) -> u32 {
    let mut changes = [0; Changes::WORD];
    for unit in 0..Changes::WORD {
        changes[unit] = u32::from((decisions[unit] >= 0.0) != (state[unit] > 0.5));
        state[unit] = if decisions[unit] >= 0.0 { high } else { low };
    }
    bits_of(changes)
}
