//! Products of binary states by tables of partial sums: one addition for four or five inputs instead of as many multiply-adds.
//!
//! The "method of four Russians" (Arlazarov, Dinic, Kronrod and Faradzhev 1970). In `out[i] += sum_t x_it r_t`, `x_it` takes one of two
//! values, `low` and `high`. Four rows `r_t` have only 16 sums, each one addition away from another, and every `i` adds the sum that its
//! four bits select. If `low = -high`, the 32 sums of five rows are 16 sums and their negatives: a fifth input costs only a sign, by which
//! the entry is multiplied as it is added. The tables of a block of columns stay in the first-level cache.
//!
//! An entry of `out` is a sum in a fixed order, table by table. Multiplying by 1 or -1 rounds nothing, fused with the addition or not, so
//! its bits depend neither on the vector unit nor on what else is computed alongside.

use super::Matrix;
use crate::vector::dispatch;
use bytemuck::{cast_slice, cast_slice_mut};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// Inputs whose bits select an entry of a table, and the number of entries.
const NAMING: usize = 4;
const ENTRIES: usize = 1 << NAMING;
/// Inputs that share a table: these, and the one that negates the entry.
const GROUP: usize = NAMING + 1;
/// Tables for the codes of a word, and inputs whose bits select their entries.
const TABLES: usize = 8;
const NAMES: usize = TABLES * NAMING;

/// The number of rows of `out` from which tables pay off: building a table costs 16 additions, a row without one 7.
const WORTHWHILE_ROWS: usize = 4;

/// The tables for a word's inputs and a block of columns. Aligned so that a cache line holds whole vectors: an entry across two lines costs
/// twice as much.
#[repr(align(64))]
struct Tables<T, const VECTORS: usize>([[[T; VECTORS]; ENTRIES]; TABLES]);

/// The codes of a row for [`TABLES`] tables. Inputs `4 g`, ..., `4 g + 3` of a word and input `32 + g` share table `g`. If `low` is not
/// `-high`, a word has only the first 32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Word {
    /// Four bits per table: the entry.
    entries: u32,
    /// One bit per table, that of the first table being the highest: whether the entry is negated, which is the case if the fifth input is
    /// high. `entries` then selects the entry with all four values swapped.
    negated: u32,
}

impl Word {
    /// The word of inputs with these bits: those that select entries, and those that negate them.
    #[inline(always)]
    fn new(names: u32, negated: u32) -> Self {
        // Spreads eight bits to one per group of four, then sets all four alike.
        let mut spread = negated;
        spread = (spread | (spread << 12)) & 0x000f_000f;
        spread = (spread | (spread << 6)) & 0x0303_0303;
        spread = (spread | (spread << 3)) & 0x1111_1111;
        Self { entries: names ^ (spread * 15), negated: negated.reverse_bits() }
    }
}

/// Some columns of a row-major matrix.
#[derive(Clone, Copy)]
struct Columns<'a> {
    data: &'a [f32],
    /// Columns of the full matrix.
    width: usize,
    from: usize,
    /// The full matrix, if it may know which rows are 0.
    of: Option<&'a Matrix>,
}

impl<'a> Columns<'a> {
    /// The vectors, from this column on, of the rows of table `g` in the word whose inputs are `first..end`: those that select its entries,
    /// and the negating one. Rows beyond the end count as zero.
    #[inline(always)]
    fn group<S: Simd, const VECTORS: usize>(
        &self,
        (first, end): (usize, usize),
        g: usize,
        column: usize,
        none: &'a [S::f32s; VECTORS],
    ) -> [&'a [S::f32s; VECTORS]; GROUP] {
        let (mut group, naming) = ([none; GROUP], first + g * NAMING);
        for (row, vectors) in [naming, naming + 1, naming + 2, naming + 3, first + NAMES + g].into_iter().zip(&mut group) {
            if row < end {
                let start = row * self.width + self.from + column;
                let (whole, _) = S::as_simd_f32s(&self.data[start..start + VECTORS * S::F32_LANES]);
                *vectors = whole.try_into().expect("as many as there are");
            }
        }
        group
    }
}

