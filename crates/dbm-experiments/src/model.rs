//! Models in checkpoints.

use crate::Error;
use crate::files;
use dbm_core::Dbm;
use dbm_data::Checkpoint;
use dbm_data::columns::Columns;
use dbm_data::raw::Visible;
use std::path::PathBuf;

/// A checkpoint's file, and the choice of its weights.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// Path of the checkpoint.
    pub path: PathBuf,
    /// Use the last step's weights, even if the run kept averaged ones.
    pub last: bool,
}

impl ModelFile {
    /// The checkpoint and its model: the average, if there is one and `--last` is not given.
    ///
    /// # Errors
    /// Those of files and checkpoints.
    pub fn load(&self) -> Result<(Checkpoint, Dbm), Error> {
        let checkpoint = files::read_checkpoint(&self.path)?;
        let model = if self.last { checkpoint.last_model()? } else { checkpoint.model()? };
        Ok((checkpoint, model))
    }

    /// The columns of the table that the model was trained on.
    ///
    /// # Errors
    /// [`Error::Input`] if it was not trained on a table.
    pub fn columns(&self, checkpoint: &Checkpoint) -> Result<Columns, Error> {
        let advice = "train one by `dbm train --data table.csv`";
        let n = checkpoint.parameters.biases.first().map_or(0, Vec::len);
        match visible(checkpoint)? {
            Some(Visible::Table(columns)) if columns.n_units() == n => Ok(columns),
            Some(Visible::Table(columns)) => Err(Error::Input(format!(
                "{}: expected columns of {n} units as the model has, but they have {}; use the file as it was saved",
                self.path.display(),
                columns.n_units()
            ))),
            _ => Err(Error::Input(format!(
                "{}: expected a model trained on a table, but its checkpoint names no columns; {advice}",
                self.path.display()
            ))),
        }
    }

    /// The checkpoint's weights only, with the same choice.
    ///
    /// # Errors
    /// Those of files and checkpoints.
    pub fn load_weights(&self) -> Result<Checkpoint, Error> {
        Ok(files::read_checkpoint(&self.path)?.weights_only(!self.last))
    }
}

/// What the visible units of a checkpoint's model stand for, if it says so.
///
/// # Errors
/// Those of the note in the checkpoint.
pub fn visible(checkpoint: &Checkpoint) -> Result<Option<Visible>, Error> {
    let note = checkpoint.notes.get(Visible::NOTE);
    Ok(note.map(|note| Visible::from_json("the checkpoint", note)).transpose()?)
}
