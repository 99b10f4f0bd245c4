//! Replica exchange: chains at every rung of a ladder, whose neighbours swap states.

use super::{Exchanges, Ladder, SPACED, held_parity};
use crate::chains::{Chains, FieldCost};
use crate::linalg::Matrix;
use crate::marginal::log_marginal;
use crate::rng::Stream;
use crate::sweep::half_gibbs;
use crate::{Dbm, Parity};

/// The part of a ladder that a round covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LadderDepth {
    /// All of it. Every [`SPACED`]-th rung, from this one on, is tested for whether its neighbours could do without it.
    Whole(usize),
    /// The last rung and the model.
    Top,
}

impl LadderDepth {
    /// The part covered by a step of a run that covers the full ladder once in `every` steps and tests one rung in [`SPACED`] each time.
    pub fn at(step: u64, every: u32) -> Self {
        let every = u64::from(every);
        if step.is_multiple_of(every) { Self::Whole((step / every % SPACED as u64) as usize) } else { Self::Top }
    }

    /// The lowest rung covered, out of `rungs`.
    pub fn lowest(self, rungs: usize) -> usize {
        match self {
            Self::Whole(_) => 0,
            Self::Top => rungs - 1,
        }
    }
}

/// Free chains at the rungs of a ladder and at the model above them, equally many at each.
///
/// In a round, neighbours exchange their states, first the pairs (0, 1), (2, 3), ... and then (1, 2), (3, 4), ...: the exchange of `x` at
/// rung `a` and `y` at rung `b` is accepted with probability
///
/// `min(1, p*_a(y_p) p*_b(x_p) / (p*_a(x_p) p*_b(y_p)))`, where `p` is [`held_parity`].
///
/// Then every chain makes one Gibbs sweep at its rung, or `k` sweeps at the model. Both leave the product of all rungs' distributions
/// invariant. The lowest rung has independent units, so a sweep there is an exact and independent draw: a state that climbs from there to
/// the top has forgotten everything.
pub struct Replicas<'a> {
    rungs: Vec<&'a Dbm>,
    reach: LadderDepth,
    held: Parity,
    chains: Vec<Chains>,
    /// The outcome of the exchanges so far.
    pub exchanges: Exchanges,
}

impl<'a> Replicas<'a> {
    /// Chains at these states, `[count, n_l]` for each layer of each rung covered, the lowest first. If there are none, one sweep from
    /// uniform states, drawn from the chains' streams: a draw from independent units, and nearly one from rungs close to them.
    ///
    /// # Panics
    /// If the number of states is not what the rungs and the model need.
    pub fn new(
        ladder: &'a Ladder,
        model: &'a Dbm,
        reach: LadderDepth,
        states: Option<&[Matrix]>,
        streams: &mut [Stream],
    ) -> Self {
        let lowest = reach.lowest(ladder.rungs().len());
        let rungs: Vec<&Dbm> = ladder.rungs()[lowest..].iter().map(|rung| &**rung).chain([model]).collect();
        let mut chains: Vec<Chains> = rungs.iter().map(|rung| Chains::free(rung, streams.len())).collect();
        match states {
            Some(states) => {
                assert_eq!(states.len(), rungs.len() * model.sizes().len(), "states of every rung");
                chains.iter_mut().zip(states.chunks(model.sizes().len())).for_each(|(chains, states)| chains.place_all(states));
            }
            None => chains.iter_mut().zip(&rungs).for_each(|(chains, rung)| chains.randomize_all(rung, streams)),
        }
        let exchanges = Exchanges { acceptance: vec![0.0; rungs.len() - 1], ..Exchanges::default() };
        let mut replicas = Self { held: held_parity(model), rungs, reach, chains, exchanges };
        if states.is_none() {
            (0..replicas.rungs.len()).for_each(|rung| replicas.sweep(rung, streams));
        }
        replicas
    }

    /// One round, with one stream per chain, whichever rung it is at.
    pub fn round(&mut self, sweeps: u32, streams: &mut [Stream]) {
        self.round_observed(sweeps, streams, |_, _, _| ());
    }