/// Binary inputs of some rows: `words[w * rows + i]` are the codes of row `i` for the tables of the inputs from `w` times `Codes::in_word`
/// on.
#[derive(Clone, Debug)]
pub struct Codes {
    rows: usize,
    /// Number of inputs.
    pub inputs: usize,
    low: f32,
    high: f32,
    words: Vec<Word>,
}

impl Codes {
    /// No inputs yet, for this many rows, with values `low` and `high`.
    pub fn new(rows: usize, (low, high): (f32, f32)) -> Self {
        Self { rows, inputs: 0, low, high, words: Vec::new() }
    }

    /// Inputs in a word.
    fn in_word(&self) -> usize {
        if self.low == -self.high { TABLES * GROUP } else { NAMES }
    }

    /// Adds an input: high in the rows for whose value `high` returns true.
    ///
    /// # Panics
    /// If there is not one value per row.
    #[inline(always)]
    pub fn push(&mut self, values: &[f32], high: impl Fn(f32) -> bool) {
        assert_eq!(values.len(), self.rows);
        let place = self.inputs % self.in_word();
        if place == 0 {
            self.words.resize(self.words.len() + self.rows, Word::default());
        }
        let last = self.words.len() - self.rows;
        // Negating inputs come after all those that select entries.
        let table = place.saturating_sub(NAMES);
        let (names, negated) = if place < NAMES { (1 << place, 0) } else { (15 << (table * NAMING), 1 << (31 - table)) };
        for (word, &value) in self.words[last..].iter_mut().zip(values) {
            let bit = u32::from(high(value));
            word.entries ^= bit * names;
            word.negated |= bit * negated;
        }
        self.inputs += 1;
    }

    /// The codes of `states: [rows, inputs]`, or nothing if a value is neither `low` nor `high`.
    pub(super) fn of_states(states: &[f32], inputs: usize, (low, high): (f32, f32)) -> Option<Self> {
        let rows = states.len() / inputs;
        let mut codes = Self { inputs, ..Self::new(rows, (low, high)) };
        let in_word = codes.in_word();
        let mut words = vec![Word::default(); inputs.div_ceil(in_word) * rows];
        let known = dispatch(Packing { states, inputs, rows, in_word, values: (low, high), words: &mut words });
        codes.words = words;
        known.then_some(codes)
    }

    /// `out += X R`, where `X: [m, k]` are the values of rows `from..from + m` in all `k` inputs, `R: [k, n]` are these columns of `right`,
    /// and `out: [m, n]` is row-major.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn add_product(&self, out: &mut [f32], from: usize, right: &Matrix, columns: Range<usize>) {
        if self.inputs > 0 {
            self.product(out, None, from, right, columns);
        }
    }

    /// `out = 1 start^T + X R`: the same bits as [`Codes::add_product`] to rows that are all `start: [n]`, but the rows are written once
    /// and never read.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub(super) fn set_product(&self, out: &mut [f32], start: &[f32], right: &Matrix) {
        assert_eq!(start.len(), right.columns());
        self.product(out, Some(start), 0, right, 0..start.len());
    }

    fn product(&self, out: &mut [f32], start: Option<&[f32]>, from: usize, right: &Matrix, columns: Range<usize>) {
        let n = columns.len();
        if out.is_empty() {
            return;
        }
        let m = out.len() / n;
        assert_eq!((out.len(), right.rows()), (m * n, self.inputs), "[{m}, {}] times [{}, {n}]", self.inputs, self.inputs);
        assert!(from + m <= self.rows && columns.end <= right.columns(), "rows {from}.. and columns {columns:?} of a product");
        let right = Columns { data: right.data(), width: right.columns(), from: columns.start, of: Some(right) };
        dispatch(Product { out, start, codes: self, from, right, n });
    }
}

