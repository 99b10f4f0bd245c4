//! An experiment's folder. Finished parts are kept, so the experiment can be stopped at any time.
//!
//! A part is a *cell*, a value stored as JSON, or a *run*, a training stored as a checkpoint. The name of its file ends in a fingerprint of
//! everything that determines it, so a part whose recipe has changed is computed again, and results of another recipe are never
//! overwritten.

use super::training_plan::TrainingPlan;
use crate::plot::raster;
use crate::steps::message;
use crate::{Error, Workbench, files};
use dbm_core::{Dbm, Host, Trainer};
use dbm_data::{Checkpoint, Dataset};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

/// Seconds of training between two checkpoints.
const CHECKPOINT_SECONDS: f64 = 60.0;
/// The note in a run's checkpoint that holds the seconds it has taken so far.
const SECONDS_NOTE: &str = "seconds";

/// An experiment's folder, and the resources it works with.
pub struct Workspace<'a> {
    folder: PathBuf,
    /// Whether everything is as small as possible: for tests, and to see that an experiment works.
    pub toy: bool,
    /// The seed of all randomness in the experiment.
    pub seed: u64,
    pub session: &'a Workbench,
    /// Seconds of all parts so far, whenever they were computed.
    seconds: Cell<f64>,
}

/// The stored form of a cell.
#[derive(Serialize, Deserialize)]
struct Kept<T> {
    seconds: f64,
    value: T,
}

/// A run that has taken all its steps.
pub struct Trained {
    pub checkpoint: Checkpoint,
    /// With the averaged weights, if the run keeps an average.
    pub model: Dbm,
    /// Seconds of training, not counting interruptions.
    pub seconds: f64,
}

impl<'a> Workspace<'a> {
    /// In this folder, which is created if it does not exist.
    pub fn new(folder: PathBuf, (toy, seed): (bool, u64), session: &'a Workbench) -> Result<Self, Error> {
        for room in ["cells", "runs"] {
            let room = folder.join(room);
            fs::create_dir_all(&room).map_err(|source| Error::Write { path: room, source })?;
        }
        Ok(Self { folder, toy, seed, session, seconds: Cell::new(0.0) })
    }

