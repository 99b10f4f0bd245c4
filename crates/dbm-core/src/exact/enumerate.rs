//! The walk over all states of the enumerated half in Gray code order: each step flips one bit.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::bipartition::{Bipartition, LANES, Levels};
use crate::math::exp_below_zero;
use crate::vector::dispatch;

/// States between two computations of the fields from scratch, so that rounding does not accumulate.
const BLOCK: u32 = 1 << 8;

/// Factors of at most 2 that are multiplied before a logarithm is taken; their product is far from overflow.
const FACTORS: usize = 512;

/// A state of the enumerated half, with what it implies for the other half.
pub(super) struct State<'a> {
    /// Its number in the walk, counted from 0.
    pub count: u32,
    /// `log sum exp(-E)` over the other half.
    pub log_weight: f64,
    /// The fields of the other half's bits: `[width]`.
    fields: &'a [f64],
    /// `exp(-|field|)` for each field.
    tails: &'a [f64],
    /// Groups of the other half's bits.
    groups: &'a [Levels],
}

impl State<'_> {
    /// Writes `scale P(bit high | this state)` for each bit of the summed half.
    #[inline(always)]
    pub fn write_highs(&self, scale: f64, into: &mut [f64]) {
        for ((high, &field), &tail) in into.iter_mut().zip(self.fields).zip(self.tails) {
            *high = scale * (if field >= 0.0 { 1.0 } else { tail } / (1.0 + tail));
        }
        self.groups.iter().for_each(|group| group.write_highs(scale, self.fields, into));
    }
}

/// Calls `each` with every state of the enumerated half, all bits low first. If marked `#[inline(always)]`, `each` is compiled for the
/// vector unit found at run time.
pub(super) fn for_each_state(halves: &Bipartition, mut each: impl FnMut(&State)) {
    let states = 1_u32 << halves.enumerated.len();
    let (mut fields, mut tails) = (vec![0.0; halves.width()], vec![0.0; halves.width()]);
    for start in (0..states).step_by(BLOCK as usize) {
        let counts = start..(start + BLOCK).min(states);
        dispatch(Block { halves, counts, fields: &mut fields, tails: &mut tails, each: &mut each });
    }
}

/// A part of the walk; its fields are computed from scratch only at its beginning.
struct Block<'a, F> {
    halves: &'a Bipartition,
    counts: Range<u32>,
    fields: &'a mut [f64],
    tails: &'a mut [f64],
    each: &'a mut F,
}

// A closure would work, but would not be inlined into the code compiled for the vector unit.
impl<F: FnMut(&State)> WithSimd for Block<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { halves, counts, fields, tails, each } = self;
        let start = counts.start;
        let mut linear = place(halves, gray(start), fields);
        for count in counts {
            if count > start {
                flip(halves, gray(count), count.trailing_zeros() as usize, &mut linear, fields);
            }
            let mut log_weight = linear + log_sums(fields, tails);
            let groups = halves.groups_of(false);
            log_weight += groups.iter().map(|group| group.excess(fields)).sum::<f64>();
            // A state in which a group is at no level does not exist.
            if !halves.groups_of(true).iter().all(|group| group.has(gray(count))) {
                log_weight = f64::NEG_INFINITY;
            }
            each(&State { count, log_weight, fields, tails, groups });
        }
    }
}

/// The `count`-th word of the Gray code, which differs from the one before in the bit given by the trailing zeros of `count`.
fn gray(count: u32) -> u32 {
    count ^ (count >> 1)
}

/// Computes the fields of a state from scratch, and returns the terms that do not involve the other half.
#[inline(always)]
fn place(halves: &Bipartition, code: u32, fields: &mut [f64]) -> f64 {
    let mut linear = halves.constant;
    fields.copy_from_slice(&halves.summed);
    for bit in (0..halves.enumerated.len()).filter(|bit| code >> bit & 1 == 1) {
        flip(halves, code, bit, &mut linear, fields);
    }
    linear
}

/// Updates the fields from `code` without bit `bit` set to those of `code`, whose bit may be high or low there.
#[inline(always)]
fn flip(halves: &Bipartition, code: u32, bit: usize, linear: &mut f64, fields: &mut [f64]) {
    let sign = if code >> bit & 1 == 1 { 1.0 } else { -1.0 };
    *linear += sign * halves.enumerated[bit];
    let row = &halves.pairs[bit * fields.len()..(bit + 1) * fields.len()];
    for (field, &pair) in fields.iter_mut().zip(row) {
        *field += sign * pair;
    }
}

/// `sum_j log(1 + exp(a_j))` as `sum_j max(a_j, 0) + log prod_j (1 + exp(-|a_j|))`; leaves `exp(-|a_j|)` in `tails`.
#[inline(always)]
fn log_sums(fields: &[f64], tails: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for (fields, tails) in fields.chunks(FACTORS).zip(tails.chunks_mut(FACTORS)) {
        for (tail, field) in tails.iter_mut().zip(fields) {
            *tail = exp_below_zero(-field.abs());
        }
        // The number of lanes is fixed, so that the result does not depend on the vector unit.
        let (mut sums, mut products) = ([0.0; LANES], [1.0; LANES]);
        for (fields, tails) in fields.chunks_exact(LANES).zip(tails.chunks_exact(LANES)) {
            for lane in 0..LANES {
                sums[lane] += fields[lane].max(0.0);
                products[lane] *= 1.0 + tails[lane];
            }
        }
        sum += sums.iter().sum::<f64>() + libm::log(products.iter().product());
    }
    sum
}
