//! UCD-SMC on the device: runs of particles from independent units to the model, and pairs of coupled chains whose states are such runs
//! ([`dbm_core::gradient::UcdSmc`]).
//!
//! A run ends with a resampling, after which all of its particles have equal weights: on average over the resampling, they equal the
//! weighted ones. The `log Z` estimates of the runs of a pair share a constant, which does not affect the chains.

use crate::counted::Counted;
use crate::{Draws, Gpu, GpuChains, GpuError, GpuModel};
use dbm_core::gradient::PhaseInfo;
use dbm_core::linalg::Matrix;
use dbm_core::rng::Stream;
use dbm_core::tempering::{Pair, ParticleSet, RunCoupling, Spread, Weighing};
use dbm_core::{Clamp, Parity};
use std::cell::Cell;
use wgpu::Buffer;

/// The path of the particles after the independent units.
pub(crate) enum Points<'a> {
    /// Inverse temperatures up to 1.
    Temperatures(Vec<f64>),
    /// Models, up to the one to be sampled.
    Models(Vec<&'a GpuModel>),
}

/// How particles travel from independent units to the model.
pub(crate) struct SmcContext<'a> {
    pub gpu: &'a Gpu,
    pub model: &'a GpuModel,
    /// Biases of the independent units, one buffer per layer.
    pub base: &'a [Buffer],
    pub points: Points<'a>,
    /// The parity that particles keep while they are weighted.
    pub held: Parity,
    /// [`Clamp::Free`]; or [`Clamp::Visible`], in which case the visible layer's contribution to the layer above belongs to the independent
    /// units.
    pub clamp: Clamp,
    /// Number of particles in a run.
    pub particles: usize,
    pub coupling: RunCoupling,
    /// The draws' key, part by part, and the number of parts used so far.
    pub draws: &'a dyn Fn(u64) -> Draws,
    pub drawn: Cell<u64>,
}

