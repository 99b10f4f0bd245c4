//! Corrections of pictures that a user can ask for, and signs that one is needed: turned, on their side, dark on light.

use super::orientation::Orientation;
use super::session::ReadingState;
use crate::THRESHOLD;
use crate::interpretation::{Change, Doubt};
use crate::pictures::{Pictures, Values};

/// Pictures that are looked at for dark strokes on light.
const SAMPLE: usize = 1000;
/// A row of fewer values is not taken for a picture when it is looked at.
const LEAST: usize = 64;

/// Turns, transposes and inverts the pictures as asked. `letters` says that they come from EMNIST, which is stored transposed.
pub(super) fn correct(pictures: &mut Pictures, letters: bool, session: &mut ReadingState) {
    let (asked, decided) = (session.asked, &mut session.reading);
    // An array of two dimensions has been transposed as it was read.
    let transpose = decided.transpose.is_none() && asked.transpose.unwrap_or(false);
    let turn = asked.turn.unwrap_or(0) % 4;
    orient(pictures, Orientation { turn, transpose });
    if asked.invert.unwrap_or(false) {
        invert(&mut pictures.values);
    }
    decided.turn = Some(turn);
    let is_flat = decided.transpose.is_some();
    decided.transpose.get_or_insert(transpose);
    decided.invert = Some(asked.invert.unwrap_or(false));
    if letters && asked.transpose.is_none() && !is_flat {
        session.doubts.push(Doubt {
            text: "EMNIST stores its pictures with rows and columns swapped, so that letters lie on their sides.".into(),
            label: "Swap rows and columns".into(),
            change: Change::Transpose(true),
        });
    }
    if asked.invert.is_none() && is_dark_on_light(pictures) {
        session.doubts.push(Doubt {
            text: "The pictures are dark on light, as ink on paper. Light pixels count as high, so mostly paper is learned."
                .into(),
            label: "Swap light and dark".into(),
            change: Change::Invert(true),
        });
    }
}

/// A row of a square number of values is the square that it is taken for elsewhere, and stays a row.
fn orient(pictures: &mut Pictures, orientation: Orientation) {
    let shape = pictures.image().unwrap_or(pictures.shape);
    let turned = match &mut pictures.values {
        Values::Bytes(values) => orientation.apply(values, shape),
        Values::Floats(values) => orientation.apply(values, shape),
    };
    if shape == pictures.shape {
        pictures.shape = turned;
    }
}

/// Bytes are mirrored within 0 to 255 if they reach beyond [`THRESHOLD`], or else between the lowest and the highest, as other numbers are.
/// NaN stays.
fn invert(values: &mut Values) {
    let (low, high) = values.range();
    match values {
        Values::Bytes(values) => {
            let sum = if high > f64::from(THRESHOLD) { 255 } else { low as u8 + high as u8 };
            values.iter_mut().for_each(|value| *value = sum - *value);
        }
        Values::Floats(values) => values.iter_mut().for_each(|value| *value = (low + (high - f64::from(*value))) as f32),
    }
}

