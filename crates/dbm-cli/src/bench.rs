//! `dbm bench`: how long a training step takes, and what on.

use crate::args::choice;
use crate::context::Context;
use crate::scale;
use clap::Args;
use dbm_core::Backend;
use dbm_core::gradient::EstimatorSettings;
use dbm_core::words::{Choice, Choose, Words};
use dbm_data::Dataset;
use dbm_experiments::Error;
use dbm_experiments::bench::Benchmark;
use dbm_experiments::data::{DataSource, Reading, Split};

/// Models whose speed is kept track of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preset {
    /// Hidden layers of 500 and 500
    Mnist500,
    /// Hidden layers of 1000 and 500
    Mnist1000,
}

impl Choose for Preset {
    const WORDS: Words = Words { key: "preset", label: "Preset", hint: "", help: "A model whose speed is kept track of" };
    const CHOICES: &'static [Choice<Self>] = &[
        Choice { value: Self::Mnist500, name: "mnist-500", label: "784-500-500", help: "Hidden layers of 500 and 500" },
        Choice { value: Self::Mnist1000, name: "mnist-1000", label: "784-1000-500", help: "Hidden layers of 1000 and 500" },
    ];
}

impl Preset {
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
    #[arg(long, help = Preset::WORDS.help, value_parser = choice::<Preset>(), default_value = "mnist-500")]
    preset: Preset,
    /// What to train on, as in `dbm train`
    #[arg(long, value_name = "DIR|FILE|digits|bars|target", default_value = "digits")]
    pub data: String,
    /// How many digits to generate
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub digits: usize,
    /// Values above this are high, as in `dbm train`
    #[arg(long, allow_negative_numbers = true, value_name = "VALUE")]
    pub binarize: Option<f64>,
    /// Sizes of the hidden layers, in place of the preset's
    #[arg(long, value_delimiter = ',', value_name = "N,N")]
    hidden: Option<Vec<usize>>,
    /// Examples a step
    #[arg(long, default_value_t = 100)]
    batch: usize,
    /// What estimates the gradient, as in `dbm train`
    #[arg(long, value_name = "[centered-]NAME[-K]", default_value = "ucd-lmi")]
    pub estimator: EstimatorSettings,
    /// Steps before anything is timed: searches are longest at the start of a training
    #[arg(long, value_name = "STEPS", default_value_t = 50)]
    warm_up: u64,
    /// How many runs are timed
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    runs: u64,
    /// Steps of each
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// More runs than those, until so many seconds have passed
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    pub seconds: f64,
    /// Seed of the initial weights and of every random stream
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Which kernels compute
    #[arg(long, value_parser = choice::<Backend>(), default_value = "fast")]
    pub backend: Backend,
    #[command(flatten)]
    pub scale: scale::Scale,
}

impl Bench {
    pub fn load(&self) -> Result<Dataset, Error> {
        let reading = Reading { binarize: self.binarize, ..Reading::of_digits(self.digits) };
        DataSource { name: self.data.clone(), reading }.load(Split::Train)
    }

    pub fn run(&self, context: &Context) -> Result<(), Error> {
        if !(0.0..=1e6).contains(&self.seconds) {
            return Err(Error::Usage(format!("--seconds should be from 0 to 1000000, but is {}", self.seconds)));
        }
        if self.scale.asked {
            return scale::run(self, context);
        }
        let benchmark = Benchmark {
            preset: self.hidden.is_none().then(|| self.preset.choice().name),
            hidden: self.hidden.clone().unwrap_or_else(|| self.preset.hidden().to_vec()),
            batch: self.batch,
            estimator: self.estimator.clone(),
            warm_up: self.warm_up,
            runs: self.runs,
            steps: self.steps,
            seconds: self.seconds,
            seed: self.seed,
            backend: self.backend,
        };
        let measured = benchmark.run(self.load()?, &context.session)?;
        context.tell("bench", measured.json(), || measured.text());
        Ok(())
    }
}
