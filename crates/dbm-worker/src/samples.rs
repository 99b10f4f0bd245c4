//! Samples of a model, requested by the page or shown by training, and chains after a number of sweeps.

use crate::job::{LongJob, Slice, Sliced, slice, within};
use crate::pool::WorkerPool;
use crate::view::View;
use dbm_core::Dbm;
use dbm_core::signals::mean_free_energy;
use dbm_engine::{Drawn, Sweeps};
use dbm_protocol::{Event, Greys, Grid, Swept};
use std::rc::Rc;

/// Maximum number of chains advanced together: one sweep of all must fit a slice.
const MAX_CHAINS: u32 = 64;
const MOST_SWEEPS: u32 = 100_000;

/// Samples being drawn.
pub struct SampleRequest {
    view: View,
    /// The hidden layer whose decoding alone is returned for each; 0 for the sample itself.
    layer: usize,
    job: dbm_engine::Samples<Rc<Dbm>>,
}

impl SampleRequest {
    pub fn new(view: View, layer: u32, count: u32, seed: u32) -> Self {
        let layer = layer as usize;
        let job = dbm_engine::Samples::new(view.model.clone(), view.schedule, 0..count as usize, u64::from(seed));
        Self { view, layer, job: job.hearing(layer) }
    }

    fn grid(&self, Drawn { bits, searches, heard }: Drawn) -> Grid {
        let View { choice, greys, step, .. } = self.view;
        let (count, image) = (searches.len() as u32, self.view.shape());
        let all = Grid { model: choice, step, count, image, greys, bits };
        if self.layer == 0 {
            return all;
        }
        let columns = image.1 / u32::from(greys.bits.max(1)) * 8;
        Grid { image: (image.0, columns), greys: Greys::binary(8), bits: self.levels(&heard), ..all }
    }

    /// What the hidden layer says about the visible one, eight bits per value.
    fn levels(&self, heard: &[f32]) -> Vec<u8> {
        let View { model, greys, .. } = &self.view;
        let (low, gap) = (model.units().low(), model.units().gap());
        let shares: Vec<f64> = heard.iter().map(|mean| f64::from((mean - low) / gap)).collect();
        let level = |units: &[f64]| (255.0 * greys.level(units)).round() as u8;
        let levels = shares.chunks(usize::from(greys.bits.max(1))).map(level);
        levels.flat_map(|level| (0..8).rev().map(move |bit| level >> bit & 1)).collect()
    }
}

impl LongJob for SampleRequest {
    /// No progress is reported: they take no longer than a user will wait.
    fn work(&mut self, until: f64, _: &mut WorkerPool) -> Result<Slice, String> {
        match slice(&mut self.job, until)? {
            Ok(drawn) => Slice::ends(Event::Samples(self.grid(drawn))),
            Err(_) => Ok(Slice::Goes),
        }
    }

    fn free_energy(&self, answer: &Event) -> Option<(u32, f64)> {
        let Event::Samples(grid) = answer else { return None };
        if self.layer > 0 {
            return None;
        }
        Some((grid.step, mean_free_energy(&self.view.model, &grid.bits)))
    }
}

/// The work on chains after a number of sweeps: what they look like, and the numbers from which the page tells whether they still change.
pub fn sweeps(view: View, count: u32, sweeps: u32, seed: u32) -> Result<Box<dyn LongJob>, String> {
    within("the number of chains", count, 1..=MAX_CHAINS)?;
    within("the number of Gibbs sweeps", sweeps, 1..=MOST_SWEEPS)?;
    let job = Sweeps::new(view.model.clone(), count as usize, sweeps, u64::from(seed));
    Ok(Sliced::work(job, move |dbm_engine::Swept { bits, energies, high }| {
        let View { choice, greys, step, .. } = view;
        let samples = Grid { model: choice, step, count, image: view.shape(), greys, bits };
        Event::Swept(Swept { sweeps, samples, energies, high })
    }))
}
