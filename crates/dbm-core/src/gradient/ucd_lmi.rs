//! UCD-LMI: search to a mode, one Gibbs sweep, then a coupled pair of Metropolis chains (Taniguchi et al. 2023, Algorithm 4).

use super::{Batch, Estimator, Info, Moments, PhaseInfo};
use crate::chains::{Chains, Clamp};
use crate::coupling::{Acceptance, Meeting, Metropolis, Point, SharedUniform, meet};
use crate::parity::Parity;
use crate::rng::{Purpose, Stream};
use crate::search::search;
use crate::{Dbm, Settings, gibbs};
use std::rc::Rc;

/// Unbiased contrastive divergence with local mode initialization.
///
/// For one example, `gradient = positive - negative`, each `f(x_0) + sum_{t=1}^{tau-1} f(x_t) - f(y_{t-1})` with
/// `f = -dE/dtheta`: visible layer clamped in the positive phase; free, or with the known units clamped, in the negative one.
/// Its mean is the exact gradient, for any `max_sweeps`, as long as no coupling is cut at `max_meeting`.
#[derive(Clone, Debug)]
pub struct UcdLmi<A = SharedUniform> {
    /// Replace half of each state by its conditional means.
    pub marginalize: bool,
    /// Cap of a local search.
    pub max_sweeps: u32,
    /// Cap of a coupling.
    pub max_meeting: u32,
    /// The coupling's acceptance.
    pub acceptance: A,
}

impl UcdLmi {
    /// As a run's settings say.
    pub fn new(settings: &Settings) -> Self {
        Self {
            marginalize: settings.marginalize,
            max_sweeps: settings.max_sweeps,
            max_meeting: settings.max_meeting,
            acceptance: SharedUniform,
        }
    }
}

impl<A: Acceptance> Estimator for UcdLmi<A> {
    fn estimate(&self, model: &Dbm, batch: &Batch, clock: &dyn Fn() -> f64) -> (Moments, Info) {
        let mut moments = Moments::new(model);
        let positive = if model.depth() == 1 {
            self.exact_posterior(model, batch, &mut moments)
        } else {
            let chains = Chains::clamped(model, batch.visible.clone());
            self.phase(model, chains, batch, Purpose::Positive, 1.0, &mut moments, clock)
        };
        let chains = match &batch.known {
            None => Chains::free(model, batch.visible.rows()),
            Some(known) => Chains::partly_known(model, batch.visible.clone(), known.clone()),
        };
        let negative = self.phase(model, chains, batch, Purpose::Negative, -1.0, &mut moments, clock);
        (moments, Info { positive, negative })
    }
}

impl<A: Acceptance> UcdLmi<A> {
    /// The positive phase of an RBM: its hidden units are independent given the visible ones, so no chain is needed.
    fn exact_posterior(&self, model: &Dbm, batch: &Batch, moments: &mut Moments) -> PhaseInfo {
        let count = batch.visible.rows();
        let mut chains = Chains::clamped(model, batch.visible.clone());
        let all: Vec<u32> = (0..count as u32).collect();
        let mut means = vec![0.0; model.sizes()[1]];
        if self.marginalize {
            chains.refresh(model, Parity::Odd, &all);
        } else {
            let mut streams = streams(batch, Purpose::Positive);
            gibbs::sweep(model, &mut chains, &vec![Parity::Odd; count], &mut streams);
        }
        for c in 0..count {
            let visible = chains.layer(0).row(c);
            if self.marginalize {
                chains.means(model, 1, c, &mut means);
                moments.push(1.0, &[visible, &means]);
            } else {
                moments.push(1.0, &[visible, chains.layer(1).row(c)]);
            }
        }
        PhaseInfo::default()
    }

