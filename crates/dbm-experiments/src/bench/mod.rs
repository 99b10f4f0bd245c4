//! How long a training step takes, and for which parts; how many sweeps per second.

mod gpu;
mod parts;
mod sweeps;

use crate::{Error, Report, Workbench, memory, template};
use clap::Args;
use dbm_core::gradient::EstimatorSettings;
use dbm_core::linalg::vector_unit;
use dbm_core::{Backend, Examples, Footprint, Host, Settings, Trainer, Units, init};
use dbm_data::Dataset;
use parts::{Timed, TimedRun, spread};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A training to time: sign units, Adam at 0.001, orthogonal start, marginalized gradient. Or sweeps of many chains: then nothing is trained,
/// and a step is a sweep.
#[derive(Args, Clone, Debug)]
pub struct Benchmark {
    /// The name of these layers, if they have one.
    #[arg(skip)]
    pub preset: Option<&'static str>,
    /// Sizes of the hidden layers, instead of the preset's
    #[arg(long, value_delimiter = ',', value_name = "N,N")]
    pub hidden: Vec<usize>,
    /// Examples per step
    #[arg(long, default_value_t = 100)]
    pub batch: usize,
    /// The estimator of the gradient, as in `dbm train`
    #[arg(long, value_name = "[centered-]NAME[-K]", default_value = "ucd-lmi")]
    pub estimator: EstimatorSettings,
    /// Steps before anything is timed: searches are longest at the start of a training
    #[arg(long, value_name = "STEPS", default_value_t = 50)]
    pub warm_up: u64,
    /// How many consecutive runs of one training are timed
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub runs: u64,
    /// Steps of each run
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: u64,
    /// Time further runs until this many seconds have passed
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    pub seconds: f64,
    /// Seed of the initial weights and of every random stream
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Which kernels compute.
    #[arg(skip)]
    pub backend: Backend,
}

/// The result: the figures of the run with median time, and what they depend on.
pub struct BenchReport {
    figures: Value,
    /// Name and text of the template for the report.
    words: (&'static str, &'static str),
}

impl Report for BenchReport {
    fn json(&self) -> Value {
        self.figures.clone()
    }

    fn text(&self) -> String {
        template::text(self.words.0, self.words.1, &self.figures)
    }
}

impl Benchmark {
    /// Trains on these data, and times it; then continues the training on the GPU, if requested.
    ///
    /// # Errors
    /// Invalid settings and sizes, or too little memory; [`Error::Gpu`].
    pub fn run(&self, data: &Dataset, on_gpu: bool, session: &Workbench) -> Result<BenchReport, Error> {
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
        let mut timed = |steps: u64| -> Result<TimedRun, Error> {
            let run = (0..steps).map(|_| step(&mut run, &data.examples, session)).collect::<Result<_, _>>()?;
            session.progress.advance(steps);
            Ok(TimedRun(run))
        };
        timed(self.warm_up)?;
        let (began, mut runs) = (session.now(), Vec::new());
        while (runs.len() as u64) < self.runs || session.now() - began < self.seconds {
            runs.push(timed(self.steps)?);
        }
        session.progress.end();
        runs.sort_by(|a, b| a.milliseconds().total_cmp(&b.milliseconds()));
        let mut figures = self.figures(&runs, &run, &footprint);
        figures["data"] = data.name.as_str().into();
        figures["threads"] = session.threads().into();
        if on_gpu {
            figures["gpu"] = {
                let (steps, on_processor) = ((self.warm_up, self.runs, self.steps), spread(&runs).0.milliseconds());
                gpu::figures(steps, &run, on_processor, &data.examples, session)?
            };
        }
        Ok(BenchReport { figures, words: ("bench.txt", include_str!("bench.txt")) })
    }

    /// Of runs, the fastest first.
    fn figures(&self, runs: &[TimedRun], run: &Trainer, footprint: &Footprint) -> Value {
        let (median, fastest, slowest) = spread(runs);
        let phase = |phase| {
            json!({
                "mean_sweeps": median.mean_sweeps(phase),
                "proposals_accepted": (median.phase(phase, |its| its.accepted as f64) * median.0.len() as f64).round() as u64,
                "multiply_adds_in_products": median.phase(phase, |its| its.work.products as f64),
                "multiply_adds_in_carried_rows": median.phase(phase, |its| its.work.carried as f64),
            })
        };
        let model = run.model();
        json!({
            "preset": self.preset,
            "sizes": model.sizes(),
            "estimator": self.estimator.to_string(),
            "batch": self.batch,
            "seed": self.seed,
            "backend": model.backend(),
            "vector_unit": vector_unit(),
            "warm_up": self.warm_up,
            "runs": runs.len(),
            "steps": self.steps,
            "milliseconds_per_step": median.milliseconds(),
            "milliseconds_per_step_min": fastest.milliseconds(),
            "milliseconds_per_step_max": slowest.milliseconds(),
            "steps_per_second": 1e3 / median.milliseconds(),
            "steps_per_second_min": 1e3 / slowest.milliseconds(),
            "steps_per_second_max": 1e3 / fastest.milliseconds(),
            "wall_milliseconds": BTreeMap::from(median.wall()),
            "thread_milliseconds": BTreeMap::from(median.threads()),
            "positive": phase(0),
            "negative": phase(1),
            "parameter_bytes": size_of::<f32>() * model.n_parameters(),
            "footprint_bytes": footprint.total() as u64,
            "peak_memory_bytes": memory::peak(),
        })
    }
}

/// One step as made by [`Trainer::step`], with a clock between its parts.
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
