//! How much memory a run takes, known before anything is allocated.

use crate::error::{counted, format_bytes};
use crate::gradient::{EstimatorKind, MAX_ROWS, SmcPath};
use crate::model::count_parameters;
use crate::pretrain::PretrainSettings;
use crate::settings::Setting;
use crate::train::{BLOCK_ROWS, SHARD};
use crate::{DbmError, Examples, Settings};

/// Bytes of an f32.
const F32: u128 = size_of::<f32>() as u128;

/// A vector that grows one row at a time takes up to twice the room it needs.
const GROWN: u128 = 2;

/// The most copies that layer-wise pretraining holds: the composed model, its transpose, and a velocity and a gradient of the largest
/// weight matrix.
const PRETRAINING_COPIES: u128 = 4;

/// Rungs counted for a ladder: half as many again as a 784-500 model was seen to need.
const RUNGS: u128 = 64;

/// Copies of the states of a rung's chains during a round: kept, handed out, in use with their fields, and handed back.
const RUNG_STATES: u128 = 5;

/// Per particle: its state and its means in the start, in two offers and in a coupling, and its state and fields in use, twice.
const PARTICLE_STATES: u128 = 12;

/// The most rows of an operand that a product's kernel packs at a time: slightly more than 512 were seen with AVX-512.
const PACKED_ROWS: u128 = 640;

/// The most memory that a [`crate::Trainer`] and its data take while it steps, in bytes.
///
/// With `n_l` units in layer `l`, `U = sum n_l`, `P = sum_l n_l n_{l+1} + U` parameters, batches of `B`, `N` examples, `t` threads, and 4
/// bytes per number:
///
/// - `copies`: `4 P c`, with c = 2 (the parameters and their transposed copy) plus one for each moment of the optimizer (SGD 0, with
///   momentum 1, **Adam 2**, AMSGrad 3) and for the average. So **Adam takes 4 copies**; layer-wise pretraining also takes 4, before there
///   is a trainer. An orthogonal or Gaussian start takes no more than its model: 2.
/// - `states`: `4 B` times what a chain keeps for the whole step: `n_0` for its example, and
///   `6 (n_0 + n_1 + max(n_0, n_1)) + 8 sum_{l>0} (n_l + n_{l+1} + max(n_l, n_{l+1}))` for the rows its two phases leave to the gradient
///   (three for `W_0`, four for each other `W_l`, in vectors that grow by doubling), with one side of each gathered once more for tables.
///   Then `4 min(B, 32 t)`, for the shards in progress, times `2 U + n_1 + 4 max n_l`: state, fields and drive of one phase at a time, and
///   rows gathered for products. In addition, for all B: `3 U` with persistent chains, `3 U` in mean field, `2 U + n_1 + n_0 / 4` for
///   proposals of masked chains. Gibbs couplings are long, and runs of `N` particles many, so they count with the most they may leave:
///   `4 ceil(B / 32) (4096 sum_l (n_l + n_{l+1} + 2 max(n_l, n_{l+1})) + P + 12 N U)`, with `N = 0` if there are no particles.
/// - For a ladder, 64 rungs are counted, each with two copies of the parameters and, for all B, `5 U`.
/// - `scratch`: `4 t (64 + 640) max n_l`: per thread, the gradient of 64 rows of a weight matrix, the operand that a product packs, and
///   vectors of a few layers.
/// - `data`: `N (ceil(n_0 / 8) + 8)`: packed bits, and the orders of this epoch and the next.
/// - If bits are drawn at every visit ([`crate::GreyLevels`]), a byte for each.
/// - If the data have gaps ([`Footprint::with_gaps`]), as many bytes again as the packed bits, for their marks; and for the states
///   `4 B (2 U + n_1 + n_0 / 2)`: marks, and proposals of chains that share their clamped units with no other.
///
/// This is the ordinary case. A Metropolis coupling that does not meet at once leaves more rows, up to 4096 for a shard of 32 chains and a
/// weight matrix; beyond that the shard's gradient of the matrix is multiplied out, which is one more copy of it. In wide models, where
/// memory matters, this does not happen.
///
/// ```
/// use dbm_core::{Footprint, Settings};
/// let run = Footprint::of(&[784, 1000, 500], &Settings::default(), 60_000, 4);
/// assert_eq!(run.parameters, 784 * 1000 + 1000 * 500 + 784 + 1000 + 500);
/// assert_eq!(run.copies, 4 * 4 * run.parameters);
/// assert!(run.check(8 << 30).is_ok());
/// let absurd = Footprint::of(&[usize::MAX; 4], &Settings::default(), 60_000, 4);
/// assert!(absurd.check(u128::MAX - 1).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Units in each layer.
    pub sizes: Vec<usize>,
    /// P: the number of weights and biases, not bytes.
    pub parameters: u128,
    /// For the parameters, their transposed copies, the optimizer's moments and the average.
    pub copies: u128,
    /// For the chains of one step.
    pub states: u128,
    /// For the scratch memory of all threads.
    pub scratch: u128,
    /// For the examples.
    pub data: u128,
}

