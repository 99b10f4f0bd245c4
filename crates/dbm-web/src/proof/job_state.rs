//! The state of the view's jobs, and the choice of the next one.

use super::estimates::{Estimates, job_end};
use super::estimator_table::{COUNT, ESTIMATORS};
use super::settings::ProofSettings;
use crate::worker::pool;

/// The state of the jobs.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says of another thing whether it is under way")]
pub struct Jobs {
    /// Whether the exact values are those of the present model and data.
    pub exact_is_current: bool,
    /// Whether the model or the exact values have been requested.
    pub asking_exact: bool,
    /// Whether the model or its data have changed since that request.
    pub exact_is_stale: bool,
    /// Whether samples may be requested: the visitor has stopped making changes.
    pub is_quiet: bool,
    /// Each estimator's samples.
    pub lanes: Vec<Lane>,
    /// Jobs in progress, for samples and for exact expectations.
    pub at_work: u32,
    /// Whether each estimator's exact expectation has been requested.
    pub asked_expectations: [bool; COUNT],
}

/// The samples of one estimator, and its jobs.
#[derive(Default)]
pub struct Lane {
    /// First sample of the next job.
    pub next: u32,
    /// Jobs in progress.
    pub at_work: u32,
    /// The samples drawn so far.
    pub estimates: Estimates,
}

impl Jobs {
    /// The estimator that is furthest behind and can continue, its next sample, and its chains.
    pub fn next_job(&mut self, settings: &ProofSettings) -> Option<(usize, u32, Vec<u8>)> {
        let width = pool::width() as u32;
        if self.at_work > width {
            return None;
        }
        let can = |(at, lane): &(usize, &Lane)| {
            // Persistent chains pass from job to job; no other estimator takes all workers.
            let most = if ESTIMATORS[*at].settings.kind.descriptor().persistent { 1 } else { width.div_ceil(2) + 1 };
            settings.chosen[*at] && lane.next < settings.target && lane.at_work < most
        };
        let (estimator, _) = self.lanes.iter().enumerate().filter(can).min_by_key(|(_, lane)| lane.next)?;
        let lane = &mut self.lanes[estimator];
        let start = lane.next;
        lane.next = job_end(start, settings.target);
        lane.at_work += 1;
        self.at_work += 1;
        let chains =
            if ESTIMATORS[estimator].settings.kind.descriptor().persistent { lane.estimates.chains.clone() } else { Vec::new() };
        Some((estimator, start, chains))
    }
}