/// Finds the words of some states, for [`Codes::of_states`]. Written out for a vector unit: plain loops would compile to one value at a
/// time.
struct Packing<'a> {
    states: &'a [f32],
    inputs: usize,
    rows: usize,
    in_word: usize,
    values: (f32, f32),
    words: &'a mut [Word],
}

impl WithSimd for Packing<'_> {
    /// Whether all values are low or high.
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self { states, inputs, rows, in_word, values: (low, high), words } = self;
        let (lows, highs, zero) = (simd.splat_f32s(low), simd.splat_f32s(high), simd.splat_u32s(0));
        let places: [u32; 32] = std::array::from_fn(|place| 1 << place);
        let places = S::as_simd_u32s(&places).0;
        let mut known = simd.equal_u32s(zero, zero);
        let mut bits_of = |values: &[f32; 32]| {
            let mut bits = zero;
            for (&values, &places) in S::as_simd_f32s(values).0.iter().zip(places) {
                let high = simd.equal_f32s(values, highs);
                known = simd.and_m32s(known, simd.or_m32s(high, simd.equal_f32s(values, lows)));
                bits = simd.or_u32s(bits, simd.select_u32s(high, places, zero));
            }
            cast_slice::<_, u32>(&[bits]).iter().fold(0, |bits, lane| bits | lane)
        };
        // The inputs of a row, 32 at a time, padded with low ones.
        let mut bits = vec![0; inputs.div_ceil(32) + 1];
        for (i, row) in states.chunks_exact(inputs).enumerate() {
            let (whole, rest) = row.as_chunks();
            for (bits, values) in bits.iter_mut().zip(whole) {
                *bits = bits_of(values);
            }
            if !rest.is_empty() {
                let mut last = [low; 32];
                last[..rest.len()].copy_from_slice(rest);
                bits[whole.len()] = bits_of(&last);
            }
            for (w, word) in words[i..].iter_mut().step_by(rows).enumerate() {
                let (at, shift) = (w * in_word / 32, w * in_word % 32);
                let these = (u64::from(bits[at]) | (u64::from(bits[at + 1]) << 32)) >> shift;
                *word = Word::new(these as u32, if in_word > NAMES { (these >> NAMES) as u32 & 0xff } else { 0 });
            }
        }
        simd.first_true_m32s(simd.not_m32s(known)) == S::F32_LANES
    }
}

/// `out += X R`, for [`Codes::add_product`].
struct Product<'a> {
    out: &'a mut [f32],
    /// The initial value of each row of `out`, if not its present content.
    start: Option<&'a [f32]>,
    codes: &'a Codes,
    /// The first row of the codes.
    from: usize,
    right: Columns<'a>,
    /// Columns of `out`.
    n: usize,
}

impl WithSimd for Product<'_> {
    type Output = ();

    /// Blocks of 32 columns: the tables of wider blocks do not fit in the first-level cache, those of narrower ones are looked up more
    /// often. (And blocks of 4 if there is no vector unit.)
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            16 => self.add::<S, 2>(simd),
            4 => self.add::<S, 8>(simd),
            _ => self.add::<S, 4>(simd),
        }
    }
}

