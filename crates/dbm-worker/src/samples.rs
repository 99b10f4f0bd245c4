//! Samples of a model, asked for by the page or shown by training.

use crate::clock::now;
use crate::complete::MAX_SWEEPS;
use crate::job::{Slice, Work};
use crate::pool::WorkerPool;
use crate::view::View;
use dbm_core::complete::Completer;
use dbm_core::decode;
use dbm_core::linalg::Matrix;
use dbm_core::signals::mean_free_energy;
use dbm_protocol::{Event, Greys, Grid};

/// Samples whose chains advance together, so that a slice of them stays short.
const CHUNK: usize = 16;

/// Samples being drawn, chunk by chunk.
pub struct Samples {
    view: View,
    seed: u64,
    count: usize,
    /// Of each only what this hidden layer says; 0 for all of it.
    layer: usize,
    /// Those that are done, one byte a bit.
    bits: Vec<u8>,
    done: usize,
    /// The chains of the next ones, and the sweeps that they have made.
    chunk: Option<(Completer, u32)>,
}

impl Samples {
    pub fn new(view: View, layer: u32, count: u32, seed: u32) -> Self {
        let (layer, count) = (layer as usize, count as usize);
        Self { view, seed: u64::from(seed), count, layer, bits: Vec::new(), done: 0, chunk: None }
    }
}

impl Work for Samples {
    fn work(&mut self, until: f64, _: &mut WorkerPool) -> Result<Slice, String> {
        let View { model, choice, greys, step, schedule, .. } = &self.view;
        let drawn = self.done;
        let chains = CHUNK.min(self.count - drawn);
        let (completer, done) = self.chunk.get_or_insert_with(|| (Completer::sample(model, chains, self.seed, drawn as u64), 0));
        while completer.advance(model, *schedule, *done, MAX_SWEEPS) {
            *done += 1;
            if now() >= until {
                return Ok(Slice::Goes);
            }
        }
        let whole = completer.finish(model, MAX_SWEEPS).0;
        self.bits.extend(if self.layer == 0 { whole } else { heard(&self.view, completer.layer(self.layer), self.layer)? });
        self.chunk = None;
        self.done += chains;
        if self.done < self.count {
            return Ok(Slice::Goes);
        }
        let bits = std::mem::take(&mut self.bits);
        let (count, (rows, columns)) = (self.count as u32, self.view.shape());
        let (image, greys) = if self.layer == 0 {
            ((rows, columns), *greys)
        } else {
            ((rows, columns / u32::from(greys.bits.max(1)) * 8), Greys::binary(8))
        };
        Slice::ends(Event::Samples(Grid { model: *choice, step: *step, count, image, greys, bits }))
    }

    fn free_energy(&self, answer: &Event) -> Option<(u32, f64)> {
        let Event::Samples(grid) = answer else { return None };
        if self.layer > 0 {
            return None;
        }
        Some((grid.step, mean_free_energy(&self.view.model, &grid.bits)))
    }
}

/// What states of a hidden layer say of the visible one, a value of eight bits a value.
fn heard(view: &View, states: &Matrix, layer: usize) -> Result<Vec<u8>, String> {
    let View { model, greys, .. } = view;
    let (low, gap) = (model.units().low(), model.units().gap());
    let means = decode(model, layer, states).map_err(|error| error.to_string())?;
    let shares: Vec<f64> = means.data().iter().map(|mean| f64::from((mean - low) / gap)).collect();
    let level = |units: &[f64]| (255.0 * greys.level(units)).round() as u8;
    let levels = shares.chunks(usize::from(greys.bits.max(1))).map(level);
    Ok(levels.flat_map(|level| (0..8).rev().map(move |bit| level >> bit & 1)).collect())
}
