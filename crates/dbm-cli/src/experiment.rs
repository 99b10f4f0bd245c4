//! `dbm experiment`: the paper's experiments, and ours beyond them, each by its name.

use crate::args::choice;
use crate::context::Context;
use clap::Args;
use dbm_core::words::Choose;
use dbm_experiments::Error;
use dbm_experiments::experiment::{Name, Request, duration};
use serde_json::json;
use std::path::PathBuf;

/// Runs experiments; a run that was stopped goes on when it is started again, to the same result.
///
/// Each has a folder of its own in --out: cells and runs that are finished or under way, data (CSV, NPY) and figures (SVG, PNG). With --docs, its figures
/// and its entry go there too, and the page reproduction.md is written anew from all entries.
#[derive(Args)]
pub struct Experiment {
    #[arg(help = Name::WORDS.help, value_parser = choice::<Name>(), required = true, num_args = 1..)]
    names: Vec<Name>,
    /// The folder with MNIST's four files; with --toy, generated digits where it is not given
    #[arg(long, value_name = "DIR")]
    data: Option<String>,
    /// The folder to work in
    #[arg(long, value_name = "DIR", default_value = "experiments")]
    out: PathBuf,
    /// The model that figure-3 completes by [default: www/models/deep.safetensors; with --toy, one that it trains]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// The documentation's folder, to write reproduction.md and its figures to
    #[arg(long, value_name = "DIR")]
    docs: Option<PathBuf>,
    /// As small as it can be: shows that it works, and nothing else
    #[arg(long)]
    toy: bool,
    /// Seed of all that is random
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Experiment {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let request = Request {
            data: self.data.clone(),
            out: self.out.clone(),
            model: self.model.clone(),
            docs: self.docs.clone(),
            toy: self.toy,
            seed: self.seed,
        };
        for &name in &self.names {
            let entry = request.run(name, &context.session)?;
            context.tell("done", json!({ "experiment": entry }), || {
                let (ours, verdict) = (&entry.ours, entry.verdict.words());
                format!("{}: {ours} ({verdict}, {})", name.choice().name, duration(entry.seconds))
            });
        }
        Ok(())
    }
}
