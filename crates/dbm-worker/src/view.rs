//! Models as requests see them, and as they are described to the page.

use crate::sources::shape;
use dbm_core::complete::SamplingSchedule;
use dbm_core::{Dbm, Settings};
use dbm_data::Checkpoint;
use dbm_data::coding::Greys;
use dbm_data::raw::Visible;
use dbm_protocol::{Event, Filters, ModelChoice, ModelInfo};
use std::rc::Rc;

/// A model that requests work on: they keep the one they started with, whatever becomes of it meanwhile.
#[derive(Clone)]
pub struct View {
    pub model: Rc<Dbm>,
    pub choice: ModelChoice,
    /// Rows and columns of the visible layer, if it is an image.
    pub image: Option<(usize, usize)>,
    /// The units per value of an image.
    pub greys: Greys,
    /// Gradient steps it was trained for.
    pub step: u32,
    /// How its samples are drawn.
    pub schedule: SamplingSchedule,
    /// Number of classes that its top layer stands for.
    pub classes: usize,
    /// Whether mean field was trained to predict what is hidden.
    pub predicts: bool,
}

impl View {
    /// The model in a checkpoint, and its description for the page.
    pub fn open(name: &str, bytes: &[u8]) -> Result<(Self, ModelInfo), String> {
        let checkpoint = Checkpoint::read(name, bytes).map_err(|error| error.to_string())?;
        let model = checkpoint.model().map_err(|error| error.to_string())?;
        let visible = checkpoint.notes.get(Visible::NOTE).map(|json| Visible::from_json(name, json)).transpose();
        let visible = visible.map_err(|error| error.to_string())?;
        let classes = classes(&model, checkpoint.settings.as_ref());
        let schedule = match checkpoint.settings.as_ref().map(SamplingSchedule::of_training) {
            // Its settings belong to another top layer.
            Some(SamplingSchedule::ClassGibbs(sweeps)) if classes == 0 => SamplingSchedule::Gibbs(sweeps),
            schedule => schedule.unwrap_or(SamplingSchedule::Mode),
        };
        let predicts = checkpoint.settings.as_ref().is_some_and(Settings::trains_predictions);
        let info = ModelInfo {
            steps: checkpoint.step.min(u64::from(u32::MAX)) as u32,
            resumable: checkpoint.settings.is_some() && checkpoint.optimizer_state.is_some() && classes == 0,
            classes: classes as u32,
            settings: checkpoint.settings,
            ..about(&model, checkpoint.image, visible.as_ref())
        };
        let (image, greys, step) = (checkpoint.image, info.greys, info.steps);
        let model = Rc::new(model);
        Ok((Self { model, choice: ModelChoice::Pretrained, image, greys, step, schedule, classes, predicts }, info))
    }

    /// Rows and columns in which the page shows the visible layer: one row if it is no image.
    pub fn shape(&self) -> (u32, u32) {
        shape(self.image, self.model.n_visible())
    }

    /// What the first `count` units of a hidden layer respond to, as bytes.
    pub fn filters(&self, layer: u32, count: u32) -> Result<Event, String> {
        let filters = dbm_core::filters(&self.model, layer as usize, count as usize).map_err(|error| error.to_string())?;
        let scale = filters.data().iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        let level = |value: &f32| (128.0 + 127.0 * value / scale.max(f32::MIN_POSITIVE)).round() as u8;
        let levels = filters.data().iter().map(level).collect();
        let count = filters.rows() as u32;
        Ok(Event::Filters(Filters { model: self.choice, step: self.step, layer, count, image: self.shape(), scale, levels }))
    }
}

/// The description of a model whose training is not known.
pub fn about(model: &Dbm, image: Option<(usize, usize)>, visible: Option<&Visible>) -> ModelInfo {
    ModelInfo {
        sizes: model.sizes().iter().map(|&size| size as u32).collect(),
        units: model.units(),
        image: image.map(|(rows, columns)| (rows as u32, columns as u32)),
        steps: 0,
        greys: visible.map(Visible::greys).unwrap_or_default(),
        settings: None,
        classes: 0,
        resumable: false,
        visible: visible.cloned(),
    }
}

/// Number of classes that the top layer stands for; 0 if its settings, which came from a file, belong to another top layer.
pub fn classes(model: &Dbm, settings: Option<&Settings>) -> usize {
    let top = model.sizes()[model.depth()];
    settings.map(|settings| settings.classes).filter(|&classes| classes == top && model.depth() > 1).unwrap_or_default()
}
