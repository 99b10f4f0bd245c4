//! `dbm gradients`.

use crate::args::{DataArgs, ModelArgs};
use crate::context::Context;
use crate::given::{Given, Options};
use crate::output::Files;
use clap::Args;
use dbm_core::Settings;
use dbm_core::gradient::EstimatorSettings;
use dbm_core::settings::{Group, RunPlan, Setting};
use dbm_experiments::data::{Split, without_gaps};
use dbm_experiments::gradients::Plan;
use dbm_experiments::{Error, files};
use std::path::PathBuf;

/// Settings of the estimators.
#[derive(Clone)]
pub struct OfGradients;

impl Options for OfGradients {
    fn has(setting: Setting) -> bool {
        [Group::Estimator, Group::Limits].contains(&setting.group())
    }
}

/// Holds estimators of the gradient against one another on a model at rest, with one hidden layer, at its last weights. Each estimates the negative phase many times, from 32 chains each.
///
/// The positive phase is exact and the same for all. The gradient's mean by each is held against that of a very long run: Gibbs chains, half of them from data and half from noise, whose two halves are held against each other as
/// well. Angles and differences are of the means themselves: inner products are taken between different estimates alone, so that noise adds nothing to them; upper ends are two standard errors up, by a jackknife.
#[derive(Args)]
pub struct GradientsOf {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    data: DataArgs,
    /// Training examples of the positive phase, from the first [default: all]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    count: Option<u32>,
    /// Which estimators, as in `dbm train --estimator`
    #[arg(long, value_delimiter = ',', value_name = "NAME,NAME", default_value = "ucd-lmi,cd-1,pcd-gibbs-5,ucd-smc")]
    estimators: Vec<EstimatorSettings>,
    /// Estimates of each
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=10_000))]
    repeats: u32,
    /// Steps that persistent chains go on for, from where the run left them or from noise, before they count
    #[arg(long, default_value_t = 200, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    burn_in: u32,
    #[command(flatten)]
    given: Given<OfGradients>,
    /// Chains of the long run
    #[arg(long, default_value_t = 640, value_name = "N", value_parser = clap::value_parser!(u32).range(160..=1_000_000))]
    reference_chains: u32,
    /// Sweeps of the long run before it counts, and as many that count
    #[arg(long, default_value_t = 1000, value_name = "SWEEPS", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    reference_sweeps: u32,
    /// Of all random numbers
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write the table
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

impl GradientsOf {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let files = Files::new(self.csv.as_deref(), None)?;
        let checkpoint = files::read_checkpoint(&self.model.file().path)?;
        let data = self.data.source().load_for(&checkpoint, Split::Train)?;
        without_gaps(&data, "the positive phase is the mean over whole examples")?;
        let examples = &data.examples;
        let count = self.count.map_or(examples.len(), |count| examples.len().min(count as usize));
        let mut run = RunPlan::default();
        self.given.put(&mut run);
        let plan = Plan {
            settings: Settings { seed: self.seed, ..run.settings },
            estimators: self.estimators.clone(),
            repeats: self.repeats as usize,
            burn_in: u64::from(self.burn_in),
            reference_chains: self.reference_chains as usize,
            reference_sweeps: self.reference_sweeps,
        };
        files.report(context, || plan.measure(&checkpoint, examples, count, &context.session))
    }
}
