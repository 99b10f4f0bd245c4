//! The shapes of the ten digits: control points, for [`crate::hand`] to vary and [`crate::pen`] to ink.

use serde::Deserialize;
use std::sync::LazyLock;

/// A point in two drawings of the same stroke, `[x, y, x, y]`, with y pointing down and the digit about one unit high. A repeated point is
/// a corner; between corners the curve is smooth.
pub(crate) type ControlPoint = [f32; 4];

/// One way to write a digit.
#[derive(Deserialize)]
pub(crate) struct Glyph {
    /// Its probability relative to the digit's other ways.
    pub weight: f32,
    /// The strokes, each drawn without lifting the pen.
    pub strokes: Vec<Vec<ControlPoint>>,
}

/// The ways to write each digit.
pub(crate) static GLYPHS: LazyLock<[Vec<Glyph>; 10]> = LazyLock::new(|| {
    serde_json::from_str(include_str!("glyphs.json")).expect("glyphs.json is part of the program, and a test reads it")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_has_ways_to_be_written() {
        for glyphs in GLYPHS.iter() {
            assert!(!glyphs.is_empty() && glyphs.iter().all(|glyph| glyph.weight > 0.0 && !glyph.strokes.is_empty()));
            assert!(glyphs.iter().flat_map(|glyph| &glyph.strokes).all(|stroke| stroke.len() > 1));
        }
    }
}
