//! `dbm gradients`.

use crate::args::{DataArgs, ModelArgs};
use crate::context::Context;
use crate::given::{Given, Options};
use crate::output::Files;
use clap::Args;
use dbm_core::Settings;
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

/// Compares estimators of the gradient at fixed parameters: a model with one hidden layer, at its last weights. Each estimates the negative
/// phase many times, from 32 chains each.
///
/// The positive phase is exact and the same for all. The mean gradient of each is compared with that of a very long run: Gibbs chains, half
/// of them from data and half from noise, whose two halves are also compared with each other. Angles and differences are of the means
/// themselves: inner products are only taken between different estimates, so that noise adds nothing to them; upper ends are two standard
/// errors above, by a jackknife.
#[derive(Args)]
pub struct GradientsOf {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    data: DataArgs,
    /// Training examples of the positive phase, from the first [default: all]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    count: Option<u32>,
    #[command(flatten)]
    plan: Plan,
    #[command(flatten)]
    given: Given<OfGradients>,
    /// Seed of all random numbers
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
        let data = self.data.source()?.load_for(&checkpoint, Split::Train)?;
        without_gaps(&data, "the positive phase is the mean over whole examples")?;
        let examples = &data.examples;
        let count = self.count.map_or(examples.len(), |count| examples.len().min(count as usize));
        let mut run = RunPlan::default();
        self.given.put(&mut run);
        let plan = Plan { settings: Settings { seed: self.seed, ..run.settings }, ..self.plan.clone() };
        files.report(context, || plan.measure(&checkpoint, examples, count, &context.session))
    }
}
