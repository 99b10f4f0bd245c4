//! Observations of a run: its recent steps, its rate, and the latest looks at how its model does.

use super::looks::Looks;
use super::recent::RecentPhase;
use crate::clock::now;
use dbm_core::{Examples, StepInfo};
use std::collections::VecDeque;
use std::ops::Range;

/// The rate is measured over this many seconds.
const RATE_SECONDS: f64 = 2.0;

/// Number of chains shown.
pub const SHOWN: usize = 64;

/// Observations of a run.
#[derive(Default)]
pub struct Seen {
    pub positive: RecentPhase,
    pub negative: RecentPhase,
    /// When each step of the last seconds ended.
    ended_at: VecDeque<f64>,
    pub looks: Looks,
    /// What the free chains of the latest step look like, packed, followed by those of the steps before; [`SHOWN`] in all.
    visible: Vec<u8>,
    /// How many of them are from the latest step.
    pub latest_chains: usize,
}

impl Seen {
    /// Takes in what a gradient step did, of a model with this many visible units.
    pub fn step(&mut self, mut step: StepInfo, n_visible: usize) {
        let (stride, visible) = (n_visible.div_ceil(8), std::mem::take(&mut step.info.negative.visible));
        self.latest_chains = SHOWN.min(visible.len() / stride);
        self.visible.splice(0..0, visible);
        self.visible.truncate(SHOWN * stride);
        self.positive.push(step.info.positive);
        self.negative.push(step.info.negative);
    }

    /// What these of the latest free chains look like, one byte per unit, if there are any; all of them, if there are fewer.
    pub fn visible_bits(&self, width: usize, chains: Range<usize>) -> Option<Vec<u8>> {
        let rows = Examples::from_packed(width, self.visible.clone()).ok()?;
        let bits: Vec<u8> = chains.filter(|&row| row < rows.len()).flat_map(|row| rows.row(row)).collect();
        (!bits.is_empty()).then_some(bits)
    }

    /// A step has ended, of training or pretraining.
    pub fn count(&mut self) {
        let time = now();
        self.ended_at.push_back(time);
        // The last two stay however old they are, so that slow steps have a rate as well.
        while self.ended_at.len() > 2 && self.ended_at.front().is_some_and(|&first| first < time - RATE_SECONDS) {
            self.ended_at.pop_front();
        }
    }

    /// Discards the measured rate.
    pub fn rest(&mut self) {
        self.ended_at.clear();
    }

    /// Steps per second.
    pub fn rate(&self) -> f64 {
        match (self.ended_at.front(), self.ended_at.back()) {
            (Some(first), Some(last)) if last > first => (self.ended_at.len() - 1) as f64 / (last - first),
            _ => 0.0,
        }
    }
}
