//! Checkpoints: a model, and where wanted the run that trains it, as a safetensors file.
//!
//! Tensors, F32 or F16: `weight.{l}` of shape `[n_l, n_{l+1}]` and `bias.{l}` of `[n_l]`, the same names behind
//! `average.` for the averaged weights and behind `optimizer.{k}.` for the optimizer's moments (F32 always). Runs with persistent chains have
//! `persistent.{l}` of `[batch, n_l]`, those in the centered parametrization `offset.{l}` of `[n_l]`, both F32. Metadata:
//! `format` = `dbm-lab`, `version` = `1`, `units` (`signs` or `bits`), `step`, `image` (`28,28`), `settings` (JSON),
//! `moments` (how many; absent from a file that cannot be resumed), and any notes besides.

mod read;
mod write;

use crate::DataError;
use dbm_core::{Dbm, Parameters, Settings, Snapshot, Units, check_sizes};
use std::collections::BTreeMap;
pub use write::Precision;

const FORMAT: &str = "dbm-lab";
const VERSION: &str = "1";
/// Metadata entries with a meaning, which notes cannot have.
const RESERVED: [&str; 7] = ["format", "image", "moments", "settings", "step", "units", "version"];
/// What errors call a checkpoint that is not a file yet.
const UNNAMED: &str = "the checkpoint";

/// What a file holds.
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
pub struct Checkpoint {
    /// Kind of units.
    pub units: Units,
    /// The weights and biases of the last step.
    pub parameters: Parameters,
    /// Their average over the run, where it keeps one.
    pub average: Option<Parameters>,
    /// Gradient steps taken.
    pub step: u64,
    /// What the run was begun with, where known.
    pub settings: Option<Settings>,
    /// Rows and columns of the visible layer, where it is an image.
    pub image: Option<(usize, usize)>,
    /// The optimizer's state, which resuming needs; empty for plain SGD, and `None` where it was left out.
    pub moments: Option<Vec<Parameters>>,
    /// States of the run's persistent chains, `[batch, n_l]` a layer, which resuming needs where there are such.
    pub persistent: Option<Vec<Vec<f32>>>,
    /// Offsets of the centered parametrization, `[n_l]` a layer, which resuming needs where the run trains in it.
    pub offsets: Option<Vec<Vec<f32>>>,
    /// Where the model comes from, in free entries: the data's SHA-256, the command, a licence.
    pub notes: BTreeMap<String, String>,
}

impl Checkpoint {
    /// Weights alone, of a run unknown.
    pub fn new(units: Units, parameters: Parameters) -> Self {
        Self {
            units,
            parameters,
            average: None,
            step: 0,
            settings: None,
            image: None,
            moments: None,
            persistent: None,
            offsets: None,
            notes: BTreeMap::new(),
        }
    }

    /// A whole run, resumable.
    pub fn from_snapshot(snapshot: Snapshot, image: Option<(usize, usize)>, notes: BTreeMap<String, String>) -> Self {
        Self {
            units: snapshot.units,
            parameters: snapshot.parameters,
            average: snapshot.average,
            step: snapshot.step,
            settings: Some(snapshot.settings),
            image,
            moments: Some(snapshot.moments),
            persistent: snapshot.persistent,
            offsets: snapshot.offsets,
            notes,
        }
    }

    /// The run, to the bit as it was saved.
    ///
    /// # Errors
    /// [`DataError::WeightsOnly`] where the optimizer's state or the settings were left out.
    pub fn snapshot(&self) -> Result<Snapshot, DataError> {
        let settings = self.settings.clone().ok_or(DataError::WeightsOnly { missing: "settings" })?;
        let moments = self.moments.clone().ok_or(DataError::WeightsOnly { missing: "optimizer state" })?;
        Ok(Snapshot {
            units: self.units,
            settings,
            step: self.step,
            parameters: self.parameters.clone(),
            moments,
            average: self.average.clone(),
            persistent: self.persistent.clone(),
            offsets: self.offsets.clone(),
        })
    }

    /// For shipping: the same without optimizer and average. Where `averaged`, and there is an average, it becomes the
    /// parameters.
    #[must_use]
    pub fn weights_only(&self, averaged: bool) -> Self {
        let parameters = if averaged { self.best() } else { &self.parameters };
        Self {
            units: self.units,
            parameters: parameters.clone(),
            average: None,
            step: self.step,
            settings: self.settings.clone(),
            image: self.image,
            moments: None,
            persistent: None,
            offsets: None,
            notes: self.notes.clone(),
        }
    }

