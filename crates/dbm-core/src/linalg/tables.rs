//! Products of binary states by tables of partial sums: an addition for four inputs instead of four multiply-adds.
//!
//! The "method of four Russians" (Arlazarov, Dinic, Kronrod and Faradzhev 1970). `out[i] += sum_t x_it r_t` with `x_it` one of two
//! values `low` and `low + gap`: four rows `r_t` have only 16 sums, `T[p] = low (r_0 + r_1 + r_2 + r_3) + gap (those whose bit is set in p)`,
//! each one addition from another; and every `i` adds the one its four bits name. The tables of a block of columns stay in the first-level cache.
//!
//! An entry of `out` is a sum in the order of `t`, four at a time, without fused multiply-adds: its bits depend neither on the vector
//! unit nor on what else is computed beside it.

use super::Matrix;
use crate::vector::vectorized;
use std::ops::Range;

/// Columns whose tables are made at a time, as many as is fastest with the registers of the vector unit.
const BLOCK: usize = if cfg!(target_arch = "wasm32") { 16 } else { 32 };
/// Inputs that share a table, and entries of one.
const GROUP: usize = 4;
const ENTRIES: usize = 1 << GROUP;
/// Inputs in a word of codes, and tables made for one.
const WORD: usize = 32;
const TABLES: usize = WORD / GROUP;

type Table = [[f32; BLOCK]; ENTRIES];

/// Whether tables are faster than `gemm`: in wasm, which has no fused multiply-add. With AVX-512 a product of 100 rows gains a tenth, one of 12 loses a
/// quarter, and outer products, sorted and transposed, take as long as `gemm`'s.
pub(crate) const PAY: bool = cfg!(target_arch = "wasm32");

/// Rows of `out` from which on the making of tables is repaid, where they pay at all.
const WORTHWHILE_ROWS: usize = 8;

/// Whether tables are the faster way to so many rows and columns.
pub(super) fn worth(rows: usize, columns: usize) -> bool {
    PAY && rows >= WORTHWHILE_ROWS && columns >= BLOCK
}

/// Some columns of a row-major matrix.
#[derive(Clone, Copy)]
struct Columns<'a> {
    data: &'a [f32],
    /// Columns of the whole matrix.
    width: usize,
    from: usize,
}

impl<'a> Columns<'a> {
    #[inline(always)]
    fn block(&self, row: usize, column: usize) -> &'a [f32; BLOCK] {
        let start = row * self.width + self.from + column;
        self.data[start..start + BLOCK].try_into().expect("a block")
    }
}

/// Binary inputs, a bit each: bit `t % 32` of `words[t / 32 * rows + i]` says whether input `t` of row `i` is high.
#[derive(Clone, Debug, Default)]
pub struct Codes {
    rows: usize,
    /// How many inputs.
    pub inputs: usize,
    words: Vec<u32>,
}

impl Codes {
    /// No inputs yet, for so many rows.
    pub fn new(rows: usize) -> Self {
        Self { rows, inputs: 0, words: Vec::new() }
    }

    /// Adds an input: high in those rows where `high` says so of the row's value.
    ///
    /// # Panics
    /// If there is not one value a row.
    #[inline(always)]
    pub fn push(&mut self, values: &[f32], high: impl Fn(f32) -> bool) {
        assert_eq!(values.len(), self.rows);
        if self.inputs.is_multiple_of(WORD) {
            self.words.resize(self.words.len() + self.rows, 0);
        }
        let (last, place) = (self.words.len() - self.rows, self.inputs % WORD);
        for (word, &value) in self.words[last..].iter_mut().zip(values) {
            *word |= u32::from(high(value)) << place;
        }
        self.inputs += 1;
    }

    /// Those of `states: [rows, inputs]`, or nothing where some value is neither `low` nor `high`.
    pub(super) fn of_states(states: &[f32], inputs: usize, low: f32, high: f32) -> Option<Self> {
        let rows = states.len() / inputs;
        let mut words = vec![0; inputs.div_ceil(WORD) * rows];
        let mut strange = 0;
        vectorized(
            #[inline(always)]
            || {
                for (i, row) in states.chunks_exact(inputs).enumerate() {
                    for (w, values) in row.chunks(WORD).enumerate() {
                        let mut word = 0;
                        for (place, &value) in values.iter().enumerate() {
                            word |= u32::from(value == high) << place;
                            strange |= u32::from(value != low && value != high);
                        }
                        words[w * rows + i] = word;
                    }
                }
            },
        );
        (strange == 0).then_some(Self { rows, inputs, words })
    }

    /// `out += X R` with `X: [m, k]` the values, `low` or `high`, of rows `from..from + m` in all `k` inputs, `R: [k, n]` these columns of `right`, and
    /// `out: [m, n]`, row-major.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn add_product(&self, out: &mut [f32], from: usize, right: &Matrix, columns: Range<usize>, (low, high): (f32, f32)) {
        let n = columns.len();
        if out.is_empty() || self.inputs == 0 {
            return;
        }
        let m = out.len() / n;
        assert_eq!((out.len(), right.rows()), (m * n, self.inputs), "[{m}, {}] times [{}, {n}]", self.inputs, self.inputs);
        assert!(from + m <= self.rows && columns.end <= right.columns(), "rows {from}.. and columns {columns:?} of a product");
        let right = Columns { data: right.data(), width: right.columns(), from: columns.start };
        add_product(out, self, from, right, n, low, high - low);
    }
}

