//! `dbm bench`: how long a training step takes, and what on.

mod parts;
mod report;
mod scale;

use crate::data::{DataArgs, Reading, Split};
use crate::error::CliError;
use crate::memory::Limit;
use crate::options::BackendKind;
use crate::progress::steps_bar;
use crate::threads::Threads;
use clap::{Args, ValueEnum};
use dbm_core::gradient::EstimatorSettings;
use dbm_core::{Examples, Footprint, Host, Settings, Trainer, Units, init};
use dbm_data::Dataset;
use parts::Parts;

/// Models whose speed is kept track of.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// Hidden layers of 500 and 500
    #[value(name = "mnist-500")]
    Mnist500,
    /// Hidden layers of 1000 and 500
    #[value(name = "mnist-1000")]
    Mnist1000,
}

impl Preset {
    fn name(self) -> &'static str {
        match self {
            Self::Mnist500 => "mnist-500",
            Self::Mnist1000 => "mnist-1000",
        }
    }

    fn hidden(self) -> [usize; 2] {
        match self {
            Self::Mnist500 => [500, 500],
            Self::Mnist1000 => [1000, 500],
        }
    }
}

/// Times training at the reference size: sign units, Adam at 0.001, orthogonal start, marginalized gradient, on generated digits unless there is
/// `--data`. Says steps a second, the median of several runs that follow each other in one training, and where that run's time went.
#[derive(Args)]
pub struct Bench {
    #[arg(long, value_enum, default_value = "mnist-500")]
    preset: Preset,
    /// What to train on, as in `dbm train`
    #[arg(long, value_name = "DIR|FILE|digits|bars|target", default_value = "digits")]
    data: String,
    /// How many digits to generate
    #[arg(long, value_name = "N", default_value_t = 2000)]
    digits: usize,
    /// Values above this are high, as in `dbm train`
    #[arg(long, allow_negative_numbers = true, value_name = "VALUE")]
    binarize: Option<f64>,
    /// Sizes of the hidden layers, in place of the preset's
    #[arg(long, value_delimiter = ',', value_name = "N,N")]
    hidden: Option<Vec<usize>>,
    /// Examples a step
    #[arg(long, default_value_t = 100)]
    batch: usize,
    /// What estimates the gradient, as in `dbm train`
    #[arg(long, value_name = "[centered-]NAME[-K]", default_value = "ucd-lmi")]
    estimator: EstimatorSettings,
    /// Steps before anything is timed: searches are longest at the start of a training
    #[arg(long, value_name = "STEPS", default_value_t = 50)]
    warm_up: u64,
    /// Timed runs
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    runs: u64,
    /// Steps of each
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// More runs than those, until so many seconds have passed
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    seconds: f64,
    /// Seed of the initial weights and of every random stream
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Which kernels compute
    #[arg(long, value_enum, default_value = "fast")]
    backend: BackendKind,
    #[command(flatten)]
    scale: scale::Scale,
}

/// What came out.
struct Measured<'a> {
    bench: &'a Bench,
    run: Trainer,
    footprint: Footprint,
    data: String,
    threads: usize,
    /// Sums over the steps of each run, the fastest first.
    runs: Vec<Parts>,
}

impl Measured<'_> {
    /// The run of median time; of an even number, the faster of the two in the middle.
    fn median(&self) -> &Parts {
        &self.runs[(self.runs.len() - 1) / 2]
    }
}

impl Bench {
    fn load(&self) -> Result<Dataset, CliError> {
        let reading = Reading { binarize: self.binarize, bits_per_value: None, tile: None, digits: self.digits };
        DataArgs { data: self.data.clone(), reading }.load(Split::Train)
    }

    pub fn run(&self, threads: &Threads, memory: &Limit, json: bool) -> Result<(), CliError> {
        if !(0.0..=1e6).contains(&self.seconds) {
            return Err(CliError::Usage(format!("--seconds should be from 0 to 1000000, but is {}", self.seconds)));
        }
        if self.scale.asked {
            return scale::run(self, threads, memory, json);
        }
        let data = self.load()?;
        let hidden = self.hidden.clone().unwrap_or_else(|| self.preset.hidden().to_vec());
        let sizes: Vec<usize> = std::iter::once(data.examples.width()).chain(hidden).collect();
        let settings = Settings {
            batch: self.batch,
            seed: self.seed,
            estimator: self.estimator.clone(),
            image: data.image,
            ..Settings::default()
        };
        settings.check(sizes[0])?;
        let footprint = Footprint::of(&sizes, &settings, data.examples.len(), threads.count());
        memory.check(&footprint)?;
        let model = init::orthogonal_on(threads, &sizes, Units::Signs, self.seed)?;
        let mut run = Trainer::new(model, settings)?.with_backend(self.backend.into());

        let bar = steps_bar(self.warm_up.saturating_add(self.runs.saturating_mul(self.steps)), json);
        let mut timed = |steps: u64| -> Result<Parts, CliError> {
            let mut sum = Parts::default();
            for _ in 0..steps {
                sum += step(&mut run, &data.examples, threads)?;
            }
            bar.inc(steps);
            Ok(sum)
        };
        timed(self.warm_up)?;
        let (began, mut runs) = (threads.now(), Vec::new());
        while (runs.len() as u64) < self.runs || threads.now() - began < self.seconds {
            runs.push(timed(self.steps)?);
        }
        bar.finish_and_clear();
        runs.sort_by(|a, b| a.step.total_cmp(&b.step));
        let measured = Measured { bench: self, run, footprint, data: data.name, threads: threads.count(), runs };
        if json {
            println!("{}", report::json(&measured));
        } else {
            print!("{}", report::text(&measured));
        }
        Ok(())
    }
}

/// One step as [`Trainer::step`] makes it, with a clock between its parts.
fn step(run: &mut Trainer, data: &Examples, host: &impl Host) -> Result<Parts, CliError> {
    let started = host.now();
    let shards = run.begin(data)?;
    let begun = host.now();
    let this = &*run;
    let (estimates, busy): (Vec<_>, Vec<f64>) = host
        .map((0..shards.count()).collect(), |shard| {
            let started = host.now();
            let estimate = this.estimate(&shards, shard, &|| host.now());
            (estimate, host.now() - started)
        })
        .into_iter()
        .unzip();
    let estimated = host.now();
    let mut info = run.finish(&shards, estimates, host)?;
    info.seconds = host.now() - started;
    Ok(Parts::of(&info, estimated - begun, busy.iter().sum()))
}
