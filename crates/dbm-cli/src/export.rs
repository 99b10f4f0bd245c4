//! `dbm export`.

use crate::error::CliError;
use crate::files;
use crate::model::ModelArgs;
use clap::Args;
use dbm_data::Precision;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub struct Export {
    #[command(flatten)]
    model: ModelArgs,
    /// Where to write the weights (.safetensors)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// In half precision
    #[arg(long)]
    half: bool,
}

impl Export {
    pub fn run(&self, json: bool) -> Result<(), CliError> {
        files::check_writable(&self.out)?;
        let weights = self.model.load_weights()?;
        let bytes = weights.to_bytes(if self.half { Precision::Half } else { Precision::Full })?;
        files::write(&self.out, &bytes)?;
        if json {
            println!("{}", json!({ "event": "done", "bytes": bytes.len(), "step": weights.step, "out": self.out }));
        } else {
            println!("{} bytes, weights of step {}: {}", bytes.len(), weights.step, self.out.display());
        }
        Ok(())
    }
}