    #[allow(clippy::too_many_arguments)]
    fn phase(
        &self,
        model: &Dbm,
        mut chains: Chains,
        batch: &Batch,
        purpose: Purpose,
        sign: f32,
        moments: &mut Moments,
        clock: &dyn Fn() -> f64,
    ) -> PhaseInfo {
        let started = clock();
        let count = chains.count();
        let mut streams = streams(batch, purpose);
        let mut first = Vec::with_capacity(count);
        for (c, stream) in streams.iter_mut().enumerate() {
            chains.randomize(model, c, stream);
            first.push(Parity::first(stream.coin()));
        }
        for parity in [Parity::Even, Parity::Odd] {
            chains.refresh(model, parity, &crate::search::chains_starting_with(parity, &first));
        }
        let proposals = Proposals::recycled(model, &chains);

        let searches = search(model, &mut chains, &first, self.max_sweeps);
        let first: Vec<Parity> = streams.iter_mut().map(|stream| Parity::first(stream.coin())).collect();
        gibbs::sweep(model, &mut chains, &first, &mut streams);
        let all: Vec<u32> = (0..count as u32).collect();
        chains.refresh(model, Parity::Even, &all);
        chains.refresh(model, Parity::Odd, &all);

        let searched = clock();
        let proposals = proposals.with_fresh(model, &chains, batch, &mut streams);
        let mut info = PhaseInfo {
            sweeps: searches.iter().map(|s| s.sweeps).collect(),
            searches_capped: searches.iter().map(|s| u32::from(s.capped)).sum(),
            chains: count as u32,
            search_seconds: searched - started,
            ..PhaseInfo::default()
        };
        for (c, stream) in streams.iter_mut().enumerate() {
            let energy = chains.energy(model, c);
            let meeting = self.couple(model, &chains, c, energy, &proposals, batch, purpose, stream, &mut info);
            self.push_chain(model, &chains, c, sign, moments);
            for (weight, state) in &meeting.corrections {
                self.push_state(model, &chains, c, sign * *weight as f32, state, moments);
            }
            info.energy_sum += energy;
            info.meeting_times.push(meeting.time);
            info.couplings_capped += u32::from(meeting.capped);
        }
        info.coupling_seconds = clock() - searched;
        info
    }

    /// Couples chain `c` from its present state x_0 = y_0.
    #[allow(clippy::too_many_arguments)]
    fn couple(
        &self,
        model: &Dbm,
        chains: &Chains,
        c: usize,
        energy: f64,
        proposals: &Proposals,
        batch: &Batch,
        purpose: Purpose,
        stream: &mut Stream,
        info: &mut PhaseInfo,
    ) -> Meeting {
        let (proposed, _) = self.acceptance.decide(stream.uniform(), proposals.energies[c], energy, energy);
        info.proposals += 1;
        if !proposed {
            return Meeting { time: 1, ..Meeting::default() };
        }
        info.accepted += 1;
        let x0 = Rc::new(Point { state: chains.state(c), energy });
        let state = proposals.state(model, chains, c, batch, purpose);
        let x1 = Rc::new(Point { state, energy: proposals.energies[c] });
        let acceptance = &self.acceptance;
        let mut pair = Metropolis { model, chains, chain: c, stream, acceptance, proposals: 0, accepted: 0 };
        let meeting = meet(x0, x1, &mut pair, self.max_meeting);
        info.proposals += pair.proposals;
        info.accepted += pair.accepted;
        meeting
    }

    /// Adds `weight f(x_0)` of chain `c`, whose fields are at hand.
    fn push_chain(&self, model: &Dbm, chains: &Chains, c: usize, weight: f32, moments: &mut Moments) {
        let layers = 0..model.sizes().len();
        let state: Vec<&[f32]> = layers.clone().map(|l| chains.layer(l).row(c)).collect();
        if !self.marginalize {
            return moments.push(weight, &state);
        }
        let means: Vec<Vec<f32>> = layers
            .map(|l| {
                let mut means = vec![0.0; model.sizes()[l]];
                chains.means(model, l, c, &mut means);
                means
            })
            .collect();
        let means: Vec<&[f32]> = means.iter().map(Vec::as_slice).collect();
        moments.push_marginal(weight, &state, &means, *chains.clamp() == Clamp::Visible);
    }