/// `out += X R`, as [`Codes::add_product`] says.
fn add_product(out: &mut [f32], codes: &Codes, from: usize, right: Columns, n: usize, low: f32, gap: f32) {
    let m = out.len() / n;
    let whole = n / BLOCK * BLOCK;
    if whole < n {
        // The last columns are computed as a block of their own, which begins in columns that are already done where it can: of these, nothing is kept.
        let start = n.saturating_sub(BLOCK);
        let mut last = vec![0.0; m * BLOCK];
        for (last, row) in last.chunks_exact_mut(BLOCK).zip(out.chunks_exact(n)) {
            last[..n - start].copy_from_slice(&row[start..]);
        }
        if n < BLOCK {
            let mut padded = vec![0.0; codes.inputs * BLOCK];
            for (padded, row) in padded.chunks_exact_mut(BLOCK).zip(right.data.chunks_exact(right.width)) {
                padded[..n].copy_from_slice(&row[right.from..right.from + n]);
            }
            add_blocks(&mut last, BLOCK, codes, from, Columns { data: &padded, width: BLOCK, from: 0 }, BLOCK, low, gap);
        } else {
            add_blocks(&mut last, BLOCK, codes, from, Columns { from: right.from + start, ..right }, BLOCK, low, gap);
        }
        for (last, row) in last.chunks_exact(BLOCK).zip(out.chunks_exact_mut(n)) {
            row[whole..].copy_from_slice(&last[whole - start..n - start]);
        }
    }
    add_blocks(out, n, codes, from, right, whole, low, gap);
}

/// Whole blocks of columns: the first `n` of the `width` of `out`.
#[allow(clippy::too_many_arguments)] // a product's shape
fn add_blocks(out: &mut [f32], width: usize, codes: &Codes, from: usize, right: Columns, n: usize, low: f32, gap: f32) {
    let m = out.len() / width;
    let mut tables = [[[0.0; BLOCK]; ENTRIES]; TABLES];
    vectorized(
        #[inline(always)]
        || {
            for (w, words) in codes.words.chunks_exact(codes.rows).enumerate() {
                let (words, first) = (&words[from..from + m], w * WORD);
                let inputs = (codes.inputs - first).min(WORD);
                for column in (0..n).step_by(BLOCK) {
                    if inputs == WORD {
                        for (g, table) in tables.iter_mut().enumerate() {
                            make(table, std::array::from_fn(|i| *right.block(first + g * GROUP + i, column)), low, gap);
                        }
                        look_up(out, width, column, words, &tables);
                    } else {
                        let groups = inputs.div_ceil(GROUP);
                        for (g, table) in tables[..groups].iter_mut().enumerate() {
                            let rows = std::array::from_fn(|i| {
                                let t = g * GROUP + i;
                                if t < inputs { *right.block(first + t, column) } else { [0.0; BLOCK] }
                            });
                            make(table, rows, low, gap);
                        }
                        for (g, table) in tables[..groups].iter().enumerate() {
                            look_up_one(out, width, column, words, g * GROUP, table);
                        }
                    }
                }
            }
        },
    );
}

/// All sums of four rows. These are values, so that the table cannot lie where they do, and all is written out, or there would be no vector code.
#[inline(always)]
fn make(table: &mut Table, rows: [[f32; BLOCK]; GROUP], low: f32, gap: f32) {
    for j in 0..BLOCK {
        let none = low * (rows[0][j] + rows[1][j] + rows[2][j] + rows[3][j]);
        let [a, b, c, d] = [gap * rows[0][j], gap * rows[1][j], gap * rows[2][j], gap * rows[3][j]];
        let two = [none, none + a, none + b, none + a + b];
        let three = [two[0] + c, two[1] + c, two[2] + c, two[3] + c];
        table[0][j] = two[0];
        table[1][j] = two[1];
        table[2][j] = two[2];
        table[3][j] = two[3];
        table[4][j] = three[0];
        table[5][j] = three[1];
        table[6][j] = three[2];
        table[7][j] = three[3];
        table[8][j] = two[0] + d;
        table[9][j] = two[1] + d;
        table[10][j] = two[2] + d;
        table[11][j] = two[3] + d;
        table[12][j] = three[0] + d;
        table[13][j] = three[1] + d;
        table[14][j] = three[2] + d;
        table[15][j] = three[3] + d;
    }
}

