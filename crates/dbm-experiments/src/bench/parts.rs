//! Where the time of a step goes, and what work it did.

use dbm_core::StepInfo;
use dbm_core::gradient::Info;

/// Sums over steps. Times are seconds of the clock on the wall, or, where it says so, thread-seconds: summed over shards or blocks, several of
/// which are computed at once.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// How many steps are summed.
    pub steps: u64,
    /// Seconds of whole steps.
    pub step: f64,
    /// From the first shard's beginning to the last one's end.
    pub estimating: f64,
    /// Thread-seconds of all shards.
    pub shards: f64,
    /// What the chains of both phases did, and thread-seconds of their searches and couplings.
    pub info: Info,
    /// From the first block's beginning to the last one's end.
    pub blocks: f64,
    /// Thread-seconds of the gradient's blocks.
    pub gradient: f64,
    /// Thread-seconds of the optimizer.
    pub optimizer: f64,
    /// Seconds of transposing the weights for the next step.
    pub transpose: f64,
}

impl std::ops::AddAssign for Parts {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.step += other.step;
        self.estimating += other.estimating;
        self.shards += other.shards;
        self.info.append(&other.info);
        self.blocks += other.blocks;
        self.gradient += other.gradient;
        self.optimizer += other.optimizer;
        self.transpose += other.transpose;
    }
}

impl Parts {
    /// Of one step, whose shards took `estimating` seconds and `shards` thread-seconds.
    pub fn of(step: StepInfo, estimating: f64, shards: f64) -> Self {
        Self {
            steps: 1,
            step: step.seconds,
            estimating,
            shards,
            info: step.info,
            blocks: step.blocks_seconds,
            gradient: step.gradient_seconds,
            optimizer: step.optimizer_seconds,
            transpose: step.transpose_seconds,
        }
    }

    /// Milliseconds a step.
    pub fn each(&self, seconds: f64) -> f64 {
        1e3 * seconds / self.steps as f64
    }

    /// Wall milliseconds a step by name; they sum to the whole. What ran on several threads has its part of the wall time that it had of the
    /// thread time, so that the time in which threads wait for the last of them is spread over what they did.
    pub fn wall(&self) -> [(&'static str, f64); 7] {
        let share = |part: f64, of: f64, wall: f64| if of > 0.0 { part / of * wall } else { 0.0 };
        let estimating = |part| share(part, self.shards, self.estimating);
        let updating = |part| share(part, self.gradient + self.optimizer, self.blocks);
        let Info { positive, negative } = &self.info;
        let mut named = [
            ("positive_search", estimating(positive.search_seconds)),
            ("negative_search", estimating(negative.search_seconds)),
            ("coupling", estimating(positive.coupling_seconds + negative.coupling_seconds)),
            ("gradient", updating(self.gradient)),
            ("optimizer", updating(self.optimizer)),
            ("transposition", self.transpose),
            ("rest", 0.0),
        ];
        let known: f64 = named.iter().map(|(_, seconds)| seconds).sum();
        named[6].1 = self.step - known;
        named.map(|(name, seconds)| (name, self.each(seconds)))
    }

    /// Thread-milliseconds a step by name, as measured.
    pub fn threads(&self) -> [(&'static str, f64); 6] {
        let Info { positive, negative } = &self.info;
        let named = [
            ("positive_search", positive.search_seconds),
            ("negative_search", negative.search_seconds),
            ("positive_coupling", positive.coupling_seconds),
            ("negative_coupling", negative.coupling_seconds),
            ("gradient", self.gradient),
            ("optimizer", self.optimizer),
        ];
        named.map(|(name, seconds)| (name, self.each(seconds)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::gradient::PhaseInfo;

    #[test]
    fn wall_parts_sum_to_the_step_whatever_ran_in_parallel() {
        let phase = |search_seconds, coupling_seconds| PhaseInfo { search_seconds, coupling_seconds, ..PhaseInfo::default() };
        // Two threads: 4 + 2 + 1 + 1 thread-seconds of shards in 5 seconds, 2 + 4 of blocks in 3.
        let parts = Parts {
            steps: 2,
            step: 10.0,
            estimating: 5.0,
            shards: 8.0,
            info: Info { positive: phase(2.0, 1.0), negative: phase(4.0, 0.0) },
            blocks: 3.0,
            gradient: 2.0,
            optimizer: 4.0,
            transpose: 0.5,
        };
        let wall = parts.wall();
        let expected = [625.0, 1250.0, 312.5, 500.0, 1000.0, 250.0, 1062.5];
        for ((name, got), expected) in wall.iter().zip(expected) {
            assert!((got - expected).abs() < 1e-9, "{name}: {got}, not {expected}");
        }
        assert!((wall.iter().map(|(_, ms)| ms).sum::<f64>() - 5000.0).abs() < 1e-9);
        assert_eq!(parts.threads()[0], ("positive_search", 1000.0));
        // An estimator without a clock, or without a phase, divides nothing by zero.
        assert!(Parts { steps: 1, ..Parts::default() }.wall().iter().all(|(_, ms)| *ms == 0.0));
    }
}
