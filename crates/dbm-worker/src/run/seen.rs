//! What was seen of a run: its recent steps, how fast it is, and the last look at how its model does.

use super::recent::RecentPhase;
use crate::clock::now;
use dbm_core::StepInfo;
use dbm_core::signals::Activity;
use dbm_protocol::RunSignals;
use std::collections::VecDeque;

/// Steps a second are measured over this many seconds.
const RATE_SECONDS: f64 = 2.0;

/// What was seen of a run.
#[derive(Default)]
pub struct Seen {
    pub positive: RecentPhase,
    pub negative: RecentPhase,
    /// When the steps of the last seconds ended.
    ended_at: VecDeque<f64>,
    pub look: Option<RunSignals>,
    pub activities: Vec<Activity>,
    pub update_seconds: f64,
}

impl Seen {
    /// Takes in what a gradient step did.
    pub fn step(&mut self, step: StepInfo) {
        self.positive.push(step.info.positive);
        self.negative.push(step.info.negative);
        self.update_seconds = step.update_seconds;
    }

    /// A step has ended, of training or pretraining.
    pub fn count(&mut self) {
        let time = now();
        self.ended_at.push_back(time);
        // The last two stay however long ago they were: of slow steps one wants to know the rate as well.
        while self.ended_at.len() > 2 && self.ended_at.front().is_some_and(|&first| first < time - RATE_SECONDS) {
            self.ended_at.pop_front();
        }
    }

    /// Forgets how fast the run was.
    pub fn rest(&mut self) {
        self.ended_at.clear();
    }

    /// Steps a second.
    pub fn rate(&self) -> f64 {
        match (self.ended_at.front(), self.ended_at.back()) {
            (Some(first), Some(last)) if last > first => (self.ended_at.len() - 1) as f64 / (last - first),
            _ => 0.0,
        }
    }
}
