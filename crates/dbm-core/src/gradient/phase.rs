//! One phase in progress: the states of its chains, and how they enter the gradient.

use super::{Moments, Phase, PhaseInfo};
use crate::chains::Chains;
use crate::linalg::Matrix;
use crate::rng::Stream;
use crate::sweep::{LocalMode, chains_starting_with, half_gibbs, uniform_start};
use crate::{Clamp, Dbm, Parity};

/// One phase in progress, or the part of it whose examples have gaps, or the part whose examples have none.
pub(super) struct PhaseRun<'a> {
    pub model: &'a Dbm,
    pub(super) phase: Phase,
    /// The weight of a chain's state, by shard.
    pub(super) weights: Vec<f32>,
    pub(super) marginalize: bool,
    pub(super) clock: &'a dyn Fn() -> f64,
    /// Rows of the batch, one per chain.
    pub rows: Vec<usize>,
    /// Number of each chain's shard.
    pub(super) shard_of: Vec<usize>,
    /// When the phase began, in seconds.
    pub(super) started: f64,
    pub chains: Chains,
    pub streams: Vec<Stream>,
    /// The streams as they were before the uniform starts were drawn.
    pub(super) starts: Vec<Stream>,
    /// One per shard.
    pub(super) moments: &'a mut [Moments],
    /// One per shard; what does not belong to single chains is in the first.
    pub infos: Vec<PhaseInfo>,
}

impl PhaseRun<'_> {
    /// Whether, in the positive phase, the free units are independent.
    pub fn has_exact_posterior(&self) -> bool {
        let hidden = self.model.depth() - usize::from(self.chains.top_is_clamped());
        hidden == 1 && *self.chains.clamp() == Clamp::Visible
    }

    /// Adds `f(v, h)` for a model with one hidden layer whose neighbouring layers are clamped: no chain is needed. If the run marginalizes,
    /// `h` is replaced by its means, which is exact here.
    pub fn push_exact_posterior(&mut self) {
        if self.marginalize {
            self.chains.refresh(self.model, Parity::Odd, &self.chains.all());
        } else {
            half_gibbs(self.model, &mut self.chains, Parity::Odd, &mut self.streams);
        }
        self.push_posterior();
    }

    /// The same, from hidden units that have already been drawn.
    pub fn push_posterior(&mut self) {
        let mut means = vec![0.0; self.model.sizes()[1]];
        for c in 0..self.chains.count() {
            if self.marginalize {
                self.chains.means(self.model, 1, c, &mut means);
            } else {
                means.copy_from_slice(self.chains.layer(1).row(c));
            }
            let state = self.chains.layers().iter().enumerate().map(|(l, layer)| if l == 1 { &means[..] } else { layer.row(c) });
            self.moments[self.shard_of[c]].push(self.phase, 1.0, &state.collect::<Vec<_>>());
        }
        self.note_search();
    }

    /// Puts every chain at a uniform random state, tosses the coin for its first sweep, and computes the fields for that sweep.
    pub fn start_uniform(&mut self) -> Vec<Parity> {
        self.starts = self.streams.clone();
        let first = uniform_start(self.model, &mut self.chains, &mut self.streams);
        for parity in [Parity::Even, Parity::Odd] {
            self.chains.refresh(self.model, parity, &chains_starting_with(parity, &first));
        }
        first
    }

    /// From uniform states to x_0 by a local mode.
    pub fn find_local_mode(&mut self, start: LocalMode, first: &[Parity]) {
        let searches = start.apply(self.model, &mut self.chains, first, &mut self.streams, |_, _| ());
        for (search, &shard) in searches.iter().zip(&self.shard_of) {
            self.infos[shard].sweeps.push(search.sweeps);
            self.infos[shard].searches_capped += u32::from(search.capped);
        }
        self.note_search();
    }

    /// Makes `k` Gibbs sweeps of all chains, each with this parity first.
    pub fn gibbs_sweeps(&mut self, first: Parity, k: u32) {
        for _ in 0..k {
            for parity in [first, first.other()] {
                half_gibbs(self.model, &mut self.chains, parity, &mut self.streams);
            }
        }
    }

    /// Records how long the chains took to reach their present states.
    pub fn note_search(&mut self) {
        self.infos[0].search_seconds = (self.clock)() - self.started;
    }

    /// Brings all fields up to date, as energies and means require.
    pub(super) fn settle(&mut self) {
        let all = self.chains.all();
        self.chains.refresh(self.model, Parity::Even, &all);
        self.chains.refresh(self.model, Parity::Odd, &all);
        self.shard_of.iter().for_each(|&shard| self.infos[shard].chains += 1);
        if self.phase == Phase::Negative {
            self.note_visible();
        }
    }

    /// Records what the free chains look like. Their fields are already there, so this costs nothing measurable.
    fn note_visible(&mut self) {
        let bit = |(place, &field): (usize, &f32)| u8::from(field >= 0.0) << place;
        for c in (0..self.chains.count()).filter(|&c| !self.chains.clamp_of(c).holds_any()) {
            let fields = self.chains.field(0, c).expect("settled").chunks(8);
            self.infos[self.shard_of[c]].visible.extend(fields.map(|fields| fields.iter().enumerate().map(bit).sum::<u8>()));
        }
    }

    /// Adds `f` of every chain's present state, and records the energies.
    pub fn push_states(&mut self) {
        self.settle();
        for c in 0..self.chains.count() {
            self.infos[self.shard_of[c]].energy_sum += self.push_state(c);
        }
        self.note_search();
    }

    /// Puts the chains at these states, `[count, n_l]` per layer, and adds `f` of each as many times as these weights say.
    pub fn push_weighted(&mut self, states: &[Matrix], weights: &[f64]) {
        let counted: Vec<u32> = (0..self.chains.count() as u32).filter(|&c| weights[c as usize] != 0.0).collect();
        if counted.is_empty() {
            return;
        }
        self.chains.place_all(states);
        for parity in [Parity::Even, Parity::Odd] {
            self.chains.refresh(self.model, parity, &counted);
        }
        for c in counted {
            self.push_times(c as usize, weights[c as usize] as f32);
        }
    }

    /// Records the energies and the visible layers of chains at these states, as [`Self::push_states`] does, but adds nothing.
    pub fn note_states(&mut self, states: &[Matrix]) {
        self.chains.place_all(states);
        self.settle();
        for c in 0..self.chains.count() {
            self.infos[self.shard_of[c]].energy_sum += self.chains.energy(self.model, c);
        }
        self.note_search();
    }

    /// Adds `f` of the present state of chain `c`, whose fields must be up to date, and returns its energy.
    pub(super) fn push_state(&mut self, c: usize) -> f64 {
        self.push_times(c, 1.0);
        self.chains.energy(self.model, c)
    }

    fn push_times(&mut self, c: usize, times: f32) {
        let (layers, shard) = (0..self.model.sizes().len(), self.shard_of[c]);
        let (moments, weight) = (&mut self.moments[shard], times * self.weights[shard]);
        let state: Vec<&[f32]> = layers.clone().map(|l| self.chains.layer(l).row(c)).collect();
        if self.marginalize {
            let means = layers.map(|l| {
                let mut means = vec![0.0; self.model.sizes()[l]];
                self.chains.means(self.model, l, c, &mut means);
                means
            });
            let means: Vec<Vec<f32>> = means.collect();
            let means: Vec<&[f32]> = means.iter().map(Vec::as_slice).collect();
            moments.push_marginal(self.phase, weight, &state, &means, *self.chains.clamp() == Clamp::Visible);
        } else {
            moments.push(self.phase, weight, &state);
        }
    }
}
