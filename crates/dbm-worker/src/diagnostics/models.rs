//! Models and data as they come in messages, checked.

use dbm_core::linalg::Matrix;
use dbm_core::{Backend, Dbm, DbmError, Examples, init};
use dbm_data::Checkpoint;
use dbm_protocol::{ModelSource, SmallModel};

/// Units, in all, of a model that is sent in full.
const MAX_UNITS: usize = 400;

/// Parameters are at most so large: beyond, nothing is left to chance, and sums of exponentials overflow.
const LARGEST: f32 = 1000.0;

/// The model in a message.
pub fn model(model: SmallModel) -> Result<Dbm, String> {
    let SmallModel { sizes, units, weights, biases } = model;
    if !biases.iter().map(Vec::len).eq(sizes.iter().map(|&n| n as usize)) {
        let got: Vec<usize> = biases.iter().map(Vec::len).collect();
        return Err(format!("biases of layers of {sizes:?} units were expected, but those of {got:?} came; send a whole model"));
    }
    let model = Dbm::new(units, weights, biases).map_err(words)?;
    within_reach(&model)?;
    Ok(model.with_backend(Backend::Plain))
}

fn within_reach(model: &Dbm) -> Result<(), String> {
    let mut parameters = model.weights().iter().flat_map(Matrix::data).chain(model.biases().iter().flatten());
    match parameters.find(|x| x.abs() > LARGEST) {
        Some(x) => {
            Err(format!("weights and biases of at most {LARGEST} in size were expected, but {x} came; use a milder model"))
        }
        None => Ok(()),
    }
}

/// The model of a source.
pub fn of_source(source: ModelSource) -> Result<SmallModel, String> {
    let checked = |sizes: Vec<u32>| -> Result<Vec<usize>, String> {
        let sizes: Vec<usize> = sizes.into_iter().map(|n| n as usize).collect();
        few_units(&sizes)?;
        Ok(sizes)
    };
    let model = match source {
        ModelSource::Given(given) => model(given)?,
        ModelSource::Orthogonal { sizes, units, seed } => init::orthogonal(&checked(sizes)?, units, seed).map_err(words)?,
        ModelSource::Gaussian { sizes, units, deviation, seed } => {
            if !(0.0..=10.0).contains(&deviation) {
                return Err(format!(
                    "a deviation of the weights from 0 to 10 was expected, but {deviation} came; choose another"
                ));
            }
            init::gaussian(&checked(sizes)?, units, deviation, seed).map_err(words)?
        }
        ModelSource::Checkpoint { bytes } => Checkpoint::read("the checkpoint", &bytes)
            .and_then(|checkpoint| checkpoint.model())
            .map_err(|error| error.to_string())?,
    };
    few_units(model.sizes())?;
    within_reach(&model)?;
    Ok(in_full(&model))
}

fn few_units(sizes: &[usize]) -> Result<(), String> {
    let units: usize = sizes.iter().sum();
    if units <= MAX_UNITS {
        return Ok(());
    }
    Err(format!("a model of at most {MAX_UNITS} units was expected, but one of {units} came; choose smaller layers"))
}

/// A model with all its parameters, as it is sent.
fn in_full(model: &Dbm) -> SmallModel {
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
        return Err(format!("bits were expected, each a byte of 0 or 1, but {byte} came; send the data as bits"));
    }
    Examples::from_bits(model.n_visible(), data).map_err(words)
}

#[allow(clippy::needless_pass_by_value)] // as `map_err` passes it
pub fn words(error: DbmError) -> String {
    error.to_string()
}