impl Product<'_> {
    #[inline(always)]
    fn add<S: Simd, const VECTORS: usize>(self, simd: S) {
        let Self { out, start, codes, from, right, n } = self;
        let block = VECTORS * S::F32_LANES;
        let (mut padded, mut right) = (Vec::new(), right);
        if n < block {
            padded.resize(codes.inputs * block, 0.0);
            for (padded, row) in padded.chunks_exact_mut(block).zip(right.data.chunks_exact(right.width)) {
                padded[..n].copy_from_slice(&row[right.from..right.from + n]);
            }
            right = Columns { data: &padded, width: block, from: 0, of: None };
        }
        let mut sums = Vec::with_capacity(out.len() / n);
        let mut tables = Tables([[[simd.splat_f32s(0.0); VECTORS]; ENTRIES]; TABLES]);
        for column in (0..n).step_by(block) {
            // If possible, the last columns are computed as a block that overlaps columns already done; nothing is kept of the overlap.
            let first = column.min(n.saturating_sub(block));
            sums.clear();
            for row in out.chunks_exact(n) {
                let row = start.unwrap_or(row);
                sums.push(Block(S::as_simd_f32s(&row[first..]).0.first_chunk().copied().unwrap_or_else(|| {
                    let mut vectors = [simd.splat_f32s(0.0); VECTORS];
                    cast_slice_mut(&mut vectors)[..n].copy_from_slice(row);
                    vectors
                })));
            }
            add_block(simd, &mut sums, &mut tables, (codes, from), right, first);
            for (sum, row) in sums.iter().zip(out.chunks_exact_mut(n)) {
                match S::as_mut_simd_f32s(&mut row[first..]).0.first_chunk_mut() {
                    Some(vectors) if first == column => *vectors = sum.0,
                    _ => row[column..].copy_from_slice(&cast_slice(&sum.0)[column - first..][..n - column]),
                }
            }
        }
    }
}

/// A block of columns of a row of `out`. Blocks are contiguous while they are added to; in `out` itself, rows are far apart and vectors
/// cross cache lines.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Block<T, const VECTORS: usize>([T; VECTORS]);

/// Adds to a block of columns, starting at this one; `tables` is scratch space. The block stays in the first-level cache together with the
/// tables, and each value of `right` is read once.
#[inline(always)]
fn add_block<S: Simd, const VECTORS: usize>(
    simd: S,
    out: &mut [Block<S::f32s, VECTORS>],
    tables: &mut Tables<S::f32s, VECTORS>,
    (codes, from): (&Codes, usize),
    right: Columns,
    column: usize,
) {
    let (m, in_word) = (out.len(), codes.in_word());
    let (low, gap) = (simd.splat_f32s(codes.low), simd.splat_f32s(codes.high - codes.low));
    let (none, nothing) = ([simd.splat_f32s(0.0); VECTORS], [simd.splat_f32s(-0.0); VECTORS]);
    // Words whose inputs have only zeros here add nothing.
    let inputs = right.of.map_or(0..codes.inputs, |of| {
        let from = right.from + column;
        of.span_of(from..from + VECTORS * S::F32_LANES)
    });
    let some = inputs.start / in_word..inputs.end.div_ceil(in_word);
    for (w, words) in codes.words.chunks_exact(codes.rows).enumerate().take(some.end).skip(some.start) {
        let (words, first) = (&words[from..from + m], w * in_word);
        let end = codes.inputs.min(first + in_word);
        let groups = (end - first).div_ceil(NAMING).min(TABLES);
        if m < WORTHWHILE_ROWS {
            for g in 0..groups {
                let [a, b, c, d, e] = right.group::<S, VECTORS>((first, end), g, column, &none);
                // A loop, since the closure of an array's `map` would become a call that is not compiled for the vector unit.
                let mut each = [(none[0], [none[0]; NAMING]); VECTORS];
                for (j, each) in each.iter_mut().enumerate() {
                    *each = terms(simd, [a[j], b[j], c[j], d[j], e[j]], low, gap);
                }
                for (row, &word) in out.iter_mut().zip(words) {
                    add_sum(simd, &mut row.0, &each, word, g);
                }
            }
            continue;
        }
        for (g, table) in tables.0[..groups].iter_mut().enumerate() {
            make(simd, table, right.group::<S, VECTORS>((first, end), g, column, &none), low, gap);
        }
        // All tables are looked up, so that their positions are known at compile time; in the last word, the missing tables add nothing.
        for table in &mut tables.0[groups..] {
            *table = [nothing; ENTRIES];
        }
        if S::F32_LANES == 4 {
            for (row, &word) in out.iter_mut().zip(words) {
                add_entries_by_vector(simd, row, &tables.0, word);
            }
            continue;
        }
        let (rows, last) = out.as_chunks_mut::<2>();
        let (pairs, last_word) = words.as_chunks::<2>();
        for (rows, words) in rows.iter_mut().zip(pairs) {
            add_entries(simd, rows, &tables.0, words);
        }
        if let ([last], [word]) = (last, last_word) {
            add_entries(simd, std::array::from_mut(last), &tables.0, &[*word]);
        }
    }
}

