//! Greedy layer-wise pretraining as the start of `dbm train`.

use crate::context::Context;
use clap::Args;
use dbm_core::pretrain::Pretrainer;
use dbm_core::settings::Initialization;
use dbm_core::{Dbm, Examples, Host};
use dbm_experiments::Error;
use dbm_experiments::say;
use serde_json::{Value, json};

#[derive(Args)]
pub struct PretrainArgs {
    /// Begin with greedy layer-wise pretraining: this many steps for each weight matrix, in minibatches of at most 100, before those of
    /// `--steps` [default: none]
    #[arg(long, value_name = "STEPS", conflicts_with = "gaussian")]
    pretrain: Option<u32>,
    /// Learning rate of the pretraining; 0.2 suits models of a few dozen units [default: 0.05]
    #[arg(long, value_name = "RATE", requires = "pretrain")]
    pretrain_lr: Option<f64>,
}

impl PretrainArgs {
    /// Pretraining, if requested.
    pub fn start(&self) -> Option<Initialization> {
        let (_, usual) = Initialization::default().pretraining();
        let learning_rate = self.pretrain_lr.unwrap_or(usual);
        self.pretrain.map(|steps| Initialization::Pretrained { steps, learning_rate })
    }
}

/// The pretrained model, with progress reports.
pub fn pretrained(mut run: Pretrainer, data: &Examples, context: &Context) -> Result<Dbm, Error> {
    let Context { session, json } = context;
    let started = session.now();
    session.progress.begin("steps", run.steps_total());
    while !run.is_done() {
        let layer = run.layer();
        run.step(data)?;
        let step = run.steps_done();
        session.progress.advance(1);
        if step.is_multiple_of(20) || run.is_done() {
            if *json {
                say!("{}", line(&run, layer));
            } else {
                session.progress.message(message(&run, layer));
            }
        }
    }
    session.progress.end();
    if !*json {
        let (steps, layer) = (run.steps_total(), run.layer());
        say!("{steps} steps of pretraining in {:.1} s; {}", session.now() - started, message(&run, layer));
    }
    Ok(run.into_model())
}

fn line(run: &Pretrainer, layer: usize) -> Value {
    json!({
        "event": "pretrain", "step": run.steps_done(), "weight_matrix": layer, "reconstruction_error": run.reconstruction_error()
    })
}

fn message(run: &Pretrainer, layer: usize) -> String {
    let error = run.reconstruction_error().map_or(String::new(), |error| format!(", reconstruction error {error:.4}"));
    format!("weight matrix {} of {}{error}", layer + 1, run.model().depth())
}
