//! The baselines that a model has to beat: the share of each value in its column, and the nearest rows.

use super::hidden::{Cell, level};
use crate::Examples;
use crate::groups::{Code, Group, cells};
use std::collections::BinaryHeap;

/// Shares of the values in every column, `(count + 1) / (rows + levels)` over the rows in which the cell is known (Laplace's rule).
pub(super) struct Columns {
    cells: Vec<Group>,
    /// One list per cell, with one number per level.
    shares: Vec<Vec<f64>>,
}

impl Columns {
    pub fn new(data: &Examples) -> Self {
        let cells = cells(data.groups(), data.width());
        let of = |cell: &Group| {
            let mut counts = vec![0_u32; cell.levels()];
            (0..data.len()).filter_map(|row| level(data, row, cell)).for_each(|level| counts[level] += 1);
            smoothed(&counts)
        };
        let shares = cells.iter().map(of).collect();
        Self { cells, shares }
    }

    /// The probability of each level of a cell; the most likely one is the column's mode.
    pub fn probabilities(&self, cell: &Cell) -> &[f64] {
        let place = self.cells.binary_search_by_key(&cell.group.units.start, |group| group.units.start);
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
        let mut counts = vec![0_u32; cell.group.levels()];
        let values = ranked.iter().filter_map(|&other| level(data, other, &cell.group));
        values.take(self.k).for_each(|value| counts[value] += 1);
        smoothed(&counts)
    }
}

/// Rows as 64-bit words.
struct CodedRows {
    stride: usize,
    bits: Vec<u64>,
    known: Vec<u64>,
    /// The units of cells of a kind, `[stride]`, and how much of a cell a differing unit is: half of a category, of which two units differ
    /// between any two levels; of a scale, its share of the way from the lowest level to the highest (Gower 1971).
    kinds: Vec<(f64, Vec<u64>)>,
    /// The first unit of each cell.
    firsts: Vec<u64>,
}

impl CodedRows {
    fn new(data: &Examples) -> Self {
        let cells = cells(data.groups(), data.width());
        let (width, stride) = (data.width(), data.width().div_ceil(64));
        let bytes = width.div_ceil(8);
        let words = |packed: &[u8]| -> Vec<u64> {
            packed.chunks_exact(bytes).flat_map(|row| row.chunks(8).map(|eight| word(eight.iter().copied()))).collect()
        };
        let mark = |mask: &mut Vec<u64>, unit: usize| mask[unit / 64] |= 1 << (unit % 64);
        let mut kinds: Vec<(f64, Vec<u64>)> = Vec::new();
        let mut firsts = vec![0; stride];
        for Group { units, code } in cells {
            let part = if code == Code::OneHot { 0.5 } else { 1.0 / units.len() as f64 };
            let place = kinds.iter().position(|(other, _)| *other == part).unwrap_or_else(|| {
                kinds.push((part, vec![0; stride]));
                kinds.len() - 1
            });
            mark(&mut firsts, units.start);
            units.for_each(|unit| mark(&mut kinds[place].1, unit));
        }
        let all: Vec<u8> = vec![0xff; data.packed().len()];
        Self { stride, bits: words(data.packed()), known: words(data.known_packed().unwrap_or(&all)), kinds, firsts }
    }

    /// The share of cells that differ among those known in both rows, those of scales in part; `None` if there are none.
    fn distance(&self, a: usize, b: usize) -> Option<f64> {
        let [a, b] = [a, b].map(|row| row * self.stride);
        let both = |w: usize| self.known[a + w] & self.known[b + w];
        let differ = |w: usize| (self.bits[a + w] ^ self.bits[b + w]) & both(w);
        let count = |units: &[u64], of: &dyn Fn(usize) -> u64| -> u32 {
            units.iter().enumerate().map(|(w, mask)| (of(w) & mask).count_ones()).sum()
        };
        let cells = count(&self.firsts, &both);
        let sum = || -> f64 { self.kinds.iter().map(|(part, units)| part * f64::from(count(units, &differ))).sum() };
        (cells > 0).then(|| sum() / f64::from(cells))
    }
}

/// Bytes as a word, the first byte lowest.
fn word(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.enumerate().map(|(place, byte)| u64::from(byte) << (8 * place)).sum()
}

#[cfg(test)]
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
            .with_groups(vec![Group::one_hot(1..4)])
            .unwrap()
    }

    #[test]
    fn shares_are_those_of_known_cells() {
        let columns = Columns::new(&data());
        let of = |group: Group| columns.probabilities(&Cell { row: 0, group, truth: 0 }).to_vec();
        assert_eq!(of(Group::thermometer(0..1)), [2.0 / 5.0, 3.0 / 5.0]);
        assert_eq!(of(Group::one_hot(1..4)), [4.0 / 7.0, 2.0 / 7.0, 1.0 / 7.0]);
        assert_eq!(of(Group::thermometer(4..5)), [3.0 / 6.0, 3.0 / 6.0]);
    }

    #[test]
    fn the_nearest_rows_differ_in_the_fewest_known_cells() {
        let data = data();
        let neighbours = Neighbours::new(&data, 2, 100);
        // A group counts as one cell of three; row 3 is known in two cells, row 4 in none.
        let distances: Vec<_> = (1..5).map(|other| neighbours.words.distance(0, other)).collect();
        assert_eq!(distances, [Some(1.0 / 3.0), Some(2.0 / 3.0), Some(0.5), None]);
        assert_eq!((neighbours.ranked(0), neighbours.compared()), (vec![1, 3, 2], 5));
        let of = |group| neighbours.probabilities(&data, &neighbours.ranked(0), &Cell { row: 0, group, truth: 0 });
        // Unit 0 is missing in row 3, so the next row is used.
        assert_eq!(of(Group::thermometer(0..1)), [0.5, 0.5]);
        assert_eq!(of(Group::one_hot(1..4)), [2.0 / 5.0, 2.0 / 5.0, 1.0 / 5.0]);
        assert_eq!(neighbours.ranked(4), Vec::<usize>::new());
        let few = Neighbours::new(&data, 2, 2);
        assert_eq!((few.compared(), few.ranked(0)), (2, vec![2]));
    }

    #[test]
    fn levels_of_a_scale_differ_by_the_way_between_them() {
        let bits = [[0, 0, 0, 0, 1], [1, 1, 0, 0, 1], [1, 1, 1, 1, 0]];
        let data = Examples::from_bits(5, bits.as_flattened()).unwrap().with_groups(vec![Group::thermometer(0..4)]).unwrap();
        let words = CodedRows::new(&data);
        assert_eq!([(0, 1), (1, 2), (0, 2)].map(|(a, b)| words.distance(a, b)), [Some(0.25), Some(0.75), Some(1.0)]);
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