/// What a table's inputs add if all are low, and what each selecting input adds to that if it is high.
type Terms<T> = (T, [T; NAMING]);

#[inline(always)]
fn terms<S: Simd>(simd: S, [a, b, c, d, e]: [S::f32s; GROUP], low: S::f32s, gap: S::f32s) -> Terms<S::f32s> {
    let all = [b, c, d, e].into_iter().fold(a, |all, row| simd.add_f32s(all, row));
    (simd.mul_f32s(low, all), [simd.mul_f32s(gap, a), simd.mul_f32s(gap, b), simd.mul_f32s(gap, c), simd.mul_f32s(gap, d)])
}

/// All sums of four rows, plus what the fifth adds if it is low. Vector by vector, since a browser spills to the stack whatever is loaded
/// long before it is used.
#[inline(always)]
fn make<S: Simd, const VECTORS: usize>(
    simd: S,
    table: &mut [[S::f32s; VECTORS]; ENTRIES],
    [a, b, c, d, e]: [&[S::f32s; VECTORS]; GROUP],
    low: S::f32s,
    gap: S::f32s,
) {
    const HALF: usize = ENTRIES / 2;
    for j in 0..VECTORS {
        let (none, each) = terms(simd, [a[j], b[j], c[j], d[j], e[j]], low, gap);
        // Eight sums fit in the registers of any machine; the other eight are written as they are computed.
        let mut sums = [none; HALF];
        for (i, &term) in each[..NAMING - 1].iter().enumerate() {
            for p in 0..1 << i {
                sums[p + (1 << i)] = simd.add_f32s(sums[p], term);
            }
        }
        for (p, sum) in sums.into_iter().enumerate() {
            table[p][j] = sum;
            table[p + HALF][j] = simd.add_f32s(sum, each[NAMING - 1]);
        }
    }
}

/// 1, or -1 if the highest bit is set.
#[inline(always)]
fn sign<S: Simd>(simd: S, negated: S::u32s) -> S::f32s {
    let highest = simd.and_u32s(negated, simd.splat_u32s(1 << 31));
    simd.transmute_f32s_u32s(simd.or_u32s(highest, simd.splat_u32s(1.0_f32.to_bits())))
}

/// Adds to a block of columns of some rows the entries that their codes select, one from each table.
#[inline(always)]
fn add_entries<S: Simd, const VECTORS: usize, const ROWS: usize>(
    simd: S,
    out: &mut [Block<S::f32s, VECTORS>; ROWS],
    tables: &[[[S::f32s; VECTORS]; ENTRIES]; TABLES],
    words: &[Word; ROWS],
) {
    let mut sums = *out; // a copy, which cannot overlap the tables
    let mut negated = words.map(|word| simd.splat_u32s(word.negated));
    for (g, table) in tables.iter().enumerate() {
        for i in 0..ROWS {
            let entry = &table[(words[i].entries >> (g * NAMING)) as usize % ENTRIES];
            let sign = sign(simd, negated[i]);
            for (sum, &term) in sums[i].0.iter_mut().zip(entry) {
                *sum = simd.mul_add_e_f32s(sign, term, *sum);
            }
            negated[i] = simd.add_u32s(negated[i], negated[i]); // the next bit is the highest
        }
    }
    *out = sums;
}

