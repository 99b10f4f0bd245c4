//! Checkpoints: a model and, optionally, the run that trains it, as a safetensors file.
//!
//! Tensors, F32 or F16: `weight.{l}` of shape `[n_l, n_{l+1}]` and `bias.{l}` of `[n_l]`. The same names follow the prefix `average.` for
//! the averaged weights, `rung.{r}.` for the models of a ladder, and `optimizer.{k}.` for the optimizer's moments (always F32). Runs with
//! persistent chains have `persistent.{l}` of `[batch, n_l]`, those in the centered parametrization `offset.{l}` of `[n_l]`, both F32.
//! Metadata: `format` = `dbm-lab`, `version` = `1`, `units` (`signs` or `bits`), `step`, `image` (`28,28`), `settings` (JSON), `moments`
//! (how many; absent from a file that cannot be resumed), `ladder` (its rate, and the share of exchanges that each rung accepts),
//! `temperatures` (the inverse temperatures of a path from its lowest rung, if the run has moved them), and any further notes, of which
//! [`Backends`] says what computed the run.

mod backends;
mod check;
mod read;
mod write;

use crate::DataError;
use crate::visible::Visible;
pub use backends::Backends;
use dbm_core::tempering::Ladder;
use dbm_core::{Dbm, LadderSnapshot, Parameters, Settings, Snapshot, Units};
use std::collections::BTreeMap;
pub use write::{Layout, Precision};

const FORMAT: &str = "dbm-lab";
const VERSION: &str = "1";
/// Metadata entries with a meaning; notes cannot use these names.
const RESERVED: [&str; 9] = ["format", "image", "ladder", "moments", "settings", "step", "temperatures", "units", "version"];
/// What error messages call a checkpoint that is not a file yet.
const UNNAMED: &str = "the checkpoint";

/// The content of a file. `T` is a tensor: `Vec<f32>`, or `&[f32]` in a [`CheckpointView`].
///
/// ```
/// use dbm_core::{Parameters, Units};
/// use dbm_data::checkpoint::{Checkpoint, Precision};
/// let parameters = Parameters { weights: vec![vec![0.5, -1.0]], biases: vec![vec![0.0, 0.0], vec![0.25]] };
/// let model = Checkpoint::new(Units::Signs, parameters);
/// let bytes = model.to_bytes(Precision::Full)?;
/// assert_eq!(Checkpoint::read("tiny.safetensors", &bytes)?, model);
/// # Ok::<(), dbm_data::DataError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint<T = Vec<f32>> {
    /// Whether units are signs (-1 and 1) or bits (0 and 1).
    pub units: Units,
    /// The weights and biases at the last step.
    pub parameters: Parameters<T>,
    /// Their average over the run, if it keeps one.
    pub average: Option<Parameters<T>>,
    /// Gradient steps taken.
    pub step: u64,
    /// The settings with which the run began, if known.
    pub settings: Option<Settings>,
    /// Rows and columns of the visible layer, if it is an image.
    pub image: Option<(usize, usize)>,
    /// The optimizer's state, which resuming needs; empty for plain SGD, and `None` if it was omitted.
    pub optimizer_state: Option<Vec<Parameters<T>>>,
    /// States of the run's persistent chains, `[batch, n_l]` per layer; resuming needs them if the run has any.
    pub persistent: Option<Vec<T>>,
    /// The ladder of models from independent units to this one, which tempering climbs.
    pub ladder: Option<LadderSnapshot<T>>,
    /// Offsets of the centered parametrization, `[n_l]` per layer; resuming needs them if the run uses it.
    pub offsets: Option<Vec<T>>,
    /// Provenance of the model, in free entries: the data's SHA-256, the command, a licence.
    pub notes: BTreeMap<String, String>,
}

/// A [`Checkpoint`] that borrows its tensors, so that a run can be written while it holds them.
pub type CheckpointView<'a> = Checkpoint<&'a [f32]>;