    /// Adds `weight f(s)` of a state visited by the coupling of chain `c`, whose fields have to be computed.
    fn push_state(&self, model: &Dbm, chains: &Chains, c: usize, weight: f32, state: &[Vec<f32>], moments: &mut Moments) {
        if !self.marginalize {
            return moments.push(weight, state);
        }
        let (low, gap) = (model.units().low(), model.units().gap());
        let mut means: Vec<Vec<f32>> = (0..state.len())
            .map(|l| model.field(l, state).into_iter().map(|a| low + gap * crate::math::sigma(gap * a)).collect())
            .collect();
        let known = chains.known(c);
        for (i, (mean, &value)) in means[0].iter_mut().zip(&state[0]).enumerate() {
            if known.as_ref().is_none_or(|known| known[i]) {
                *mean = value;
            }
        }
        moments.push_marginal(weight, state, &means, known.is_none());
    }
}

fn streams(batch: &Batch, purpose: Purpose) -> Vec<Stream> {
    (0..batch.visible.rows() as u64).map(|c| batch.streams.at(purpose, batch.step, batch.first_chain + c)).collect()
}

/// Each chain's first proposal with its energy.
///
/// The random state that starts another chain's search is independent of this chain's x_0, and its energy falls out of the
/// fields of its first half-sweep: so it serves as this chain's first proposal. Where that is impossible (a chain with masked
/// units shares its known units with no other; a batch of one) a proposal is drawn anew.
struct Proposals {
    /// Whose start it is, for recycled ones.
    donors: Vec<Option<usize>>,
    energies: Vec<f64>,
    /// The states drawn anew.
    fresh: Option<Chains>,
    /// Chain to row of `fresh`.
    fresh_rows: Vec<usize>,
}

impl Proposals {
    /// Takes the starts of the searches, which the chains must be at.
    fn recycled(model: &Dbm, chains: &Chains) -> Self {
        let count = chains.count();
        let clamped = *chains.clamp() == Clamp::Visible;
        let shares: Vec<usize> = (0..count).filter(|&c| clamped || !chains.is_clamped(c)).collect();
        let (mut donors, mut energies) = (vec![None; count], vec![f64::NAN; count]);
        if shares.len() > 1 {
            for (place, &c) in shares.iter().enumerate() {
                let donor = shares[(place + 1) % shares.len()];
                donors[c] = Some(donor);
                energies[c] = if clamped { chains.energy_with_visible_of(model, donor, c) } else { chains.energy(model, donor) };
            }
        }
        Self { donors, energies, fresh: None, fresh_rows: vec![usize::MAX; count] }
    }

    /// Draws those still missing, from the streams of their own chains, in one batch.
    fn with_fresh(mut self, model: &Dbm, chains: &Chains, batch: &Batch, streams: &mut [Stream]) -> Self {
        let missing: Vec<usize> = (0..chains.count()).filter(|&c| self.donors[c].is_none()).collect();
        if missing.is_empty() {
            return self;
        }
        let mut fresh = chains.same_clamp(model, &missing, &batch.visible);
        for (row, &c) in missing.iter().enumerate() {
            fresh.randomize(model, row, &mut streams[c]);
            self.fresh_rows[c] = row;
        }
        let rows: Vec<u32> = (0..missing.len() as u32).collect();
        fresh.refresh(model, Parity::Odd, &rows);
        for (row, &c) in missing.iter().enumerate() {
            self.energies[c] = fresh.energy(model, row);
        }
        self.fresh = Some(fresh);
        self
    }

    /// The proposed state itself; a recycled one is drawn again from the beginning of its donor's stream.
    fn state(&self, model: &Dbm, chains: &Chains, c: usize, batch: &Batch, purpose: Purpose) -> Vec<Vec<f32>> {
        match (self.donors[c], &self.fresh) {
            (None, Some(fresh)) => fresh.state(self.fresh_rows[c]),
            (donor, _) => {
                let address = batch.first_chain + donor.unwrap_or(c) as u64;
                chains.uniform_state(model, c, &mut batch.streams.at(purpose, batch.step, address))
            }
        }
    }
}
