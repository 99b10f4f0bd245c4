//! Probabilities of single bits and of pairs across the halves.

use super::bipartition::{Bipartition, Place};
use super::enumerate::for_each_state;
use super::sum;
use crate::Dbm;

/// Expectations of `-dE/dtheta` under p(free units | clamped ones), with the log of the sum of `exp(-E)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// `log sum exp(-E)` over the free units: log Z if nothing is clamped.
    pub log_sum: f64,
    /// `E[s_l s_{l+1}^T]: [n_l, n_{l+1}]`, row-major.
    pub weights: Vec<Vec<f64>>,
    /// `E[s_l]: [n_l]`; clamped units at their values.
    pub biases: Vec<Vec<f64>>,
}

impl Expectation {
    /// All values in one vector, in the order of [`super::gradient`].
    pub fn flat(self) -> Vec<f64> {
        self.weights.into_iter().chain(self.biases).flatten().collect()
    }
}

/// Levels of the tree whose sums are flushed together.
const LEVELS_TOGETHER: u32 = 12;

/// Expectations of the bits of both halves.
pub(super) struct Moments {
    log_sum: f64,
    /// Row `i`: `P(x_i y_j = 1)` for all summed bits `j`, then `P(x_i = 1)`; the last row: `P(y_j = 1)`, then 1.
    table: Vec<f64>,
    columns: usize,
}

impl Moments {
    /// Two walks: one for the sum of all weights, one for their shares of it.
    pub fn of(halves: &Bipartition) -> Self {
        let sum = sum::over(halves);
        let width = halves.width();
        let mut tree = Tree::new(halves.enumerated.len(), width + 1);
        for_each_state(
            halves,
            #[inline(always)]
            |state| {
                let share = sum.share(state.log_weight);
                state.write_highs(share, &mut tree.carry[..width]);
                tree.carry[width] = share;
                tree.add_carry(state.count);
            },
        );
        Self { log_sum: sum.log(), table: tree.finish(), columns: width + 1 }
    }

    /// `P(high)` of the unit represented so.
    pub fn high(&self, place: &Place) -> f64 {
        let everything = self.table.len() - self.columns;
        match *place {
            Place::Clamped(value) => f64::from(u8::from(value > 0.0)),
            Place::Enumerated(i) => self.table[(i + 1) * self.columns - 1],
            Place::Summed(j) => self.table[everything + j],
        }
    }

    /// The same as values of the model's units.
    pub fn expectation(&self, model: &Dbm, halves: &Bipartition) -> Expectation {
        let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
        let mean = |place: &Place| match place {
            Place::Clamped(value) => *value,
            _ => low + gap * self.high(place),
        };
        let product = |lower: &Place, upper: &Place| match (lower, upper) {
            (&Place::Enumerated(i), &Place::Summed(j)) | (&Place::Summed(j), &Place::Enumerated(i)) => {
                let both = self.table[i * self.columns + j];
                low * low + low * gap * (self.high(lower) + self.high(upper)) + gap * gap * both
            }
            // One of the two is clamped.
            _ => mean(lower) * mean(upper),
        };
        let products = |pair: &[Vec<Place>]| -> Vec<f64> {
            pair[0].iter().flat_map(|lower| pair[1].iter().map(move |upper| product(lower, upper))).collect()
        };
        Expectation {
            log_sum: self.log_sum,
            weights: halves.places.windows(2).map(products).collect(),
            biases: halves.places.iter().map(|layer| layer.iter().map(mean).collect()).collect(),
        }
    }
}

/// Sums of rows, one row for each state of a walk: over all states, and for each bit over the states in which it is high.
///
/// Rows are added in pairs, pairs of pairs and so on, as deep as a binary counter. Bit `k` is high in exactly one half of every pair at
/// level `k`, so that half is its next contribution. This takes about two additions per state, whatever the number of bits, and no
/// differences; rounding grows with the number of bits, not of states.
struct Tree {
    columns: usize,
    /// The row to add next.
    carry: Vec<f64>,
    /// The first halves that wait for their second halves, level by level.
    waiting: Vec<f64>,
    /// For each bit, the sum where it is high.
    highs: Vec<f64>,
    /// Contributions to `highs` not yet flushed.
    recent: Vec<f64>,
}

impl Tree {
    fn new(bits: usize, columns: usize) -> Self {
        let rows = || vec![0.0; bits * columns];
        Self { columns, carry: vec![0.0; columns], waiting: rows(), highs: rows(), recent: rows() }
    }

    /// Adds `carry` as the row of the `count`-th state in Gray code order.
    #[inline(always)]
    fn add_carry(&mut self, count: u32) {
        let columns = self.columns;
        for level in 0..count.trailing_ones() {
            let row = level as usize * columns..(level as usize + 1) * columns;
            let (first, high) = (&self.waiting[row.clone()], &mut self.recent[row]);
            // Bit `level` of the Gray code, in this second half of the pair.
            add(high, if count >> (level + 1) & 1 == 0 { &self.carry } else { first });
            add(&mut self.carry, first);
        }
        let level = count.trailing_ones() as usize;
        // After the very last state, the total stays in `carry`.
        if let Some(waiting) = self.waiting.get_mut(level * columns..(level + 1) * columns) {
            waiting.copy_from_slice(&self.carry);
        }
        if count.trailing_ones() >= LEVELS_TOGETHER {
            self.put_by();
        }
    }

    fn put_by(&mut self) {
        add(&mut self.highs, &self.recent);
        self.recent.fill(0.0);
    }

    /// The sums where each bit is high, then the total.
    fn finish(mut self) -> Vec<f64> {
        self.put_by();
        self.highs.extend(&self.carry);
        self.highs
    }
}

#[inline(always)]
fn add(out: &mut [f64], row: &[f64]) {
    for (x, &y) in out.iter_mut().zip(row) {
        *x += y;
    }
}