/// Whether three quarters of what is at the borders of the pictures is light, and most of the rest too.
///
/// The border, because that is where paper is. The share of light alone would take silhouettes and filled shapes, which are mostly ones by
/// nature, for paper; but they are in the middle, and their borders are dark. And the rest, because a light frame around a dark picture is
/// no paper.
fn is_dark_on_light(pictures: &Pictures) -> bool {
    let Some((rows, columns)) = pictures.image() else { return false };
    let (low, high) = pictures.values.range();
    if pictures.shape.0 == 1 && pictures.size() < LEAST || low >= high {
        return false;
    }
    let middle = match pictures.values {
        Values::Bytes(_) if high > f64::from(THRESHOLD) => f64::from(THRESHOLD),
        _ => low + (high - low) / 2.0,
    };
    let (mut border, mut inside) = ([0_usize; 2], [0_usize; 2]);
    for example in (0..pictures.count).step_by(pictures.count.div_ceil(SAMPLE).max(1)) {
        for row in 0..rows {
            for column in 0..columns {
                let value = pictures.values.at(example * rows * columns + row * columns + column);
                if value.is_nan() {
                    continue;
                }
                let at_border = row == 0 || column == 0 || row + 1 == rows || column + 1 == columns;
                let counts = if at_border { &mut border } else { &mut inside };
                counts[usize::from(value > middle)] += 1;
            }
        }
    }
    border[1] > 3 * border[0] && inside[1] > inside[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pictures(shape: (usize, usize), values: Values) -> Pictures {
        Pictures { count: values.len() / (shape.0 * shape.1), shape, values, labels: None }
    }

    #[test]
    fn light_and_dark_are_swapped_in_the_range_of_the_data() {
        let bytes = |values: &[u8]| {
            let mut values = Values::Bytes(values.to_vec());
            invert(&mut values);
            values
        };
        assert_eq!(bytes(&[0, 128, 255]), Values::Bytes(vec![255, 127, 0]));
        assert_eq!(bytes(&[200, 255]), Values::Bytes(vec![55, 0]));
        assert_eq!(bytes(&[0, 1, 1]), Values::Bytes(vec![1, 0, 0]));
        assert_eq!(bytes(&[0, 5, 16]), Values::Bytes(vec![16, 11, 0]));
        let mut floats = Values::Floats(vec![-1.0, 0.5, f32::NAN, 1.0]);
        invert(&mut floats);
        let Values::Floats(floats) = floats else { panic!("still floats") };
        assert_eq!((floats[0], floats[1], floats[2].is_nan(), floats[3]), (1.0, -0.5, true, -1.0));
    }

    #[test]
    fn paper_is_light_at_the_borders() {
        let of = |value: fn(usize, usize) -> u8| {
            let values = (0..100).map(|at| value(at / 10, at % 10)).collect();
            pictures((10, 10), Values::Bytes(values))
        };
        let stroke = of(|y, x| if x == 5 && y > 1 { 20 } else { 240 });
        assert!(is_dark_on_light(&stroke));
        assert!(is_dark_on_light(&of(|y, x| u8::from(x != 5 || y < 2))), "bits too");
        assert!(!is_dark_on_light(&of(|y, x| if x == 5 && y > 1 { 240 } else { 20 })));
        // A silhouette, mostly ones; a frame; one value.
        assert!(!is_dark_on_light(&of(|y, x| u8::from((1..9).contains(&y) && (1..9).contains(&x)))));
        assert!(!is_dark_on_light(&of(|y, x| u8::from(!(1..9).contains(&y) || !(1..9).contains(&x)))));
        assert!(!is_dark_on_light(&of(|_, _| 255)));
        // Rows of answers are no pictures.
        assert!(!is_dark_on_light(&pictures((1, 16), Values::Bytes([1; 15].into_iter().chain([0]).collect()))));
        assert!(!is_dark_on_light(&pictures((1, 70), Values::Bytes([1; 69].into_iter().chain([0]).collect()))));
    }

    proptest! {
        #[test]
        fn swapping_twice_changes_nothing(values in prop_oneof![prop::collection::vec(any::<u8>(), 1..40), prop::collection::vec(0..100_u8, 1..40)]) {
            let mut values = values;
            // Bytes that are all light become dark ones, which have another range.
            if values.iter().any(|&value| value > THRESHOLD) {
                values.push(0);
            }
            let before = Values::Bytes(values);
            let mut after = before.clone();
            invert(&mut after);
            invert(&mut after);
            prop_assert_eq!(after, before);
        }

        #[test]
        fn swapping_floats_twice_changes_little(values in prop::collection::vec(-1e3_f32..1e3, 1..40)) {
            let mut after = Values::Floats(values.clone());
            invert(&mut after);
            invert(&mut after);
            let Values::Floats(after) = after else { panic!("still floats") };
            prop_assert!(values.iter().zip(&after).all(|(a, b)| (a - b).abs() < 1e-3));
        }
    }
}
