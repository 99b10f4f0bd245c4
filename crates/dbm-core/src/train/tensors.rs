//! What a run holds besides its model, tensor by tensor, and how it comes back from a snapshot.

use super::Trainer;
use crate::linalg::Matrix;
use crate::model::checked;
use crate::{Dbm, DbmError, Parameters, ParametersView, check_sizes};

/// One tensor of values for each of the model's.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tensors {
    pub weights: Vec<Matrix>,
    pub biases: Vec<Vec<f32>>,
}

impl Tensors {
    pub fn zeros(model: &Dbm) -> Self {
        Self {
            weights: model.weights().iter().map(|w| Matrix::zeros(w.rows(), w.columns())).collect(),
            biases: model.sizes().iter().map(|&n| vec![0.0; n]).collect(),
        }
    }

    pub fn of(model: &Dbm) -> Self {
        Self { weights: model.weights().to_vec(), biases: model.biases().to_vec() }
    }

    pub fn view(&self) -> ParametersView<'_> {
        ParametersView::of(&self.weights, &self.biases)
    }

    pub fn from_parameters(model: &Dbm, parameters: Parameters) -> Result<Self, DbmError> {
        let (sizes, weights) = checked(parameters.weights, &parameters.biases)?;
        if sizes != model.sizes() {
            let (expected, got) = (model.n_parameters(), check_sizes(&sizes)?);
            return Err(DbmError::Shape { what: "the optimizer's state or the averaged weights".into(), expected, got });
        }
        Ok(Self { weights, biases: parameters.biases })
    }
}

/// The rows that a snapshot holds of persistent chains, checked.
pub(super) fn persistent_layers(run: &Trainer, layers: Vec<Vec<f32>>) -> Result<Vec<Matrix>, DbmError> {
    let (sizes, batch, units) = (run.model.sizes(), run.settings.batch, run.model.units());
    let what = || "the states of the persistent chains".to_string();
    if layers.len() != sizes.len() {
        return Err(DbmError::Shape { what: what(), expected: sizes.len(), got: layers.len() });
    }
    let checked = layers.into_iter().zip(sizes).map(|(values, &size)| {
        if values.len() != batch * size {
            return Err(DbmError::Shape { what: what(), expected: batch * size, got: values.len() });
        }
        match values.iter().find(|&&x| x != units.low() && x != units.high()) {
            Some(other) => Err(DbmError::Setting {
                name: "a unit of a persistent chain",
                expected: "one of the two values of the model's units",
                got: other.to_string(),
            }),
            None => Ok(Matrix::from_vec(batch, size, values)),
        }
    });
    checked.collect()
}

/// Offsets of a snapshot, checked.
pub(super) fn offset_layers(model: &Dbm, offsets: Vec<Vec<f32>>) -> Result<Vec<Vec<f32>>, DbmError> {
    let what = || "the centering offsets".to_string();
    if offsets.len() != model.sizes().len() {
        return Err(DbmError::Shape { what: what(), expected: model.sizes().len(), got: offsets.len() });
    }
    for (values, &expected) in offsets.iter().zip(model.sizes()) {
        if values.len() != expected {
            return Err(DbmError::Shape { what: what(), expected, got: values.len() });
        }
        if values.iter().any(|x| !x.is_finite()) {
            return Err(DbmError::NotFinite { what: what() });
        }
    }
    Ok(offsets)
}
