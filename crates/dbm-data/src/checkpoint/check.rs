//! What a checkpoint must satisfy before it is written and after it is read.

use super::{Checkpoint, List, RESERVED};
use crate::DataError;
use dbm_core::check_sizes;

impl<T: AsRef<[f32]>> Checkpoint<T> {
    /// The layer sizes, if everything fits together and is finite; so whatever is written can be read.
    pub(super) fn check(&self, name: &str) -> Result<Vec<usize>, DataError> {
        let sizes: Vec<usize> = self.parameters.biases.iter().map(|bias| bias.as_ref().len()).collect();
        check_sizes(&sizes).map_err(DataError::refused(name))?;
        self.lists(&sizes).iter().try_for_each(|list| check_list(name, list))?;
        let metadata = |key: &str, expected: &str, got: String, advice| {
            Err(DataError::part(name, &format!("metadata entry `{key}`"), expected, got, advice))
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
        if let Some(settings) = &self.settings {
            settings.check(sizes[0]).map_err(DataError::refused(name))?;
        }
        Ok(sizes)
    }
}

/// Accepts finite tensors of these shapes.
fn check_list<T: AsRef<[f32]>>(name: &str, List { name: list, shapes, tensors }: &List<T>) -> Result<(), DataError> {
    let refuse = |tensor: &str, expected: &str, got: String| {
        Err(DataError::part(name, &format!("tensor {tensor}"), expected, got, "use a checkpoint of an intact run"))
    };
    if tensors.len() != shapes.len() {
        return refuse(list, &format!("{} of them", shapes.len()), format!("got {}", tensors.len()));
    }
    for (layer, (tensor, shape)) in tensors.iter().zip(shapes).enumerate() {
        let (values, tensor) = (tensor.as_ref(), format!("{list}.{layer}"));
        let length = shape.iter().fold(1_usize, |length, &size| length.saturating_mul(size));
        if values.len() != length {
            return refuse(&tensor, &format!("{length} values"), format!("got {}", values.len()));
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return refuse(&tensor, "finite values", format!("value {at} is {}", values[at]));
        }
    }
    Ok(())
}
