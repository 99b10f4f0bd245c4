//! Turns the worker's counts into the bars of a histogram and the numbers next to it.

use dbm_protocol::Histogram;

/// Above this value, bins are powers of two.
const LAST_SINGLE: u32 = 40;

/// The bins that both phases share, so that their bars can be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    /// Lowest and highest value of each bin.
    pub ranges: Vec<(u32, u32)>,
}

impl Bins {
    /// Bins from 1 up that cover all values of both histograms: single numbers while the values are small, powers of two beyond.
    pub fn covering(histograms: [&Histogram; 2]) -> Self {
        let top = histograms.iter().flat_map(|h| h.counts.iter().map(|&(value, _)| value)).max().unwrap_or(1);
        if top <= LAST_SINGLE {
            let last = [8, 12, 16, 24, 32].into_iter().find(|&last| top <= last).unwrap_or(LAST_SINGLE);
            return Self { ranges: (1..=last).map(|value| (value, value)).collect() };
        }
        let mut ranges = vec![(1, 1)];
        while let Some(&(_, high)) = ranges.last().filter(|range| range.1 < top) {
            ranges.push((high + 1, high.saturating_mul(2)));
        }
        Self { ranges }
    }

    /// Whether each bin holds one value.
    pub fn single(&self) -> bool {
        self.ranges.last().is_none_or(|(low, high)| low == high)
    }

    /// How many values fall into each bin.
    pub fn count(&self, histogram: &Histogram) -> Vec<u64> {
        let mut counts = vec![0; self.ranges.len()];
        for &(value, count) in &histogram.counts {
            let bin = self.ranges.partition_point(|&(_, high)| high < value).min(counts.len().saturating_sub(1));
            if let Some(slot) = counts.get_mut(bin) {
                *slot += u64::from(count);
            }
        }
        counts
    }
}

/// A histogram in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    pub total: u64,
    pub mean: f64,
    /// The largest value.
    pub max: u32,
    /// Share above 1.
    pub above_one: f64,
    /// Chains cut at the cap.
    pub capped: u32,
}

impl Summary {
    /// Of one histogram, or of several together; capped chains that the counts leave out enter neither mean nor total.
    pub fn of(histograms: &[&Histogram]) -> Self {
        let counts = || histograms.iter().flat_map(|histogram| &histogram.counts);
        let total: u64 = counts().map(|&(_, count)| u64::from(count)).sum();
        let sum: f64 = counts().map(|&(value, count)| f64::from(value) * f64::from(count)).sum();
        let above: u64 = counts().filter(|(value, _)| *value > 1).map(|&(_, count)| u64::from(count)).sum();
        let per = |x: f64| if total == 0 { 0.0 } else { x / total as f64 };
        Self {
            total,
            mean: per(sum),
            max: counts().filter(|(_, count)| *count > 0).map(|&(value, _)| value).max().unwrap_or(0),
            above_one: per(above as f64),
            capped: histograms.iter().map(|histogram| histogram.capped).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(counts: &[(u32, u32)]) -> Histogram {
        Histogram { counts: counts.to_vec(), capped: 0, cap: 1000 }
    }

    #[test]
    fn small_values_have_bins_of_their_own_and_large_ones_share() {
        let small = histogram(&[(1, 5), (9, 2)]);
        let bins = Bins::covering([&small, &Histogram::default()]);
        assert_eq!((bins.ranges.len(), bins.single()), (12, true));
        assert_eq!(bins.count(&small).iter().sum::<u64>(), 7);
        assert_eq!(bins.count(&small)[8], 2);
        let large = histogram(&[(1, 1), (3, 1), (4, 1), (1000, 1)]);
        let bins = Bins::covering([&small, &large]);
        assert_eq!(bins.ranges[..4], [(1, 1), (2, 2), (3, 4), (5, 8)]);
        assert_eq!(bins.ranges.last(), Some(&(513, 1024)));
        assert_eq!(bins.count(&large), [1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert!(!Bins::covering([&large, &histogram(&[(u32::MAX, 1)])]).single());
    }

    #[test]
    fn summaries_of_nothing_are_zero() {
        assert_eq!(Summary::of(&[&Histogram::default()]), Summary::default());
        let summary = Summary::of(&[&histogram(&[(1, 3), (5, 1)])]);
        assert_eq!((summary.mean, summary.max, summary.above_one), (2.0, 5, 0.25));
    }

    #[test]
    fn both_phases_are_summed_up_by_how_much_each_has() {
        let capped = |counts: &[(u32, u32)], capped| Histogram { capped, ..histogram(counts) };
        let all = Summary::of(&[&capped(&[(1, 3)], 1), &capped(&[(5, 1)], 2)]);
        assert_eq!((all.total, all.mean, all.max, all.above_one, all.capped), (4, 2.0, 5, 0.25, 3));
    }
}
