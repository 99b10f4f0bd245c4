//! The baselines that a model has to beat: the share of each value in its column, and the nearest rows.

use super::hidden::{Cell, levels, value};
use crate::Examples;
use crate::one_hot::cells;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Shares of the values in every column, `(count + 1) / (rows + levels)` over the rows in which the cell is known (Laplace's rule).
pub(super) struct Columns {
    cells: Vec<Range<usize>>,
    /// One list per cell, with one number per level.
    shares: Vec<Vec<f64>>,
}

impl Columns {
    pub fn new(data: &Examples) -> Self {
        let cells = cells(data.groups(), data.width());
        let of = |units: &Range<usize>| {
            let mut counts = vec![0_u32; levels(units)];
            (0..data.len()).filter_map(|row| value(data, row, units)).for_each(|value| counts[value] += 1);
            smoothed(&counts)
        };
        let shares = cells.iter().map(of).collect();
        Self { cells, shares }
    }

    /// The probability of each level of a cell; the most likely one is the column's mode.
    pub fn probabilities(&self, cell: &Cell) -> &[f64] {
        let place = self.cells.binary_search_by_key(&cell.units.start, |units| units.start);
        place.map_or(&[], |place| &self.shares[place])
    }
}

/// `(count + 1) / (sum + levels)`.
fn smoothed(counts: &[u32]) -> Vec<f64> {
    let sum: u32 = counts.iter().sum();
    counts.iter().map(|&count| (f64::from(count) + 1.0) / (f64::from(sum) + counts.len() as f64)).collect()
}

/// The k nearest rows, by the share of cells that differ among those known in both.
pub(super) struct Neighbours {
    k: usize,
    /// The rows compared with.
    rows: Vec<usize>,
    words: CodedRows,
}

impl Neighbours {
    /// Among at most `most` rows, spread evenly over the data set.
    pub fn new(data: &Examples, k: usize, most: usize) -> Self {
        let count = data.len().min(most);
        let rows = (0..count).map(|place| place * data.len() / count).collect();
        Self { k, rows, words: CodedRows::new(data) }
    }

    /// Number of rows compared with.
    pub fn compared(&self) -> usize {
        self.rows.len()
    }

    /// The rows compared with, nearest first; rows at the same distance are in the order of the data set. Rows without a known cell in
    /// common with this one are left out.
    pub fn ranked(&self, row: usize) -> Vec<usize> {
        let others = self.rows.iter().filter(|&&other| other != row);
        // Distances are not negative, so their bits sort like their values. A heap, since faster sorts would add kilobytes to the page.
        let near = others.filter_map(|&other| Some((self.words.distance(row, other)?.to_bits(), other)));
        near.collect::<BinaryHeap<_>>().into_sorted_vec().into_iter().map(|(_, other)| other).collect()
    }

    /// For each level of a cell, `(count + 1) / (k + levels)` over the first k ranked rows of the same data in which the cell is known, or
    /// as many as there are.
    pub fn probabilities(&self, data: &Examples, ranked: &[usize], cell: &Cell) -> Vec<f64> {
        let mut counts = vec![0_u32; cell.levels()];
        let values = ranked.iter().filter_map(|&other| value(data, other, &cell.units));
        values.take(self.k).for_each(|value| counts[value] += 1);
        smoothed(&counts)
    }
}

/// Rows as 64-bit words.
struct CodedRows {
    stride: usize,
    bits: Vec<u64>,
    known: Vec<u64>,
    /// Units that are single cells, and units of groups, `[stride]` each.
    single: Vec<u64>,
    grouped: Vec<u64>,
    /// The first unit of each cell.
    firsts: Vec<u64>,
}

impl CodedRows {
    fn new(data: &Examples) -> Self {
        let groups = data.groups();
        let (width, stride) = (data.width(), data.width().div_ceil(64));
        let bytes = width.div_ceil(8);
        let words = |packed: &[u8]| -> Vec<u64> {
            packed.chunks_exact(bytes).flat_map(|row| row.chunks(8).map(|eight| word(eight.iter().copied()))).collect()
        };
        let mask = |of: &dyn Fn(usize) -> bool| -> Vec<u64> {
            (0..stride).map(|w| (w * 64..width.min(w * 64 + 64)).map(|i| u64::from(of(i)) << (i % 64)).sum()).collect()
        };
        let in_group = |i: usize| groups.iter().any(|group| group.contains(&i));
        let all: Vec<u8> = vec![0xff; data.packed().len()];
        Self {
            stride,
            bits: words(data.packed()),
            known: words(data.known_packed().unwrap_or(&all)),
            single: mask(&|i| !in_group(i)),
            grouped: mask(&in_group),
            firsts: mask(&|i| !in_group(i) || groups.iter().any(|group| group.start == i)),
        }
    }

    /// The share of cells that differ among those known in both rows; `None` if there are none. Two levels of a group differ in two units,
    /// which count as one cell.
    fn distance(&self, a: usize, b: usize) -> Option<f64> {
        let [a, b] = [a, b].map(|row| row * self.stride);
        let (mut halves, mut cells) = (0, 0);
        for w in 0..self.stride {
            let both = self.known[a + w] & self.known[b + w];
            let differ = (self.bits[a + w] ^ self.bits[b + w]) & both;
            halves += 2 * (differ & self.single[w]).count_ones() + (differ & self.grouped[w]).count_ones();
            cells += (both & self.firsts[w]).count_ones();
        }
        (cells > 0).then(|| 0.5 * f64::from(halves) / f64::from(cells))
    }
}

/// Bytes as a word, the first byte lowest.
fn word(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.enumerate().map(|(place, byte)| u64::from(byte) << (8 * place)).sum()
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init)] // one group
mod tests {
    use super::*;

