//! Fills the gaps of a data set: the probability of every missing unit, from chains clamped to what is known.

mod baselines;
mod evaluation;
mod exact;
mod hidden;

pub use evaluation::{Evaluation, EvaluationSettings, ImputationMethod, LEAST_PROBABILITY, Outcome, Prediction, Report, Score};
pub use hidden::{Cell, HiddenCells, hide};

use exact::Joint;

use crate::chains::Chains;
use crate::error::within;
use crate::groups::{Group, cells};
use crate::linalg::Matrix;
use crate::math::logistic;
use crate::parity::Parity;
use crate::rng::{Purpose, Streams};
use crate::sweep::half_gibbs;
use crate::{Backend, Clamp, Dbm, DbmError, Examples};
use serde::{Deserialize, Serialize};

/// How much work a row with gaps takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImputeSettings {
    /// K: chains per row, each giving a completion.
    pub completions: u32,
    /// Gibbs sweeps of each chain before the first one that counts.
    pub sweeps: u32,
    /// Sweeps of each chain that count.
    pub draws: u32,
    /// Seed of the chains' streams.
    pub seed: u64,
}

impl Default for ImputeSettings {
    fn default() -> Self {
        Self { completions: 32, sweeps: 50, draws: 8, seed: 0 }
    }
}

impl ImputeSettings {
    /// Accepts settings that make sense.
    ///
    /// # Errors
    /// [`DbmError::Setting`], naming the first setting out of range.
    pub fn check(&self) -> Result<(), DbmError> {
        let expected = "1 to 10000 chains a row";
        within("completions", expected, f64::from(self.completions), (1..=10_000).contains(&self.completions))?;
        within("clamped sweeps", "0 to 100000", f64::from(self.sweeps), self.sweeps <= 100_000)?;
        within("draws", "1 to 100000 sweeps that count", f64::from(self.draws), (1..=100_000).contains(&self.draws))
    }
}

/// Fills the gaps of data sets with one model, or with the average of several.
///
/// For a row with known units `v_known`, K chains of `p(v_missing, h | v_known)` start uniformly at random and make blocked Gibbs sweeps,
/// odd layers first; known units never change. After `sweeps` of them, each of another `draws` sweeps adds `P(v_i high | h_1)`, with the
/// `h_1` drawn in that sweep, to the mean over all chains. This is less noisy than counting the states themselves, with the same
/// expectation (Rao and Blackwell). The error of the mean falls with K; it does not show whether the chains had too few sweeps to forget
/// their start.
///
/// **Groups** are units that stand for the level of one value. The chains respect this: the missing units of a group are drawn together, at
/// level k with probability `softmax_k(sum of gap a)`, where `a` are the fields of the units that are high at k, and the probabilities that
/// are averaged are those of these levels. So they estimate `P(v_i high | v_known, every group stands for a level)`. If some units of a
/// group are known, the levels are those that agree with them.
///
/// **Exactly.** With one hidden layer and few missing cells, no chains are needed: the same probabilities are computed by summing over all
/// joint values of the missing cells, where this takes less arithmetic than the chains would. The completions are then exact draws.
///
/// **Several models** each fill the row, and the probabilities are averaged (a linear opinion pool; Stone 1961): errors of one that the
/// others do not share count less. Completion `c` comes from model `c` modulo the number of models.
///
/// Computed in plain arithmetic ([`Backend::Plain`]), with one stream per chain at ([`Purpose::Imputation`], row, chain): a row's numbers
/// depend only on the model, the row, its place in the data set and the settings. The page and the command give the same bits.
///
/// ```
/// use dbm_core::impute::{ImputeSettings, Imputer};
/// use dbm_core::{Dbm, Examples, Group, Units};
/// // Two visible units that a hidden one makes alike, and a category of two levels that nothing is known of.
/// let model = Dbm::new(Units::Signs, vec![vec![2.0, 2.0, 0.0, 0.0]], vec![vec![0.0; 4], vec![0.0]])?;
/// let data = Examples::from_bits(4, &[1, 0, 0, 0])?.with_gaps(&[1, 0, 0, 0])?.with_groups(vec![Group::one_hot(2..4)])?;
/// let imputer = Imputer::new(vec![model], ImputeSettings::default())?;
/// let high = imputer.fill(&data, 0)?.highs;
/// assert_eq!(high[0], 1.0);
/// assert!(high[1] > 0.9);
/// assert!((high[2] + high[3] - 1.0).abs() < 1e-6);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Imputer {
    models: Vec<Dbm>,
    settings: ImputeSettings,
}

