//! The temperatures along which particles move. After each step, a run shifts them towards equal distances between neighbours.

use super::Spread;
use super::overlaps::deviation;
use crate::DbmError;

/// Weight of the newest step in the adjustment of the temperatures.
const NEWEST: f64 = 0.1;
/// Length added to the path, in proportion to the inverse temperature: for a model of nearly independent units, equal steps are as good as
/// any.
const LEAST_LENGTH: f64 = 0.01;

/// Inverse temperatures `beta_1 <= ... <= beta_K = 1` of the points of a path; the independent units that precede them are at 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Temperatures(Vec<f64>);

impl Temperatures {
    /// This many equal steps of the inverse temperature.
    pub fn equal(steps: u32) -> Self {
        Self((1..=steps).map(|k| f64::from(k) / f64::from(steps)).collect())
    }

    /// Temperatures from their stored values.
    ///
    /// # Errors
    /// [`DbmError::Setting`] if they do not rise from at least 0 to 1.
    pub fn restore(kept: Vec<f64>) -> Result<Self, DbmError> {
        let wrong = std::iter::once(&0.0).chain(&kept).zip(&kept).find(|(before, beta)| *beta < before || beta.is_nan());
        let got = match (wrong, kept.last()) {
            (None, Some(&1.0)) => return Ok(Self(kept)),
            (None, Some(last)) => format!("{last} as the last"),
            (Some((before, beta)), _) => format!("{beta} after {before}"),
            (None, None) => "none".into(),
        };
        Err(DbmError::Setting { name: "inverse temperatures of a path", expected: "numbers that rise from at least 0 to 1", got })
    }

    /// One per point.
    pub fn betas(&self) -> &[f64] {
        &self.0
    }

    /// This many temperatures, distributed like these: the first half of them covers the same part of the path.
    #[must_use]
    pub fn with_steps(&self, steps: u32) -> Self {
        if self.0.len() == steps as usize {
            return self.clone();
        }
        self.divided(&vec![1.0; self.0.len()], steps as usize)
    }

    /// Adjusts the temperatures by the outcome of runs along them. The log weights of neighbouring points differ by a deviation `d_k` (that
    /// of a Gaussian with the same share of exchanges, `erfc(d_k / 2)`). These deviations add up along the path, whatever its steps, as
    /// long as the steps are fine. So every temperature moves a little towards the point where all `d_k` would be equal and all neighbours
    /// would accept equal shares of exchanges: the steps that minimize the deviation of `log Zhat` (equal rejection: Syed, Bouchard-Cote,
    /// Deligiannidis and Doucet 2022).
    pub(crate) fn follow(&mut self, spread: &Spread) {
        let before = std::iter::once(0.0).chain(self.0.iter().copied());
        let steps = before.zip(&self.0).map(|(before, beta)| beta - before);
        let lengths: Vec<f64> = spread.means().zip(steps).map(|(share, step)| deviation(share) + LEAST_LENGTH * step).collect();
        let even = self.divided(&lengths, self.0.len());
        self.0.iter_mut().zip(&even.0).for_each(|(beta, even)| *beta += NEWEST * (even - *beta));
    }

    /// This many temperatures at equal distances along the path, given the lengths of its steps.
    fn divided(&self, lengths: &[f64], count: usize) -> Self {
        let whole: f64 = lengths.iter().sum();
        let mut steps = std::iter::once(0.0).chain(self.0.iter().copied()).zip(&self.0).zip(lengths);
        let (mut from, mut to, mut length, mut end) = (0.0, 0.0, 0.0, 0.0);
        let mut betas: Vec<f64> = Vec::with_capacity(count);
        for k in 1..count {
            let place = whole * k as f64 / count as f64;
            while end < place
                && let Some(((before, &beta), &own)) = steps.next()
            {
                (from, to, length, end) = (before, beta, own, end + own);
            }
            // The first step that ends at `place` or later has a length above 0.
            betas.push(to - (to - from) * ((end - place) / length).max(0.0));
        }
        betas.push(1.0);
        Self(betas)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outcome of runs along these temperatures, for a model whose energy varies most by far at an inverse temperature of 0.7, where it
    /// freezes.
    fn spread(temperatures: &Temperatures) -> Spread {
        let length = |beta: f64| 4.0 * beta + 3.0 * (libm::atan((beta - 0.7) / 0.01) + 1.6);
        let before = std::iter::once(0.0).chain(temperatures.betas().iter().copied());
        let share = |(before, &beta): (f64, &f64)| libm::erfc((length(beta) - length(before)) / 2.0);
        Spread { shares: before.zip(temperatures.betas()).map(share).collect(), runs: 1 }
    }

    #[test]
    fn neighbours_come_to_accept_equal_shares() {
        let mut temperatures = Temperatures::equal(20);
        let ends = |temperatures: &Temperatures| {
            let shares: Vec<f64> = spread(temperatures).means().collect();
            [f64::min, f64::max].map(|end| shares.iter().copied().reduce(end).unwrap())
        };
        let [least, _] = ends(&temperatures);
        assert!(least < 0.01, "{least}");
        for _ in 0..200 {
            temperatures.follow(&spread(&temperatures));
        }
        let [least, most] = ends(&temperatures);
        assert!(most - least < 0.01, "{least} to {most}");
        assert_eq!(Temperatures::restore(temperatures.betas().to_vec()), Ok(temperatures));
    }

    #[test]
    fn where_nothing_is_far_from_anything_steps_become_equal() {
        let mut temperatures = Temperatures::restore(vec![0.0, 0.9, 0.9, 1.0]).unwrap();
        for _ in 0..300 {
            temperatures.follow(&Spread { shares: vec![3.0; 4], runs: 3 });
        }
        let equal = Temperatures::equal(4);
        temperatures.betas().iter().zip(equal.betas()).for_each(|(a, b)| assert!((a - b).abs() < 1e-6, "{a} for {b}"));
    }

    #[test]
    fn other_numbers_of_them_lie_alike() {
        let four = Temperatures::restore(vec![0.1, 0.2, 0.6, 1.0]).unwrap();
        assert_eq!(four.with_steps(4), four);
        assert_eq!(four.with_steps(1).betas(), [1.0]);
        let eight = four.with_steps(8);
        let expected = [0.05, 0.1, 0.15, 0.2, 0.4, 0.6, 0.8, 1.0];
        eight.betas().iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{a} for {b}"));
        assert_eq!(eight.with_steps(4).betas().len(), 4);
        // More temperatures than there are steps, where some of them coincide.
        let same = Temperatures::restore(vec![0.5, 0.5, 1.0]).unwrap();
        assert_eq!(same.with_steps(6).betas(), [0.25, 0.5, 0.5, 0.5, 0.75, 1.0]);
    }

    #[test]
    fn what_does_not_rise_to_one_is_refused() {
        for (wrong, got) in [
            (vec![], "none"),
            (vec![0.5], "0.5 as the last"),
            (vec![-0.1, 1.0], "-0.1 after 0"),
            (vec![0.6, 0.5, 1.0], "0.5 after 0.6"),
            (vec![1.0, f64::NAN], "NaN after 1"),
        ] {
            let error = Temperatures::restore(wrong).unwrap_err().to_string();
            assert!(error.contains(got), "{error}");
        }
    }
}
