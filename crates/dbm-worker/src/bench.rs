//! A benchmark at work: a run of its own for each number of workers, and for the GPU, stepped as training steps it, and timed.

use crate::clock::now;
use crate::job::{Slice, Work, within};
use crate::pool::{OnGpu, PeerMessage, WorkerPool};
use crate::run::{Advance, Run};
use crate::sources::{self, Material};
use dbm_core::{DbmError, Shards};
use dbm_data::DataError;
use dbm_protocol::{BenchProtocol, BenchRow, DataSource, Event, GpuEvent, Initialization, RunPlan};

/// Steps to warm up, or of one measurement, at most.
const MOST_STEPS: u32 = 1000;
/// Measurements at most.
const MOST_RUNS: u32 = 100;

/// Of the steps by which the GPU and the processor are compared before the one or the other is used.
const TRIAL: BenchProtocol = BenchProtocol { warm_up: 2, steps: 10, runs: 1 };

/// Who computes a measurement.
#[derive(Clone, Copy)]
enum By {
    Workers(usize),
    Gpu,
}

/// What a [`dbm_protocol::Command::Bench`] or a [`dbm_protocol::Command::TryGpu`] asked for, and how far it is.
pub struct Benchmark {
    data: Material,
    plan: RunPlan,
    /// Where the runs begin; empty for step 0.
    checkpoint: Vec<u8>,
    /// The step that this is.
    first: u32,
    protocol: BenchProtocol,
    /// Who is still to be measured, the next one last.
    by: Vec<By>,
    run: Run,
    /// Whether the present run is with those who are to compute it.
    shared: bool,
    /// When the present measurement began.
    started: Option<f64>,
    row: BenchRow,
    /// Sweeps of the row's searches in both phases, and how many searches.
    searches: [(u64, usize); 2],
    rows: Vec<BenchRow>,
}

impl Benchmark {
    /// Makes the data and the first run; nothing is timed yet. There can be `most` workers, and no more share a step than it has shards. The GPU, if asked for, comes last.
    pub fn new(
        source: &DataSource,
        plan: RunPlan,
        protocol: BenchProtocol,
        workers: &[u32],
        gpu: bool,
        most: usize,
    ) -> Result<Self, String> {
        within("the number of steps to warm up", protocol.warm_up, 0..=MOST_STEPS)?;
        within("the number of steps of a run", protocol.steps, 1..=MOST_STEPS)?;
        within("the number of runs", protocol.runs, 1..=MOST_RUNS)?;
        if matches!(plan.start, Initialization::Pretrained { .. }) {
            return Err("a benchmark times gradient steps: choose a start without pretraining".into());
        }
        let most = most.min(Shards::of_batch(plan.settings.batch)).max(1);
        let counts: Vec<usize> = match workers {
            [] => {
                std::iter::successors(Some(1), |count| Some(2 * count)).take_while(|&count| count < most).chain([most]).collect()
            }
            some => some.iter().map(|&count| count as usize).collect(),
        };
        for &count in &counts {
            within("the number of workers", count as u32, 1..=most as u32)?;
        }
        let by = counts.into_iter().map(By::Workers).chain(gpu.then_some(By::Gpu)).collect();
        let data = sources::make(source).map_err(|error| error.to_string())?;
        Self::of(data, plan, Vec::new(), protocol, by)
    }

    /// Ten steps of this run, which is whole, from where it stands, by as many workers as would share it and then by the GPU.
    pub fn of_run(run: &Run, most: usize) -> Result<Self, String> {
        let checkpoint = run.checkpoint().map_err(|error| error.to_string())?;
        let checkpoint = checkpoint.ok_or("a run that is being pretrained cannot be timed yet: wait for its first step")?;
        let by = vec![By::Workers(most.min(run.most_replicas()).max(1)), By::Gpu];
        Self::of(run.material.clone(), run.plan.clone(), checkpoint, TRIAL, by)
    }

