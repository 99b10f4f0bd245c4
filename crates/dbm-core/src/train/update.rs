//! One step's update of the weights, block by block: the gradient is never stored whole.

use crate::centered::Centering;
use crate::gradient::{BinaryOuterProducts, Moments};
use crate::host::Host;
use crate::linalg::TABLES_PAY;
use crate::optimize::OptimizerRule;
use crate::vector::vectorized;
use crate::{Backend, Dbm};

/// Rows of a weight matrix whose gradient is made and applied at a time.
pub(crate) const BLOCK_ROWS: usize = 64;

/// The largest magnitude, or NaN where there is one.
pub(super) fn magnitude(values: &[f32]) -> f32 {
    // In lanes, so that one comparison need not wait for the one before.
    const LANES: usize = 16;
    let lanes = vectorized(
        #[inline(always)]
        || {
            let mut lanes = [0.0; LANES];
            let (blocks, rest) = values.as_chunks::<LANES>();
            rest.iter().zip(&mut lanes).for_each(|(x, lane)| *lane = larger(*lane, x.abs()));
            for block in blocks {
                for i in 0..LANES {
                    lanes[i] = larger(lanes[i], block[i].abs());
                }
            }
            lanes
        },
    );
    lanes.into_iter().fold(0.0, larger)
}

/// As `f32::max`, which would drop a NaN.
#[inline(always)]
#[allow(clippy::inline_always)] // for the vector unit: see `vectorized`
pub(super) fn larger(a: f32, b: f32) -> f32 {
    if b.is_nan() || b > a { b } else { a }
}

/// Cuts tensors of one length into parallel pieces of at most `size`.
pub(super) fn split<'a>(mut tensors: Vec<&'a mut [f32]>, size: usize, mut each: impl FnMut(usize, Vec<&'a mut [f32]>)) {
    let mut start = 0;
    while !tensors[0].is_empty() {
        let here = size.min(tensors[0].len());
        let (pieces, rest) = tensors.into_iter().map(|tensor| tensor.split_at_mut(here)).unzip();
        each(start, pieces);
        tensors = rest;
        start += here;
    }
}

/// Rows `from..` of one weight matrix, of its moments, and last, where it is kept, of its average.
pub(super) struct Block<'a> {
    pub l: usize,
    pub from: usize,
    pub tensors: Vec<&'a mut [f32]>,
}

/// What the gradient of a block is made of.
pub(super) enum Source<'a> {
    /// Shard by shard, in the order of the formula.
    Shards { shards: &'a [Moments], backend: Backend, alpha: f32 },
    /// The rows of all shards together, for each weight matrix, by tables.
    BinaryOuterProducts(Vec<BinaryOuterProducts<'a>>),
}

impl<'a> Source<'a> {
    /// `alpha` times the sum over the shards.
    pub fn new(shards: &'a [Moments], model: &Dbm, alpha: f32, host: &impl Host) -> Self {
        if TABLES_PAY && model.backend() == Backend::Fast {
            let gather = |l| BinaryOuterProducts::new(shards, l, model.units(), alpha);
            return Self::BinaryOuterProducts(host.map((0..model.depth()).collect(), gather));
        }
        Self::Shards { shards, backend: model.backend(), alpha }
    }

    fn add_weight_rows(&self, l: usize, from: usize, out: &mut [f32]) {
        match self {
            Self::Shards { shards, backend, alpha } => {
                shards.iter().for_each(|shard| shard.add_weight_rows(*backend, l, from, *alpha, out));
            }
            Self::BinaryOuterProducts(gathered) => gathered[l].add_weight_rows(from, out),
        }
    }
}

/// What one step does to every block.
pub(super) struct Step<'a> {
    pub gradient: Source<'a>,
    pub rule: OptimizerRule,
    pub decay: f32,
    pub centering: Option<&'a Centering>,
    pub bias_gradients: Vec<Vec<f32>>,
}

/// What became of a block.
pub(super) struct Applied {
    /// The largest magnitude of its parameters.
    pub largest: f32,
    pub gradient_seconds: f64,
    pub optimizer_seconds: f64,
}

impl Step<'_> {
    /// Makes a block's gradient and applies it.
    pub fn apply(&self, mut block: Block, clock: &dyn Fn() -> f64) -> Applied {
        let started = clock();
        let (values, rest) = block.tensors.split_first_mut().expect("the parameters come first");
        let mut gradient = vec![0.0; values.len()];
        self.gradient.add_weight_rows(block.l, block.from, &mut gradient);
        if let Some(centering) = self.centering {
            centering.correct(block.l, block.from, &self.bias_gradients, &mut gradient);
        }
        let made = clock();
        let (moments, kept) = rest.split_at_mut(self.rule.n_moments());
        self.rule.apply(values, &mut gradient, moments, true);
        if let [kept] = kept {
            average(kept, values, self.decay);
        }
        let largest = magnitude(values);
        Applied { largest, gradient_seconds: made - started, optimizer_seconds: clock() - made }
    }
}

/// Moves an average towards the values.
pub(super) fn average(average: &mut [f32], values: &[f32], decay: f32) {
    average.iter_mut().zip(values).for_each(|(a, &x)| *a += (1.0 - decay) * (x - *a));
}
