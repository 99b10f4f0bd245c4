//! `dbm bench`: how long a training step takes, and what on; how many sweeps of many chains a second.

use crate::args::choice;
use crate::context::Context;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dbm_core::gradient::EstimatorSettings;
use dbm_data::Dataset;
use dbm_experiments::bench::Benchmark;
use dbm_experiments::data::{Binarize, DataSource, Reading, Split};
use dbm_experiments::training::RunBackend;
use dbm_experiments::{Error, Report};

/// Pixels of a digit.
const VISIBLE: usize = 784;

/// What is kept track of: a name, what it is, its hidden layers, and how many chains sweep, where nothing is trained.
type Preset = (&'static str, &'static str, &'static [usize], Option<usize>);
const PRESETS: [Preset; 3] = [
    ("mnist-500", "Steps of a training with hidden layers of 500 and 500", &[500, 500], None),
    ("mnist-1000", "Steps of a training with hidden layers of 1000 and 500", &[1000, 500], None),
    ("sweeps-500", "Gibbs sweeps of 500 free chains of 784-500: no training", &[500], Some(500)),
];

fn preset() -> impl TypedValueParser<Value = Preset> {
    let names = PRESETS.map(|(name, help, ..)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names).map(|name| PRESETS.into_iter().find(|preset| preset.0 == name).unwrap_or(PRESETS[0]))
}

/// Times training at the reference size: sign units, Adam at 0.001, orthogonal start, marginalized gradient, on generated digits unless there is
/// `--data`. Says steps a second, the median of several runs that follow each other in one training, and where that run's time went. With `--preset sweeps-500`
/// sweeps take the place of steps, and what is said of training counts for nothing.
#[derive(Args)]
pub struct Bench {
    /// What is timed
    #[arg(long, value_parser = preset(), default_value = "mnist-500")]
    preset: Preset,
    /// Sizes of the hidden layers, in place of the preset's
    #[arg(long, value_delimiter = ',', value_name = "N,N")]
    hidden: Option<Vec<usize>>,
    /// Examples a step
    #[arg(long, default_value_t = 100)]
    batch: usize,
    /// Steps before anything is timed: searches are longest at the start of a training
    #[arg(long, value_name = "STEPS", default_value_t = 50)]
    warm_up: u64,
    /// How many runs are timed
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    runs: u64,
    /// Steps of each
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// What to train on, as in `dbm train`
    #[arg(long, value_name = "DIR|FILE|digits|bars|target", default_value = "digits")]
    data: String,
    /// How many digits to generate
    #[arg(long, value_name = "N", default_value_t = 2000)]
    digits: usize,
    /// Values above this are high, as in `dbm train`
    #[arg(long, allow_negative_numbers = true, value_name = "VALUE")]
    binarize: Option<f64>,
    /// What estimates the gradient, as in `dbm train`
    #[arg(long, value_name = "[centered-]NAME[-K]", default_value = "ucd-lmi")]
    estimator: EstimatorSettings,
    /// More runs than those, until so many seconds have passed
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    seconds: f64,
    /// Seed of the initial weights and of every random stream
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What computes. With gpu, the training continues there after as many steps by fast on the processor, and what both take is
    /// said
    #[arg(long, value_parser = choice::<RunBackend>(), default_value = "fast")]
    backend: RunBackend,
}

impl Bench {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        if !(0.0..=1e6).contains(&self.seconds) {
            return Err(Error::Usage(format!("--seconds should be from 0 to 1000000, but is {}", self.seconds)));
        }
        let on_gpu = self.backend == RunBackend::Gpu;
        if on_gpu && self.preset.3.is_some() {
            return Err(Error::Usage("--backend gpu times steps of a training: leave out --preset sweeps-500".into()));
        }
        let (name, _, layers, chains) = self.preset;
        let hidden = self.hidden.as_ref().filter(|_| chains.is_none());
        let benchmark = Benchmark {
            preset: hidden.is_none().then_some(name),
            hidden: hidden.cloned().unwrap_or_else(|| layers.to_vec()),
            batch: self.batch,
            estimator: self.estimator.clone(),
            warm_up: self.warm_up,
            runs: self.runs,
            steps: self.steps,
            seconds: self.seconds,
            seed: self.seed,
            backend: self.backend.on_processor(),
        };
        let report = match chains {
            Some(chains) => benchmark.sweep(VISIBLE, chains, &context.session)?,
            None => benchmark.run(&self.load()?, on_gpu, &context.session)?,
        };
        context.tell("bench", report.json(), || report.text());
        Ok(())
    }

    fn load(&self) -> Result<Dataset, Error> {
        let reading = Reading { binarize: self.binarize.map(Binarize::Above), ..Reading::of_digits(self.digits) };
        DataSource { name: self.data.clone(), reading }.load(Split::Train)
    }
}