    fn of(data: Material, plan: RunPlan, checkpoint: Vec<u8>, protocol: BenchProtocol, mut by: Vec<By>) -> Result<Self, String> {
        by.reverse();
        let run = begin(&data, &plan, &checkpoint).map_err(|error| error.to_string())?;
        let (first, row, searches) = (run.steps(), BenchRow::default(), Default::default());
        Ok(Self {
            data,
            plan,
            checkpoint,
            first,
            protocol,
            by,
            run,
            shared: false,
            started: None,
            row,
            searches,
            rows: Vec::new(),
        })
    }

    /// Steps of the present measurement, those to warm up included.
    fn steps(&self) -> u32 {
        self.run.steps() - self.first
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
    fn end_row(&mut self) -> Result<(), DataError> {
        let mut row = std::mem::take(&mut self.row);
        let steps = f64::from(self.protocol.steps * self.protocol.runs);
        // Shards are estimated side by side: their share of the time that passes.
        let shared = steps * f64::from(row.workers.max(1));
        for sum in [&mut row.positive_search, &mut row.negative_search, &mut row.coupling] {
            *sum /= shared;
        }
        row.update /= steps;
        if row.workers > 0 {
            row.checksum = format!("{:016x}", self.run.model().checksum());
        }
        let mean = |(sum, count): (u64, usize)| sum as f64 / count.max(1) as f64;
        [row.positive_sweeps, row.negative_sweeps] = std::mem::take(&mut self.searches).map(mean);
        self.rows.push(row);
        self.by.pop();
        if !self.by.is_empty() {
            self.run = begin(&self.data, &self.plan, &self.checkpoint)?;
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
            match self.by.last().copied().unwrap_or(By::Workers(1)) {
                By::Workers(workers) => {
                    if workers > 1 && !pool.is_up(workers) {
                        return Ok(Slice::Waits);
                    }
                    self.run.share(pool, workers).map_err(|error| error.to_string())?;
                    self.row.workers = self.run.workers() as u32;
                }
                By::Gpu => {
                    if !pool.is_gpu_up() {
                        return Ok(Slice::Waits);
                    }
                    self.run.go_to_gpu(pool).map_err(|error| error.to_string())?;
                }
            }
            self.shared = true;
        }
        if self.started.is_none() && self.steps() >= warm_up && self.run.between_steps() {
            self.started = Some(now());
        }
        match self.run.advance_until(until, pool).map_err(|error| error.to_string())? {
            Advance::Finished => {}
            Advance::Waits => return Ok(Slice::Waits),
            Advance::Goes => return Ok(Slice::Goes),
        }
        let done = self.steps();
        if let Some(started) = self.started {
            self.count();
            if (done - warm_up).is_multiple_of(steps) {
                let time = now();
                self.row.seconds.push(time - started);
                self.started = Some(time);
            }
        }
        let (parts, total) = self.done();
        if done == warm_up + steps * runs {
            self.end_row().map_err(|error| error.to_string())?;
            if self.by.is_empty() {
                return Slice::ends(Event::Bench(self.result()));
            }
        }
        Ok(Slice::Progress { done: parts, total })
    }

    fn has_helpers(&self) -> bool {
        true
    }

    fn receive(&mut self, message: PeerMessage) -> Result<(), DbmError> {
        self.run.receive(message)
    }

    fn receive_from_gpu(&mut self, session: u32, event: GpuEvent) -> Result<(), DataError> {
        if let GpuEvent::Opened(device) = &event {
            self.row.gpu.clone_from(device);
        }
        self.run.receive_from_gpu(session, event)
    }

    fn on_gpu(&self) -> Option<&OnGpu> {
        self.run.on_gpu()
    }

    /// Steps of all measurements, and how many there are.
    fn done(&self) -> (u32, u32) {
        let BenchProtocol { warm_up, steps, runs } = self.protocol;
        let (each, measured) = (warm_up + steps * runs, self.rows.len() as u32);
        (measured * each + self.steps(), (measured + self.by.len() as u32) * each)
    }
}

/// A run from there on.
fn begin(data: &Material, plan: &RunPlan, checkpoint: &[u8]) -> Result<Run, DataError> {
    if checkpoint.is_empty() {
        Run::new(data.clone(), plan.clone()).map_err(DataError::refused("the run"))
    } else {
        Run::restore(data.clone(), plan.clone(), checkpoint)
    }
}
