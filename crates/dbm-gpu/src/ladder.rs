//! The ladder of a run by parallel trajectory tempering: its rungs and their chains, on the device.

use crate::{Draws, Gpu, GpuChains, GpuError, GpuModel};
use dbm_core::linalg::Matrix;
use dbm_core::rng::Stream;
use dbm_core::tempering::{Change, Exchanges, Ladder, LadderDepth, SPACED, held_parity};
use dbm_core::{Clamp, Dbm, Parity};

/// A ladder of the core, with copies of its rungs on the device, each with its chains.
pub(crate) struct GpuLadder {
    pub ladder: Ladder,
    rungs: Vec<(GpuModel, GpuChains)>,
}

impl GpuLadder {
    /// With `count` chains per rung: at these states, `[count, n_l]` for each layer of each rung, or not started.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`].
    pub fn new(gpu: &Gpu, ladder: Ladder, count: usize, states: Option<&[Matrix]>) -> Result<Self, GpuError> {
        let mut rungs = Vec::new();
        for (number, rung) in ladder.rungs().iter().enumerate() {
            let (model, layers) = (GpuModel::new(gpu, rung)?, rung.sizes().len());
            let chains = match states {
                Some(states) => GpuChains::new(gpu, &model, &states[number * layers..][..layers], &Clamp::Free)?,
                None => GpuChains::at_rest(gpu, &model, count, Clamp::Free)?,
            };
            rungs.push((model, chains));
        }
        Ok(Self { ladder, rungs })
    }

    /// The chains of each rung, lowest first.
    pub fn chains(&self) -> impl Iterator<Item = &GpuChains> {
        self.rungs.iter().map(|(_, chains)| chains)
    }

    /// The rungs on the device, lowest first.
    pub fn rungs(&self) -> impl Iterator<Item = &GpuModel> {
        self.rungs.iter().map(|(model, _)| model)
    }

    /// The parity that states keep while they are exchanged.
    pub fn held(&self) -> Parity {
        held_parity(self.ladder.last())
    }

    /// Starts the chains of all rungs, and those of the model, with a sweep from uniform states. `draws` gives the key of the draws at each
    /// rung; the model comes after the last rung.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`].
    pub fn start(
        &mut self,
        gpu: &Gpu,
        (model, chains): (&GpuModel, &mut GpuChains),
        draws: impl Fn(usize) -> [Draws; 2],
    ) -> Result<(), GpuError> {
        let first = vec![self.held().other(); chains.count()];
        let rungs = self.rungs.iter_mut().map(|(model, chains)| (&*model, chains)).chain([(model, chains)]);
        for (rung, (model, chains)) in rungs.enumerate() {
            let [uniform, sweep] = draws(rung);
            chains.randomize(gpu, model, uniform)?;
            chains.gibbs(gpu, model, &first, 1, sweep)?;
        }
        Ok(())
    }

