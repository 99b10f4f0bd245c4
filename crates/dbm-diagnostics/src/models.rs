//! Models and data as they come in messages, checked.

use dbm_core::linalg::Matrix;
use dbm_core::tempering::Ladder;
use dbm_core::{Backend, Dbm, DbmError, Examples, init};
use dbm_data::{Checkpoint, DataError};
use dbm_protocol::{ModelSource, SmallModel};

/// Maximum number of units of a model that is sent in full.
const MAX_UNITS: usize = 400;

/// Maximum absolute value of a parameter: beyond it units are deterministic, and sums of exponentials overflow.
const LARGEST: f32 = 1000.0;

/// The model in a message.
pub fn model(model: SmallModel) -> Result<Dbm, String> {
    let SmallModel { sizes, units, weights, biases } = model;
    if !biases.iter().map(Vec::len).eq(sizes.iter().map(|&n| n as usize)) {
        let got: Vec<usize> = biases.iter().map(Vec::len).collect();
        return Err(format!("biases of layers of {sizes:?} units were expected, but got those of {got:?}; send a whole model"));
    }
    let model = Dbm::new(units, weights, biases).map_err(words)?;
    within_reach(&model)?;
    Ok(model.with_backend(Backend::Plain))
}

fn within_reach(model: &Dbm) -> Result<(), String> {
    let mut parameters = model.weights().iter().flat_map(Matrix::data).chain(model.biases().iter().flatten());
    match parameters.find(|x| x.abs() > LARGEST) {
        Some(x) => Err(format!("weights and biases of at most {LARGEST} in size were expected, but got {x}; use a milder model")),
        None => Ok(()),
    }
}

/// The model of a source, and the ladder of its run's past if there is one. A generated model is small; a checkpoint's may have any size.
pub fn of_source(source: ModelSource) -> Result<(Dbm, Option<Ladder>), String> {
    let checked = |sizes: Vec<u32>| -> Result<Vec<usize>, String> {
        let sizes: Vec<usize> = sizes.into_iter().map(|n| n as usize).collect();
        few_units(&sizes)?;
        Ok(sizes)
    };
    let (model, ladder) = match source {
        ModelSource::Given(given) => (model(given)?, None),
        ModelSource::Orthogonal { sizes, units, seed } => (init::orthogonal(&checked(sizes)?, units, seed).map_err(words)?, None),
        ModelSource::Gaussian { sizes, units, deviation, seed } => {
            if !(0.0..=10.0).contains(&deviation) {
                return Err(format!("a deviation of the weights from 0 to 10 was expected, but got {deviation}; choose another"));
            }
            (init::gaussian(&checked(sizes)?, units, deviation, seed).map_err(words)?, None)
        }
        ModelSource::Checkpoint { bytes } => of_checkpoint(&bytes).map_err(|error| error.to_string())?,
    };
    [&model].into_iter().chain(ladder.iter().flat_map(Ladder::rungs).map(|rung| &**rung)).try_for_each(within_reach)?;
    Ok((model.with_backend(Backend::Plain), ladder))
}

fn of_checkpoint(bytes: &[u8]) -> Result<(Dbm, Option<Ladder>), DataError> {
    let checkpoint = Checkpoint::read("the checkpoint", bytes)?;
    let model = checkpoint.model()?.with_backend(Backend::Plain);
    let ladder = checkpoint.ladder(&model)?;
    Ok((model, ladder))
}

/// Accepts a model that can be sent in full.
pub fn small(model: &Dbm) -> Result<(), String> {
    few_units(model.sizes())
}

fn few_units(sizes: &[usize]) -> Result<(), String> {
    let units: usize = sizes.iter().sum();
    if units <= MAX_UNITS {
        return Ok(());
    }
    Err(format!("a model of at most {MAX_UNITS} units was expected, but got one of {units}; choose smaller layers"))
}

/// A model with all its parameters, in the form in which it is sent.
pub fn in_full(model: &Dbm) -> SmallModel {
    SmallModel {
        sizes: model.sizes().iter().map(|&n| n as u32).collect(),
        units: model.units(),
        weights: model.weights().iter().map(|weights| weights.data().to_vec()).collect(),
        biases: model.biases().to_vec(),
    }
}

/// The examples in a message.
pub fn examples(model: &Dbm, data: &[u8]) -> Result<Examples, String> {
    if let Some(byte) = data.iter().find(|&&bit| bit > 1) {
        return Err(format!("bits were expected, each a byte of 0 or 1, but got {byte}; send the data as bits"));
    }
    Examples::from_bits(model.n_visible(), data).map_err(words)
}

#[allow(clippy::needless_pass_by_value)] // as `map_err` passes it
pub fn words(error: DbmError) -> String {
    error.to_string()
}