    /// The same. `observe` sees each pair's number and, for each chain, `log p*_b - log p*_a` at the state of its lower rung `a` and at
    /// that of its upper rung `b`: the input of Bennett's ratio (1976) for the difference of the two log Z.
    pub fn round_observed(&mut self, sweeps: u32, streams: &mut [Stream], mut observe: impl FnMut(usize, f64, f64)) {
        if let LadderDepth::Whole(first) = self.reach {
            for rung in (1 + first % SPACED..self.rungs.len() - 1).step_by(SPACED) {
                let without: f64 =
                    self.offer(rung - 1, rung + 1).2.iter().map(|(lower, upper)| libm::exp((lower - upper).min(0.0))).sum();
                self.exchanges.without.push((rung, without));
            }
        }
        for first in 0..2 {
            for lower in (first..self.rungs.len() - 1).step_by(2) {
                self.exchange(lower, streams, &mut observe);
            }
        }
        self.exchanges.tried += streams.len() as u64;
        let top = self.rungs.len() - 1;
        (0..top).for_each(|rung| self.sweep(rung, streams));
        (0..sweeps).for_each(|_| self.sweep(top, streams));
    }

    /// One Gibbs sweep of the chains of one rung.
    fn sweep(&mut self, rung: usize, streams: &mut [Stream]) {
        half_gibbs(self.rungs[rung], &mut self.chains[rung], self.held.other(), streams);
        half_gibbs(self.rungs[rung], &mut self.chains[rung], self.held, streams);
    }

    /// The chains of two rungs as they would be after swapping, the upper one's at the lower rung first; and `log p*_b - log p*_a` at each
    /// chain's state at the lower rung `a` and at that at the upper rung `b`.
    fn offer(&mut self, lower: usize, upper: usize) -> (Chains, Chains, Vec<(f64, f64)>) {
        let Self { rungs, held, chains, .. } = self;
        let (below, above) = chains.split_at_mut(upper);
        let (x, y, a, b) = (&mut below[lower], &mut above[0], rungs[lower], rungs[upper]);
        let all = x.all();
        let (mut down, mut up) = (Chains::free(a, all.len()), Chains::free(b, all.len()));
        down.place_all(y.layers());
        up.place_all(x.layers());
        for (chains, rung) in [(&mut *x, a), (&mut *y, b), (&mut up, b), (&mut down, a)] {
            chains.refresh(rung, held.other(), &all);
        }
        let of = |c| {
            let at_lower = log_marginal(b, &up, c, *held) - log_marginal(a, x, c, *held);
            (at_lower, log_marginal(b, y, c, *held) - log_marginal(a, &down, c, *held))
        };
        let ratios = (0..all.len()).map(of).collect();
        (down, up, ratios)
    }

    fn exchange(&mut self, lower: usize, streams: &mut [Stream], observe: &mut impl FnMut(usize, f64, f64)) {
        let (down, up, ratios) = self.offer(lower, lower + 1);
        for (c, (stream, (at_lower, at_upper))) in streams.iter_mut().zip(ratios).enumerate() {
            observe(lower, at_lower, at_upper);
            self.exchanges.acceptance[lower] += libm::exp((at_lower - at_upper).min(0.0));
            if libm::log(stream.uniform()) < at_lower - at_upper {
                self.chains[lower].copy_chain(c, &down);
                self.chains[lower + 1].copy_chain(c, &up);
            }
        }
    }

    /// Whether the states of a chain at all rungs are those of another ladder's.
    pub(crate) fn coincides(&self, other: &Self, chain: usize) -> bool {
        let pairs = self.chains.iter().zip(&other.chains);
        pairs.flat_map(|(a, b)| a.layers().iter().zip(b.layers())).all(|(a, b)| a.row(chain) == b.row(chain))
    }

    /// The chains at the model itself.
    pub fn top(&self) -> &Chains {
        &self.chains[self.chains.len() - 1]
    }

    /// The states of all chains, as [`Replicas::new`] takes them.
    pub fn states(&self) -> Vec<Matrix> {
        self.chains.iter().flat_map(|chains| chains.layers().to_vec()).collect()
    }

    /// The work spent on the fields of all chains.
    pub fn work(&self) -> FieldCost {
        let mut work = FieldCost::default();
        self.chains.iter().for_each(|chains| work += chains.work());
        work
    }
}
