//! What every estimator's phase needs: its streams, its chains, and how a state enters the gradient.

use super::{Batch, Estimate, Info, Moments, Phase, PhaseInfo};
use crate::chains::{Chains, Clamp};
use crate::linalg::Matrix;
use crate::parity::Parity;
use crate::rng::Stream;
use crate::search::{chains_starting_with, search};
use crate::{Dbm, gibbs};

/// One phase of one batch at work.
pub(super) struct PhaseRun<'a> {
    pub model: &'a Dbm,
    pub batch: &'a Batch,
    pub phase: Phase,
    pub marginalize: bool,
    pub clock: &'a dyn Fn() -> f64,
    /// Rows of the batch that its chains are for.
    pub rows: Vec<usize>,
    /// When it began.
    pub started: f64,
}

/// Runs `phase` on chains clamped to the data (unless they have one hidden layer and no gaps, and so an exact posterior), then on
/// those that are free or keep what is known.
pub(super) fn both_phases(
    model: &Dbm,
    batch: &Batch,
    marginalize: bool,
    clock: &dyn Fn() -> f64,
    // By reference, so that its code is there once and not for each phase: the page's worker has to be fetched.
    phase: &dyn Fn(&PhaseRun, Chains, &mut Moments) -> PhaseInfo,
) -> Estimate {
    let mut moments = Moments::new(model);
    let mut positive = PhaseInfo::default();
    for run in PhaseRun::positive(model, batch, marginalize, clock) {
        let chains = run.clamped_chains();
        positive.append(&if run.has_exact_posterior() {
            run.exact_posterior(chains, &mut moments)
        } else {
            phase(&run, chains, &mut moments)
        });
    }
    let run = PhaseRun::negative(model, batch, marginalize, clock);
    let negative = phase(&run, negative_chains(model, batch), &mut moments);
    Estimate { moments, info: Info { positive, negative }, persistent: None }
}

/// Chains of the negative phase: free, or with what is known clamped.
pub(super) fn negative_chains(model: &Dbm, batch: &Batch) -> Chains {
    match &batch.known {
        None => Chains::free(model, batch.visible.rows()),
        Some(known) => Chains::partly_known(model, batch.visible.clone(), known.clone()),
    }
}

/// `0..count`, as chains are numbered.
fn all(count: usize) -> Vec<u32> {
    (0..count as u32).collect()
}

impl<'a> PhaseRun<'a> {
    /// The positive phase, each part of it beginning when it is asked for: first the examples without gaps, whose visible layer is clamped
    /// whole, then those with gaps, whose missing units are searched, sampled and coupled like hidden ones.
    pub fn positive(
        model: &'a Dbm,
        batch: &'a Batch,
        marginalize: bool,
        clock: &'a dyn Fn() -> f64,
    ) -> impl Iterator<Item = Self> {
        let (whole, gaps): (Vec<usize>, Vec<usize>) = (0..batch.visible.rows()).partition(|&row| batch.is_whole(row));
        let parts = [whole, gaps].into_iter().filter(|rows| !rows.is_empty());
        parts.map(move |rows| Self { model, batch, phase: Phase::Positive, marginalize, clock, rows, started: clock() })
    }

    /// The negative phase, which begins now.
    pub fn negative(model: &'a Dbm, batch: &'a Batch, marginalize: bool, clock: &'a dyn Fn() -> f64) -> Self {
        let rows = (0..batch.visible.rows()).collect();
        Self { model, batch, phase: Phase::Negative, marginalize, clock, rows, started: clock() }
    }

    /// Whether examples of this part of the positive phase have gaps: all have, or none.
    fn has_gaps(&self) -> bool {
        self.rows.first().is_some_and(|&row| !self.batch.is_whole(row))
    }

    /// Whether the units that are not clamped in this part of the positive phase are independent.
    pub fn has_exact_posterior(&self) -> bool {
        self.model.depth() == 1 && !self.has_gaps()
    }

    /// Chains of this part of the positive phase, all known visible units clamped.
    #[inline(never)]
    pub fn clamped_chains(&self) -> Chains {
        let mut visible = Matrix::zeros(self.rows.len(), self.model.n_visible());
        self.rows.iter().enumerate().for_each(|(c, &row)| visible.row_mut(c).copy_from_slice(self.batch.visible.row(row)));
        if !self.has_gaps() {
            return Chains::clamped(self.model, visible);
        }
        let observed = self.rows.iter().flat_map(|&row| self.batch.observed(row).unwrap_or_default()).copied().collect();
        Chains::partly_known(self.model, visible, observed)
    }

    /// The stream of one of its chains, from the beginning.
    pub fn stream(&self, chain: usize) -> Stream {
        let address = self.batch.first_chain + self.rows[chain] as u64;
        self.batch.streams.at(self.phase.purpose(), self.batch.step, address)
    }

    /// Each chain's stream.
    pub fn streams(&self) -> Vec<Stream> {
        (0..self.rows.len()).map(|chain| self.stream(chain)).collect()
    }