impl Footprint {
    /// The footprint of a run on `examples` examples with this many threads. Nothing is checked: sizes may be absurd, and results saturate
    /// at the largest u128.
    pub fn of(sizes: &[usize], settings: &Settings, examples: usize, threads: usize) -> Self {
        let kind = settings.estimator.kind;
        let (units, visible, first) = layers(sizes);
        let triples = 3 * (u128::from(kind.descriptor().persistent) + u128::from(kind.has(Setting::MeanFieldSweeps)));
        let masked = total([(2, units), (1, first), (1, visible / 4 + 1)]);
        // Along temperatures only the lowest rung exists.
        let rungs = match kind {
            EstimatorKind::UcdSmc if settings.estimator.path == SmcPath::Temperatures => 1,
            kind => RUNGS * u128::from(kind.descriptor().has_ladder),
        };
        let rung_states = RUNG_STATES * rungs * u128::from(kind.descriptor().persistent);
        let besides = total([(triples + rung_states, units), (u128::from(settings.conditional > 0.0), masked)]);
        let copies = 2 + 2 * rungs + settings.optimizer.n_moments() as u128 + u128::from(settings.average.is_some());
        let mut run = Self::with_copies(sizes, copies, settings.batch, examples, threads, besides);
        if kind.has(Setting::MaxTries) || kind.has(Setting::Particles) {
            let rows = total(sizes.windows(2).map(|pair| (MAX_ROWS as u128, row_of_pair(pair, GROWN))));
            let shards = settings.batch.div_ceil(SHARD) as u128;
            let runs = u128::from(kind.has(Setting::Particles)) * PARTICLE_STATES * u128::from(settings.estimator.particles);
            run.states = total([(1, run.states), (F32 * shards, total([(1, rows), (1, run.parameters), (runs, units)]))]);
        }
        run
    }

    /// The footprint of a run on these examples, including the marks of known bits if they have gaps.
    pub fn of_data(sizes: &[usize], settings: &Settings, data: &Examples, threads: usize) -> Self {
        Self::of(sizes, settings, data.len(), threads).with_data(settings.batch, data)
    }

    /// The same, with what the data take in addition to their bits.
    fn with_data(self, batch: usize, data: &Examples) -> Self {
        let mut run = if data.has_gaps() { self.with_gaps(batch, data.len()) } else { self };
        run.data = total([(1, run.data), (1, data.greys().map_or(0, |greys| greys.levels().len() as u128))]);
        run
    }

    /// The same if the data have gaps, for batches of `batch`.
    ///
    /// ```
    /// use dbm_core::{Footprint, Settings};
    /// let settings = Settings::default();
    /// let whole = Footprint::of(&[784, 500], &settings, 60_000, 4);
    /// let gaps = whole.clone().with_gaps(settings.batch, 60_000);
    /// assert_eq!(gaps.data - whole.data, 60_000 * 98);
    /// assert!(gaps.states > whole.states);
    /// ```
    #[must_use]
    pub fn with_gaps(mut self, batch: usize, examples: usize) -> Self {
        let (units, visible, first) = layers(&self.sizes);
        let kept = total([(2, units), (1, first), (1, visible / 2 + 1)]);
        self.states = total([(1, self.states), (F32 * batch as u128, kept)]);
        self.data = total([(1, self.data), (examples as u128, visible.div_ceil(8))]);
        self
    }

    /// The footprint of layer-wise pretraining, before the trainer exists: the larger of the two is that of the whole run.
    pub fn of_pretraining(sizes: &[usize], settings: &PretrainSettings, data: &Examples) -> Self {
        // It has no shards, so all its chains are in progress. They are a few matrices of states and fields, fewer than in a gradient step.
        let threads = settings.batch.div_ceil(SHARD);
        let run = Self::with_copies(sizes, PRETRAINING_COPIES, settings.batch, data.len(), threads, 0);
        run.with_data(settings.batch, data)
    }

    fn with_copies(sizes: &[usize], copies: u128, batch: usize, examples: usize, threads: usize, besides: u128) -> Self {
        let parameters = count_parameters(sizes);
        let (units, visible, first) = layers(sizes);
        let widest = sizes.iter().copied().max().unwrap_or(0) as u128;
        let pairs = sizes.windows(2).enumerate();
        let rows = total(pairs.map(|(l, pair)| (GROWN * if l == 0 { 3 } else { 4 }, row_of_pair(pair, 1))));
        let kept = total([(1, visible), (1, rows), (1, besides)]);
        let in_work = total([(2, units), (1, first), (2 * GROWN, widest)]);
        let working = batch.min(threads.saturating_mul(SHARD)) as u128;
        Self {
            sizes: sizes.to_vec(),
            parameters,
            copies: total([(F32 * copies, parameters)]),
            states: total([(F32 * batch as u128, kept), (F32 * working, in_work)]),
            scratch: total([(F32 * threads as u128, total([(BLOCK_ROWS as u128 + PACKED_ROWS, widest)]))]),
            data: total([(examples as u128, visible.div_ceil(8) + 8)]),
        }
    }

