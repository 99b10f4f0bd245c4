//! How chains move when they are not coupled: local search to a mode, Gibbs sweeps, and local mode initialization, which is one after the other.
//!
//! Each works on a batch of chains, parity by parity; a coin per chain decides which parity a sweep begins with. The rules by which a
//! half-sweep sets its units are also here: [`Minimum`] for the search, [`GibbsDraw`] and [`AnnealedDraw`] for the sweeps.

use crate::chains::{Chains, LayerFields, UpdateRule};
use crate::draw::Draw;
use crate::groups::{draw_levels, likeliest_levels};
use crate::rng::Stream;
use crate::vector::dispatch;
use crate::{Dbm, Parity};
use serde::{Deserialize, Serialize};

/// Sets each unit to its conditional minimum of the energy, high if `a >= 0`, and each group of visible units to its likeliest level.
#[derive(Clone, Copy, Debug)]
pub struct Minimum;

impl UpdateRule for Minimum {
    fn decide(&mut self, layer: LayerFields, decisions: &mut [f32]) {
        decisions.copy_from_slice(layer.fields);
        likeliest_levels(layer.groups, layer.fields, |unit| layer.clamped(unit), decisions);
    }
}

/// Draws each unit from its conditional distribution, high with probability `sigma(gap a)`, and the units of a group together.
#[derive(Debug)]
pub struct GibbsDraw<'a> {
    streams: &'a mut [Stream],
    draws: Vec<u64>,
}

impl<'a> GibbsDraw<'a> {
    /// Draws from these streams, one per chain.
    pub fn new(streams: &'a mut [Stream]) -> Self {
        Self { streams, draws: Vec::new() }
    }
}

impl UpdateRule for GibbsDraw<'_> {
    fn decide(&mut self, layer: LayerFields, decisions: &mut [f32]) {
        let stream = &mut self.streams[layer.chain];
        let (fields, gap) = (layer.fields, layer.units.gap());
        dispatch(Draw { stream, draws: &mut self.draws, fields, gap, decisions });
        draw_levels(layer.groups, fields, gap, |unit| layer.clamped(unit), stream, decisions);
    }
}

/// Draws each unit from its conditional distribution under the fields `(1 - beta) base_l + beta a_l`: those of the energy
/// `- (1 - beta) sum_l base_l . s_l + beta E(s)`, between independent units and the model.
pub struct AnnealedDraw<'a> {
    draw: GibbsDraw<'a>,
    /// The biases of one layer of one chain.
    base: Box<dyn Fn(usize, usize) -> &'a [f32] + 'a>,
    beta: f32,
    fields: Vec<f32>,
}

impl<'a> AnnealedDraw<'a> {
    /// Draws from these streams, one per chain, with the biases `base`, `[n_l]` per layer, at `beta = 0`, and the model at `beta = 1`.
    pub fn new(streams: &'a mut [Stream], base: &'a [Vec<f32>], beta: f32) -> Self {
        Self::of_chains(streams, |_, layer| &base[layer], beta)
    }

    /// The same with biases that `base` returns for a chain and a layer.
    pub(crate) fn of_chains(streams: &'a mut [Stream], base: impl Fn(usize, usize) -> &'a [f32] + 'a, beta: f32) -> Self {
        Self { draw: GibbsDraw::new(streams), base: Box::new(base), beta, fields: Vec::new() }
    }
}

impl UpdateRule for AnnealedDraw<'_> {
    fn decide(&mut self, layer: LayerFields, decisions: &mut [f32]) {
        let Self { draw, base, beta, fields } = self;
        fields.clear();
        fields.extend(base(layer.chain, layer.layer).iter().zip(layer.fields).map(|(base, a)| (1.0 - *beta) * base + *beta * a));
        draw.decide(layer.with_fields(fields), decisions);
    }
}

/// What one chain's search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchInfo {
    /// T: full sweeps, the last of which changed nothing.
    pub sweeps: u32,
    /// Whether the cap stopped it before a mode was reached.
    pub capped: bool,
}

