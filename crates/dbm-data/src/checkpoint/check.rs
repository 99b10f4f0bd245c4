//! What a checkpoint must be before it is written, and after it was read.

use super::{CheckpointView, RESERVED};
use crate::DataError;
use dbm_core::{ParametersView, check_sizes};

impl<'a> CheckpointView<'a> {
    /// Every set of parameters with what its tensors' names begin with.
    pub(super) fn sets(&self) -> impl Iterator<Item = (String, &ParametersView<'a>)> {
        let average = self.average.iter().map(|average| ("average.".into(), average));
        let moments = self.moments.iter().flatten().enumerate().map(|(k, moment)| (format!("optimizer.{k}."), moment));
        std::iter::once((String::new(), &self.parameters)).chain(average).chain(moments)
    }

    /// What a run keeps besides sets of parameters, one tensor a layer: its name, and the rows it should have.
    pub(super) fn extras(&self) -> impl Iterator<Item = (&'static str, &Vec<&'a [f32]>, Option<usize>)> {
        let batch = self.settings.as_ref().map_or(0, |settings| settings.batch);
        let persistent = self.persistent.iter().map(move |layers| ("persistent", layers, Some(batch)));
        persistent.chain(self.offsets.iter().map(|layers| ("offset", layers, None)))
    }

    /// Accepts what fits together and is finite; so whatever is written can be read.
    pub(super) fn check(&self, name: &str) -> Result<(), DataError> {
        let sizes: Vec<usize> = self.parameters.biases.iter().map(|bias| bias.len()).collect();
        check_sizes(&sizes).map_err(DataError::refused(name))?;
        for (prefix, set) in self.sets() {
            check_set(name, &prefix, set, &sizes)?;
        }
        for (kind, layers, rows) in self.extras() {
            let lengths: Vec<usize> = sizes.iter().map(|&size| size.saturating_mul(rows.unwrap_or(1))).collect();
            check_tensors(name, "", kind, layers, &lengths)?;
        }
        let metadata = |key: &str, expected: &str, got: String, advice| {
            Err(DataError::part(name, format!("metadata entry `{key}`"), expected, got, advice))
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
fn check_set(name: &str, prefix: &str, set: &ParametersView, sizes: &[usize]) -> Result<(), DataError> {
    let weights = sizes.windows(2).map(|pair| pair[0] * pair[1]).collect::<Vec<_>>();
    check_tensors(name, prefix, "weight", &set.weights, &weights)?;
    check_tensors(name, prefix, "bias", &set.biases, sizes)
}

/// Accepts finite tensors of these lengths.
fn check_tensors(name: &str, prefix: &str, kind: &str, tensors: &[&[f32]], lengths: &[usize]) -> Result<(), DataError> {
    let advice = "use a checkpoint of an intact run";
    let refuse = |tensor: String, expected: String, got: String| {
        Err(DataError::part(name, format!("tensor {prefix}{tensor}"), expected, got, advice))
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
