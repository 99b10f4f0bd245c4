//! The path from independent units to the model and the chains on it, shared by both directions of annealing.

use super::BaseDistribution;
use crate::chains::Chains;
use crate::linalg::{Matrix, dot};
use crate::marginal::log_sum_of_layer;
use crate::rng::Stream;
use crate::sweep::AnnealedDraw;
use crate::{Dbm, Parity};

/// The parity of layers that the chains hold: the one with fewer units. The other is summed out.
pub(super) fn held_parity(model: &Dbm) -> Parity {
    let units = |parity: Parity| parity.layers(model.depth()).map(|l| model.sizes()[l]).sum::<usize>();
    if units(Parity::Odd) < units(Parity::Even) { Parity::Odd } else { Parity::Even }
}

/// Chains on the path. With `p` the parity held,
///
/// `log p*_beta(s_p) = sum_{l in p} ((1 - beta) a_l + beta b_l) . s_l + sum_{l not in p} sum_j log sum_j(g_lj)`,
///
/// where `g_l = (1 - beta) a_l + beta field_l` and `log sum_j` is the log of the sum over one unit, or over the levels of a group.
pub(super) struct AnnealedChains {
    base: BaseDistribution,
    held: Parity,
    chains: Chains,
    streams: Vec<Stream>,
    /// Fields of the summed-out layers at one beta.
    fields: Vec<f64>,
}

impl AnnealedChains {
    /// Chains, one per stream, with every unit low.
    ///
    /// # Panics
    /// If the base has the shape of another model.
    pub fn new(model: &Dbm, base: &BaseDistribution, streams: Vec<Stream>) -> Self {
        assert!(base.biases.iter().map(Vec::len).eq(model.sizes().iter().copied()), "a base of the model's shape");
        let chains = Chains::free(model, streams.len());
        Self { base: base.clone(), held: held_parity(model), chains, streams, fields: vec![] }
    }

    /// Puts the chains at these states, `[chains, n_l]` per layer; only the layers held matter.
    pub fn place(&mut self, states: &[Matrix]) {
        self.chains.place_all(states);
    }

    /// The states, `[chains, n_l]` per layer.
    pub fn states(&self) -> &[Matrix] {
        self.chains.layers()
    }

    /// Makes this many transitions of the model itself.
    pub fn sweep_on(&mut self, model: &Dbm, sweeps: u32) {
        (0..sweeps).for_each(|_| self.transition(model, 1.0));
    }

    /// Draws the layers held from the base model, or, given the others, at one beta.
    pub fn draw_held(&mut self, model: &Dbm, beta: f64) {
        self.draw(model, self.held, beta);
    }

    /// One blocked Gibbs transition at one beta: the other parity given s_p, then s_p given the other. It leaves `p_beta(s_p)` invariant
    /// and is reversible: a transition is as probable as its reverse.
    pub fn transition(&mut self, model: &Dbm, beta: f64) {
        self.draw(model, self.held.other(), beta);
        self.draw(model, self.held, beta);
    }

    /// Draws the layers of one parity from their distribution given the other, at one beta.
    fn draw(&mut self, model: &Dbm, parity: Parity, beta: f64) {
        let all = self.chains.all();
        let mut rule = AnnealedDraw::new(&mut self.streams, &self.base.biases, beta as f32);
        self.chains.half_sweep(model, parity, &all, &mut rule);
    }

    /// Adds `log p*_to(s_p) - log p*_from(s_p)` of each chain to its log weight.
    pub fn weigh(&mut self, model: &Dbm, [from, to]: [f64; 2], log_weights: &mut [f64]) {
        self.chains.refresh(model, self.held.other(), &self.chains.all());
        for (c, log_weight) in log_weights.iter_mut().enumerate() {
            *log_weight += self.step(model, c, from, to);
        }
    }

    fn step(&mut self, model: &Dbm, c: usize, from: f64, to: f64) -> f64 {
        let gap = f64::from(model.units().gap());
        let Self { base, held, chains, fields, .. } = self;
        let biases = held.layers(model.depth()).map(|l| {
            let state = chains.layer(l).row(c);
            dot(&model.biases()[l], state) - dot(&base.biases[l], state)
        });
        let held_part = (to - from) * biases.sum::<f64>();
        let mut log_sums = |beta: f64| -> f64 {
            let of_layer = |l: usize| {
                let field = chains.field(l, c).unwrap_or(&[]); // refreshed by the caller
                let both = base.biases[l].iter().zip(field);
                fields.clear();
                fields.extend(both.map(|(&a, &field)| gap * ((1.0 - beta) * f64::from(a) + beta * f64::from(field))));
                log_sum_of_layer(model, l, fields, |_| None)
            };
            held.other().layers(model.depth()).map(of_layer).sum()
        };
        held_part + log_sums(to) - log_sums(from)
    }
}
