//! How long a training step takes, and what on; how many sweeps a second.

mod gpu;
mod parts;
mod report;
mod sweeps;

use crate::{Error, Session};
use dbm_core::gradient::EstimatorSettings;
use dbm_core::{Backend, Examples, Footprint, Host, Settings, Trainer, Units, init};
use dbm_data::Dataset;
pub use gpu::MeasuredOnGpu;
use parts::{Run, Timed};
pub use sweeps::{MeasuredSweeps, SweepBenchmark};

/// A training that is timed: sign units, Adam at 0.001, orthogonal start, marginalized gradient.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// The name of these layers, where they have one.
    pub preset: Option<&'static str>,
    /// Sizes of the hidden layers.
    pub hidden: Vec<usize>,
    /// Examples a step.
    pub batch: usize,
    /// What estimates the gradient.
    pub estimator: EstimatorSettings,
    /// Steps before anything is timed.
    pub warm_up: u64,
    /// Timed runs, which follow each other in one training.
    pub runs: u64,
    /// Steps of each.
    pub steps: u64,
    /// More runs than those, until so many seconds have passed.
    pub seconds: f64,
    /// Of the initial weights and of every random stream.
    pub seed: u64,
    /// Which kernels compute.
    pub backend: Backend,
}

/// What came out.
pub struct Measured {
    benchmark: Benchmark,
    run: Trainer,
    footprint: Footprint,
    data: String,
    threads: usize,
    /// The fastest first.
    runs: Vec<Run>,
}

impl Measured {
    /// The run of median time; of an even number, the faster of the two in the middle.
    fn median(&self) -> &Run {
        &self.runs[(self.runs.len() - 1) / 2]
    }
}

impl Benchmark {
    /// Trains on these data, and times it.
    ///
    /// # Errors
    /// Settings and sizes that make no sense or do not fit into memory.
    pub fn run(self, data: &Dataset, session: &Session) -> Result<Measured, Error> {
        let sizes: Vec<usize> = std::iter::once(data.examples.width()).chain(self.hidden.iter().copied()).collect();
        let settings = Settings {
            batch: self.batch,
            seed: self.seed,
            estimator: self.estimator.clone(),
            image: data.image,
            ..Settings::default()
        };
        settings.check(sizes[0])?;
        let footprint = Footprint::of(&sizes, &settings, data.examples.len(), session.threads());
        session.memory.check(&footprint)?;
        let model = init::orthogonal_on(session, &sizes, Units::Signs, self.seed)?;
        let mut run = Trainer::new(model, settings)?.with_backend(self.backend);

        session.progress.begin("steps", self.warm_up.saturating_add(self.runs.saturating_mul(self.steps)));
        let mut timed = |steps: u64| -> Result<Run, Error> {
            let run = (0..steps).map(|_| step(&mut run, &data.examples, session)).collect::<Result<_, _>>()?;
            session.progress.advance(steps);
            Ok(Run(run))
        };
        timed(self.warm_up)?;
        let (began, mut runs) = (session.now(), Vec::new());
        while (runs.len() as u64) < self.runs || session.now() - began < self.seconds {
            runs.push(timed(self.steps)?);
        }
        session.progress.end();
        runs.sort_by(|a, b| a.milliseconds().total_cmp(&b.milliseconds()));
        Ok(Measured { benchmark: self, run, footprint, data: data.name.clone(), threads: session.threads(), runs })
    }
}

/// One step as [`Trainer::step`] makes it, with a clock between its parts.
fn step(run: &mut Trainer, data: &Examples, host: &impl Host) -> Result<Timed, Error> {
    let started = host.now();
    let shards = run.begin(data)?;
    let begun = host.now();
    let this = &*run;
    let (estimates, busy): (Vec<_>, Vec<f64>) = host
        .map(shards.groups(host.threads()), |group| {
            let started = host.now();
            let estimates = this.estimate_together(&shards, group, &|| host.now());
            (estimates, host.now() - started)
        })
        .into_iter()
        .unzip();
    let estimates = estimates.into_iter().flatten().collect();
    let estimated = host.now();
    let mut info = run.finish(&shards, estimates, host)?;
    info.seconds = host.now() - started;
    Ok(Timed::new(info, estimated - begun, busy.iter().sum()))
}
