//! A benchmark at work: a run of its own, stepped as training steps it, and timed.

use crate::clock::now;
use crate::jobs::Slice;
use crate::lab::within;
use crate::run::Run;
use crate::sources;
use dbm_protocol::{BenchProtocol, BenchRow, DataSource, Event, RunPlan, Start};

const MOST_STEPS: u32 = 1000;
const MOST_RUNS: u32 = 100;

/// What a [`dbm_protocol::Command::Bench`] asked for, and how far it is.
pub struct Bench {
    run: Run,
    protocol: BenchProtocol,
    /// When the present measurement began.
    started: Option<f64>,
    row: BenchRow,
    searches: [Mean; 2],
}

/// A mean in the making.
#[derive(Default)]
struct Mean {
    sum: u64,
    count: u64,
}

impl Mean {
    fn add(&mut self, values: &[u32]) {
        self.sum += values.iter().copied().map(u64::from).sum::<u64>();
        self.count += values.len() as u64;
    }

    fn value(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }
}

impl Bench {
    /// Makes the data and the run; nothing is timed yet.
    pub fn new(source: &DataSource, plan: RunPlan, protocol: BenchProtocol) -> Result<Self, String> {
        if protocol.warm_up > MOST_STEPS {
            return Err(format!("the steps to warm up should be from 0 to {MOST_STEPS}, but are {}", protocol.warm_up));
        }
        within("the number of steps of a run", protocol.steps, MOST_STEPS)?;
        within("the number of runs", protocol.runs, MOST_RUNS)?;
        if matches!(plan.start, Start::Pretrained { .. }) {
            return Err("a benchmark times gradient steps: choose a start without pretraining".into());
        }
        let data = sources::make(source).map_err(|error| error.to_string())?;
        let run = Run::new(data, plan).map_err(|error| error.to_string())?;
        let row = BenchRow { workers: 1, ..BenchRow::default() };
        Ok(Self { run, protocol, started: None, row, searches: Default::default() })
    }

    /// Steps until the clock shows `until`, at most one whole step.
    pub fn work(&mut self, until: f64) -> Slice {
        if self.started.is_none() && self.run.steps() >= self.protocol.warm_up {
            self.started = Some(now());
        }
        loop {
            match self.run.advance() {
                Ok(true) => break,
                Ok(false) if now() >= until => return Slice::Goes,
                Ok(false) => {}
                Err(error) => return Slice::Ends(Box::new(Event::Failed { message: error.to_string() })),
            }
        }
        let BenchProtocol { warm_up, steps, runs } = self.protocol;
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
        if done < total { Slice::Progress { done, total } } else { Slice::Ends(Box::new(Event::Bench(self.result()))) }
    }

    /// Adds the step just taken.
    fn count(&mut self) {
        let Some(step) = self.run.last_step() else { return };
        self.row.positive_search += step.positive.search_seconds;
        self.row.negative_search += step.negative.search_seconds;
        self.row.coupling += step.positive.coupling_seconds + step.negative.coupling_seconds;
        self.row.update += step.update_seconds;
        self.searches[0].add(&step.positive.sweeps);
        self.searches[1].add(&step.negative.sweeps);
    }

    fn result(&self) -> dbm_protocol::Bench {
        let mut row = self.row.clone();
        let steps = f64::from(self.protocol.steps * self.protocol.runs);
        for sum in [&mut row.positive_search, &mut row.negative_search, &mut row.coupling, &mut row.update] {
            *sum /= steps;
        }
        [row.positive_sweeps, row.negative_sweeps] = self.searches.each_ref().map(Mean::value);
        dbm_protocol::Bench { sizes: self.run.about().sizes, rows: vec![row] }
    }
}
