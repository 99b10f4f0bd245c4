//! A benchmark at work: a run of its own for each number of workers, stepped as training steps it, and timed.

use crate::clock::now;
use crate::job::{Slice, Work, within};
use crate::pool::{PeerMessage, WorkerPool};
use crate::run::{Advance, Run};
use crate::sources::{self, Material};
use dbm_core::{DbmError, Shards};
use dbm_protocol::{BenchProtocol, BenchRow, DataSource, Event, Initialization, RunPlan};

/// Steps to warm up, or of one measurement, at most.
const MOST_STEPS: u32 = 1000;
/// Measurements at most.
const MOST_RUNS: u32 = 100;

/// What a [`dbm_protocol::Command::Bench`] asked for, and how far it is.
pub struct Benchmark {
    data: Material,
    plan: RunPlan,
    protocol: BenchProtocol,
    /// Numbers of workers still to be measured, the next one last.
    workers: Vec<usize>,
    run: Run,
    /// Whether the present run is shared as it is to be.
    shared: bool,
    /// When the present measurement began.
    started: Option<f64>,
    row: BenchRow,
    /// Sweeps of the row's searches in both phases, and how many searches.
    searches: [(u64, usize); 2],
    rows: Vec<BenchRow>,
}

impl Benchmark {
    /// Makes the data and the first run; nothing is timed yet. There can be `most` workers, and no more share a step than it has shards.
    pub fn new(
        source: &DataSource,
        plan: RunPlan,
        protocol: BenchProtocol,
        workers: &[u32],
        most: usize,
    ) -> Result<Self, String> {
        within("the number of steps to warm up", protocol.warm_up, 0..=MOST_STEPS)?;
        within("the number of steps of a run", protocol.steps, 1..=MOST_STEPS)?;
        within("the number of runs", protocol.runs, 1..=MOST_RUNS)?;
        if matches!(plan.start, Initialization::Pretrained { .. }) {
            return Err("a benchmark times gradient steps: choose a start without pretraining".into());
        }
        let most = most.min(Shards::of_batch(plan.settings.batch)).max(1);
        let mut counts: Vec<usize> = match workers {
            [] => {
                std::iter::successors(Some(1), |count| Some(2 * count)).take_while(|&count| count < most).chain([most]).collect()
            }
            some => some.iter().map(|&count| count as usize).collect(),
        };
        for &count in &counts {
            within("the number of workers", count as u32, 1..=most as u32)?;
        }
        counts.reverse();
        let data = sources::make(source).map_err(|error| error.to_string())?;
        let run = Run::new(data.clone(), plan.clone()).map_err(|error| error.to_string())?;
        let (row, searches) = Default::default();
        Ok(Self { data, plan, protocol, workers: counts, run, shared: false, started: None, row, searches, rows: Vec::new() })
    }

    /// Adds the step just taken.
    fn count(&mut self) {
        let Some(step) = self.run.last_step() else { return };
        self.row.positive_search += step.positive.search_seconds;
        self.row.negative_search += step.negative.search_seconds;
        self.row.coupling += step.positive.coupling_seconds + step.negative.coupling_seconds;
        self.row.update += step.update_seconds;
        for ((sum, count), phase) in self.searches.iter_mut().zip([step.positive, step.negative]) {
            *sum += phase.sweeps.iter().copied().map(u64::from).sum::<u64>();
            *count += phase.sweeps.len();
        }
    }

    /// Ends the row, and begins the next, if there is one, from step 0.
    fn end_row(&mut self) -> Result<(), DbmError> {
        let mut row = std::mem::take(&mut self.row);
        let steps = f64::from(self.protocol.steps * self.protocol.runs);
        // Shards are estimated side by side: their share of the time that passes.
        let shared = steps * f64::from(row.workers);
        for sum in [&mut row.positive_search, &mut row.negative_search, &mut row.coupling] {
            *sum /= shared;
        }
        row.update /= steps;
        row.checksum = format!("{:016x}", self.run.model().checksum());
        let mean = |(sum, count): (u64, usize)| sum as f64 / count.max(1) as f64;
        [row.positive_sweeps, row.negative_sweeps] = std::mem::take(&mut self.searches).map(mean);
        self.rows.push(row);
        self.workers.pop();
        if !self.workers.is_empty() {
            self.run = Run::new(self.data.clone(), self.plan.clone())?;
        }
        (self.shared, self.started) = (false, None);
        Ok(())
    }

    fn result(&mut self) -> dbm_protocol::BenchResult {
        dbm_protocol::BenchResult { sizes: self.run.about().sizes, rows: std::mem::take(&mut self.rows) }
    }
}

impl Work for Benchmark {
    /// Steps until the clock shows `until`, at most one whole step.
    fn work(&mut self, until: f64, pool: &mut WorkerPool) -> Result<Slice, String> {
        let BenchProtocol { warm_up, steps, runs } = self.protocol;
        if !self.shared {
            let workers = self.workers.last().copied().unwrap_or(1);
            if workers > 1 && !pool.is_up(workers) {
                return Ok(Slice::Waits);
            }
            self.run.share(pool, workers).map_err(|error| error.to_string())?;
            self.row.workers = self.run.workers() as u32;
            self.shared = true;
        }
        if self.started.is_none() && self.run.steps() >= warm_up && self.run.between_steps() {
            self.started = Some(now());
        }
        match self.run.advance_until(until, pool).map_err(|error| error.to_string())? {
            Advance::Finished => {}
            Advance::Waits => return Ok(Slice::Waits),
            Advance::Goes => return Ok(Slice::Goes),
        }
        let total = warm_up + steps * runs;
        let done = self.run.steps();
        if let Some(started) = self.started {
            self.count();
            if (done - warm_up).is_multiple_of(steps) {
                let time = now();
                self.row.seconds.push(time - started);
                self.started = Some(time);
            }
        }
        let (before, rows) = (self.rows.len() as u32 * total, (self.rows.len() + self.workers.len()) as u32);
        if done == total {
            self.end_row().map_err(|error| error.to_string())?;
            if self.workers.is_empty() {
                return Slice::ends(Event::Bench(self.result()));
            }
        }
        Ok(Slice::Progress { done: before + done, total: rows * total })
    }

    fn has_helpers(&self) -> bool {
        true
    }

    fn receive(&mut self, message: PeerMessage) -> Result<(), DbmError> {
        self.run.receive(message)
    }
}
