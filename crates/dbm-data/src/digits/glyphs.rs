//! How the ten digits are drawn: control points, for [`super::hand`] to vary and [`super::pen`] to ink.

use std::sync::LazyLock;

/// A point in two drawings of the same stroke, `[x, y, x, y]`, y pointing down and the digit about one unit high.
/// A point that stands twice in a row is a corner; between corners the curve is smooth.
pub(super) type ControlPoint = [f32; 4];

/// One way to write a digit.
pub(super) struct Glyph {
    /// How often it is chosen, relative to the digit's other ways.
    pub weight: f32,
    /// What the pen draws without being lifted, stroke by stroke.
    pub strokes: Vec<Vec<ControlPoint>>,
}

/// The ways to write each digit, from `glyphs.txt`, which describes its own format.
pub(super) static GLYPHS: LazyLock<[Vec<Glyph>; 10]> =
    LazyLock::new(|| parse(include_str!("glyphs.txt")).expect("glyphs.txt is part of the program, and a test reads it"));

/// Reads the format of `glyphs.txt`; `None` where a line does not follow it.
fn parse(text: &str) -> Option<[Vec<Glyph>; 10]> {
    let mut digits: [Vec<Glyph>; 10] = Default::default();
    let mut digit = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with(' ') {
            let stroke = line.split(',').map(control_point).collect::<Option<_>>()?;
            digits[digit].last_mut()?.strokes.push(stroke);
        } else {
            let (number, weight) = line.split_once(' ')?;
            digit = number.parse().ok().filter(|&number| number < digits.len())?;
            digits[digit].push(Glyph { weight: weight.parse().ok()?, strokes: Vec::new() });
        }
    }
    Some(digits)
}

fn control_point(text: &str) -> Option<ControlPoint> {
    let numbers: Vec<f32> = text.split_whitespace().map(|number| number.parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_has_ways_to_be_written() {
        for glyphs in GLYPHS.iter() {
            assert!(!glyphs.is_empty() && glyphs.iter().all(|glyph| glyph.weight > 0.0 && !glyph.strokes.is_empty()));
            assert!(glyphs.iter().flat_map(|glyph| &glyph.strokes).all(|stroke| stroke.len() > 1));
        }
        for broken in ["0", "x 1", "10 1", "  0 0 0 0", "0 1\n  0 0 0", "0 1\n  0 0 0 0,"] {
            assert!(parse(broken).is_none(), "{broken:?}");
        }
    }
}