    /// The positive phase of an RBM: its hidden units are independent given the visible ones, so no chain is needed.
    fn exact_posterior(&self, mut chains: Chains, moments: &mut Moments) -> PhaseInfo {
        let all = all(chains.count());
        if self.marginalize {
            chains.refresh(self.model, Parity::Odd, &all);
        } else {
            gibbs::half_sweep(self.model, &mut chains, Parity::Odd, &mut self.streams());
        }
        self.push_posterior(&chains, moments);
        PhaseInfo { work: chains.work(), search_seconds: (self.clock)() - self.started, ..PhaseInfo::default() }
    }

    /// Adds `f(v, h)` of an RBM's clamped chains, `h` replaced by its means where the run marginalizes, which is exact there.
    pub fn push_posterior(&self, chains: &Chains, moments: &mut Moments) {
        let mut means = vec![0.0; self.model.sizes()[1]];
        for c in 0..chains.count() {
            let visible = chains.layer(0).row(c);
            if self.marginalize {
                chains.means(self.model, 1, c, &mut means);
                moments.push(self.phase, 1.0, &[visible, &means]);
            } else {
                moments.push(self.phase, 1.0, &[visible, chains.layer(1).row(c)]);
            }
        }
    }

    /// Puts every chain at a uniform random state and tosses the coin of its first sweep.
    pub fn uniform_starts(&self, chains: &mut Chains, streams: &mut [Stream]) -> Vec<Parity> {
        let mut first = Vec::with_capacity(streams.len());
        for (c, stream) in streams.iter_mut().enumerate() {
            chains.randomize(self.model, c, stream);
            first.push(Parity::first(stream.coin()));
        }
        for parity in [Parity::Even, Parity::Odd] {
            chains.refresh(self.model, parity, &chains_starting_with(parity, &first));
        }
        first
    }

    /// From where the chains are to a mode, and one Gibbs sweep on (or more), in the order of a fresh coin (paper, section 4.1): the state x_0.
    pub fn mode_and_sweeps(
        &self,
        chains: &mut Chains,
        first: &[Parity],
        (max_sweeps, mode_sweeps): (u32, u32),
        streams: &mut [Stream],
        info: &mut PhaseInfo,
    ) {
        let searches = search(self.model, chains, first, max_sweeps);
        let first: Vec<Parity> = streams.iter_mut().map(|stream| Parity::first(stream.coin())).collect();
        (0..mode_sweeps).for_each(|_| gibbs::sweep(self.model, chains, &first, streams));
        info.sweeps = searches.iter().map(|s| s.sweeps).collect();
        info.searches_capped = searches.iter().map(|s| u32::from(s.capped)).sum();
    }

    /// Brings all fields up to date, which energies and means need.
    pub fn settle(&self, chains: &mut Chains) {
        let all = all(chains.count());
        chains.refresh(self.model, Parity::Even, &all);
        chains.refresh(self.model, Parity::Odd, &all);
    }

    /// Adds `f` of every chain's present state, and notes their energies.
    pub fn push_chains(&self, chains: &mut Chains, moments: &mut Moments, info: &mut PhaseInfo) {
        self.settle(chains);
        info.chains = chains.count() as u32;
        for c in 0..chains.count() {
            self.push_chain(chains, c, moments);
            info.energy_sum += chains.energy(self.model, c);
        }
        info.work = chains.work();
    }

    /// Adds `f` of the present state of chain `c`, whose fields are at hand.
    pub fn push_chain(&self, chains: &Chains, c: usize, moments: &mut Moments) {
        let layers = 0..self.model.sizes().len();
        let state: Vec<&[f32]> = layers.clone().map(|l| chains.layer(l).row(c)).collect();
        if !self.marginalize {
            return moments.push(self.phase, 1.0, &state);
        }
        let means: Vec<Vec<f32>> = layers
            .map(|l| {
                let mut means = vec![0.0; self.model.sizes()[l]];
                chains.means(self.model, l, c, &mut means);
                means
            })
            .collect();
        let means: Vec<&[f32]> = means.iter().map(Vec::as_slice).collect();
        moments.push_marginal(self.phase, 1.0, &state, &means, *chains.clamp() == Clamp::Visible);
    }

    /// Adds `weight f(s)` of a state visited by the coupling of chain `c`, whose fields have to be computed.
    pub fn push_state(&self, chains: &Chains, c: usize, weight: f32, state: &[Vec<f32>], moments: &mut Moments) {
        if !self.marginalize {
            return moments.push(self.phase, weight, state);
        }
        let (low, gap) = (self.model.units().low(), self.model.units().gap());
        let mean = |a: f32| low + gap * crate::math::sigma(gap * a);
        let mut means: Vec<Vec<f32>> =
            (0..state.len()).map(|l| self.model.field(l, state).into_iter().map(mean).collect()).collect();
        let known = chains.known(c);
        for (i, (mean, &value)) in means[0].iter_mut().zip(&state[0]).enumerate() {
            if known.as_ref().is_none_or(|known| known[i]) {
                *mean = value;
            }
        }
        moments.push_marginal(self.phase, weight, state, &means, known.is_none());
    }
}
