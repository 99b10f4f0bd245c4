//! Chains from noise after a number of Gibbs sweeps: what their samples look like, and the numbers by which the page tells whether they still change.

use crate::clock::now;
use crate::complete::MAX_SWEEPS;
use crate::job::{Slice, Work, within};
use crate::pool::WorkerPool;
use crate::view::View;
use dbm_core::complete::Completer;
use dbm_protocol::{Event, Grid, Swept};

/// Chains that go on side by side, at most: one sweep of all must fit a slice.
const MAX_CHAINS: u32 = 64;
const MOST_SWEEPS: u32 = 100_000;

/// The chains on their way.
pub struct Sweeping {
    view: View,
    chains: Completer,
    count: u32,
    sweeps: u32,
    done: u32,
}

impl Sweeping {
    pub fn new(view: View, count: u32, sweeps: u32, seed: u32) -> Result<Self, String> {
        within("the number of chains", count, 1..=MAX_CHAINS)?;
        within("the number of Gibbs sweeps", sweeps, 1..=MOST_SWEEPS)?;
        let chains = Completer::sample(&view.model, count as usize, u64::from(seed), 0);
        Ok(Self { view, chains, count, sweeps, done: 0 })
    }
}

impl Work for Sweeping {
    fn work(&mut self, until: f64, _: &mut WorkerPool) -> Result<Slice, String> {
        let Self { view, chains, count, sweeps, done } = self;
        let View { model, choice, greys, step, .. } = &*view;
        while done < sweeps {
            chains.sweep(model);
            *done += 1;
            if now() >= until {
                return Ok(Slice::Progress { done: *done, total: *sweeps });
            }
        }
        let standing = chains.visible_bits();
        let high = standing.chunks(model.n_visible()).map(|bits| bits.iter().map(|&bit| f64::from(bit)).sum()).collect();
        let (energies, bits) = (chains.energies(model), chains.look(model, MAX_SWEEPS).0);
        let samples = Grid { model: *choice, step: *step, count: *count, image: view.shape(), greys: *greys, bits };
        Slice::ends(Event::Swept(Swept { sweeps: *sweeps, samples, energies, high }))
    }
}