/// [`add_entries`] for one row, with the same bits, for narrow vectors. The block's vectors are done one after another, since a browser
/// spills to the stack whatever is loaded long before it is added; signs are flipped as bits, since WebAssembly has no fused multiply-add.
#[inline(always)]
fn add_entries_by_vector<S: Simd, const VECTORS: usize>(
    simd: S,
    out: &mut Block<S::f32s, VECTORS>,
    tables: &[[[S::f32s; VECTORS]; ENTRIES]; TABLES],
    word: Word,
) {
    let highest = simd.splat_u32s(1 << 31);
    let mut negated = simd.splat_u32s(word.negated);
    let signs: [S::u32s; TABLES] = std::array::from_fn(|_| {
        let sign = simd.and_u32s(negated, highest);
        negated = simd.add_u32s(negated, negated);
        sign
    });
    for (j, out) in out.0.iter_mut().enumerate() {
        for (g, table) in tables.iter().enumerate() {
            let term = table[(word.entries >> (g * NAMING)) as usize % ENTRIES][j];
            let term = simd.transmute_f32s_u32s(simd.xor_u32s(simd.transmute_u32s_f32s(term), signs[g]));
            *out = simd.add_f32s(*out, term);
        }
    }
}

/// Adds what a word selects in table `g`, with the same bits as from the table.
#[inline(always)]
fn add_sum<S: Simd, const VECTORS: usize>(
    simd: S,
    out: &mut [S::f32s; VECTORS],
    terms: &[Terms<S::f32s>; VECTORS],
    word: Word,
    g: usize,
) {
    let zero = simd.splat_f32s(0.0);
    let mut sums = [zero; VECTORS];
    for (sum, (none, _)) in sums.iter_mut().zip(terms) {
        *sum = *none;
    }
    for i in 0..NAMING {
        let high = simd.less_than_f32s(zero, simd.splat_f32s((word.entries >> (g * NAMING + i) & 1) as f32));
        for (sum, (_, each)) in sums.iter_mut().zip(terms) {
            *sum = simd.select_f32s(high, simd.add_f32s(*sum, each[i]), *sum);
        }
    }
    let sign = sign(simd, simd.splat_u32s(word.negated << g));
    for (out, sum) in out.iter_mut().zip(sums) {
        *out = simd.mul_add_e_f32s(sign, sum, *out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Backend;
    use pulp::Scalar128b;

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
        let k = [1, 3, 4, 5, 31, 32, 33, 39, 40, 41, 64, 99];
        let n = [1, 2, 15, 16, 17, 31, 32, 33, 47, 64, 101];
        k.into_iter().flat_map(move |k| n.into_iter().flat_map(move |n| [1, 2, 7].into_iter().map(move |m| (m, k, n))))
    }

    #[test]
    fn sums_of_integers_are_exact_at_every_shape() {
        for (m, k, n) in shapes() {
            for low in [-1.0, 0.0] {
                let (states, right, start) = some(m, k, n, low, (m + k * n) as u32);
                let (mut tables, mut plain) = (start.clone(), start);
                let codes = Codes::of_states(states.data(), k, (low, 1.0)).unwrap();
                codes.add_product(tables.data_mut(), 0, &right, 0..n);
                Backend::Plain.add_product(plain.data_mut(), states.data(), &right);
                assert_eq!(tables, plain, "[{m}, {k}] times [{k}, {n}], low {low}");
            }
        }
    }

    #[test]
    fn narrow_vectors_give_the_same_bits() {
        for (m, k, n, low) in [(13, 75, 83, -1.0), (4, 80, 32, -1.0), (7, 41, 9, -1.0), (13, 75, 83, 0.0), (2, 41, 40, -1.0)] {
            let (states, right, start) = some(m, k, n, low, 6);
            let right = Matrix::from_vec(k, n, right.data().iter().map(|x| (x * 0.37).sin()).collect());
            let codes = Codes::of_states(states.data(), k, (low, 1.0)).unwrap();
            let (mut found, mut narrow) = (start.clone(), start);
            codes.add_product(found.data_mut(), 0, &right, 0..n);
            let right = Columns { data: right.data(), width: n, from: 0, of: None };
            Product { out: narrow.data_mut(), start: None, codes: &codes, from: 0, right, n }.with_simd(Scalar128b);
            assert_eq!(found, narrow, "[{m}, {k}] times [{k}, {n}], low {low}");
        }
    }

    #[test]
    fn a_part_of_a_product_has_the_bits_of_the_whole() {
        for (m, k, n, low) in [(9, 75, 83, -1.0), (9, 75, 83, 0.0)] {
            let (states, right, start) = some(m, k, n, low, 5);
            let right = Matrix::from_vec(k, n, right.data().iter().map(|x| (x * 0.37).sin()).collect());
            let codes = Codes::of_states(states.data(), k, (low, 1.0)).unwrap();
            let mut whole = start.clone();
            codes.add_product(whole.data_mut(), 0, &right, 0..n);
            for (from, rows, column, columns) in [(0, 1, 0, 83), (4, 3, 7, 5), (8, 1, 20, 63), (2, 7, 40, 33)] {
                let piece = |matrix: &Matrix| -> Vec<f32> {
                    (from..from + rows).flat_map(|i| matrix.row(i)[column..column + columns].to_vec()).collect()
                };
                let mut part = piece(&start);
                codes.add_product(&mut part, from, &right, column..column + columns);
                assert_eq!(part, piece(&whole), "rows {from}.., columns {column}.., low {low}");
            }
        }
    }

    /// A band of values from the top left to the bottom right, and zeros elsewhere, some of them negative.
    #[test]
    fn zeros_that_are_known_are_skipped_without_changing_a_bit() {
        for (m, k, n, low) in [(9, 175, 183, -1.0), (2, 175, 183, 0.0), (9, 200, 64, -1.0), (5, 41, 20, -1.0)] {
            let (states, mut right, start) = some(m, k, n, low, 7);
            for (at, x) in right.data_mut().iter_mut().enumerate() {
                let (row, column) = (at / n * n, at % n * k);
                *x = if row.abs_diff(column) * 5 < k * n && column > 40 * k { (*x * 0.37).sin() } else { -0.0 };
            }
            let codes = Codes::of_states(states.data(), k, (low, 1.0)).unwrap();
            for columns in [0..n, n / 3..n, n / 2..n / 2 + 3] {
                let of = |right: &Matrix| {
                    let mut out: Vec<f32> = (0..m).flat_map(|row| start.row(row)[columns.clone()].to_vec()).collect();
                    codes.add_product(&mut out, 0, right, columns.clone());
                    out
                };
                let mut known = right.clone();
                known.find_spans();
                assert!(known.span_of(64.min(n - 1)..n).len() < k && known.span_of(0..1).is_empty());
                assert_eq!(of(&known), of(&right), "[{m}, {k}] times [{k}, {n}], low {low}");
                known.row_mut(0)[0] = 1.0;
                assert_eq!(known.span_of(0..1), 0..k, "a change of the values forgets what was known");
            }
        }
    }

    #[test]
    fn codes_pushed_input_by_input_are_those_of_the_states() {
        for low in [-1.0, 0.0] {
            for k in [1, 31, 32, 33, 40, 70, 81, 99] {
                let (states, ..) = some(5, k, 1, low, 3);
                let mut pushed = Codes::new(5, (low, 1.0));
                states.transposed().data().chunks_exact(5).for_each(|input| pushed.push(input, |x| x > 0.5));
                let codes = Codes::of_states(states.data(), k, (low, 1.0)).unwrap();
                assert_eq!((pushed.inputs, &pushed.words), (k, &codes.words));
            }
        }
    }

    #[test]
    fn other_values_have_no_codes() {
        for strange in [0.5, -1.0, f32::NAN, 2.0] {
            let mut states = vec![0.0, 1.0, 1.0, 0.0];
            states[2] = strange;
            assert!(Codes::of_states(&states, 2, (0.0, 1.0)).is_none(), "{strange}");
        }
    }
}
