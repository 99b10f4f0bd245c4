//! `dbm export`.

use crate::error::CliError;
use crate::files;
use clap::Args;
use dbm_data::Precision;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub struct Export {
    /// The checkpoint
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// Where to write the weights (.safetensors)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// In half precision
    #[arg(long)]
    half: bool,
    /// The last step's weights, even where the run kept averaged ones
    #[arg(long)]
    last: bool,
}

impl Export {
    pub fn run(&self, json: bool) -> Result<(), CliError> {
        files::check_writable(&self.out)?;
        let weights = files::read_checkpoint(&self.model)?.weights_only(!self.last);
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