impl<T> Checkpoint<T> {
    /// Only the model, without the run that trained it.
    pub fn new(units: Units, parameters: Parameters<T>) -> Self {
        Self {
            units,
            parameters,
            average: None,
            step: 0,
            settings: None,
            image: None,
            optimizer_state: None,
            persistent: None,
            ladder: None,
            offsets: None,
            notes: BTreeMap::new(),
        }
    }

    /// A complete run that can be resumed; borrowed from a [`dbm_core::SnapshotView`].
    ///
    /// ```
    /// use dbm_core::{Settings, Trainer, Units, init};
    /// use dbm_data::checkpoint::{Checkpoint, Precision};
    /// let run = Trainer::new(init::orthogonal(&[4, 3], Units::Signs, 1)?, Settings::default())?;
    /// let notes = [("data".to_string(), "none".to_string())].into();
    /// let mut file = Vec::new();
    /// Checkpoint::from_snapshot(run.view(), None, notes).lay_out(Precision::Full)?.write_to(&mut file)?;
    /// assert_eq!(Checkpoint::read("run", &file)?.into_snapshot()?, run.snapshot());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_snapshot(snapshot: Snapshot<T>, image: Option<(usize, usize)>, notes: BTreeMap<String, String>) -> Self {
        Self {
            average: snapshot.average,
            step: snapshot.step,
            settings: Some(snapshot.settings),
            image,
            optimizer_state: Some(snapshot.optimizer_state),
            persistent: snapshot.persistent,
            ladder: snapshot.ladder,
            offsets: snapshot.offsets,
            notes,
            ..Self::new(snapshot.units, snapshot.parameters)
        }
    }

    /// The same without what a run needs to resume: the average, the optimizer's state, chains and offsets.
    #[must_use]
    pub fn without_run(self) -> Self {
        Self { average: None, optimizer_state: None, persistent: None, ladder: None, offsets: None, ..self }
    }

    /// Every list of tensors of a model with these layer sizes, its parameters first, in the order of [`Checkpoint::lists_mut`].
    fn lists(&self, sizes: &[usize]) -> Vec<List<'_, T>> {
        let a_layer = |rows: Option<usize>| -> Vec<Vec<usize>> {
            sizes.iter().map(|&size| rows.into_iter().chain([size]).collect()).collect()
        };
        let average = self.average.iter().map(|average| ("average.".to_string(), average));
        let moments = self.optimizer_state.iter().flatten().enumerate().map(|(k, moment)| (format!("optimizer.{k}."), moment));
        let rungs = self.ladder.iter().flat_map(|ladder| &ladder.rungs).enumerate().map(|(r, rung)| (format!("rung.{r}."), rung));
        let mut lists = Vec::new();
        for (prefix, set) in std::iter::once((String::new(), &self.parameters)).chain(average).chain(rungs).chain(moments) {
            let pairs = sizes.windows(2).map(<[usize]>::to_vec).collect();
            lists.push(List { name: format!("{prefix}bias"), shapes: a_layer(None), tensors: &set.biases });
            lists.push(List { name: format!("{prefix}weight"), shapes: pairs, tensors: &set.weights });
        }
        let batch = self.settings.as_ref().map_or(0, |settings| settings.batch);
        let extra = |name: &str, rows: Option<usize>, tensors| List { name: name.into(), shapes: a_layer(rows), tensors };
        lists.extend(self.persistent.iter().map(|tensors| {
            // Every rung has as many chains as the model.
            let mut list = extra("persistent", Some(batch), tensors);
            let rungs = self.ladder.as_ref().map_or(0, |ladder| ladder.rungs.len());
            list.shapes = (0..=rungs).flat_map(|_| list.shapes.clone()).collect();
            list
        }));
        lists.extend(self.offsets.iter().map(|tensors| extra("offset", None, tensors)));
        lists
    }

    fn lists_mut(&mut self) -> impl Iterator<Item = &mut Vec<T>> {
        let sets = std::iter::once(&mut self.parameters).chain(&mut self.average);
        let sets = sets
            .chain(self.ladder.iter_mut().flat_map(|ladder| &mut ladder.rungs))
            .chain(self.optimizer_state.iter_mut().flatten());
        let lists = sets.flat_map(|set| [&mut set.biases, &mut set.weights]);
        lists.chain(&mut self.persistent).chain(&mut self.offsets)
    }
}