/// Local search (Taniguchi et al. 2023, Algorithm 1; Algorithm 5 if the visible layer is clamped): conditional minima, parity by parity,
/// until a full sweep changes nothing. Searches from the present states of all chains; `first[c]` is the parity that chain `c` updates
/// first.
///
/// The energy never rises, and each search that is not capped ends in a mode: a state in which neither parity alone can lower it. Chains
/// leave the batch as they arrive.
///
/// # Panics
/// If there is not one first parity per chain.
pub fn search(model: &Dbm, chains: &mut Chains, first: &[Parity], max_sweeps: u32) -> Vec<SearchInfo> {
    search_observed(model, chains, first, max_sweeps, |_| ())
}

/// The same search. `observe` sees the chains after each of the `2 T` half-sweeps of every chain. The last of these would change nothing:
/// they are shown but not computed.
///
/// # Panics
/// If there is not one first parity per chain.
pub fn search_observed(
    model: &Dbm,
    chains: &mut Chains,
    first: &[Parity],
    max_sweeps: u32,
    mut observe: impl FnMut(&Chains),
) -> Vec<SearchInfo> {
    assert_eq!(first.len(), chains.count());
    let mut info = vec![SearchInfo { sweeps: max_sweeps, capped: true }; chains.count()];
    let mut active: Vec<u32> = if max_sweeps > 0 { chains.all() } else { Vec::new() };
    // How many units flipped in the first half of a chain's present sweep.
    let mut before = vec![0; chains.count()];
    for (number, parity) in half_sweeps() {
        let (now, mut still): (Vec<u32>, Vec<u32>) = active.into_iter().partition(|&c| number >= delay(first[c as usize]));
        let flipped = chains.half_sweep(model, parity, &now, &mut Minimum);
        for (&c, &flipped) in now.iter().zip(&flipped) {
            let chain = c as usize;
            let half = number - delay(first[chain]);
            let sweep = half / 2 + 1;
            observe(chains);
            let first_half = half.is_multiple_of(2);
            // From the second sweep on, if the first half changes nothing, neither can the second.
            if flipped > 0 || (first_half && sweep == 1) {
                if first_half {
                    before[chain] = flipped;
                }
                if first_half || sweep < max_sweeps {
                    still.push(c);
                }
                continue;
            }
            // The sweep that would find that nothing can change any more is counted and shown, but not computed.
            let unmade = if first_half { 1 } else { 2 * u32::from(before[chain] > 0) };
            info[chain] = SearchInfo { sweeps: sweep + unmade / 2, capped: false };
            (0..unmade).for_each(|_| observe(chains));
        }
        active = still;
        if active.is_empty() {
            break;
        }
    }
    info
}

/// The half-sweeps of a batch, by number and parity. Chains that begin with odd layers start one later, so that all chains update the same
/// parity at the same time and share the products for their fields.
fn half_sweeps() -> impl Iterator<Item = (u32, Parity)> {
    (0..).map(|number| (number, if number % 2 == 0 { Parity::Even } else { Parity::Odd }))
}

/// How many half-sweeps later the chains start that begin with this parity.
fn delay(first: Parity) -> u32 {
    u32::from(first == Parity::Odd)
}

/// One Gibbs sweep of all chains, each parity drawn given the other; `first[c]` is the parity that chain `c` draws first. It leaves
/// `exp(-E)`, restricted to the free units, invariant.
///
/// # Panics
/// If there is not one first parity and one stream per chain.
pub fn gibbs(model: &Dbm, chains: &mut Chains, first: &[Parity], streams: &mut [Stream]) {
    assert_eq!((first.len(), streams.len()), (chains.count(), chains.count()));
    sweeps(model, chains, first, 1, &mut GibbsDraw::new(streams), |_| ());
}