impl SmcContext<'_> {
    fn next_draws(&self) -> Draws {
        self.drawn.set(self.drawn.get() + 1);
        (self.draws)(self.drawn.get())
    }

    /// One run for each row of `visible`, `[runs, n_0]`, and each stream: those of the core's [`runs`](dbm_core::tempering::runs), with
    /// equal weights. `between` has room for the intermediate models.
    async fn runs(
        &self,
        between: &mut GpuModel,
        visible: &Matrix,
        streams: &mut [Stream],
        spread: &mut Spread,
    ) -> Result<Vec<ParticleSet>, GpuError> {
        let Self { gpu, model, particles, held, .. } = *self;
        let (count, whole) = (visible.rows(), usize::from(self.clamp == Clamp::Visible));
        let rows: Vec<usize> = (0..count * particles).map(|row| row / particles).collect();
        let mut chains = GpuChains::at_rest(gpu, model, rows.len(), self.clamp.clone())?;
        if self.clamp == Clamp::Visible {
            chains.place_visible(gpu, &visible.select(&rows));
        }
        let first = vec![held.other(); rows.len()];
        between.blend(gpu, model, self.base, (0.0, whole));
        chains.randomize(gpu, between, self.next_draws())?;
        chains.gibbs(gpu, between, &first, 1, self.next_draws())?;
        let mut weighing = Weighing::new(vec![0.0; count], particles);
        let points = match &self.points {
            Points::Temperatures(betas) => betas.len(),
            Points::Models(models) => models.len() + 1,
        };
        spread.begin(points, count);
        let mut before = chains.log_marginals(gpu, between, held).await?;
        for place in 0..points {
            let at: &GpuModel = match &self.points {
                Points::Models(models) => models.get(place).copied().unwrap_or(model),
                Points::Temperatures(betas) => {
                    between.blend(gpu, model, self.base, (betas[place] as f32, whole));
                    &*between
                }
            };
            let after = chains.log_marginals(gpu, at, held).await?;
            let increments: Vec<f64> = after.iter().zip(&before).map(|(after, before)| f64::from(after - before)).collect();
            let mut ancestors: Vec<usize> = (0..rows.len()).collect();
            let mut resampled = false;
            for (run, increments) in increments.chunks(particles).enumerate() {
                spread.note(place, increments);
                if let Some(of_run) = weighing.add(run, increments, || streams[run].uniform()) {
                    note_ancestors(&mut ancestors, run * particles, &of_run);
                    resampled = true;
                }
            }
            if resampled {
                resample(gpu, model, &mut chains, &ancestors)?;
            }
            chains.gibbs(gpu, at, &first, 1, self.next_draws())?;
            if place + 1 < points {
                before = chains.log_marginals(gpu, at, held).await?;
            }
        }
        let mut ancestors = vec![0; rows.len()];
        for (run, stream) in streams.iter_mut().enumerate() {
            note_ancestors(&mut ancestors, run * particles, &weighing.resample(run, stream.uniform()));
        }
        resample(gpu, model, &mut chains, &ancestors)?;
        let energies = chains.energies(gpu, model).await?;
        let mut layers = Vec::new();
        for layer in 0..=model.depth() {
            layers.push(chains.states(gpu, model, layer).await?);
        }
        let run = |run: usize| {
            let own: Vec<usize> = (run * particles..(run + 1) * particles).collect();
            ParticleSet {
                states: layers.iter().map(|layer| layer.select(&own)).collect(),
                means: Vec::new(),
                weights: vec![1.0 / particles as f64; particles],
                log_z: weighing.log_z(run),
                energy: own.iter().map(|&row| f64::from(energies[row])).sum::<f64>() / particles as f64,
            }
        };
        Ok((0..count).map(run).collect())
    }

    /// The estimates of some pairs, one per row of `visible` and stream, each with its weight. Returns the states of runs with their
    /// weights, and the runs that the pairs start from.
    pub async fn couple(
        &self,
        between: &mut GpuModel,
        (visible, counts): (&Matrix, &[f64]),
        streams: &mut [Stream],
        info: &mut PhaseInfo,
    ) -> Result<(Counted, Vec<ParticleSet>), GpuError> {
        let mut spread = Spread::default();
        // Starts and first proposals together, for larger products.
        let twice: Vec<usize> = (0..2 * counts.len()).map(|run| run % counts.len()).collect();
        let mut forks: Vec<Stream> = twice.iter().map(|&pair| streams[pair].fork()).collect();
        let mut starts = self.runs(between, &visible.select(&twice), &mut forks, &mut spread).await?;
        let mut offered: Vec<Option<ParticleSet>> = starts.split_off(counts.len()).into_iter().map(Some).collect();
        let mut pairs: Vec<Option<Pair>> = Vec::new();
        for (start, &count) in starts.iter().zip(counts) {
            info.energy_sum += count * start.energy;
            info.chains += count as u32;
            pairs.push(Some(Pair::new(&self.coupling, start.clone())));
        }
        let mut counted = Counted::default();
        loop {
            for (place, pair) in pairs.iter_mut().enumerate() {
                let Some(mut at_work) = pair.take() else { continue };
                let mut count = |times: f64, _: u32, run: &ParticleSet| {
                    if times != 0.0 {
                        counted.push((counts[place] * times / self.particles as f64) as f32, &run.states);
                    }
                };
                if let Some(offered) = offered[place].take() {
                    at_work.step(offered, streams[place].uniform(), &mut count);
                }
                if at_work.is_done() {
                    let (time, capped) = at_work.meeting();
                    info.meeting_times.push(time);
                    info.couplings_capped += u32::from(capped);
                    info.proposals += at_work.offered.0;
                    info.accepted += at_work.offered.1;
                    at_work.finish(&mut count);
                } else {
                    *pair = Some(at_work);
                }
            }
            let left: Vec<usize> = (0..pairs.len()).filter(|&place| pairs[place].is_some()).collect();
            if left.is_empty() {
                break;
            }
            let mut forks: Vec<Stream> = left.iter().map(|&place| streams[place].fork()).collect();
            let more = self.runs(between, &visible.select(&left), &mut forks, &mut spread).await?;
            left.into_iter().zip(more).for_each(|(place, run)| offered[place] = Some(run));
        }
        if self.clamp == Clamp::Free {
            info.spread.append(&spread);
        }
        Ok((counted, starts))
    }
}

/// Records the ancestors of the particles of a run, the first of which is this chain.
fn note_ancestors(ancestors: &mut [usize], first: usize, of_run: &[usize]) {
    ancestors[first..].iter_mut().zip(of_run).for_each(|(ancestor, own)| *ancestor = first + own);
}

fn resample(gpu: &Gpu, model: &GpuModel, chains: &mut GpuChains, ancestors: &[usize]) -> Result<(), GpuError> {
    let ancestors: Vec<u32> = ancestors.iter().map(|&ancestor| ancestor as u32).collect();
    chains.resample(gpu, model, &ancestors)
}
