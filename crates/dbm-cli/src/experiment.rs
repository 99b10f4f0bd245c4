//! `dbm experiment`: the paper's experiments, and ours beyond them, each by its name.

use crate::context::Context;
use clap::Args;
use dbm_experiments::Error;
use dbm_experiments::experiment::{self, Request, duration};
use serde_json::json;
use std::path::PathBuf;

/// Runs experiments; one that was stopped continues when it is started again, to the same result.
///
/// Each has its folder in --out: cells and runs that are finished or under way, results (CSV) and figures (SVG, PNG). With --docs, its figures
/// and its entry are put there too, and the page reproduction.md is written from all entries.
#[derive(Args)]
pub struct Experiment {
    #[arg(help = names(), value_parser = experiment::check, required = true, num_args = 1..)]
    names: Vec<String>,
    /// The folder with MNIST's four files; with --toy, generated digits where it is not given
    #[arg(long, value_name = "DIR")]
    data: Option<String>,
    /// The folder to work in
    #[arg(long, value_name = "DIR", default_value = "experiments")]
    out: PathBuf,
    /// The model that is measured instead of the shipped one, by figure-3, depth and grey [default: of www/models; with --toy, one that is trained]
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

/// The experiments that there are, a line each.
fn names() -> String {
    let names = experiment::names().unwrap_or_default();
    let lines = names.iter().map(|(name, summary)| format!("\n- {name}: {summary}"));
    format!("Names of experiments, `all`, or files of recipes (.json):{}", lines.collect::<String>())
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
        let all = self.names.iter().any(|name| name == experiment::ALL);
        let names = if all { experiment::names()?.into_iter().map(|(name, _)| name).collect() } else { self.names.clone() };
        for name in &names {
            let entry = request.run(name, &context.session)?;
            context.tell("done", json!({ "experiment": entry }), || {
                let (ours, verdict) = (&entry.ours, entry.verdict.words());
                format!("{name}: {ours} ({verdict}, {})", duration(entry.seconds))
            });
        }
        Ok(())
    }
}