/// One Gibbs sweep of all chains at the inverse temperature `beta`: like [`gibbs`], but it leaves `exp(-beta E)` invariant. Below 1, chains
/// cross between modes more easily; at 1 it draws what [`gibbs`] draws.
///
/// # Panics
/// If there is not one first parity and one stream per chain.
pub fn gibbs_at(model: &Dbm, chains: &mut Chains, first: &[Parity], streams: &mut [Stream], beta: f32) {
    assert_eq!((first.len(), streams.len()), (chains.count(), chains.count()));
    // Between units that are fair coins and the model.
    let coins: Vec<Vec<f32>> = model.sizes().iter().map(|&n| vec![0.0; n]).collect();
    sweeps(model, chains, first, 1, &mut AnnealedDraw::new(streams, &coins, beta), |_| ());
}

/// Draws one parity of all chains given the other.
///
/// # Panics
/// If there is not one stream per chain.
pub fn half_gibbs(model: &Dbm, chains: &mut Chains, parity: Parity, streams: &mut [Stream]) {
    assert_eq!(streams.len(), chains.count());
    chains.half_sweep(model, parity, &chains.all(), &mut GibbsDraw::new(streams));
}

/// This many sweeps of all chains, each in the order given by its first parity; `observe` sees the chains after each half.
fn sweeps(
    model: &Dbm,
    chains: &mut Chains,
    first: &[Parity],
    count: u32,
    rule: &mut dyn UpdateRule,
    mut observe: impl FnMut(&Chains),
) {
    for (number, parity) in half_sweeps().take(2 * count as usize + 1) {
        let now = |&c: &u32| (0..2 * count).contains(&number.wrapping_sub(delay(first[c as usize])));
        let now: Vec<u32> = (0..first.len() as u32).filter(now).collect();
        if !now.is_empty() {
            chains.half_sweep(model, parity, &now, rule);
            observe(chains);
        }
    }
}

/// Chains whose coin chose this parity to be updated first.
pub(crate) fn chains_starting_with(parity: Parity, first: &[Parity]) -> Vec<u32> {
    (0..first.len() as u32).filter(|&c| first[c as usize] == parity).collect()
}

/// Puts every chain at a uniform random state, except for clamped units, and tosses the coin for the parity with which its first sweep
/// begins.
pub fn uniform_start(model: &Dbm, chains: &mut Chains, streams: &mut [Stream]) -> Vec<Parity> {
    let mut first = Vec::with_capacity(streams.len());
    for (c, stream) in streams.iter_mut().enumerate() {
        chains.randomize(model, c, stream);
        first.push(Parity::first(stream.coin()));
    }
    first
}

/// How a state on the way to x_0 was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reached {
    /// By a uniform draw.
    Uniform,
    /// By half a sweep of the local search.
    Search,
    /// By a Gibbs sweep, or half of one.
    Gibbs,
}

/// Local mode initialization (Taniguchi et al. 2023, section 3.3): a search to a mode, followed by one Gibbs sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalMode {
    /// Sweeps after which a search stops where it is.
    pub max_sweeps: u32,
    /// Gibbs sweeps from the mode to x_0; 1 in the paper.
    pub gibbs_sweeps: u32,
}

impl LocalMode {
    /// Takes chains placed by [`uniform_start`] to x_0; `first` are the coins of the searches. All Gibbs sweeps of a chain are in the order
    /// of one fresh coin. `observe` sees the chains after every half-sweep, with its kind, but not which of several chains moved.
    pub fn apply(
        &self,
        model: &Dbm,
        chains: &mut Chains,
        first: &[Parity],
        streams: &mut [Stream],
        mut observe: impl FnMut(&Chains, Reached),
    ) -> Vec<SearchInfo> {
        let searches = search_observed(model, chains, first, self.max_sweeps, |chains| observe(chains, Reached::Search));
        let first: Vec<Parity> = streams.iter_mut().map(|stream| Parity::first(stream.coin())).collect();
        let observe = |chains: &Chains| observe(chains, Reached::Gibbs);
        sweeps(model, chains, &first, self.gibbs_sweeps, &mut GibbsDraw::new(streams), observe);
        searches
    }
}