/// Tensors of one kind, one per layer or per pair of layers.
struct List<'c, T> {
    /// Prefix of their names, before the number.
    name: String,
    /// The required shape of each.
    shapes: Vec<Vec<usize>>,
    tensors: &'c [T],
}

impl Checkpoint {
    /// The run, to the bit as it was saved.
    ///
    /// # Errors
    /// [`DataError::WeightsOnly`] if the optimizer's state or the settings were omitted.
    pub fn into_snapshot(self) -> Result<Snapshot, DataError> {
        let settings = self.settings.ok_or(DataError::WeightsOnly { missing: "settings" })?;
        let moments = self.optimizer_state.ok_or(DataError::WeightsOnly { missing: "optimizer state" })?;
        Ok(Snapshot {
            units: self.units,
            settings,
            step: self.step,
            parameters: self.parameters,
            optimizer_state: moments,
            average: self.average,
            persistent: self.persistent,
            ladder: self.ladder,
            offsets: self.offsets,
        })
    }

    /// A starting point for a run with other settings: [`dbm_core::Trainer::begin_at`].
    pub fn into_start(self, settings: Settings) -> Snapshot {
        Snapshot {
            units: self.units,
            settings,
            step: 0,
            parameters: self.parameters,
            optimizer_state: vec![],
            average: None,
            persistent: self.persistent,
            ladder: self.ladder,
            offsets: self.offsets,
        }
    }

    /// For shipping: the same without optimizer and average. If `averaged`, and there is an average, it becomes the parameters.
    #[must_use]
    pub fn weights_only(&self, averaged: bool) -> Self {
        let parameters = if averaged { self.best() } else { &self.parameters };
        Self {
            step: self.step,
            settings: self.settings.clone(),
            image: self.image,
            notes: self.notes.clone(),
            ..Self::new(self.units, parameters.clone())
        }
    }

    /// The model to use: the average if there is one, otherwise the last step.
    ///
    /// # Errors
    /// [`DataError::Refused`] if the parameters do not make a model; never for one that was read.
    pub fn model(&self) -> Result<Dbm, DataError> {
        self.build(self.best())
    }

    /// The ladder that leads to the model, if it has one.
    ///
    /// # Errors
    /// [`DataError::Refused`] if its rungs do not fit the model.
    pub fn ladder(&self, model: &Dbm) -> Result<Option<Ladder>, DataError> {
        self.ladder.clone().map(|kept| Ladder::restore(model, kept).map_err(DataError::refused(UNNAMED))).transpose()
    }

    /// The model of the last step, even if there is an average.
    ///
    /// # Errors
    /// As [`Checkpoint::model`].
    pub fn last_model(&self) -> Result<Dbm, DataError> {
        self.build(&self.parameters)
    }

    fn best(&self) -> &Parameters {
        self.average.as_ref().unwrap_or(&self.parameters)
    }

    fn build(&self, parameters: &Parameters) -> Result<Dbm, DataError> {
        let refused = DataError::refused(UNNAMED);
        let model = Dbm::new(self.units, parameters.weights.clone(), parameters.biases.clone()).map_err(refused)?;
        // A note that cannot be read, or describes other units, is reported where its words are needed.
        let visible = self.notes.get(Visible::NOTE).and_then(|note| Visible::from_json(UNNAMED, note).ok());
        match visible {
            Some(Visible::Table(columns)) if columns.n_units() == model.n_visible() => {
                model.with_groups(&columns.groups()).map_err(DataError::refused(UNNAMED))
            }
            _ => Ok(model),
        }
    }
}

#[cfg(test)]
mod tests;
