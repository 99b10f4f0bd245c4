//! Data sets, from what the page requests.

use dbm_core::{Examples, GreyLevels};
use dbm_data::coding::Greys;
use dbm_data::raw::Visible;
use dbm_data::{DataError, Dataset, bars, digits};
use dbm_engine::FitSettings;
use dbm_protocol::{DataInfo, DataSource, EncodedData, Grid, ModelChoice};

/// Multiply-adds a second of one worker, on an ordinary machine.
const MULTIPLY_ADDS: f64 = 3e9;
/// Examples in a preview.
const PREVIEW: usize = 24;

/// What a run is trained on, and what was withheld from it.
#[derive(Clone)]
pub struct TrainingData {
    pub data: Dataset,
    /// The examples with the cells that training does not see, if some are held back.
    pub whole: Option<Examples>,
}

impl TrainingData {
    /// Everything that is known of the data.
    pub fn whole(&self) -> &Examples {
        self.whole.as_ref().unwrap_or(&self.data.examples)
    }

    /// The units per value.
    pub fn greys(&self) -> Greys {
        self.data.visible.as_ref().map(Visible::greys).unwrap_or_default()
    }
}

pub fn make(source: &DataSource) -> Result<TrainingData, DataError> {
    let named = |name: &str, data: Dataset| TrainingData { data: Dataset { name: name.into(), ..data }, whole: None };
    match source {
        DataSource::Digits { count, seed } => Ok(named("Generated digits", digits::dataset(*count as usize, u64::from(*seed))?)),
        DataSource::Bars => Ok(named("Bars and stripes 4 × 4", bars::dataset(4)?)),
        DataSource::Examples(encoded) => given(encoded),
    }
}

/// Examples as the second worker sent them, checked again.
fn given(encoded: &EncodedData) -> Result<TrainingData, DataError> {
    let EncodedData { name, width, packed, known, greys, grey_top, image, depth, held_back, visible, .. } = encoded;
    let refused = || DataError::refused(name);
    let width = *width as usize;
    let mut examples = Examples::from_packed(width, packed.clone()).map_err(refused())?;
    if !known.is_empty() {
        examples = examples.with_packed_gaps(known.clone()).map_err(refused())?;
    }
    if !greys.is_empty() {
        let levels = GreyLevels::new(greys.clone(), *grey_top).map_err(refused())?;
        examples = examples.with_greys(levels).map_err(refused())?;
    }
    let depth = usize::from(*depth).clamp(1, 8);
    let image = image.map(|(rows, columns)| (rows as usize, (columns as usize).saturating_mul(depth)));
    let image = image.filter(|(rows, columns)| rows.checked_mul(*columns) == Some(width));
    visible.iter().try_for_each(Visible::check)?;
    if let Some(visible) = visible {
        examples = examples.with_groups(visible.groups()).map_err(refused())?;
    }
    let mut whole = None;
    if !held_back.is_empty() {
        let seen = match examples.known_packed() {
            Some(known) => known.iter().zip(held_back).map(|(known, held)| known & !held).collect(),
            None => held_back.iter().map(|held| !held).collect(),
        };
        whole = Some(examples.clone());
        examples = examples.with_packed_gaps(seen).map_err(refused())?;
    }
    Ok(TrainingData { data: Dataset { name: name.clone(), examples, image, labels: None, visible: visible.clone() }, whole })
}

pub fn about(material: &TrainingData) -> DataInfo {
    let data = &material.data;
    let examples = &data.examples;
    let count = examples.len().min(PREVIEW);
    // The first examples may all be of one kind: take them from everywhere.
    let rows = (0..count).map(|i| i * examples.len() / count);
    DataInfo {
        name: data.name.clone(),
        count: examples.len() as u32,
        width: examples.width() as u32,
        image: data.image.map(small),
        share_of_ones: examples.share_of_ones(),
        missing: material.whole().missing() as u64,
        redrawn: examples.greys().is_some(),
        preview: Grid {
            model: ModelChoice::Training,
            step: 0,
            count: count as u32,
            image: shape(data.image, examples.width()),
            greys: material.greys(),
            bits: rows.flat_map(|row| examples.row(row)).collect(),
        },
        fill_seconds: (material.whole().missing() > 0).then(|| FitSettings::usual_work(examples) / MULTIPLY_ADDS),
    }
}

fn small((rows, columns): (usize, usize)) -> (u32, u32) {
    (rows as u32, columns as u32)
}

/// Rows and columns to send: bits that are no image are sent as one row.
pub fn shape(image: Option<(usize, usize)>, width: usize) -> (u32, u32) {
    small(image.unwrap_or((1, width)))
}
