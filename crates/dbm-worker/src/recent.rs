//! Histograms over the last steps, kept up to date one step at a time.

use dbm_core::gradient::PhaseInfo;
use dbm_protocol::{Histogram, PhaseMetrics};
use std::collections::{BTreeMap, VecDeque};

/// Steps that the histograms cover.
pub const WINDOW: usize = 100;

/// One phase of the last [`WINDOW`] steps.
#[derive(Default)]
pub struct RecentPhase {
    steps: VecDeque<PhaseInfo>,
    meeting_times: BTreeMap<u32, u32>,
    sweeps: BTreeMap<u32, u32>,
}

impl RecentPhase {
    pub fn push(&mut self, step: PhaseInfo) {
        count(&mut self.meeting_times, &step.meeting_times);
        count(&mut self.sweeps, &step.sweeps);
        self.steps.push_back(step);
        if self.steps.len() > WINDOW
            && let Some(old) = self.steps.pop_front()
        {
            discount(&mut self.meeting_times, &old.meeting_times);
            discount(&mut self.sweeps, &old.sweeps);
        }
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn metrics(&self, max_meeting: u32, max_sweeps: u32) -> PhaseMetrics {
        let sum = |of: fn(&PhaseInfo) -> u64| self.steps.iter().map(of).sum::<u64>();
        let proposals = sum(|step| step.proposals);
        let histogram = |counts: &BTreeMap<u32, u32>, capped: u64, cap: u32| Histogram {
            counts: counts.iter().map(|(&value, &count)| (value, count)).collect(),
            capped: capped as u32,
            cap,
        };
        PhaseMetrics {
            meeting_time: histogram(&self.meeting_times, sum(|step| u64::from(step.couplings_capped)), max_meeting),
            sweeps: histogram(&self.sweeps, sum(|step| u64::from(step.searches_capped)), max_sweeps),
            acceptance: if proposals == 0 { 0.0 } else { sum(|step| step.accepted) as f64 / proposals as f64 },
            energy: self.steps.back().filter(|step| step.chains > 0).map_or(0.0, PhaseInfo::mean_energy),
        }
    }
}

fn count(counts: &mut BTreeMap<u32, u32>, values: &[u32]) {
    for &value in values {
        *counts.entry(value).or_default() += 1;
    }
}

fn discount(counts: &mut BTreeMap<u32, u32>, values: &[u32]) {
    for value in values {
        if let Some(count) = counts.get_mut(value) {
            *count -= 1;
            if *count == 0 {
                counts.remove(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_cover_the_last_steps_and_no_others() {
        let mut recent = RecentPhase::default();
        for step in 0..WINDOW as u32 + 30 {
            recent.push(PhaseInfo { sweeps: vec![step, 7], meeting_times: vec![1], chains: 1, ..PhaseInfo::default() });
        }
        let metrics = recent.metrics(50, 60);
        assert_eq!(recent.len(), WINDOW);
        assert_eq!(metrics.meeting_time.counts, [(1, WINDOW as u32)]);
        assert_eq!(metrics.sweeps.counts.first(), Some(&(7, WINDOW as u32)));
        assert_eq!(metrics.sweeps.counts[1..].iter().map(|(value, _)| *value).min(), Some(30));
        assert_eq!((metrics.meeting_time.cap, metrics.sweeps.cap), (50, 60));
    }
}
