//! CD-k: contrastive divergence (Hinton 2002), for DBMs of any depth.

use super::phase::{PhaseRun, negative_chains};
use super::{Batch, Estimate, Estimator, Info, Moments, PhaseInfo};
use crate::chains::Chains;
use crate::parity::Parity;
use crate::rng::Stream;
use crate::{Dbm, Settings, gibbs};

/// Contrastive divergence with `k` Gibbs sweeps.
///
/// Positive phase: the visible layer is clamped, the hidden ones (and visible units that are missing) start uniformly at random and make `k`
/// sweeps, odd layers first; with one hidden layer and no gaps a single half-sweep is an exact draw. Negative phase: from that state, `k` sweeps
/// with nothing clamped (or the known units), even layers first. Both phases are biased, the positive one not for an RBM without gaps.
#[derive(Clone, Debug)]
pub struct Cd {
    /// Replace half of each state by its conditional means. The last state is not stationary, so this changes the bias too.
    pub marginalize: bool,
    /// Sweeps.
    pub k: u32,
}

impl Cd {
    /// As a run's settings say.
    pub fn new(settings: &Settings) -> Self {
        Self { marginalize: settings.marginalize, k: settings.estimator.k }
    }
}

impl Estimator for Cd {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> Estimate {
        let mut moments = Moments::new(model);
        let mut chains = negative_chains(model, batch);
        let parts = PhaseRun::positive(model, batch, self.marginalize, clock);
        let positive = gibbs_posterior(parts, self.k, &mut moments, |row, state| chains.place(row, state));

        let run = PhaseRun::negative(model, batch, self.marginalize, clock);
        gibbs_sweeps(model, &mut chains, Parity::Even, self.k, &mut run.streams());
        let mut negative = PhaseInfo::default();
        run.push_chains(&mut chains, &mut moments, &mut negative);
        negative.search_seconds = clock() - run.started;
        Estimate { moments, info: Info { positive, negative }, persistent: None }
    }
}

/// A positive phase of `k` Gibbs sweeps with what the data tell clamped, from uniform states of the rest; exact for an RBM without gaps.
/// `end` is told where the chain of each row of the batch ended.
pub(super) fn gibbs_posterior<'a>(
    parts: impl Iterator<Item = PhaseRun<'a>>,
    k: u32,
    moments: &mut Moments,
    mut end: impl FnMut(usize, &[Vec<f32>]),
) -> PhaseInfo {
    let mut info = PhaseInfo::default();
    for run in parts {
        let (chains, part) = gibbs_part(&run, k, moments);
        run.rows.iter().enumerate().for_each(|(c, &row)| end(row, &chains.state(c)));
        info.append(&part);
    }
    info
}

fn gibbs_part(run: &PhaseRun, k: u32, moments: &mut Moments) -> (Chains, PhaseInfo) {
    let mut chains = run.clamped_chains();
    let mut streams = run.streams();
    let mut info = PhaseInfo::default();
    if run.has_exact_posterior() {
        gibbs::half_sweep(run.model, &mut chains, Parity::Odd, &mut streams);
        run.push_posterior(&chains, moments);
    } else {
        streams.iter_mut().enumerate().for_each(|(c, stream)| chains.randomize(run.model, c, stream));
        gibbs_sweeps(run.model, &mut chains, Parity::Odd, k, &mut streams);
        run.push_chains(&mut chains, moments, &mut info);
    }
    info.search_seconds = (run.clock)() - run.started;
    (chains, info)
}

/// `k` sweeps of all chains, each with this parity first.
pub(super) fn gibbs_sweeps(model: &Dbm, chains: &mut Chains, first: Parity, k: u32, streams: &mut [Stream]) {
    for _ in 0..k {
        for parity in [first, first.other()] {
            gibbs::half_sweep(model, chains, parity, streams);
        }
    }
}
