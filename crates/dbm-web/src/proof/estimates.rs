//! The samples of one estimator: jobs merged in order, means, and their confidence intervals.

use super::settings::LEVEL;
use crate::canvas::bins::Summary;
use dbm_core::diagnostics::EstimateSums;
use dbm_protocol::Histogram;
use special::Beta;
use std::collections::BTreeMap;

/// Entries kept per power of ten in the history of a mean.
const PER_DECADE: f64 = 12.0;
/// The estimates are in single precision: even if they are all equal, their mean may be off by this much.
const ROUNDING: f64 = 1e-5;

/// Where a job ends. The first jobs are small, so that results appear soon and the history of a mean starts early.
pub fn job_end(start: u32, target: u32) -> u32 {
    let size = (start / 4 / 100 * 100).clamp(200, 2000);
    (start + size).min(target)
}

/// The means of an estimator after some number of samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Means {
    /// The number of samples.
    pub samples: u32,
    /// Groups of samples, from which the errors are computed.
    pub groups: u32,
    /// Mean of each parameter, and its standard error.
    pub parameters: Vec<(f64, f64)>,
}

/// All samples of an estimator so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimates {
    /// Jobs that arrived before their turn, by their first sample, each with its end.
    early: BTreeMap<u32, (u32, EstimateSums, Vec<u8>)>,
    /// First sample of the next job to be merged: all samples before it have been drawn.
    pub next: u32,
    all: EstimateSums,
    /// States of persistent chains after the last sample.
    pub chains: Vec<u8>,
    /// The history of the means, in order of samples.
    pub history: Vec<Means>,
}

/// How an estimator compares with the exact gradient.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EstimatorVerdict {
    /// Parameters whose interval contains the exact value.
    pub inside: usize,
    /// The largest difference between a mean and the exact value,
    pub largest: f64,
    /// and the largest such difference in standard errors.
    pub largest_errors: f64,
}

impl Estimates {
    /// Stores the answer to the job that began with sample `start` and ended before `end`; it is merged once all earlier ones
    /// have arrived.
    pub fn take(&mut self, start: u32, end: u32, sums: EstimateSums, chains: Vec<u8>) {
        self.early.insert(start, (end, sums, chains));
        while let Some((end, sums, chains)) = self.early.remove(&self.next) {
            self.next = end;
            self.chains = chains;
            self.merge(&sums);
        }
    }

    fn merge(&mut self, sums: &EstimateSums) {
        self.all.add(sums);
        let all = &self.all;
        let due = |last: &Means| f64::from(all.samples) >= f64::from(last.samples) * 10f64.powf(1.0 / PER_DECADE);
        if all.groups >= 2 && self.history.last().is_none_or(due) {
            self.history.push(self.now());
        }
    }

    /// Samples that have been drawn and merged.
    pub fn samples(&self) -> u32 {
        self.all.samples
    }

    /// Couplings, and draws of Gibbs couplings, that were cut.
    pub fn capped(&self) -> u32 {
        self.all.capped + self.all.tries_capped
    }

    /// The present means.
    pub fn now(&self) -> Means {
        let EstimateSums { samples, groups, .. } = self.all;
        let parameters = if samples == 0 { Vec::new() } else { self.all.mean_and_error() };
        Means { samples, groups, parameters }
    }

    /// The meeting times of the negative phase, and of the positive one.
    pub fn meetings(&self) -> [Summary; 2] {
        [&self.all.meeting_times, &self.all.meeting_times_positive].map(|times| {
            let counts = times.iter().map(|(&time, &count)| (time, count)).collect();
            Summary::of(&[&Histogram { counts, ..Histogram::default() }])
        })
    }
}

impl Means {
    /// Half the width of an interval, in standard errors: the two-sided quantile of Student's t distribution, whose degrees of
    /// freedom are one fewer than the groups. For simultaneous intervals (Bonferroni) the error probability is divided among the
    /// parameters.
    pub fn factor(&self, alone: bool) -> f64 {
        let beyond = (1.0 - LEVEL) / if alone { 1.0 } else { self.parameters.len().max(1) as f64 };
        student(beyond, f64::from(self.groups) - 1.0)
    }

