//! Where an experiment works: a folder of its own in which finished parts stay finished, so that it can be stopped at any time.
//!
//! A part is a *cell*, a value kept as JSON, or a *run*, a training kept as a checkpoint. The name of its file ends in a fingerprint of all
//! that determines it, so a part whose recipe was changed is made anew, and nothing is overwritten that was made by another.

use super::recipe::Recipe;
use crate::data::fingerprint;
use crate::error::CliError;
use crate::files;
use crate::memory::Limit;
use crate::progress::steps_bar;
use crate::report::message;
use crate::threads::Threads;
use dbm_core::{Dbm, Host, Trainer};
use dbm_data::checkpoint::Contents;
use dbm_data::raw::Visible;
use dbm_data::{Checkpoint, Dataset, Precision};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Seconds of training between two checkpoints.
const CHECKPOINT_SECONDS: f64 = 60.0;
/// The note of a run's checkpoint that holds the seconds it took so far.
const SECONDS_NOTE: &str = "seconds";

/// An experiment's folder, and what it works with.
pub struct Workshop<'a> {
    folder: PathBuf,
    /// Whether everything is as small as it can be: for tests, and to see that an experiment works.
    pub toy: bool,
    /// Of all that is random in the experiment.
    pub seed: u64,
    pub threads: &'a Threads,
    pub memory: &'a Limit,
    pub json: bool,
}

/// A cell as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept<T> {
    seconds: f64,
    value: T,
}

/// A run that has taken all its steps.
pub struct Trained {
    pub checkpoint: Checkpoint,
    /// With the averaged weights, where the run keeps an average.
    pub model: Dbm,
    /// Seconds of training, all interruptions left out.
    pub seconds: f64,
}

impl<'a> Workshop<'a> {
    /// In this folder, which is made where it does not exist.
    pub fn new(
        folder: PathBuf,
        (toy, seed): (bool, u64),
        threads: &'a Threads,
        memory: &'a Limit,
        json: bool,
    ) -> Result<Self, CliError> {
        for room in ["cells", "runs"] {
            let room = folder.join(room);
            fs::create_dir_all(&room).map_err(|source| CliError::Write { path: room, source })?;
        }
        Ok(Self { folder, toy, seed, threads, memory, json })
    }

    /// One of two values: of the experiment itself, or of its toy.
    pub fn pick<T>(&self, whole: T, toy: T) -> T {
        if self.toy { toy } else { whole }
    }

    /// A file of the experiment's own, for figures and data.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Where the run of a recipe is kept.
    pub fn run_file(&self, name: &str, recipe: &impl Serialize) -> PathBuf {
        self.folder.join("runs").join(format!("{name}-{}.safetensors", short_hash(recipe)))
    }

    /// Writes a file of the experiment's own.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), CliError> {
        files::write(&self.file(name), bytes)
    }

    /// What is going on, in a line.
    pub fn say(&self, what: &str) {
        if !self.json {
            eprintln!("{what}");
        }
    }

    /// The value that `make` makes of `recipe`, or made when the experiment was run before; and the seconds that it took.
    ///
    /// # Errors
    /// Those of `make`, and [`CliError::Write`].
    pub fn cell<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        recipe: &impl Serialize,
        make: impl FnOnce() -> Result<T, CliError>,
    ) -> Result<(T, f64), CliError> {
        let path = self.folder.join("cells").join(format!("{name}-{}.json", short_hash(recipe)));
        if let Ok(text) = fs::read(&path)
            && let Ok(Kept { seconds, value }) = serde_json::from_slice(&text)
        {
            return Ok((value, seconds));
        }
        let started = self.threads.now();
        let value = make()?;
        let kept = Kept { seconds: self.threads.now() - started, value };
        let text = serde_json::to_vec(&kept).map_err(|error| CliError::Input(format!("{name} cannot be kept: {error}")))?;
        files::write(&path, &text)?;
        // What is kept is what is used, so that a run that was interrupted and one that was not see the same digits.
        let Kept { seconds, value } =
            serde_json::from_slice(&text).map_err(|error| CliError::Input(format!("{name} cannot be read back: {error}")))?;
        Ok((value, seconds))
    }

    /// Trains by `recipe`, goes on where it was stopped, or takes what it made before: the same bits in all three cases.
    ///
    /// # Errors
    /// A run that diverges or does not fit into memory, and what goes wrong with files.
    pub fn trained(&self, name: &str, recipe: &Recipe, data: &Dataset) -> Result<Trained, CliError> {
        let data_hash = fingerprint(data);
        let path = self.run_file(name, &(recipe, &data_hash));
        let (mut run, mut seconds) = match Self::kept(&path)? {
            Some((checkpoint, seconds)) if checkpoint.step == recipe.steps => return finished(checkpoint, seconds),
            Some((checkpoint, seconds)) => (Trainer::restore(checkpoint.into_snapshot()?)?, seconds),
            None => (recipe.begin(data, self.threads, self.memory)?, 0.0),
        };
        self.say(&format!("{name}: {}", recipe.command()));
        let mut notes = BTreeMap::from([("data-sha256".to_string(), data_hash), ("command".to_string(), recipe.command())]);
        if let Some(visible) = &data.visible {
            notes.insert(Visible::NOTE.to_string(), visible.to_json());
        }
        let bar = steps_bar(recipe.steps, self.json);
        bar.set_position(run.steps());
        bar.reset_eta();
        let mut unsaved = 0.0;
        while run.steps() < recipe.steps {
            let started = self.threads.now();
            let info = run.step(&data.examples, self.threads)?;
            unsaved += self.threads.now() - started;
            bar.set_position(info.step);
            if info.step.is_multiple_of(20) {
                bar.set_message(message(&info, None));
            }
            if unsaved >= CHECKPOINT_SECONDS || run.steps() == recipe.steps {
                seconds += unsaved;
                unsaved = 0.0;
                notes.insert(SECONDS_NOTE.into(), seconds.to_string());
                let file = Contents::of_run(run.view(), data.image, &notes).lay_out(Precision::Full)?;
                files::write_with(&path, |out| file.write_to(out))?;
            }
        }
        bar.finish_and_clear();
        drop(run);
        let (checkpoint, seconds) = Self::kept(&path)?.ok_or_else(|| {
            CliError::Input(format!("{}: it was just written, but is gone; run the experiment again", path.display()))
        })?;
        finished(checkpoint, seconds)
    }

    /// A run's checkpoint and its seconds so far, where there is one.
    fn kept(path: &Path) -> Result<Option<(Checkpoint, f64)>, CliError> {
        if !path.exists() {
            return Ok(None);
        }
        let checkpoint = files::read_checkpoint(path)?;
        let seconds = checkpoint.notes.get(SECONDS_NOTE).and_then(|note| note.parse().ok()).unwrap_or(0.0);
        Ok(Some((checkpoint, seconds)))
    }
}

fn finished(checkpoint: Checkpoint, seconds: f64) -> Result<Trained, CliError> {
    Ok(Trained { model: checkpoint.model()?, checkpoint, seconds })
}

/// Eight hexadecimal digits that differ where a recipe differs.
fn short_hash(recipe: &impl Serialize) -> String {
    let text = serde_json::to_vec(recipe).unwrap_or_default();
    Sha256::digest(&text).iter().take(4).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
