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
    #[command(flatten)]
    plan: Plan,
    #[command(flatten)]
    ais: AisArgs,
    /// Where to write a row for each unit
    #[arg(long, value_name = "FILE.csv")]
    csv: Option<PathBuf>,
    /// Where to draw the units (.svg or .png)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

impl LayersOf {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let files = Files::new(self.csv.as_deref(), self.plot.as_deref())?;
        let (checkpoint, model) = self.model.file().load()?;
        let data = self.data.source().load_for(&checkpoint, Split::Test)?;
        answers::check_fit(&model, &data, self.plan.count)?;
        let plan = Plan { ais: self.ais.settings(self.plan.seed)?, ..self.plan.clone() };
        files.report(context, || plan.measure(&model, &data, &context.session))
    }
}