/// Adds to a block of columns of each row what its codes name, all tables of a word at a pass. Table by table and written out: the registers then suffice.
#[inline(always)]
fn look_up(out: &mut [f32], width: usize, column: usize, words: &[u32], tables: &[Table; TABLES]) {
    for (row, &word) in out.chunks_exact_mut(width).zip(words) {
        let place: &mut [f32; BLOCK] = (&mut row[column..column + BLOCK]).try_into().expect("a block");
        // A copy, which cannot overlap the tables.
        let mut sums = *place;
        add_entry(&mut sums, &tables[0], word);
        add_entry(&mut sums, &tables[1], word >> 4);
        add_entry(&mut sums, &tables[2], word >> 8);
        add_entry(&mut sums, &tables[3], word >> 12);
        add_entry(&mut sums, &tables[4], word >> 16);
        add_entry(&mut sums, &tables[5], word >> 20);
        add_entry(&mut sums, &tables[6], word >> 24);
        add_entry(&mut sums, &tables[7], word >> 28);
        *place = sums;
    }
}

/// As [`look_up`], from one table, whose codes begin at bit `shift`.
#[inline(always)]
fn look_up_one(out: &mut [f32], width: usize, column: usize, words: &[u32], shift: usize, table: &Table) {
    for (row, &word) in out.chunks_exact_mut(width).zip(words) {
        let place: &mut [f32; BLOCK] = (&mut row[column..column + BLOCK]).try_into().expect("a block");
        let mut sums = *place;
        add_entry(&mut sums, table, word >> shift);
        *place = sums;
    }
}

#[inline(always)]
fn add_entry(sums: &mut [f32; BLOCK], table: &Table, code: u32) {
    let entry = &table[code as usize % ENTRIES];
    for j in 0..BLOCK {
        sums[j] += entry[j];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Backend;

    /// Values `low` and `high`, and integers between -8 and 8, whose sums are exact.
    fn some(m: usize, k: usize, n: usize, low: f32, seed: u32) -> (Matrix, Matrix, Matrix) {
        let mut x = seed;
        let mut next = || {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            x >> 16
        };
        let states = (0..m * k).map(|_| if next().is_multiple_of(2) { low } else { 1.0 }).collect();
        let mut integers =
            |rows, columns| Matrix::from_vec(rows, columns, (0..rows * columns).map(|_| (next() % 17) as f32 - 8.0).collect());
        let (right, start) = (integers(k, n), integers(m, n));
        (Matrix::from_vec(m, k, states), right, start)
    }

    fn shapes() -> impl Iterator<Item = (usize, usize, usize)> {
        let k = [1, 3, 4, 5, 31, 32, 33, 64, 99];
        let n = [1, 2, 15, 16, 17, 31, 32, 33, 47, 64, 101];
        k.into_iter().flat_map(move |k| n.into_iter().flat_map(move |n| [1, 2, 7].into_iter().map(move |m| (m, k, n))))
    }

    #[test]
    fn sums_of_integers_are_exact_at_every_shape() {
        for (m, k, n) in shapes() {
            for low in [-1.0, 0.0] {
                let (states, right, start) = some(m, k, n, low, (m + k * n) as u32);
                let (mut tables, mut plain) = (start.clone(), start);
                let codes = Codes::of_states(states.data(), k, low, 1.0).unwrap();
                codes.add_product(tables.data_mut(), 0, &right, 0..n, (low, 1.0));
                Backend::Plain.add_product(plain.data_mut(), states.data(), &right);
                assert_eq!(tables, plain, "[{m}, {k}] times [{k}, {n}], low {low}");
            }
        }
    }

    #[test]
    fn a_part_of_a_product_has_the_bits_of_the_whole() {
        let (m, k, n) = (9, 75, 83);
        let (states, right, start) = some(m, k, n, -1.0, 5);
        let right = Matrix::from_vec(k, n, right.data().iter().map(|x| (x * 0.37).sin()).collect());
        let codes = Codes::of_states(states.data(), k, -1.0, 1.0).unwrap();
        let mut whole = start.clone();
        codes.add_product(whole.data_mut(), 0, &right, 0..n, (-1.0, 1.0));
        for (from, rows, column, columns) in [(0, 1, 0, 83), (4, 3, 7, 5), (8, 1, 20, 63), (2, 7, 40, 33)] {
            let piece = |matrix: &Matrix| -> Vec<f32> {
                (from..from + rows).flat_map(|i| matrix.row(i)[column..column + columns].to_vec()).collect()
            };
            let mut part = piece(&start);
            codes.add_product(&mut part, from, &right, column..column + columns, (-1.0, 1.0));
            assert_eq!(part, piece(&whole), "rows {from}.., columns {column}..");
        }
    }

    #[test]
    fn codes_pushed_input_by_input_are_those_of_the_states() {
        let (states, ..) = some(5, 70, 1, 0.0, 3);
        let mut pushed = Codes::new(5);
        states.transposed().data().chunks_exact(5).for_each(|input| pushed.push(input, |x| x > 0.5));
        assert_eq!((pushed.inputs, &pushed.words), (70, &Codes::of_states(states.data(), 70, 0.0, 1.0).unwrap().words));
    }

    #[test]
    fn other_values_have_no_codes() {
        for strange in [0.5, -1.0, f32::NAN, 2.0] {
            let mut states = vec![0.0, 1.0, 1.0, 0.0];
            states[2] = strange;
            assert!(Codes::of_states(&states, 2, 0.0, 1.0).is_none(), "{strange}");
        }
    }
}
