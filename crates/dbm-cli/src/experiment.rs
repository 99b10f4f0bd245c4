//! `dbm experiment`: the experiments of the paper and our own, each by its name.

use crate::context::Context;
use clap::Args;
use dbm_experiments::Error;
use dbm_experiments::experiment::{self, Request, duration};
use serde_json::json;

/// Runs experiments; one that was stopped continues when it is started again, with the same result.
///
/// Each has its folder in --out: cells and runs, finished or under way, results (CSV) and figures (SVG, PNG). With --docs, its figures and
/// its entry are also put there, and the page reproduction.md is generated from all entries.
#[derive(Args)]
pub struct Experiment {
    #[arg(help = names(), value_parser = experiment::check, required = true, num_args = 1..)]
    names: Vec<String>,
    #[command(flatten)]
    request: Request,
}

/// The existing experiments, one per line.
fn names() -> String {
    let names = experiment::names().unwrap_or_default();
    let lines = names.iter().map(|(name, summary)| format!("\n- {name}: {summary}"));
    format!("Names of experiments, `all`, or files of recipes (.json):{}", lines.collect::<String>())
}

impl Experiment {
    pub fn run(&self, context: &Context) -> Result<(), Error> {
        let all = self.names.iter().any(|name| name == experiment::ALL);
        let names = if all { self.request.all()? } else { self.names.clone() };
        for name in &names {
            let entry = self.request.run(name, &context.session)?;
            context.tell("done", json!({ "experiment": entry }), || {
                let (ours, verdict) = (&entry.ours, entry.verdict.words());
                format!("{name}: {ours} ({verdict}, {})", duration(entry.seconds))
            });
        }
        Ok(())
    }
}