    /// The path of an additional file, for figures and data.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes an additional file.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        files::write(&self.file(name), bytes)
    }

    /// Writes a figure as `name.svg` and `name.png`, showing the same picture.
    ///
    /// # Errors
    /// [`Error::Input`] if it is not SVG, [`Error::Write`].
    pub fn write_figure(&self, name: &str, svg: &str) -> Result<(), Error> {
        self.write(&format!("{name}.svg"), svg.as_bytes())?;
        self.write(&format!("{name}.png"), &raster::png(svg)?)
    }

    /// Reports the current activity in one line.
    pub fn say(&self, what: &str) {
        self.session.progress.say(what);
    }

    /// Seconds of all parts so far, whenever they were computed.
    pub fn seconds(&self) -> f64 {
        self.seconds.get()
    }

    /// The value that `make` computes from `recipe`, or computed in an earlier run of the experiment. The seconds it took are counted.
    ///
    /// # Errors
    /// Those of `make`, [`Error::Serialize`] and [`Error::Write`].
    pub fn cell<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        recipe: &impl Serialize,
        make: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let path = self.folder.join("cells").join(format!("{name}-{}.json", fingerprint_of(name, recipe)?));
        let kept = fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let Kept { seconds, value } = if let Some(kept) = kept {
            kept
        } else {
            let started = self.session.now();
            let value = make()?;
            let kept = Kept { seconds: self.session.now() - started, value };
            let text = serde_json::to_vec(&kept).map_err(|source| Error::Serialize { what: name.into(), source })?;
            files::write(&path, &text)?;
            // The stored value is the one used, so that interrupted and uninterrupted runs see the same digits.
            serde_json::from_slice(&text).map_err(|error| Error::Input(format!("{name} cannot be read back: {error}")))?
        };
        self.seconds.set(self.seconds.get() + seconds);
        Ok(value)
    }

    /// Trains as specified by `training`, on data read with these `options`; or resumes an interrupted training; or loads a finished one. The
    /// bits are the same in all three cases.
    ///
    /// # Errors
    /// If a run diverges or does not fit into memory, and errors with files.
    pub fn trained(&self, name: &str, training: &TrainingPlan, options: &str, data: &Dataset) -> Result<Trained, Error> {
        let data_hash = data.sha256();
        let file = format!("{name}-{}.safetensors", fingerprint_of(name, &(training, &data_hash))?);
        let path = self.folder.join("runs").join(file);
        let found = kept(&path)?;
        let mut seconds = found.as_ref().and_then(|found| found.notes.get(SECONDS_NOTE)?.parse().ok()).unwrap_or(0.0);
        let mut run = match found {
            Some(checkpoint) if checkpoint.step == training.steps => return self.finished(checkpoint, seconds),
            Some(checkpoint) => Trainer::restore(checkpoint.into_snapshot()?)?,
            None => match &training.after {
                None => training.begin(data, self.session)?,
                Some(before) => {
                    let before = self.trained(&format!("{name}-first"), before, options, data)?;
                    seconds += before.seconds;
                    training.begin_at(before.checkpoint, data)?
                }
            },
        };
        let command = training.command(options);
        self.say(&format!("{name}: {command}"));
        let progress = &self.session.progress;
        progress.begin("steps", training.steps);
        progress.resume(run.steps());
        let mut unsaved = 0.0;
        while run.steps() < training.steps {
            let started = self.session.now();
            let info = run.step(&data.examples, self.session)?;
            unsaved += self.session.now() - started;
            progress.advance(1);
            progress.message(message(&info, None));
            if unsaved >= CHECKPOINT_SECONDS || run.steps() == training.steps {
                seconds += unsaved;
                unsaved = 0.0;
                let notes =
                    [("data-sha256", data_hash.clone()), ("command", command.clone()), (SECONDS_NOTE, seconds.to_string())];
                files::write_run(&path, &run, data, notes.map(|(name, note)| (name.to_string(), note)))?;
            }
        }
        progress.end();
        drop(run);
        let checkpoint = kept(&path)?.ok_or_else(|| {
            Error::Input(format!("{}: it was just written, but is gone; run the experiment again", path.display()))
        })?;
        self.finished(checkpoint, seconds)
    }

    fn finished(&self, checkpoint: Checkpoint, seconds: f64) -> Result<Trained, Error> {
        self.seconds.set(self.seconds.get() + seconds);
        Ok(Trained { model: checkpoint.model()?, checkpoint, seconds })
    }
}

/// A run's checkpoint, if there is one.
///
/// # Errors
/// Those of files and checkpoints.
fn kept(path: &Path) -> Result<Option<Checkpoint>, Error> {
    path.exists().then(|| files::read_checkpoint(path)).transpose()
}

/// Eight hexadecimal digits that differ between different recipes.
///
/// # Errors
/// [`Error::Serialize`] for a recipe that JSON cannot hold: without its own fingerprint it would be mistaken for another.
fn fingerprint_of(name: &str, recipe: &impl Serialize) -> Result<String, Error> {
    let text = serde_json::to_vec(recipe).map_err(|source| Error::Serialize { what: format!("the recipe of {name}"), source })?;
    Ok(Sha256::digest(&text).iter().take(4).fold(String::new(), |text, byte| text + &format!("{byte:02x}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_recipe_that_json_cannot_hold_is_refused_and_another_has_another_cell() {
        let folder = std::env::temp_dir().join(format!("dbm-workspace-{}", std::process::id()));
        let session = Workbench::silent(1).unwrap();
        let workspace = Workspace::new(folder.clone(), (true, 1), &session).unwrap();
        // JSON keys are always strings: both of these would have had the fingerprint of nothing.
        for recipe in [BTreeMap::from([((1, 2), 3)]), BTreeMap::from([((4, 5), 6)])] {
            let refused = workspace.cell("cell", &recipe, || Ok(7)).unwrap_err().to_string();
            assert!(refused.contains("the recipe of cell"), "{refused}");
        }
        let cell = |recipe: u32, value: u32| workspace.cell("cell", &recipe, || Ok(value)).unwrap();
        assert_eq!([cell(1, 10), cell(2, 20), cell(1, 30)], [10, 20, 10]);
        fs::remove_dir_all(folder).unwrap();
    }
}
