//! `dbm bench`: how long a training step takes, and what on.

use crate::args::choice;
use crate::context::Context;
use crate::scale::Scale;
use crate::timed::Timed;
use clap::Args;
use dbm_core::words::{Choice, Choose, Words};
use dbm_experiments::Error;
use dbm_experiments::bench::Benchmark;

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
    #[command(flatten)]
    timed: Timed,
    #[command(flatten)]
    scale: Scale,
}

impl Bench {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        if !(0.0..=1e6).contains(&self.timed.seconds) {
            return Err(Error::Usage(format!("--seconds should be from 0 to 1000000, but is {}", self.timed.seconds)));
        }
        if self.scale.asked {
            return self.scale.run(&self.timed, context);
        }
        let benchmark = Benchmark {
            preset: self.hidden.is_none().then(|| self.preset.choice().name),
            hidden: self.hidden.clone().unwrap_or_else(|| self.preset.hidden().to_vec()),
            batch: self.batch,
            estimator: self.timed.estimator.clone(),
            warm_up: self.warm_up,
            runs: self.runs,
            steps: self.steps,
            seconds: self.timed.seconds,
            seed: self.timed.seed,
            backend: self.timed.backend,
        };
        let measured = benchmark.run(self.timed.load()?, &context.session)?;
        context.tell("bench", measured.json(), || measured.text());
        Ok(())
    }
}
