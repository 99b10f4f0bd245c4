//! The layers in words and in numbers.

use super::Layers;
use crate::{columns, template};
use minijinja::context;
use serde_json::json;

/// The layers in words.
pub fn text(layers: &Layers) -> String {
    template::text("layers.txt", include_str!("layers.txt"), &context! { layers })
}

/// A row a unit.
pub fn csv(layers: &Layers) -> String {
    let rows = layers.layers.iter().flat_map(|layer| {
        let information = |unit: usize| layer.information.as_ref().map(|information| information[unit]);
        let unit = move |unit: usize| json!([layer.layer, unit, layer.high[unit], information(unit), layer.log_p_without]);
        (0..layer.high.len()).map(unit).collect::<Vec<_>>()
    });
    columns::csv("layer,unit,high,information_bits,log_p_without_layer", rows)
}