/// Joint values of a row's missing cells that are always enumerated, and that are never.
const ENUMERATED: (usize, usize) = (256, 1 << 16);

/// One row with its gaps filled.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// The probability that each visible unit is high, `[n_0]`; 0 or 1 for a known one.
    pub highs: Vec<f32>,
    /// The final state of each chain, as bytes 0 and 1, `[K, n_0]`: each is one consistent answer.
    pub completions: Vec<u8>,
}

impl Imputer {
    /// For these models, of the same visible layer.
    ///
    /// # Errors
    /// [`DbmError::Setting`] for settings out of range and for no model; [`DbmError::Shape`] if the visible layers differ.
    pub fn new(models: Vec<Dbm>, settings: ImputeSettings) -> Result<Self, DbmError> {
        settings.check()?;
        within("models to fill gaps with", "at least one", 0.0, !models.is_empty())?;
        let n = models[0].n_visible();
        models.iter().try_for_each(|model| DbmError::check_shape("the visible layer of a model", n, model.n_visible()))?;
        let models = models.into_iter().map(|model| model.with_backend(Backend::Plain)).collect();
        Ok(Self { models, settings })
    }

    /// Fills one row.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if the data are not as wide as the visible layer, or have no such row.
    pub fn fill(&self, data: &Examples, row: usize) -> Result<Filled, DbmError> {
        let k = self.settings.completions as usize;
        data.check_width(self.models[0].n_visible())?;
        if row >= data.len() {
            return Err(DbmError::Shape { what: "the data set to fill in".into(), expected: row + 1, got: data.len() });
        }
        let (bits, known) = (data.row(row), data.known_row(row));
        if !known.contains(&false) {
            return Ok(Filled { highs: bits.iter().map(|&bit| f32::from(bit)).collect(), completions: bits.repeat(k) });
        }
        let missing = known.iter().filter(|known| !**known).count();
        let most = self.most_enumerated(missing);
        let by = |model: &Dbm| match Joint::of(model, data.groups(), &bits, &known, most) {
            Some(joint) => self.by_enumeration(&joint, &bits, row),
            None => self.by_chains(model, data.groups(), &bits, &known, row),
        };
        Ok(averaged(self.models.iter().map(by).collect(), bits.len()))
    }

    /// The most joint values of missing cells that are enumerated: a joint value takes a sum over the hidden units, a sweep of a chain two
    /// products with the missing units' weights, whose terms are cheaper.
    fn most_enumerated(&self, missing: usize) -> usize {
        let ImputeSettings { completions, sweeps, draws, .. } = self.settings;
        let all_sweeps = completions as usize * (sweeps as usize + draws as usize);
        all_sweeps.saturating_mul(missing / 4).clamp(ENUMERATED.0, ENUMERATED.1)
    }

    fn by_enumeration(&self, joint: &Joint, bits: &[u8], row: usize) -> Filled {
        let mut highs: Vec<f64> = bits.iter().map(|&bit| f64::from(bit)).collect();
        joint.add_highs(&mut highs);
        let k = self.settings.completions as usize;
        let mut completions = bits.repeat(k);
        let streams = Streams::new(self.settings.seed).of_chains(Purpose::Imputation, row as u64, 0..k as u64);
        completions.chunks_mut(bits.len()).zip(streams).for_each(|(bits, mut stream)| joint.draw(&mut stream, bits));
        // Rounding may leave a sum of probabilities just above 1.
        Filled { highs: highs.iter().map(|&high| high.min(1.0) as f32).collect(), completions }
    }