    /// A round of exchanges and sweeps, as in [`dbm_core::tempering::Replicas`], on the rungs in reach and the model, whose chains make
    /// `sweeps`. Exchanges are accepted by uniforms from `streams`, one per chain.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] and [`GpuError::Failed`].
    pub async fn round(
        &mut self,
        gpu: &Gpu,
        (model, chains): (&GpuModel, &mut GpuChains),
        (reach, sweeps): (LadderDepth, u32),
        draws: impl Fn(usize) -> Draws,
        streams: &mut [Stream],
    ) -> Result<Exchanges, GpuError> {
        let (held, lowest, count) = (self.held(), reach.lowest(self.rungs.len()), chains.count());
        let reached = self.rungs[lowest..].iter_mut().map(|(model, chains)| (&*model, chains));
        let mut all: Vec<(&GpuModel, &mut GpuChains)> = reached.chain([(model, chains)]).collect();
        let top = all.len() - 1;
        let mut exchanges = Exchanges { acceptance: vec![0.0; top], tried: count as u64, ..Exchanges::default() };
        let looked_at: Vec<usize> = match reach {
            LadderDepth::Whole(first) => (1 + first % SPACED..top).step_by(SPACED).collect(),
            LadderDepth::Top => Vec::new(),
        };
        for first in 0..2 {
            let pairs = (first..top).step_by(2).map(|lower| (lower, lower + 1));
            let around = looked_at.iter().filter(|_| first == 0).map(|rung| (rung - 1, rung + 1));
            let asked: Vec<(usize, usize)> = around.chain(pairs).collect();
            let logs = log_ratios(gpu, &all, &asked, held).await?;
            let mut work = gpu.begin();
            for (&(lower, upper), logs) in asked.iter().zip(logs) {
                let acceptance: f64 = logs.iter().map(|log| log.min(0.0).exp()).sum();
                if upper > lower + 1 {
                    exchanges.without.push((lower + 1, acceptance));
                    continue;
                }
                exchanges.acceptance[lower] += acceptance;
                let accepted = streams.iter_mut().zip(logs).map(|(stream, log)| u32::from(stream.uniform().ln() < log));
                let accepted = gpu.upload("accepted exchanges", &accepted.collect::<Vec<u32>>())?;
                let (below, above) = all.split_at_mut(upper);
                below[lower].1.add_exchange(gpu, model, above[0].1, &accepted, &mut work);
            }
            work.submit();
        }
        let first = vec![held.other(); count];
        for (rung, (model, chains)) in all.into_iter().enumerate() {
            chains.gibbs(gpu, model, &first, if rung == top { sweeps } else { 1 }, draws(lowest + rung))?;
        }
        Ok(exchanges)
    }

    /// Repeats on the device the changes that [`Ladder::follow_exchanges`] has made.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`].
    pub fn change(
        &mut self,
        gpu: &Gpu,
        (model, chains): (&mut GpuModel, &mut GpuChains),
        changes: &[Change],
    ) -> Result<(), GpuError> {
        let new = |rung: &Dbm, chains: &GpuChains| -> Result<_, GpuError> {
            let model = GpuModel::new(gpu, rung)?;
            let mut own = GpuChains::at_rest(gpu, &model, chains.count(), Clamp::Free)?;
            own.copy_states(gpu, chains);
            Ok((model, own))
        };
        for change in changes {
            match *change {
                // A new rung's chains start at those of the rung above; those of an undone model start at the last rung's.
                Change::Grown => self.rungs.push(new(self.ladder.last(), chains)?),
                Change::Inserted(rung) => {
                    let between = new(&self.ladder.rungs()[rung], &self.rungs[rung].1)?;
                    self.rungs.insert(rung, between);
                }
                Change::Removed(rung) => drop(self.rungs.remove(rung)),
                Change::Undone => {
                    model.write(gpu, self.ladder.last());
                    if let Some((_, last)) = self.rungs.last() {
                        chains.copy_states(gpu, last);
                    }
                }
            }
        }
        Ok(())
    }
}

/// The log ratio with which an exchange is accepted, for each pair `(a, b)` and each chain:
/// `log p*_a(y) + log p*_b(x) - log p*_a(x) - log p*_b(y)`, where `x` is the state at `a` and `y` the one at `b`.
async fn log_ratios(
    gpu: &Gpu,
    all: &[(&GpuModel, &mut GpuChains)],
    pairs: &[(usize, usize)],
    held: Parity,
) -> Result<Vec<Vec<f64>>, GpuError> {
    let Some(count) = all.first().map(|(_, chains)| chains.count()).filter(|_| !pairs.is_empty()) else { return Ok(Vec::new()) };
    let into = gpu.zeros("log marginals", 4 * count * pairs.len())?;
    let mut work = gpu.begin();
    for (number, &(a, b)) in pairs.iter().enumerate() {
        for (part, (model, chains)) in [(b, a), (a, a), (a, b), (b, b)].into_iter().enumerate() {
            let first = (4 * number + part) * count;
            all[chains].1.add_log_marginals(gpu, all[model].0, held, (&into, first), &mut work);
        }
    }
    work.submit();
    let logs: Vec<f32> = gpu.read(&into).await?;
    let ratios = logs.chunks_exact(4 * count).map(|of_pair| {
        let log = |part: usize, c: usize| f64::from(of_pair[part * count + c]);
        (0..count).map(|c| log(0, c) - log(1, c) + log(2, c) - log(3, c)).collect()
    });
    Ok(ratios.collect())
}