    fn data() -> Examples {
        // Unit 0, a group of three, unit 4.
        let bits = [[1, 1, 0, 0, 1], [1, 0, 1, 0, 1], [0, 1, 0, 0, 0], [1, 1, 0, 0, 0], [1, 0, 0, 1, 1]];
        let mut known = [[1; 5]; 5];
        known[3][0] = 0;
        known[4] = [0; 5];
        Examples::from_bits(5, bits.as_flattened())
            .unwrap()
            .with_gaps(known.as_flattened())
            .unwrap()
            .with_groups(vec![1..4])
            .unwrap()
    }

    #[test]
    fn shares_are_those_of_known_cells() {
        let columns = Columns::new(&data());
        let of = |units: Range<usize>| columns.probabilities(&Cell { row: 0, units, truth: 0 }).to_vec();
        assert_eq!(of(0..1), [2.0 / 5.0, 3.0 / 5.0]);
        assert_eq!(of(1..4), [4.0 / 7.0, 2.0 / 7.0, 1.0 / 7.0]);
        assert_eq!(of(4..5), [3.0 / 6.0, 3.0 / 6.0]);
    }

    #[test]
    fn the_nearest_rows_differ_in_the_fewest_known_cells() {
        let data = data();
        let neighbours = Neighbours::new(&data, 2, 100);
        // A group counts as one cell of three; row 3 is known in two cells, row 4 in none.
        let distances: Vec<_> = (1..5).map(|other| neighbours.words.distance(0, other)).collect();
        assert_eq!(distances, [Some(1.0 / 3.0), Some(2.0 / 3.0), Some(0.5), None]);
        assert_eq!((neighbours.ranked(0), neighbours.compared()), (vec![1, 3, 2], 5));
        let of = |units: Range<usize>| neighbours.probabilities(&data, &neighbours.ranked(0), &Cell { row: 0, units, truth: 0 });
        // Unit 0 is missing in row 3, so the next row is used.
        assert_eq!(of(0..1), [0.5, 0.5]);
        assert_eq!(of(1..4), [2.0 / 5.0, 2.0 / 5.0, 1.0 / 5.0]);
        assert_eq!(neighbours.ranked(4), Vec::<usize>::new());
        let few = Neighbours::new(&data, 2, 2);
        assert_eq!((few.compared(), few.ranked(0)), (2, vec![2]));
    }

    #[test]
    fn wide_rows_are_compared_whole() {
        let width = 131;
        let bits: Vec<u8> = (0..3 * width).map(|i| u8::from(i * i % 7 < 3)).collect();
        let known: Vec<u8> = (0..3 * width).map(|i| u8::from(i % 5 > 0)).collect();
        let data = Examples::from_bits(width, &bits).unwrap().with_gaps(&known).unwrap();
        let words = CodedRows::new(&data);
        for (a, b) in [(0, 1), (1, 2), (0, 2)] {
            let both: Vec<usize> = (0..width).filter(|&i| data.is_known(a, i) && data.is_known(b, i)).collect();
            let differ = both.iter().filter(|&&i| data.bit(a, i) != data.bit(b, i)).count();
            assert_eq!(words.distance(a, b), Some(differ as f64 / both.len() as f64));
        }
    }
}
