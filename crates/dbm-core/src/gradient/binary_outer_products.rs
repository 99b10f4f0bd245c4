//! The rows of all shards' moments for one weight matrix, sorted by which side is binary, so that tables can multiply them.

use super::Moments;
use crate::Units;
use crate::linalg::{Backend, Codes, Matrix, add_scaled};
use crate::vector::vectorized;
use std::ops::Range;

/// In layers with fewer units, building tables is not worthwhile.
const FEWEST_UNITS: usize = 16;

/// `alpha sum_r left_r right_r^T` over the rows of all shards.
///
/// A pair of rows is a state and its neighbour's means, or the other way round, or two states: at least one side takes only two values. Its
/// bits are the codes; the other side, times alpha and the magnitude of the binary one, gives the rows of a table product. Pairs of two
/// real rows (mean-field posteriors) stay as they are.
pub(crate) struct BinaryOuterProducts<'a> {
    alpha: f32,
    /// A bit for each unit of layer `l` and each pair; the right rows of the pairs, `[pairs, n_{l+1}]`.
    left_binary: (Codes, Matrix),
    /// A bit for each unit of layer `l + 1` and each pair; the left rows of the pairs, `[pairs, n_l]`.
    right_binary: (Codes, Matrix),
    /// Left and right rows of all other pairs.
    real: (Matrix, Matrix),
    /// What multiplies these: in a narrow layer the plain kernel, which costs little there and has the same bits on every machine.
    backend: Backend,
    /// Products computed earlier, `[n_l, n_{l+1}]`.
    dense: Vec<&'a Matrix>,
}

/// Which side of a pair of rows takes only two values, with its [`magnitude`].
#[derive(Clone, Copy)]
enum Binary {
    Left(f32),
    Right(f32),
    Neither,
}

impl Binary {
    /// Neither if finding out is not worthwhile.
    fn of(left: &[f32], right: &[f32], units: Units, worthwhile: bool) -> Self {
        let left = worthwhile.then(|| magnitude(units, left)).flatten().map(Self::Left);
        let right = || worthwhile.then(|| magnitude(units, right)).flatten().map(Self::Right);
        left.or_else(right).unwrap_or(Self::Neither)
    }
}

impl<'a> BinaryOuterProducts<'a> {
    /// Sorts the rows for `W_l` of all shards.
    pub fn new(shards: &'a [Moments], l: usize, units: Units, alpha: f32) -> Self {
        let (p, q) = (shards[0].pairs[l].0.columns(), shards[0].pairs[l].1.columns());
        let worthwhile = p.min(q) >= FEWEST_UNITS;
        let mut this = Self {
            alpha,
            left_binary: (Codes::new(p, units.values()), Matrix::zeros(0, q)),
            right_binary: (Codes::new(q, units.values()), Matrix::zeros(0, p)),
            real: (Matrix::zeros(0, p), Matrix::zeros(0, q)),
            backend: if worthwhile { Backend::Fast } else { Backend::Plain },
            dense: shards.iter().filter_map(|shard| shard.dense[l].as_ref()).collect(),
        };
        let rows = shards
            .iter()
            .map(|shard| &shard.pairs[l])
            .flat_map(|(left, right)| (0..left.rows()).map(|row| (left.row(row), right.row(row))));
        let pairs: Vec<_> = rows.map(|(left, right)| (left, right, Binary::of(left, right, units, worthwhile))).collect();
        let count = |is: fn(Binary) -> bool| pairs.iter().filter(|pair| is(pair.2)).count();
        this.left_binary.1.reserve_rows(count(|binary| matches!(binary, Binary::Left(_))));
        this.right_binary.1.reserve_rows(count(|binary| matches!(binary, Binary::Right(_))));
        for (left, right, binary) in pairs {
            match binary {
                Binary::Left(scale) => push_binary(&mut this.left_binary, left, right, scale, alpha),
                Binary::Right(scale) => push_binary(&mut this.right_binary, right, left, scale, alpha),
                Binary::Neither => {
                    this.real.0.push_row(left);
                    this.real.1.push_row(right);
                }
            }
        }
        this
    }

    /// `out +=` rows `from..` of the sum, as many as `out` holds; of its columns, those outside of this range are not needed.
    pub fn add_weight_rows(&self, from: usize, out: &mut [f32], needed: Range<usize>) {
        let q = self.real.1.columns();
        let p = out.len() / q;
        let whole = needed.len() == q;
        let (codes, right) = &self.left_binary;
        if whole {
            codes.add_product(out, from, right, needed.clone());
        } else {
            let mut part = Matrix::zeros(p, needed.len());
            codes.add_product(part.data_mut(), from, right, needed.clone());
            let parts = part.data().chunks_exact(needed.len().max(1));
            out.chunks_exact_mut(q).zip(parts).for_each(|(row, part)| add_scaled(&mut row[needed.clone()], 1.0, part));
        }
        let (codes, left) = &self.right_binary;
        if codes.inputs > 0 {
            let mut transposed = Matrix::zeros(q, p);
            codes.add_product(&mut transposed.data_mut()[needed.start * p..needed.end * p], needed.start, left, from..from + p);
            transposed.add_transpose_to(out);
        }
        self.backend.add_outer_products(out, self.alpha, &self.real.0, from, &self.real.1);
        for dense in &self.dense {
            add_scaled(out, self.alpha, &dense.data()[from * q..][..out.len()]);
        }
    }
}

