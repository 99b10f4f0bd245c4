//! Samples of a model, asked for by the page or shown by training.

use crate::clock::now;
use crate::complete::MAX_SWEEPS;
use crate::job::{Slice, Work};
use crate::pool::WorkerPool;
use crate::view::View;
use dbm_core::complete::Completer;
use dbm_core::signals::mean_free_energy;
use dbm_protocol::{Event, Grid};

/// Samples whose chains advance together, so that a slice of them stays short.
const CHUNK: usize = 16;

/// Samples being drawn, chunk by chunk.
pub struct Samples {
    view: View,
    seed: u64,
    count: usize,
    /// Those that are done, one byte a unit.
    bits: Vec<u8>,
    /// The chains of the next ones, and the sweeps that they have made.
    chunk: Option<(Completer, u32)>,
}

impl Samples {
    pub fn new(view: View, count: u32, seed: u32) -> Self {
        Self { view, seed: u64::from(seed), count: count as usize, bits: Vec::new(), chunk: None }
    }
}

impl Work for Samples {
    fn work(&mut self, until: f64, _: &mut WorkerPool) -> Result<Slice, String> {
        let View { model, choice, depth, step, schedule, .. } = &self.view;
        let drawn = self.bits.len() / model.n_visible();
        let (completer, done) = self
            .chunk
            .get_or_insert_with(|| (Completer::sample(model, CHUNK.min(self.count - drawn), self.seed, drawn as u64), 0));
        while completer.advance(model, *schedule, *done, MAX_SWEEPS) {
            *done += 1;
            if now() >= until {
                return Ok(Slice::Goes);
            }
        }
        self.bits.extend(completer.finish(model, MAX_SWEEPS).0);
        self.chunk = None;
        if self.bits.len() < self.count * model.n_visible() {
            return Ok(Slice::Goes);
        }
        let bits = std::mem::take(&mut self.bits);
        let (count, image) = (self.count as u32, self.view.shape());
        Slice::ends(Event::Samples(Grid { model: *choice, step: *step, count, image, depth: *depth, bits }))
    }

    fn free_energy(&self, answer: &Event) -> Option<(u32, f64)> {
        let Event::Samples(grid) = answer else { return None };
        Some((grid.step, mean_free_energy(&self.view.model, &grid.bits)))
    }
}
