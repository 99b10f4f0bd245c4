//! The layers as a picture: activities and what units tell about the class, sorted.

use super::{Layer, Layers};
use crate::Error;
use crate::plot::{Curve, Panel, svg};

/// Two panels: the share of examples in which units are high, and their mutual information with the class, where there are classes; the units of each layer sorted, from the first to the last in per cent.
///
/// # Errors
/// Those of [`crate::plot::svg`].
pub fn figure(layers: &Layers) -> Result<String, Error> {
    let panel = |title: &str, y_label: &str, of: &dyn Fn(&Layer) -> Option<Vec<f64>>| {
        let curves = layers.layers.iter().filter_map(|layer| {
            let mut values = of(layer)?;
            values.sort_by(|a, b| b.total_cmp(a));
            let n = values.len().max(2) as f64 - 1.0;
            let points = values.into_iter().enumerate().map(|(place, value)| (100.0 * place as f64 / n, value)).collect();
            Some(Curve { name: format!("layer {}", layer.layer), points, ..Curve::default() })
        });
        Panel {
            title: title.into(),
            x_label: "units of a layer, sorted, per cent".into(),
            y_label: y_label.into(),
            curves: curves.collect(),
            ..Panel::default()
        }
    };
    let mut panels = vec![panel("How often units are high", "share of examples", &|layer| Some(layer.high.clone()))];
    if layers.class_entropy.is_some() {
        panels.push(panel("What units tell about the class", "mutual information, bits", &|layer| layer.information.clone()));
    }
    svg(&panels, 2)
}
