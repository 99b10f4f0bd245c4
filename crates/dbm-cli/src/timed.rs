//! What `dbm bench` times at one size or at many.

use crate::args::choice;
use clap::Args;
use dbm_core::gradient::EstimatorSettings;
use dbm_data::Dataset;
use dbm_experiments::Error;
use dbm_experiments::data::{Binarize, DataSource, Reading, Split};
use dbm_experiments::training::RunBackend;

/// A training that is timed, but for its model and its batches.
#[derive(Args)]
pub struct Timed {
    /// What to train on, as in `dbm train`
    #[arg(long, value_name = "DIR|FILE|digits|bars|target", default_value = "digits")]
    pub data: String,
    /// How many digits to generate
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub digits: usize,
    /// Values above this are high, as in `dbm train`
    #[arg(long, allow_negative_numbers = true, value_name = "VALUE")]
    pub binarize: Option<f64>,
    /// What estimates the gradient, as in `dbm train`
    #[arg(long, value_name = "[centered-]NAME[-K]", default_value = "ucd-lmi")]
    pub estimator: EstimatorSettings,
    /// More runs than those, until so many seconds have passed
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    pub seconds: f64,
    /// Seed of the initial weights and of every random stream
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// What computes. With gpu, the training goes on there after as many steps by fast on the processor, and what both take is said
    #[arg(long, value_parser = choice::<RunBackend>(), default_value = "fast")]
    pub backend: RunBackend,
}

impl Timed {
    /// The training data.
    ///
    /// # Errors
    /// Those of [`DataSource::load`].
    pub fn load(&self) -> Result<Dataset, Error> {
        let reading = Reading { binarize: self.binarize.map(Binarize::Above), ..Reading::of_digits(self.digits) };
        DataSource { name: self.data.clone(), reading }.load(Split::Train)
    }
}
