//! What experiments need to score digits.

use super::workspace::{Trained, Workspace};
use crate::Error;
use crate::plot::gallery::Gallery;
use crate::samples;
use crate::score::Reference;
use dbm_core::complete::SamplingSchedule;
use dbm_data::picture::Tile;
use dbm_data::{Checkpoint, Dataset};
use dbm_score::Scores;
use dbm_score::manifold::Overlap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The classes of the examples.
///
/// # Errors
/// [`Error::Input`] where they are not known.
pub fn labels(data: &Dataset) -> Result<&[u8], Error> {
    data.labels.as_deref().ok_or_else(|| {
        Error::Input(format!(
            "{}: the digit of each picture has to be known, but there are no labels; give MNIST with its labels",
            data.name
        ))
    })
}

/// The scores of a run's samples, and how these look.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Samples {
    pub scores: Scores,
    /// How they were drawn.
    #[serde(rename = "walk")]
    pub schedule: String,
    /// Fingerprint of the model's parameters: runs with the same one are the same run.
    pub parameters: String,
    /// The first of them, bits `[SHOWN, visible]`.
    pub shown: Vec<u8>,
}

/// Samples that are shown of each model.
pub const SHOWN: usize = 100;

/// Samples that a model is scored by, if nothing else is said.
pub fn samples_scored(workspace: &Workspace) -> usize {
    workspace.pick(10_000, 200)
}

/// Draws and scores so many samples of a run that has ended, by the schedule of its training or by another.
///
/// # Errors
/// Those of [`Workspace::cell`] and of the scores.
pub fn scored_samples(
    workspace: &Workspace,
    name: &str,
    run: &Trained,
    (schedule, count): (Option<SamplingSchedule>, usize),
    reference: &Reference,
) -> Result<Samples, Error> {
    let schedule = schedule.unwrap_or_else(|| samples::of_training(&run.checkpoint));
    let seed = workspace.seed;
    let parameters = fingerprint(&run.checkpoint);
    let key = (&parameters, schedule.to_string(), count, seed);
    let (samples, _) = workspace.cell(&format!("{name}-samples"), &key, || {
        let bits = samples::draw(workspace.session, &run.model, schedule, count, seed).bits;
        let scores = reference.of_bits(workspace.session, &bits)?;
        let shown = bits[..SHOWN.min(count) * run.model.n_visible()].to_vec();
        Ok(Samples { scores, schedule: schedule.to_string(), parameters: parameters.clone(), shown })
    })?;
    Ok(samples)
}

/// Twelve hexadecimal digits of the parameters, averaged where the run keeps an average.
pub fn fingerprint(checkpoint: &Checkpoint) -> String {
    let parameters = checkpoint.average.as_ref().unwrap_or(&checkpoint.parameters);
    let mut hash = Sha256::new();
    for value in parameters.weights.iter().chain(&parameters.biases).flatten() {
        hash.update(value.to_le_bytes());
    }
    hash.finalize().iter().take(6).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Names of the [`columns`] that tables have of scores.
pub const COLUMNS: &str = "digit_frechet_distance,precision,recall,density,coverage,distinct,class_entropy";

/// What tables have of scores.
pub fn columns(scores: &Scores) -> Value {
    let Overlap { precision, recall, density, coverage } = scores.overlap;
    json!([scores.digit_frechet_distance, precision, recall, density, coverage, scores.distinct, scores.classes.entropy])
}

/// Pictures of samples, ten in a row, and how good they are.
pub fn panel(title: String, samples: &Samples, data: &Dataset) -> Gallery {
    let Scores { digit_frechet_distance, distinct, .. } = samples.scores;
    Gallery {
        title,
        subtitle: Some(format!("distance {digit_frechet_distance:.1}, {:.1} % distinct", 100.0 * distinct)),
        tiles: samples.shown.chunks(data.examples.width()).map(|bits| Tile::bits(data.image, bits)).collect(),
        columns: 10,
        ..Gallery::default()
    }
}