    /// The mean of a parameter, and half the width of its interval.
    pub fn interval(&self, place: usize, factor: f64) -> Option<(f64, f64)> {
        let (mean, error) = self.parameters.get(place).copied()?;
        let half = if error.is_finite() && factor.is_finite() { error * factor + ROUNDING } else { f64::INFINITY };
        Some((mean, half))
    }

    /// How the means compare with the exact values; `None` before there are two groups.
    pub fn verdict(&self, exact: &[f64], alone: bool) -> Option<EstimatorVerdict> {
        if self.groups < 2 || self.parameters.len() != exact.len() {
            return None;
        }
        let factor = self.factor(alone);
        let mut verdict = EstimatorVerdict::default();
        for (place, exact) in exact.iter().enumerate() {
            let (mean, half) = self.interval(place, factor)?;
            let off = (mean - exact).abs();
            verdict.inside += usize::from(off <= half);
            verdict.largest = verdict.largest.max(off);
            // A difference that rounding explains is not a deviation.
            let error = half / factor;
            verdict.largest_errors = verdict.largest_errors.max(if off == 0.0 { 0.0 } else { off / error });
        }
        Some(verdict)
    }
}

/// The value that the absolute value of a Student's t variable exceeds with probability `beyond`, in `(0, 1)`.
fn student(beyond: f64, freedom: f64) -> f64 {
    if freedom < 1.0 {
        return f64::INFINITY;
    }
    let (a, b) = (freedom / 2.0, 0.5);
    let x = beyond.inv_inc_beta(a, b, a.ln_beta(b));
    (freedom * (1.0 - x) / x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::rng::{Purpose, Streams};

    /// A job of groups of 10 samples with these means.
    fn job(means: &[[f64; 2]]) -> EstimateSums {
        let total = |f: &dyn Fn(f64) -> f64| (0..2).map(|at| means.iter().map(|mean| f(mean[at])).sum()).collect();
        EstimateSums {
            samples: 10 * means.len() as u32,
            sums: total(&|mean| 10.0 * mean),
            group_squares: total(&|mean| mean * mean),
            groups: means.len() as u32,
            meeting_times: BTreeMap::from([(1, 9 * means.len() as u32), (3, means.len() as u32)]),
            meeting_times_positive: BTreeMap::from([(1, 10 * means.len() as u32)]),
            capped: 1,
            ..EstimateSums::default()
        }
    }

    #[test]
    fn the_quantiles_are_those_of_the_tables() {
        // Two-sided 1 %, from the tables of Student's t distribution and, last, of the normal one.
        let of_tables = [(1.0, 63.657), (2.0, 9.925), (3.0, 5.841), (4.0, 4.604), (5.0, 4.032), (9.0, 3.250), (30.0, 2.750)];
        for (freedom, value) in of_tables.into_iter().chain([(1e7, 2.575_829)]) {
            let got = student(0.01, freedom);
            assert!((got / value - 1.0).abs() < 1e-4, "{freedom}: {got} for {value}");
        }
        // Simultaneous for 27 parameters: 0.01 / 27 beyond; the factor is larger if there are few groups.
        assert!((student(0.01 / 27.0, 999.0) - 3.572_57).abs() < 1e-4, "{}", student(0.01 / 27.0, 999.0));
        assert_eq!(student(0.01, 0.0), f64::INFINITY);
    }

    #[test]
    fn jobs_are_cut_alike_whoever_runs_them() {
        let mut ends = vec![0];
        while *ends.last().unwrap() < 100_000 {
            ends.push(job_end(*ends.last().unwrap(), 100_000));
        }
        assert_eq!(ends[1..5], [200, 400, 600, 800]);
        assert!(ends.last() == Some(&100_000) && ends.windows(2).all(|pair| pair[1] - pair[0] <= 2000 && pair[1] > pair[0]));
        assert!(ends.len() < 80, "{}", ends.len());
    }

    #[test]
    fn the_order_in_which_jobs_come_changes_no_bit() {
        let jobs: Vec<EstimateSums> =
            (0..6_u8).map(|at| job(&[[0.1 * f64::from(at), 1.0 / 3.0], [0.7, f64::from(at)]])).collect();
        let merged = |order: [usize; 6]| {
            let mut estimates = Estimates::default();
            for at in order {
                estimates.take(20 * at as u32, 20 * (at as u32 + 1), jobs[at].clone(), vec![at as u8]);
            }
            estimates
        };
        let straight = merged([0, 1, 2, 3, 4, 5]);
        assert_eq!(straight, merged([5, 3, 1, 0, 2, 4]));
        assert_eq!((straight.samples(), straight.next, &*straight.chains, straight.capped()), (120, 120, &[5][..], 6));
        let mut waiting = Estimates::default();
        waiting.take(20, 40, jobs[1].clone(), vec![]);
        assert_eq!((waiting.samples(), waiting.next, waiting.now().parameters.len()), (0, 0, 0));
    }

    #[test]
    fn mean_error_and_meetings_are_what_they_are_by_hand() {
        let mut estimates = Estimates::default();
        estimates.take(0, 30, job(&[[1.0, 5.0], [2.0, 5.0], [6.0, 5.0]]), vec![]);
        let now = estimates.now();
        // Means 1, 2, 6: mean 3, variance 7 of one group, 7 / 3 of the mean.
        assert_eq!(now.parameters[0].0, 3.0);
        assert!((now.parameters[0].1 - (7.0_f64 / 3.0).sqrt()).abs() < 1e-12 && now.parameters[1] == (5.0, 0.0), "{now:?}");
        let [negative, positive] = estimates.meetings();
        assert_eq!((negative.total, negative.above_one, positive.above_one, positive.mean), (30, 0.1, 0.0, 1.0));
        assert!((negative.mean - 1.2).abs() < 1e-12);
        // t with 2 degrees of freedom: 9.925 two-sided at 1 %, 14.089 at 0.5 % for two parameters together.
        assert!((now.factor(true) - 9.925).abs() < 1e-3 && (now.factor(false) - 14.089).abs() < 1e-3);
    }

    #[test]
    fn a_verdict_counts_the_parameters_whose_interval_has_the_exact_value() {
        let mut estimates = Estimates::default();
        estimates.take(0, 30, job(&[[1.0, 5.0], [2.0, 5.0], [6.0, 5.0]]), vec![]);
        let verdict = |exact: [f64; 2]| estimates.now().verdict(&exact, false).unwrap();
        assert_eq!((verdict([3.0, 5.0]).inside, verdict([3.0, 5.0]).largest_errors), (2, 0.0));
        assert_eq!((verdict([20.0, 5.0]).inside, verdict([20.0, 5.0]).largest), (2, 17.0));
        assert_eq!(verdict([30.0, 5.0]).inside, 1);
        assert_eq!(verdict([3.0, 5.1]).inside, 1);
        assert_eq!(estimates.now().verdict(&[1.0], false), None);
        assert_eq!(Estimates::default().now().verdict(&[], false), None);
    }

    #[test]
    fn intervals_hold_their_level() {
        // 400 runs of 20 groups, means of 5 parameters from a normal distribution; seed 7. At level 99 % about 4 of 400 fail;
        // more than 12 has a probability below 0.0005 if each fails with 1 %.
        let streams = Streams::new(7);
        let mut failed = 0;
        for run in 0..400 {
            let mut stream = streams.at(Purpose::Initialization, 0, run);
            let groups: Vec<Vec<f64>> = (0..20).map(|_| (0..5).map(|_| stream.gaussian()).collect()).collect();
            let total = |f: &dyn Fn(f64) -> f64| (0..5).map(|at| groups.iter().map(|group| f(group[at])).sum()).collect();
            let mut estimates = Estimates::default();
            let of = EstimateSums {
                samples: 20,
                groups: 20,
                sums: total(&|x| x),
                group_squares: total(&|x| x * x),
                ..EstimateSums::default()
            };
            estimates.take(0, 20, of, vec![]);
            failed += usize::from(estimates.now().verdict(&[0.0; 5], false).unwrap().inside < 5);
        }
        assert!((1..=12).contains(&failed), "{failed}");
    }
}
