//! Where the time of a step goes, and how much work it did.

use dbm_core::StepInfo;
use dbm_core::gradient::PhaseInfo;
use std::mem::take;

/// The median of sorted times (for an even number, the faster of the two in the middle), the shortest and the longest.
pub fn spread<T>(times: &[T]) -> (&T, &T, &T) {
    (&times[(times.len() - 1) / 2], &times[0], &times[times.len() - 1])
}

/// A step. Its times are wall-clock seconds or, for shards, blocks or chains, thread-seconds: summed over everything computed in parallel.
#[derive(Clone, Debug, Default)]
pub struct Timed {
    /// Without the lists of all chains, which would count towards the memory of the training.
    step: StepInfo,
    /// From the beginning of the first shard to the end of the last.
    estimating: f64,
    /// Thread-seconds of all shards.
    shards: f64,
    /// Sweeps of all searches of the positive and the negative phase, and the number of searches.
    searches: [(u64, u64); 2],
}

impl Timed {
    /// A step whose shards took `estimating` seconds and `shards` thread-seconds.
    pub fn new(mut step: StepInfo, estimating: f64, shards: f64) -> Self {
        let searches = [&mut step.info.positive, &mut step.info.negative].map(|phase| {
            take(&mut phase.meeting_times);
            take(&mut phase.mean_field_sweeps);
            let sweeps = take(&mut phase.sweeps);
            (sweeps.iter().map(|&sweeps| u64::from(sweeps)).sum(), sweeps.len() as u64)
        });
        Self { step, estimating, shards, searches }
    }
}

/// The steps of a timed run.
#[derive(Debug)]
pub struct TimedRun(pub Vec<Timed>);

impl TimedRun {
    fn sum(&self, of: impl Fn(&Timed) -> f64) -> f64 {
        self.0.iter().map(of).sum()
    }

    /// The mean over the steps.
    pub fn mean(&self, of: impl Fn(&Timed) -> f64) -> f64 {
        self.sum(of) / self.0.len() as f64
    }

    /// Milliseconds per step.
    pub fn milliseconds(&self) -> f64 {
        1e3 * self.mean(|timed| timed.step.seconds)
    }

    /// The mean over the steps of a number of the positive (0) or the negative (1) phase.
    pub fn phase(&self, phase: usize, of: fn(&PhaseInfo) -> f64) -> f64 {
        self.mean(|timed| of([&timed.step.info.positive, &timed.step.info.negative][phase]))
    }

    /// T of that phase, if the estimator searches.
    pub fn mean_sweeps(&self, phase: usize) -> Option<f64> {
        let searches = self.sum(|timed| timed.searches[phase].1 as f64);
        (searches > 0.0).then(|| self.sum(|timed| timed.searches[phase].0 as f64) / searches)
    }

    /// Wall milliseconds per step, by name; they sum to the total. Parts that ran on several threads get shares of the wall time in
    /// proportion to their thread time, so that the time in which threads wait for the last one is spread over them.
    pub fn wall(&self) -> [(&'static str, f64); 7] {
        let share = |part: f64, of: f64, wall: f64| if of > 0.0 { part / of * wall } else { 0.0 };
        let (estimating, shards) = (self.mean(|timed| timed.estimating), self.mean(|timed| timed.shards));
        let blocks = self.mean(|timed| timed.step.blocks_seconds);
        let [positive, negative, first, second, gradient, optimizer] = self.threads().map(|(_, milliseconds)| milliseconds / 1e3);
        let mut named = [
            ("positive_search", share(positive, shards, estimating)),
            ("negative_search", share(negative, shards, estimating)),
            ("coupling", share(first + second, shards, estimating)),
            ("gradient", share(gradient, gradient + optimizer, blocks)),
            ("optimizer", share(optimizer, gradient + optimizer, blocks)),
            ("transposition", self.mean(|timed| timed.step.transpose_seconds)),
            ("rest", 0.0),
        ]
        .map(|(name, seconds)| (name, 1e3 * seconds));
        named[6].1 = self.milliseconds() - named.iter().map(|(_, milliseconds)| milliseconds).sum::<f64>();
        named
    }

    /// Thread-milliseconds per step, by name, as measured.
    pub fn threads(&self) -> [(&'static str, f64); 6] {
        [
            ("positive_search", self.phase(0, |phase| phase.search_seconds)),
            ("negative_search", self.phase(1, |phase| phase.search_seconds)),
            ("positive_coupling", self.phase(0, |phase| phase.coupling_seconds)),
            ("negative_coupling", self.phase(1, |phase| phase.coupling_seconds)),
            ("gradient", self.mean(|timed| timed.step.gradient_seconds)),
            ("optimizer", self.mean(|timed| timed.step.optimizer_seconds)),
        ]
        .map(|(name, seconds)| (name, 1e3 * seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::gradient::Info;

    #[test]
    fn wall_parts_sum_to_the_step_whatever_ran_in_parallel() {
        let phase = |search_seconds, coupling_seconds| PhaseInfo { search_seconds, coupling_seconds, ..PhaseInfo::default() };
        // Two threads: 4 + 2 + 1 + 1 thread-seconds of shards in 5 seconds, 2 + 4 of blocks in 3; half of each in either of two steps.
        let step = StepInfo {
            info: Info { positive: phase(1.0, 0.5), negative: phase(2.0, 0.0) },
            seconds: 5.0,
            blocks_seconds: 1.5,
            gradient_seconds: 1.0,
            optimizer_seconds: 2.0,
            transpose_seconds: 0.25,
            ..StepInfo::default()
        };
        let parts = TimedRun(vec![Timed::new(step, 2.5, 4.0); 2]);
        let wall = parts.wall();
        let expected = [625.0, 1250.0, 312.5, 500.0, 1000.0, 250.0, 1062.5];
        for ((name, got), expected) in wall.iter().zip(expected) {
            assert!((got - expected).abs() < 1e-9, "{name}: {got}, not {expected}");
        }
        assert!((wall.iter().map(|(_, ms)| ms).sum::<f64>() - 5000.0).abs() < 1e-9);
        assert_eq!(parts.threads()[0], ("positive_search", 1000.0));
        // An estimator without a clock, or without a phase, divides nothing by zero.
        assert!(TimedRun(vec![Timed::default()]).wall().iter().all(|(_, ms)| *ms == 0.0));
    }
}