/// Adds `bits x real^T`, where `bits` takes the values `low` and `high` times `scale`.
fn push_binary((codes, rows): &mut (Codes, Matrix), bits: &[f32], real: &[f32], scale: f32, alpha: f32) {
    vectorized(
        #[inline(always)]
        || codes.push(bits, |value| value == scale),
    );
    rows.push_row(real);
    rows.last_row_mut().iter_mut().for_each(|x| *x *= alpha * scale);
}

/// The common factor of a row whose values are all low or high times that factor, or nothing if there is none.
fn magnitude(units: Units, row: &[f32]) -> Option<f32> {
    let (low, high) = units.values();
    // The value of a high unit; for signs, that of any unit, since the low of one sign is the high of the other.
    let scale = row.iter().copied().find(|&x| x != 0.0).unwrap_or(1.0);
    let (low, high) = (low * scale, high * scale);
    // Counted rather than searched for, so that it becomes vector code.
    let fits = |values: &[f32]| values.iter().map(|&x| u32::from(x != low && x != high)).sum::<u32>() == 0;
    // A few values suffice to recognize means.
    let (some, rest) = row.split_at(row.len().min(8));
    let fits = fits(some)
        && vectorized(
            #[inline(always)]
            || fits(rest),
        );
    (fits && scale.is_finite()).then_some(scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gradient::Phase;
    use crate::init;

    /// Integer states, and means that are multiples of a quarter: every product and sum here is exact.
    fn layers(sizes: &[usize], units: Units, binary: bool, seed: usize) -> Vec<Vec<f32>> {
        let hash = |l: usize, i: usize| (seed * 7919 + l * 104_729 + i * 31 + i * i * seed) / 5 % 97;
        let value =
            |x: usize| if binary { units.value(x.is_multiple_of(2)) } else { units.low() + units.gap() * 0.25 * (x % 5) as f32 };
        sizes.iter().enumerate().map(|(l, &n)| (0..n).map(|i| value(hash(l, i))).collect()).collect()
    }

    #[test]
    fn rows_by_tables_sum_to_what_the_moments_do() {
        for units in [Units::Signs, Units::Bits] {
            for sizes in [[101, 64, 70], [48, 97, 48], [5, 3, 200]] {
                let model = init::gaussian(&sizes, units, 0.1, 1).unwrap();
                let mut shards = vec![Moments::new(&model), Moments::new(&model)];
                for seed in 0..90 {
                    let (state, means) = (layers(&sizes, units, true, seed), layers(&sizes, units, false, seed));
                    let (shard, phase) = (&mut shards[seed / 37 % 2], [Phase::Positive, Phase::Negative][seed % 2]);
                    match seed % 5 {
                        0 => shard.push_marginal(phase, 1.0, &state, &means, false),
                        1 => shard.push_marginal(phase, -2.0, &state, &means, true),
                        2 => shard.push(phase, 0.5, &state),
                        3 => shard.push(phase, 1.0, &means),
                        _ => shard.push(phase, 1.0, &[&state[0], &means[1], &state[2]]),
                    }
                }
                for l in 0..2 {
                    let gathered = BinaryOuterProducts::new(&shards, l, units, 0.25);
                    let (p, q) = (sizes[l], sizes[l + 1]);
                    for (from, rows) in [(0, p), (p / 3, p / 2), (p - 1, 1)] {
                        let (mut fast, mut plain) = (vec![1.0; rows * q], vec![1.0; rows * q]);
                        gathered.add_weight_rows(from, &mut fast, 0..q);
                        shards.iter().for_each(|shard| shard.add_weight_rows(Backend::Plain, l, from, 0.25, &mut plain));
                        assert_eq!(fast, plain, "{units:?}, W_{l} of {sizes:?}, {rows} rows from {from}");
                    }
                    if p.min(q) >= FEWEST_UNITS {
                        let (left, right) = (gathered.left_binary.0.inputs, gathered.right_binary.0.inputs);
                        assert_eq!((left, right, gathered.real.0.rows()), [(72, 18, 18), (54, 54, 18)][l]);
                    }
                }
            }
        }
    }

    #[test]
    fn only_rows_of_two_values_in_the_right_proportion_are_binary() {
        assert_eq!(magnitude(Units::Bits, &[0.0, -0.5, 0.0]), Some(-0.5));
        assert_eq!(magnitude(Units::Signs, &[-0.5, 0.5]).map(f32::abs), Some(0.5));
        assert_eq!(magnitude(Units::Bits, &[0.5, -0.5]), None);
        assert_eq!(magnitude(Units::Signs, &[0.5, 0.0]), None);
        assert_eq!(magnitude(Units::Signs, &[0.0, 0.0]), None);
        assert_eq!(magnitude(Units::Signs, &[f32::NAN, f32::NAN]), None);
        assert_eq!(magnitude(Units::Bits, &[f32::INFINITY, 0.0]), None);
        let mut long = vec![1.0; 100];
        long[99] = 0.99;
        assert_eq!(magnitude(Units::Signs, &long), None);
    }
}
