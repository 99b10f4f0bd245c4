//! Which model a command works with.

use crate::error::CliError;
use crate::files;
use clap::Args;
use dbm_core::Dbm;
use dbm_data::Checkpoint;
use std::path::PathBuf;

#[derive(Args)]
pub struct ModelArgs {
    /// The checkpoint
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// Use the last step's weights, even where the run kept averaged ones
    #[arg(long)]
    last: bool,
}

impl ModelArgs {
    /// The checkpoint, and its model: averaged where there is an average and `--last` does not say otherwise.
    pub fn load(&self) -> Result<(Checkpoint, Dbm), CliError> {
        let checkpoint = files::read_checkpoint(&self.model)?;
        let model = if self.last { checkpoint.last_model()? } else { checkpoint.model()? };
        Ok((checkpoint, model))
    }

    /// The checkpoint's weights alone, of the same choice.
    pub fn load_weights(&self) -> Result<Checkpoint, CliError> {
        Ok(files::read_checkpoint(&self.model)?.weights_only(!self.last))
    }
}
