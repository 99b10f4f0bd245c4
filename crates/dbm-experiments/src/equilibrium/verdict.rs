//! Summarizes the looks at a model of digits.

use super::looks::{Look, StartVerdict};
use dbm_score::Quality;

/// A value within this factor of the best one counts as equally good.
const AS_GOOD: f64 = 1.2;

/// Acceptable range for the share of each of ten classes.
const SHARES: (f64, f64) = (0.05, 0.15);

impl StartVerdict {
    /// From looks in the order of their sweeps; `None` if the classifier has seen none.
    pub(super) fn of(looks: &[Look]) -> Option<Self> {
        let seen: Vec<(u32, &Quality)> =
            looks.iter().filter_map(|look| Some((look.sweeps, &look.digits.as_ref()?.quality))).collect();
        let distance = |place: usize| seen[place].1.digit_frechet_distance;
        let best = (0..seen.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)))?;
        let good = |place: &usize| distance(*place) <= AS_GOOD * distance(best);
        let from = (0..=best).rev().take_while(good).last()?;
        let to = (best..seen.len()).take_while(good).last()?;
        let lost = |quality: &Quality| quality.classes.shares.iter().any(|&share| share < SHARES.0 || share > SHARES.1);
        Some(Self {
            best: distance(best),
            best_sweeps: seen[best].0,
            good_from: seen[from].0,
            good_to: seen[to].0,
            kept: to + 1 == seen.len(),
            classes_kept: !seen[from..=to].iter().any(|(_, quality)| lost(quality)),
            classes_lost: seen.iter().filter(|(_, quality)| lost(quality)).map(|&(sweeps, _)| sweeps).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::looks::Digits;
    use super::*;
    use dbm_score::classes::Classes;

    fn look(sweeps: u32, distance: f64, digits: &[u8]) -> Look {
        let classes = Classes::of(digits).unwrap();
        let quality = Quality { digit_frechet_distance: distance, distinct: 1.0, classes, confidence: 1.0 };
        let digits = Some(Digits { quality, crossed: 0.0, crossed_since_start: 0.0 });
        Look { sweeps, energy: 0.0, energy_error: 0.0, high: 0.0, high_error: 0.0, searches_capped: 0, digits, exact: None }
    }

    #[test]
    fn the_range_is_around_the_best_and_ends_where_it_is_left() {
        let all: Vec<u8> = (0..10).collect();
        let verdict = StartVerdict::of(&[
            look(1, 9.0, &all),
            look(10, 4.7, &all),
            look(50, 4.0, &all),
            look(300, 5.0, &[1, 1, 2]),
            look(2000, 4.1, &all),
        ]);
        let expected = StartVerdict {
            best: 4.0,
            best_sweeps: 50,
            good_from: 10,
            good_to: 50,
            kept: false,
            classes_kept: true,
            classes_lost: vec![300],
        };
        assert_eq!(verdict, Some(expected));
        let falling = StartVerdict::of(&[look(1, 9.0, &all), look(10, 4.0, &[1, 2])]).unwrap();
        assert!(falling.kept && !falling.classes_kept && falling.good_from == 10);
        assert_eq!(StartVerdict::of(&[]), None);
    }
}
