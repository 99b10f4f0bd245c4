//! `dbm layers`.

use crate::args::{AisArgs, DataArgs, ModelArgs};
use crate::context::Context;
use crate::output::Files;
use clap::Args;
use dbm_experiments::data::Split;
use dbm_experiments::layers::Plan;
use dbm_experiments::{Error, answers};
use std::path::PathBuf;

/// Tells what each hidden layer of a model does over test examples: how often its units are high, how many bits each tells about the class (where the examples have one), and what log p(v) is without the layer and those above it,
/// its units replaced by their means. Also tells, for each weight matrix, how good the positive phases of training are (mean field, a mode and one Gibbs sweep, 1, 5 and 20 Gibbs sweeps): how far
/// their moments over the first 100 of the examples are from those of a long run, with the noise removed, as a share of how far those of uniform hidden states are. The labels of a model that has such are free here.
#[derive(Args)]
pub struct LayersOf {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    data: DataArgs,
    /// Test examples, from the first
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(2..))]
    count: u32,
    /// Gibbs sweeps of the hidden layers with an example clamped; the second half of them counts
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    sweeps: u32,
    #[command(flatten)]
    ais: AisArgs,
    /// Particles that are taken to the posterior of each example
    #[arg(long, default_value_t = 32, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    posterior_particles: u32,
    /// Of all chains
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write a row for each unit
    #[arg(long, value_name = "FILE.csv")]
    csv: Option<PathBuf>,
    /// Where to draw them (.svg or .png)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

impl LayersOf {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let files = Files::new(self.csv.as_deref(), self.plot.as_deref())?;
        let (checkpoint, model) = self.model.file().load()?;
        let data = self.data.source().load_for(&checkpoint, Split::Test)?;
        let count = self.count as usize;
        answers::check_fit(&model, &data, count)?;
        let ais = self.ais.settings(self.seed)?;
        let plan = Plan { count, sweeps: self.sweeps, ais, particles: self.posterior_particles as usize, seed: self.seed };
        files.report(context, || plan.measure(&model, &data, &context.session))
    }
}
