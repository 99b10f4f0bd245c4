//! Which model a command works with.

use crate::error::CliError;
use crate::files;
use clap::Args;
use dbm_core::Dbm;
use dbm_data::Checkpoint;
use dbm_data::columns::Columns;
use dbm_data::raw::Visible;
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
    pub fn of(model: PathBuf) -> Self {
        Self::new(model, false)
    }

    /// Of a checkpoint, the last step's weights or else averaged ones.
    pub fn new(model: PathBuf, last: bool) -> Self {
        Self { model, last }
    }

    /// The checkpoint, and its model: averaged where there is an average and `--last` does not say otherwise.
    pub fn load(&self) -> Result<(Checkpoint, Dbm), CliError> {
        let checkpoint = files::read_checkpoint(&self.model)?;
        let model = if self.last { checkpoint.last_model()? } else { checkpoint.model()? };
        Ok((checkpoint, model))
    }

    /// The columns of the table that the model was trained on.
    pub fn columns(&self, checkpoint: &Checkpoint) -> Result<Columns, CliError> {
        let advice = "train one by `dbm train --data table.csv`";
        let n = checkpoint.parameters.biases.first().map_or(0, Vec::len);
        match visible(checkpoint)? {
            Some(Visible::Table(columns)) if columns.n_units() == n => Ok(columns),
            Some(Visible::Table(columns)) => Err(CliError::Input(format!(
                "{}: expected columns of {n} units as the model has, but they have {}; use the file as it was saved",
                self.model.display(),
                columns.n_units()
            ))),
            _ => Err(CliError::Input(format!(
                "{}: expected a model trained on a table, but its checkpoint names no columns; {advice}",
                self.model.display()
            ))),
        }
    }

    /// The checkpoint's weights alone, of the same choice.
    pub fn load_weights(&self) -> Result<Checkpoint, CliError> {
        Ok(files::read_checkpoint(&self.model)?.weights_only(!self.last))
    }
}

/// What the visible units of a checkpoint's model stand for, where it says.
pub fn visible(checkpoint: &Checkpoint) -> Result<Option<Visible>, CliError> {
    let note = checkpoint.notes.get(Visible::NOTE);
    Ok(note.map(|note| Visible::from_json("the checkpoint", note)).transpose()?)
}
