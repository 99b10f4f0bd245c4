//! `dbm layers`.

use crate::args::{AisArgs, DataArgs, ModelArgs};
use crate::context::Context;
use crate::output::Files;
use clap::Args;
use dbm_experiments::data::Split;
use dbm_experiments::layers::Plan;
use dbm_experiments::{Error, answers};
use std::path::PathBuf;

/// Reports what each hidden layer of a model does over test examples: how often its units are high, how many bits each carries about the
/// class (if the examples have one), and what log p(v) is without the layer and those above it, with its units replaced by their means.
/// Also reports, for each weight matrix, how good the positive phases of training are (mean field, a mode and one Gibbs sweep, 1, 5 and 20
/// Gibbs sweeps): how far their moments over the first 100 of the examples are from those of a long run, with the noise removed, relative
/// to the distance of uniform hidden states. If the model has labels, they are free here.
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
        let data = self.data.source()?.load_for(&checkpoint, Split::Test)?;
        answers::check_fit(&model, &data, self.plan.count)?;
        let plan = Plan { ais: self.ais.settings(self.plan.seed)?, ..self.plan.clone() };
        files.report(context, || plan.measure(&model, &data, &context.session))
    }
}