    /// The model to use: of the average where there is one, else of the last step.
    ///
    /// # Errors
    /// [`DataError::Refused`] where the parameters do not make a model; never for one that was read.
    pub fn model(&self) -> Result<Dbm, DataError> {
        self.build(self.best())
    }

    /// The model of the last step, whether or not there is an average.
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
        Dbm::new(self.units, parameters.weights.clone(), parameters.biases.clone()).map_err(DataError::refused(UNNAMED))
    }

    /// Every set of parameters with what its tensors' names begin with.
    fn sets(&self) -> impl Iterator<Item = (String, &Parameters)> {
        let average = self.average.iter().map(|average| ("average.".into(), average));
        let moments = self.moments.iter().flatten().enumerate().map(|(k, moment)| (format!("optimizer.{k}."), moment));
        std::iter::once((String::new(), &self.parameters)).chain(average).chain(moments)
    }

    /// What a run keeps besides sets of parameters, one tensor a layer: its name, and the rows it should have.
    fn extras(&self) -> impl Iterator<Item = (&'static str, &Vec<Vec<f32>>, Option<usize>)> {
        let batch = self.settings.as_ref().map_or(0, |settings| settings.batch);
        let persistent = self.persistent.iter().map(move |layers| ("persistent", layers, Some(batch)));
        persistent.chain(self.offsets.iter().map(|layers| ("offset", layers, None)))
    }

    /// Accepts what fits together and is finite; so whatever is written can be read.
    fn check(&self, name: &str) -> Result<(), DataError> {
        let sizes: Vec<usize> = self.parameters.biases.iter().map(Vec::len).collect();
        check_sizes(&sizes).map_err(DataError::refused(name))?;
        for (prefix, set) in self.sets() {
            check_set(name, &prefix, set, &sizes)?;
        }
        for (kind, layers, rows) in self.extras() {
            let lengths: Vec<usize> = sizes.iter().map(|&size| size.saturating_mul(rows.unwrap_or(1))).collect();
            check_tensors(name, "", kind, layers, &lengths)?;
        }
        let metadata = |key: &str, expected, got: String, advice| {
            Err(DataError::Metadata { name: name.into(), key: key.into(), expected, got, advice })
        };
        if let Some((rows, columns)) = self.image
            && rows.checked_mul(columns) != Some(sizes[0])
        {
            let got = format!("it is {rows} x {columns} for {} visible units", sizes[0]);
            return metadata("image", "rows times columns to be the visible units", got, "correct the shape, or leave it out");
        }
        if let Some(key) = self.notes.keys().find(|key| RESERVED.contains(&key.as_str())) {
            return metadata(key, "notes under other names", "a note has this name".into(), "rename the note");
        }
        match &self.settings {
            Some(settings) => settings.check(sizes[0]).map_err(DataError::refused(name)),
            None => Ok(()),
        }
    }
}

/// Accepts parameters for layers of these sizes.
fn check_set(name: &str, prefix: &str, set: &Parameters, sizes: &[usize]) -> Result<(), DataError> {
    let weights = sizes.windows(2).map(|pair| pair[0] * pair[1]).collect::<Vec<_>>();
    check_tensors(name, prefix, "weight", &set.weights, &weights)?;
    check_tensors(name, prefix, "bias", &set.biases, sizes)
}

/// Accepts finite tensors of these lengths.
fn check_tensors(name: &str, prefix: &str, kind: &str, tensors: &[Vec<f32>], lengths: &[usize]) -> Result<(), DataError> {
    let advice = "use a checkpoint of an intact run";
    let refuse = |tensor: String, expected: String, got: String| {
        Err(DataError::Tensor { name: name.into(), tensor: format!("{prefix}{tensor}"), expected, got, advice })
    };
    if tensors.len() != lengths.len() {
        return refuse(kind.into(), format!("{} of them", lengths.len()), format!("{} came", tensors.len()));
    }
    for (layer, (tensor, &length)) in tensors.iter().zip(lengths).enumerate() {
        if tensor.len() != length {
            return refuse(format!("{kind}.{layer}"), format!("{length} values"), format!("{} came", tensor.len()));
        }
        if let Some(at) = tensor.iter().position(|value| !value.is_finite()) {
            let got = format!("value {at} is {}", tensor[at]);
            return refuse(format!("{kind}.{layer}"), "finite values".into(), got);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