    /// Given what is known, the rest of the row and the hidden units are a machine of their own, in which only cells with gaps are left.
    fn by_chains(&self, model: &Dbm, groups: &[Group], bits: &[u8], known: &[bool], row: usize) -> Filled {
        let open: Vec<Group> =
            cells(groups, bits.len()).into_iter().filter(|cell| cell.units.clone().any(|unit| !known[unit])).collect();
        let units: Vec<usize> = open.iter().flat_map(|cell| cell.units.clone()).collect();
        let model = model.given(&units, |unit| bits[unit] == 1);
        let mut end = 0;
        let moved = |cell: Group| {
            end += cell.units.len();
            Group { units: end - cell.units.len()..end, ..cell }
        };
        let open: Vec<Group> = open.into_iter().map(moved).collect();
        let groups: Vec<Group> = open.iter().filter(|cell| !cell.is_single()).cloned().collect();
        let model = model.with_checked_groups(&groups.into());
        let clamped = |unit: usize| known[units[unit]].then_some(bits[units[unit]] == 1);
        let (sums, states) = self.chains(&model, &open, &clamped, row);
        let k = self.settings.completions as usize;
        let count = k as f64 * f64::from(self.settings.draws);
        let mut highs: Vec<f32> = bits.iter().map(|&bit| f32::from(bit)).collect();
        let mut completions = bits.repeat(k);
        for (place, &unit) in units.iter().enumerate().filter(|(_, unit)| !known[**unit]) {
            highs[unit] = (sums[place] / count) as f32;
            for (row, state) in completions.chunks_exact_mut(bits.len()).zip(states.chunks_exact(units.len())) {
                row[unit] = u8::from(state[place] > 0.5);
            }
        }
        Filled { highs, completions }
    }

    /// The sums of the probabilities of all sweeps that count, `[n_0]`, and the last states of all chains, `[K, n_0]`.
    fn chains(&self, model: &Dbm, cells: &[Group], clamped: &impl Fn(usize) -> Option<bool>, row: usize) -> (Vec<f64>, Vec<f32>) {
        let (n, k) = (model.n_visible(), self.settings.completions as usize);
        let values: Vec<f32> = (0..n).map(|unit| model.units().value(clamped(unit) == Some(true))).collect();
        let known: Vec<bool> = (0..n).map(|unit| clamped(unit).is_some()).collect();
        let mut chains = Chains::new(model, Matrix::from_vec(k, n, values.repeat(k)), Clamp::Known(known.repeat(k)));
        let mut streams = Streams::new(self.settings.seed).of_chains(Purpose::Imputation, row as u64, 0..k as u64);
        chains.randomize_all(model, &mut streams);
        let mut sums = vec![0.0; n];
        for sweep in 0..self.settings.sweeps + self.settings.draws {
            for parity in [Parity::Odd, Parity::Even] {
                half_gibbs(model, &mut chains, parity, &mut streams);
            }
            if sweep >= self.settings.sweeps {
                (0..k)
                    .filter_map(|chain| chains.field(0, chain))
                    .for_each(|fields| add_highs(model.units().gap(), cells, fields, clamped, &mut sums));
            }
        }
        (sums, chains.layer(0).data().to_vec())
    }
}

/// The mean of the probabilities, and of the completions in turn one from each.
fn averaged(mut all: Vec<Filled>, width: usize) -> Filled {
    if all.len() == 1 {
        return all.swap_remove(0);
    }
    let count = all.len();
    let mean = |unit: usize| (all.iter().map(|filled| f64::from(filled.highs[unit])).sum::<f64>() / count as f64) as f32;
    let highs = (0..width).map(mean).collect();
    let of = |(place, _): (usize, &[u8])| all[place % count].completions[place * width..(place + 1) * width].to_vec();
    let completions = all[0].completions.chunks_exact(width).enumerate().flat_map(of).collect();
    Filled { highs, completions }
}

/// Adds `P(high | h_1)` of each missing unit, from its field; a single unit is missing.
fn add_highs(gap: f32, cells: &[Group], fields: &[f32], clamped: &impl Fn(usize) -> Option<bool>, sums: &mut [f64]) {
    for cell in cells {
        if cell.is_single() {
            let unit = cell.units.start;
            sums[unit] += logistic(f64::from(gap) * f64::from(fields[unit]));
        } else {
            cell.highs(fields, gap, clamped, |unit, p| sums[unit] += p);
        }
    }
}