    /// The sum of all parts, in bytes.
    pub fn total(&self) -> u128 {
        total([self.copies, self.states, self.scratch, self.data].map(|part| (1, part)))
    }

    /// The larger of the two.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if other.total() > self.total() { other } else { self }
    }

    /// Accepts a run that fits into `limit` bytes.
    ///
    /// # Errors
    /// [`DbmError::Memory`] with the size that it would need.
    pub fn check(&self, limit: u128) -> Result<(), DbmError> {
        if self.total() <= limit {
            return Ok(());
        }
        let names = self.sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join("-");
        let [all, copies, states, rest] =
            [self.total(), self.copies, self.states, total([(1, self.data), (1, self.scratch)])].map(format_bytes);
        let needs = format!(
            "a model of {names} needs {all} of memory to train: {copies} for its {} parameters with what the optimizer keeps of each, \
             {states} for the states of a batch, {rest} for data and scratch",
            counted(self.parameters)
        );
        Err(DbmError::Memory { needs, limit })
    }
}

/// Units in total, visible units, and units of the first hidden layer.
fn layers(sizes: &[usize]) -> (u128, u128, u128) {
    let of = |layer: usize| sizes.get(layer).map_or(0, |&size| size as u128);
    (total(sizes.iter().map(|&size| (1, size as u128))), of(0), of(1))
}

/// Numbers in a row of each of two layers, plus `more` times the larger of them.
fn row_of_pair(pair: &[usize], more: u128) -> u128 {
    pair[0] as u128 + pair[1] as u128 + more * pair[0].max(pair[1]) as u128
}

/// The sum of each part times its count, saturating.
fn total(parts: impl IntoIterator<Item = (u128, u128)>) -> u128 {
    parts.into_iter().fold(0, |sum, (times, part)| sum.saturating_add(part.saturating_mul(times)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OptimizerMethod, OptimizerSettings};

    #[test]
    fn copies_are_counted_by_optimizer_and_average() {
        let copies = |method, momentum, average| {
            let optimizer = OptimizerSettings { method, momentum, ..OptimizerSettings::default() };
            let run = Footprint::of(&[5, 4, 3], &Settings { optimizer, average, ..Settings::default() }, 10, 1);
            assert_eq!((run.parameters, run.copies % (4 * run.parameters)), (44, 0));
            run.copies / (4 * run.parameters)
        };
        assert_eq!([copies(OptimizerMethod::Sgd, 0.0, None), copies(OptimizerMethod::Sgd, 0.9, None)], [2, 3]);
        assert_eq!([copies(OptimizerMethod::Adam, 0.0, None), copies(OptimizerMethod::AmsGrad, 0.0, None)], [4, 5]);
        assert_eq!(copies(OptimizerMethod::Adam, 0.0, Some(0.99)), 5);
    }

    #[test]
    fn states_grow_with_the_batch_and_data_with_the_examples() {
        let of = |batch, examples| Footprint::of(&[784, 500], &Settings { batch, ..Settings::default() }, examples, 1);
        // One thread works on one shard of 32 chains at a time, however many chains there are.
        assert_eq!(of(1000, 7).states - of(900, 7).states, of(500, 7).states - of(400, 7).states);
        // By hand: example, states and fields, drive, gathered rows, rows of the gradient, and one side of these again.
        assert_eq!(of(1, 7).states, 4 * (784 + 2 * 1284 + 500 + 4 * 784 + 6 * (1284 + 784)));
        assert_eq!(of(1, 7).data, 7 * (98 + 8));
    }

    #[test]
    fn no_size_is_too_absurd_to_be_refused() {
        for sizes in [&[784, 4_000_000, 4_000_000][..], &[usize::MAX; 9], &[usize::MAX, 1, usize::MAX]] {
            let run = Footprint::of(sizes, &Settings { batch: usize::MAX, ..Settings::default() }, usize::MAX, usize::MAX);
            let run = run.with_gaps(usize::MAX, usize::MAX);
            let Err(DbmError::Memory { needs, limit }) = run.check(1 << 40) else { panic!("{sizes:?} was accepted") };
            assert!(limit == 1 << 40 && needs.contains(&format_bytes(run.total())), "{needs}");
        }
        let said = Footprint::of(&[784, 4_000_000], &Settings::default(), 10, 1).check(8_000_000_000).unwrap_err().to_string();
        for words in ["784-4000000", "3140000784 parameters", "GB of memory", "the limit is 8.0 GB", "smaller layers"] {
            assert!(said.contains(words), "no {words:?}: {said}");
        }
    }
}
