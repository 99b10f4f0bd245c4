//! `dbm bench`: how long a training step takes, and for which parts; how many sweeps of many chains per second.

use crate::args::choice;
use crate::context::Context;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dbm_data::Dataset;
use dbm_experiments::bench::Benchmark;
use dbm_experiments::data::{Binarize, DataOptions, DataSource, Split};
use dbm_experiments::training::RunBackend;
use dbm_experiments::{Error, Report};

/// Pixels of a digit.
const VISIBLE: usize = 784;

/// What is tracked: a name, a description, the hidden layers, and the number of chains to sweep, if nothing is trained.
type Preset = (&'static str, &'static str, &'static [usize], Option<usize>);
const PRESETS: [Preset; 3] = [
    ("mnist-500", "Training steps with hidden layers of 500 and 500", &[500, 500], None),
    ("mnist-1000", "Training steps with hidden layers of 1000 and 500", &[1000, 500], None),
    ("sweeps-500", "Gibbs sweeps of 500 free chains of 784-500: no training", &[500], Some(500)),
];

fn preset() -> impl TypedValueParser<Value = Preset> {
    let names = PRESETS.map(|(name, help, ..)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names).map(|name| PRESETS.into_iter().find(|preset| preset.0 == name).unwrap_or(PRESETS[0]))
}

/// Times training at the reference size: sign units, Adam at 0.001, orthogonal start, marginalized gradient, on generated digits unless
/// `--data` is given. Reports steps per second, the median of several consecutive runs in one training, and where the time of that run
/// went. With `--preset sweeps-500` sweeps replace steps, and options of training have no effect.
#[derive(Args)]
pub struct Bench {
    /// What to time
    #[arg(long, value_parser = preset(), default_value = "mnist-500")]
    preset: Preset,
    #[command(flatten)]
    benchmark: Benchmark,
    /// What to train on, as in `dbm train`
    #[arg(long, value_name = "DIR|FILE|digits|bars|target", default_value = "digits")]
    data: String,
    /// How many digits to generate
    #[arg(long, value_name = "N", default_value_t = 2000)]
    digits: usize,
    /// Values above this are high, as in `dbm train`
    #[arg(long, allow_negative_numbers = true, value_name = "VALUE")]
    binarize: Option<f64>,
    /// What computes. With gpu, the training continues there after as many steps by fast on the processor, and both times are reported
    #[arg(long, value_parser = choice::<RunBackend>(), default_value = "fast")]
    backend: RunBackend,
}

impl Bench {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let Benchmark { seconds, hidden, .. } = &self.benchmark;
        if !(0.0..=1e6).contains(seconds) {
            return Err(Error::Usage(format!("--seconds should be from 0 to 1000000, but is {seconds}")));
        }
        let on_gpu = self.backend == RunBackend::Gpu;
        let (name, _, layers, chains) = self.preset;
        if on_gpu && chains.is_some() {
            return Err(Error::Usage("--backend gpu times training steps: leave out --preset sweeps-500".into()));
        }
        let of_preset = hidden.is_empty() || chains.is_some();
        let benchmark = Benchmark {
            preset: of_preset.then_some(name),
            hidden: if of_preset { layers.to_vec() } else { hidden.clone() },
            backend: self.backend.on_processor(),
            ..self.benchmark.clone()
        };
        let report = match chains {
            Some(chains) => benchmark.sweep(VISIBLE, chains, &context.session)?,
            None => benchmark.run(&self.load()?, on_gpu, &context.session)?,
        };
        context.tell("bench", report.json(), || report.text());
        Ok(())
    }

    fn load(&self) -> Result<Dataset, Error> {
        let options = DataOptions { binarize: self.binarize.map(Binarize::Above), ..DataOptions::of_digits(self.digits) };
        DataSource { name: self.data.clone(), options }.load(Split::Train)
    }
}
