//! What was seen of a run: its recent steps, how fast it is, and the latest looks at how its model does.

use super::looks::Looks;
use super::recent::RecentPhase;
use crate::clock::now;
use dbm_core::{Examples, StepInfo};
use std::collections::VecDeque;
use std::ops::Range;

/// Steps a second are measured over this many seconds.
const RATE_SECONDS: f64 = 2.0;

/// Chains that are shown.
pub const SHOWN: usize = 64;

/// What was seen of a run.
#[derive(Default)]
pub struct Seen {
    pub positive: RecentPhase,
    pub negative: RecentPhase,
    /// When the steps of the last seconds ended.
    ended_at: VecDeque<f64>,
    pub looks: Looks,
    /// What the free chains of the latest step look like, packed, and after them those of the steps before, [`SHOWN`] in all.
    visible: Vec<u8>,
    /// How many of them are of the latest step.
    pub latest_chains: usize,
}

impl Seen {
    /// Takes in what a gradient step of a model of so many visible units did.
    pub fn step(&mut self, mut step: StepInfo, n_visible: usize) {
        let (stride, visible) = (n_visible.div_ceil(8), std::mem::take(&mut step.info.negative.visible));
        self.latest_chains = SHOWN.min(visible.len() / stride);
        self.visible.splice(0..0, visible);
        self.visible.truncate(SHOWN * stride);
        self.positive.push(step.info.positive);
        self.negative.push(step.info.negative);
    }

    /// What these of the latest free chains look like, one byte a unit, where there are any at all; of fewer, all.
    pub fn visible_bits(&self, width: usize, chains: Range<usize>) -> Option<Vec<u8>> {
        let rows = Examples::from_packed(width, self.visible.clone()).ok()?;
        let bits: Vec<u8> = chains.filter(|&row| row < rows.len()).flat_map(|row| rows.row(row)).collect();
        (!bits.is_empty()).then_some(bits)
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
