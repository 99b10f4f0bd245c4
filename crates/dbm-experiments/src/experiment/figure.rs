//! The figure of an experiment: pictures side by side, bars, or curves of meeting times.

use super::measure::Measured;
use super::results::{MeasuredModel, Results};
use super::training_plan::mistake;
use crate::plot::gallery::{Gallery, gallery};
use crate::plot::{Curve, Mark, Panel, distinct, svg};
use crate::score::Reference;
use crate::{Error, coupling};
use dbm_core::math::mean_and_error;
use dbm_data::picture::Tile;
use dbm_score::{PIXELS, SIDE};
use serde::Deserialize;
use serde_json::Value;

/// The content: one of the three lists of panels.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The text below the figure.
    pub words: String,
    #[serde(default = "one")]
    pub panels_a_row: usize,
    #[serde(default)]
    pub pictures: Vec<Pictures>,
    #[serde(default)]
    pub bars: Vec<Bars>,
    /// Name of the measure whose meeting times are drawn.
    pub meeting_times: Option<String>,
}

fn one() -> usize {
    1
}

/// A panel of pictures. A model that a toy omits has none.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Pictures {
    /// The first test digits.
    TestDigits { count: usize },
    /// The first samples that a measure drew from a model.
    Samples { model: String, measure: String, count: usize },
    /// Answers of a model to one mask, one measure per row, with a label left of each.
    Completions { title: String, model: String, measures: Vec<(String, String)> },
}

/// A panel with one bar per model and one colour per group.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bars {
    title: String,
    label: String,
    measure: String,
    score: String,
    #[serde(default)]
    log: bool,
}

impl Figure {
    /// The figure as SVG.
    ///
    /// # Errors
    /// Those of plots, and [`Error::Input`] for pictures of something that was not measured.
    pub fn draw(&self, results: &Results, reference: Option<&Reference>) -> Result<String, Error> {
        if let Some(measured) = self.meeting_times.as_ref().and_then(|name| results.shared.get(name)) {
            return coupling::figure(&measured.meeting_times);
        }
        if !self.bars.is_empty() {
            return svg(&self.bars.iter().map(|bars| bars.panel(&results.models)).collect::<Vec<_>>(), self.panels_a_row);
        }
        let panels = self.pictures.iter().map(|pictures| pictures.panel(results, reference));
        gallery(&panels.collect::<Result<Vec<_>, Error>>()?.into_iter().flatten().collect::<Vec<_>>(), self.panels_a_row)
    }
}

impl Pictures {
    fn panel(&self, results: &Results, reference: Option<&Reference>) -> Result<Option<Gallery>, Error> {
        match self {
            Self::TestDigits { count } => {
                let levels = reference.map_or(&[][..], Reference::test_levels);
                let tiles = tiles(&levels[..levels.len().min(count * PIXELS)]);
                Ok(Some(Gallery { title: "Test digits".into(), tiles, columns: 10, ..Gallery::default() }))
            }
            Self::Samples { model, measure, count } => {
                let Some(model) = results.model(model) else { return Ok(None) };
                let Some(measured) = first(model, measure)? else { return Ok(None) };
                let number = |name: &str| measured.scores[name].as_f64().unwrap_or(f64::NAN);
                let [distance, distinct] = ["digit_frechet_distance", "distinct"].map(number);
                Ok(Some(Gallery {
                    title: format!("{}, {}", model.words, model.sizes),
                    subtitle: Some(format!("distance {distance:.1}, {:.1} % distinct", 100.0 * distinct)),
                    tiles: tiles(&measured.shown[..measured.shown.len().min(count * PIXELS)]),
                    columns: measured.columns,
                    ..Gallery::default()
                }))
            }
            Self::Completions { title, model, measures } => {
                let Some(model) = results.model(model) else { return Ok(None) };
                completions(title, model, measures)
            }
        }
    }
}

/// The result of a measure for the first run; `None` if all runs diverged.
fn first<'a>(model: &'a MeasuredModel, measure: &str) -> Result<Option<&'a Measured>, Error> {
    let Some(run) = model.runs.first() else { return Ok(None) };
    let missing = || mistake(format!("{} has no measure {measure} to picture", model.name));
    run.measured.get(measure).ok_or_else(missing).map(Some)
}

/// The originals, their known parts, and the answers by each measure, whose pictures begin with the same originals and masks.
fn completions(title: &str, model: &MeasuredModel, measures: &[(String, String)]) -> Result<Option<Gallery>, Error> {
    let mut panel = Gallery { title: title.into(), ..Gallery::default() };
    for (measure, label) in measures {
        let Some(measured) = first(model, measure)? else { return Ok(None) };
        let row = measured.columns * PIXELS;
        if panel.tiles.is_empty() {
            let (truths, masks) = (&measured.shown[..row], &measured.shown[row..2 * row]);
            panel.tiles.extend(tiles(truths));
            panel.tiles.extend(tiles(truths).into_iter().zip(masks.chunks(PIXELS)).map(|(tile, mask)| tile.hiding(mask)));
            panel.columns = measured.columns;
            panel.row_labels.extend(["truth".to_string(), "known".to_string()]);
        }
        let answers = &measured.shown[2 * row..];
        panel.tiles.extend(tiles(answers));
        panel.row_labels.extend((0..answers.len() / row).map(|at| if at == 0 { label.clone() } else { String::new() }));
    }
    Ok(Some(panel))
}

fn tiles(levels: &[u8]) -> Vec<Tile> {
    levels.chunks_exact(PIXELS).map(|levels| Tile::levels(Some((SIDE, SIDE)), levels)).collect()
}

impl Bars {
    /// Means over the runs of each model, their standard errors, and a circle for each run. Models with the same label are side by side.
    fn panel(&self, models: &[MeasuredModel]) -> Panel {
        let words = distinct(models.iter().map(|model| model.words.as_str()));
        let values = |model: &MeasuredModel| -> Vec<f64> {
            let scores = model.runs.iter().filter_map(|run| run.measured.get(&self.measure));
            scores.filter_map(|measured| measured.scores.get(&self.score).and_then(Value::as_f64)).collect()
        };
        let bar = |model: &MeasuredModel| {
            let values = Some(values(model)).filter(|values| !values.is_empty())?;
            let (mean, error) = mean_and_error(&values);
            let error = if error.is_finite() { error } else { 0.0 };
            let place = words.iter().position(|&words| words == model.words).unwrap_or(0);
            Some(Mark { band: Some((mean - error, mean + error)), values, ..Mark::at(place as f64, mean) })
        };
        let curve = |group: &str| Curve {
            name: group.into(),
            marks: models.iter().filter(|model| model.group == group).filter_map(bar).collect(),
        };
        Panel {
            title: self.title.clone(),
            y_label: self.label.clone(),
            curves: distinct(models.iter().map(|model| model.group.as_str())).into_iter().map(curve).collect(),
            groups: words.iter().map(ToString::to_string).collect(),
            log_y: self.log,
            ..Panel::default()
        }
    }
}
