//! Histograms over the last steps, kept up to date one step at a time.

use dbm_core::Settings;
use dbm_core::gradient::PhaseInfo;
use dbm_protocol::{Histogram, PhaseMetrics};
use std::collections::{BTreeMap, VecDeque};

/// Number of steps that the histograms cover.
pub const WINDOW: usize = 100;

/// One phase of the last [`WINDOW`] steps.
#[derive(Default)]
pub struct RecentPhase {
    steps: VecDeque<PhaseInfo>,
    /// How often each of [`values`] occurred.
    counts: [BTreeMap<u32, u32>; 3],
}

/// What the histograms take from a step: meeting times, sweeps of searches, and sweeps of mean-field iterations.
fn values(step: &PhaseInfo) -> [&[u32]; 3] {
    [&step.meeting_times, &step.sweeps, &step.mean_field_sweeps]
}

impl RecentPhase {
    pub fn push(&mut self, step: PhaseInfo) {
        for (counts, values) in self.counts.iter_mut().zip(values(&step)) {
            values.iter().for_each(|&value| *counts.entry(value).or_default() += 1);
        }
        self.steps.push_back(step);
        if self.steps.len() > WINDOW
            && let Some(old) = self.steps.pop_front()
        {
            for (counts, values) in self.counts.iter_mut().zip(values(&old)) {
                for value in values {
                    if let Some(count) = counts.get_mut(value) {
                        *count -= 1;
                        if *count == 0 {
                            counts.remove(value);
                        }
                    }
                }
            }
        }
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// `settings` are those of the run; the histograms name their caps.
    pub fn metrics(&self, settings: &Settings) -> PhaseMetrics {
        let sum = |of: fn(&PhaseInfo) -> u64| self.steps.iter().map(of).sum::<u64>();
        let histogram = |counts: &BTreeMap<u32, u32>, capped: fn(&PhaseInfo) -> u32, cap: u32| Histogram {
            counts: counts.iter().map(|(&value, &count)| (value, count)).collect(),
            capped: self.steps.iter().map(capped).sum(),
            cap,
        };
        let proposals = sum(|step| step.proposals);
        let [meeting_times, sweeps, mean_field] = &self.counts;
        PhaseMetrics {
            meeting_time: histogram(meeting_times, |step| step.couplings_capped, settings.max_meeting),
            sweeps: histogram(sweeps, |step| step.searches_capped, settings.max_sweeps),
            mean_field: histogram(mean_field, |step| step.mean_field_capped, settings.estimator.mean_field_sweeps),
            acceptance: (proposals > 0).then(|| sum(|step| step.accepted) as f64 / proposals as f64),
            tries_capped: sum(|step| u64::from(step.tries_capped)).min(u64::from(u32::MAX)) as u32,
            energy: self.steps.back().filter(|step| step.chains > 0).map(PhaseInfo::mean_energy),
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
            recent.push(PhaseInfo {
                sweeps: vec![step, 7],
                meeting_times: vec![1],
                mean_field_sweeps: vec![step],
                searches_capped: 1,
                couplings_capped: 2,
                mean_field_capped: 3,
                tries_capped: 4,
                proposals: 4,
                accepted: 1,
                energy_sum: -3.0,
                chains: 2,
                ..PhaseInfo::default()
            });
        }
        let mut settings = Settings { max_meeting: 50, max_sweeps: 60, ..Settings::default() };
        settings.estimator.mean_field_sweeps = 70;
        let metrics = recent.metrics(&settings);
        assert_eq!(recent.len(), WINDOW);
        assert_eq!(metrics.meeting_time.counts, [(1, WINDOW as u32)]);
        assert_eq!(metrics.sweeps.counts.first(), Some(&(7, WINDOW as u32)));
        assert_eq!(metrics.sweeps.counts[1..].iter().map(|(value, _)| *value).min(), Some(30));
        assert_eq!(metrics.mean_field.counts.first(), Some(&(30, 1)));
        assert_eq!((metrics.meeting_time.cap, metrics.sweeps.cap, metrics.mean_field.cap), (50, 60, 70));
        let capped = (metrics.sweeps.capped, metrics.meeting_time.capped, metrics.mean_field.capped, metrics.tries_capped);
        assert_eq!(capped, (100, 200, 300, 400));
        assert_eq!((metrics.acceptance, metrics.energy), (Some(0.25), Some(-1.5)));
    }

    #[test]
    fn what_an_estimator_does_not_do_is_empty() {
        let mut recent = RecentPhase::default();
        recent.push(PhaseInfo::default());
        let metrics = recent.metrics(&Settings::default());
        assert_eq!((metrics.acceptance, metrics.energy), (None, None));
        assert!([metrics.meeting_time, metrics.sweeps, metrics.mean_field].iter().all(|h| h.counts.is_empty()));
    }
}
