//! A sprite sheet: one picture that contains many examples.
//!
//! Which pixels make an example is the visitor's choice, or else the first of these rules that applies:
//!
//! 1. A picture drawn in squares of k x k equal pixels is reduced to one pixel per square.
//! 2. *Lines*: full rows and columns of one value, 1 to 4 pixels wide, equally spaced, between the tiles and possibly around them, with no
//!    other full row or column of this value: the tiles are between the lines.
//! 3. *Rows*: the width is a square number s^2 with s at least 4, and pixels s apart in a row are more alike (in the sum of absolute
//!    differences, by at least a quarter) than those one below the other: each row is an example of s x s, as in the `mnist_images.png` of
//!    TensorFlow.js.
//! 4. Both sides are multiples of 28, unless rule 5 finds another size and 28 fails it: tiles of 28 x 28, as in MNIST.
//! 5. *Seams*: squares of a size that divides both sides, and that the picture shows by margins or steps (`seams`).
//! 6. One side is a multiple of the other: a strip of squares.
//! 7. The whole picture is one example.
//!
//! Trailing tiles with only one value are empty places.

use super::image::{COLOURED, Grey, decode};
use super::member::Member;
use super::seams::Seams;
use super::session::ReadingState;
use super::{background, blank};
use crate::DataError;
use crate::interpretation::{Change, Doubt};
use crate::pictures::{Pictures, Values};

/// The side of MNIST's digits.
const DIGIT: usize = 28;
/// Maximum width of a line between tiles.
const WIDEST: usize = 4;
/// Maximum size of the square for one pixel.
const LARGEST: usize = 32;

/// The positions of the tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Grid {
    vertical: Side,
    horizontal: Side,
    /// Whether each row of pixels is an example with this shape.
    unrolled: Option<(usize, usize)>,
    /// For the note.
    rule: &'static str,
}

impl Grid {
    /// Rows and columns of an example.
    fn shape(&self) -> (usize, usize) {
        self.unrolled.unwrap_or((self.vertical.tile, self.horizontal.tile))
    }
}

/// Tiles in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Side {
    count: usize,
    /// Pixels per tile.
    tile: usize,
    /// Pixels before the first tile.
    before: usize,
    /// Pixels between two tiles.
    between: usize,
}

impl Side {
    fn plain(length: usize, tile: usize) -> Self {
        Self { count: length / tile, tile, before: 0, between: 0 }
    }

    /// Tiles of a given size that fill the length, with the narrowest possible lines.
    fn fitting(length: usize, tile: usize) -> Option<Self> {
        if tile == 0 || tile > length {
            return None;
        }
        let around =
            |line: usize| [(0, length + line), (line, length.wrapping_sub(line))].map(|(before, rest)| (before, rest, line));
        (0..=WIDEST).flat_map(around).find_map(|(before, rest, between)| {
            let fits = rest <= length + between && rest % (tile + between) == 0 && rest > 0;
            fits.then_some(Self { count: rest / (tile + between), tile, before, between })
        })
    }

    fn start(self, at: usize) -> usize {
        self.before + at * (self.tile + self.between)
    }
}

/// The examples in a picture.
///
/// # Errors
/// [`DataError::Format`] if it cannot be decoded, and those of [`cut`].
pub(super) fn read(member: &Member, session: &mut ReadingState) -> Result<Pictures, DataError> {
    let name = &member.name;
    (session.report)("decoding the picture", 0, 0);
    let mut picture = decode(name, &member.bytes(usize::MAX, session)?)?;
    session.notes.extend(picture.coloured.then(|| COLOURED.into()));
    if picture.turned {
        session.notes.push("The picture was turned as its EXIF data say.".into());
    }
    if let Some(opacity) = picture.opacity.take() {
        let size = picture.pixels.len();
        background::lay(name, &mut picture.pixels, &opacity, size, session)?;
    }
    let (pictures, doubt) = cut(name, picture, session.asked.tile, &mut session.notes)?;
    session.reading.tile = Some(pictures.shape);
    session.doubts.extend(doubt);
    Ok(pictures)
}

/// The examples on a sheet, each of the size that was given, or else as the rules find them.
///
/// # Errors
/// [`DataError::Format`] if the tiles do not match the size that was given, or are all empty.
fn cut(
    name: &str,
    mut picture: Grey,
    tile: Option<(usize, usize)>,
    notes: &mut Vec<String>,
) -> Result<(Pictures, Option<Doubt>), DataError> {
    let (rows, columns) = (picture.rows, picture.columns);
    let scale = scale(&picture);
    let small = (scale > 1).then(|| shrink(&picture, scale));
    let reduced = small.as_ref().unwrap_or(&picture);
    let (detected, doubt) = detect(name, reduced);
    // A given size that the rules find too is cut as they say. It counts values, or else pixels.
    let (grid, is_small) = match tile {
        Some(tile) if tile != detected.shape() => {
            let by_values = by_size(reduced, tile).map(|grid| (grid, true));
            by_values.or_else(|| Some((by_size(&picture, tile)?, false))).ok_or_else(|| {
                let expected = format!("a picture that tiles of {} x {} fill", tile.0, tile.1);
                let got = format!("it has {rows} rows and {columns} columns of pixels");
                DataError::format(name, expected, got, "give another tile size, as rows x columns")
            })?
        }
        _ => (detected, true),
    };
    if let Some(small) = small.filter(|_| is_small) {
        picture = small;
        notes.push(format!("Each value is drawn as {scale} x {scale} pixels in {name}; one of them was used."));
    }
    let shape = grid.shape();
    let Grid { vertical, horizontal, rule, .. } = grid;
    let mut values = Vec::with_capacity(vertical.count * horizontal.count * vertical.tile * horizontal.tile);
    for down in 0..vertical.count {
        for across in 0..horizontal.count {
            let left = horizontal.start(across);
            for row in vertical.start(down)..vertical.start(down) + vertical.tile {
                let from = row * picture.columns + left;
                values.extend_from_slice(&picture.pixels[from..from + horizontal.tile]);
            }
        }
    }
    let size = shape.0 * shape.1;
    let all = values.len() / size;
    let count = values.chunks_exact(size).rposition(|tile| blank::shows(tile.iter())).map_or(0, |last| last + 1);
    if count == 0 {
        let advice = "choose another picture, or another tile size";
        return Err(DataError::format(name, "tiles with something in them", "each is of one value all over", advice));
    }
    values.truncate(count * size);
    if rule == WHOLE {
        notes.push(format!(
            "{name} was read as one example of {} x {}, as {rule}. If it is a sheet of tiles, give their size.",
            shape.0, shape.1
        ));
    } else {
        let left = match all - count {
            0 => String::new(),
            empty => format!("; {empty} at the end, of one value all over, were left out"),
        };
        let tiles = if all == 1 { "tile" } else { "tiles" };
        notes.push(format!("{name} was cut into {all} {tiles} of {} x {} ({rule}){left}.", shape.0, shape.1));
        blank::check(name, &values, size, notes)?;
    }
    Ok((Pictures { count, shape, values: Values::Bytes(values), labels: None }, doubt.filter(|_| tile.is_none())))
}

/// The rule that finds no tiles.
const WHOLE: &str = "nothing shows where tiles end";

fn by_size(picture: &Grey, (tile_rows, tile_columns): (usize, usize)) -> Option<Grid> {
    let rule = "the size that was given";
    if let (Some(vertical), Some(horizontal)) =
        (Side::fitting(picture.rows, tile_rows), Side::fitting(picture.columns, tile_columns))
    {
        return Some(Grid { vertical, horizontal, unrolled: None, rule });
    }
    (tile_rows.checked_mul(tile_columns) == Some(picture.columns)).then(|| unrolled(picture, (tile_rows, tile_columns), rule))
}

fn unrolled(picture: &Grey, shape: (usize, usize), rule: &'static str) -> Grid {
    let (vertical, horizontal) = (Side::plain(picture.rows, 1), Side::plain(picture.columns, picture.columns));
    Grid { vertical, horizontal, unrolled: Some(shape), rule }
}

/// The tiles that the rules find, and a doubt if the picture itself shows none.
fn detect(name: &str, picture: &Grey) -> (Grid, Option<Doubt>) {
    let (rows, columns) = (picture.rows, picture.columns);
    if let Some((vertical, horizontal)) = lines(picture) {
        return (Grid { vertical, horizontal, unrolled: None, rule: "by the lines between them" }, None);
    }
    let side = columns.isqrt();
    if side >= 4 && side * side == columns && rows > 1 && rows_are_examples(picture, side) {
        return (unrolled(picture, (side, side), "each row of pixels is one"), None);
    }
    let plain = |tile: (usize, usize), rule| {
        let (vertical, horizontal) = (Side::plain(rows, tile.0), Side::plain(columns, tile.1));
        Grid { vertical, horizontal, unrolled: None, rule }
    };
    let seams = Seams::of(picture);
    let one_example = || Doubt {
        text: format!("{name} was cut, though nothing in it shows where tiles end: it may be one picture."),
        label: "Take it as one".into(),
        change: Change::Tile(rows, columns),
    };
    let found = seams.find();
    if rows % DIGIT == 0 && columns % DIGIT == 0 && (found.is_none() || seams.separates(DIGIT)) {
        let is_one = rows == DIGIT && columns == DIGIT;
        let doubt = (!is_one && !seams.separates(DIGIT)).then(one_example);
        return (plain((DIGIT, DIGIT), "as both sides are multiples of 28"), doubt);
    }
    if let Some(size) = found {
        return (plain((size, size), "as their borders show"), None);
    }
    let (short, long) = (rows.min(columns), rows.max(columns));
    if short > 1 && long > short && long % short == 0 {
        return (plain((short, short), "as a strip of squares"), Some(one_example()));
    }
    let doubt = seams.likeliest().map(|size| Doubt {
        text: format!("Nothing shows where one example ends in {name}, so the whole picture is one."),
        label: format!("Cut it into {size} x {size}"),
        change: Change::Tile(size, size),
    });
    (plain((rows, columns), WHOLE), doubt)
}

/// The largest square in which every pixel is drawn.
fn scale(picture: &Grey) -> usize {
    let (rows, columns) = (picture.rows, picture.columns);
    let fits = |k: usize| {
        rows % k == 0
            && columns % k == 0
            && picture.pixels.chunks_exact(columns).enumerate().all(|(y, row)| {
                let first = y / k * k * columns;
                row.iter().enumerate().all(|(x, pixel)| *pixel == picture.pixels[first + x / k * k])
            })
    };
    // A picture with only one value is drawn in squares of any size.
    if picture.pixels.iter().all(|&pixel| pixel == picture.pixels[0]) {
        return 1;
    }
    (2..=LARGEST).rev().find(|&k| fits(k)).unwrap_or(1)
}

fn shrink(picture: &Grey, scale: usize) -> Grey {
    let (rows, columns) = (picture.rows / scale, picture.columns / scale);
    let pixels =
        (0..rows * columns).map(|at| picture.pixels[at / columns * scale * picture.columns + at % columns * scale]).collect();
    Grey { rows, columns, pixels, opacity: None, ..*picture }
}

/// Tiles between lines of one value.
fn lines(picture: &Grey) -> Option<(Side, Side)> {
    let columns = picture.columns;
    let constant_row = |row: &[u8]| row.iter().all(|&pixel| pixel == row[0]).then_some(row[0]);
    let rows: Vec<Option<u8>> = picture.pixels.chunks_exact(columns).map(constant_row).collect();
    let mut across: Vec<Option<u8>> = picture.pixels[..columns].iter().map(|&pixel| Some(pixel)).collect();
    for row in picture.pixels.chunks_exact(columns) {
        for (value, &pixel) in across.iter_mut().zip(row) {
            *value = value.filter(|&value| value == pixel);
        }
    }
    (0..=255_u8).find_map(|value| {
        let marks = |constants: &[Option<u8>]| constants.iter().map(|&constant| constant == Some(value)).collect::<Vec<_>>();
        let (vertical, horizontal) = (between_lines(&marks(&rows))?, between_lines(&marks(&across))?);
        (vertical.count * horizontal.count > 1).then_some((vertical, horizontal))
    })
}

/// Tiles in one direction, if the marks are exactly equally spaced lines; one tile if there are no marks.
fn between_lines(marks: &[bool]) -> Option<Side> {
    let length = marks.len();
    let runs: Vec<(bool, usize)> = marks.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
    let all = |mark: bool| {
        let mut lengths = runs.iter().filter(|run| run.0 == mark).map(|run| run.1);
        let first = lengths.next()?;
        lengths.all(|length| length == first).then_some(first)
    };
    let tile = all(false)?;
    if tile == length {
        return Some(Side::plain(length, length));
    }
    let between = all(true).filter(|&line| line <= WIDEST && tile > 1)?;
    let (first, last) = (runs.first()?.0, runs.last()?.0);
    if first != last {
        return None;
    }
    let count = runs.iter().filter(|run| !run.0).count();
    Some(Side { count, tile, before: if first { between } else { 0 }, between })
}

/// Whether pixels `side` apart in a row are more alike than those in adjacent rows.
fn rows_are_examples(picture: &Grey, side: usize) -> bool {
    let columns = picture.columns;
    let difference = |(a, b): (&u8, &u8)| u64::from(a.abs_diff(*b));
    let within = |row: &[u8]| row.iter().zip(&row[side..]).map(difference).sum::<u64>();
    let along: u64 = picture.pixels.chunks_exact(columns).map(within).sum();
    let down: u64 = picture.pixels.iter().zip(&picture.pixels[columns..]).map(difference).sum();
    // With the same number of pairs each.
    let (pairs_along, pairs_down) = ((columns - side) * picture.rows, columns * (picture.rows - 1));
    let (along, down) = (along as f64 / pairs_along as f64, down as f64 / pairs_down as f64);
    along < 0.75 * down
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digits;
    use crate::picture::{Tile, grid};
    use crate::reading::image::decode;
    use proptest::prelude::*;

    fn grey(rows: usize, columns: usize, pixel: impl Fn(usize, usize) -> u8) -> Grey {
        let pixels = (0..rows * columns).map(|at| pixel(at / columns, at % columns)).collect();
        Grey { rows, columns, pixels, opacity: None, coloured: false, turned: false }
    }

    /// Digits as bytes 0 and 255, 28 x 28 each.
    fn some_digits(count: usize) -> Vec<Vec<u8>> {
        let data = digits::dataset(count, 3).unwrap();
        (0..count).map(|row| data.examples.row(row).into_iter().map(|bit| 255 * bit).collect()).collect()
    }

    fn read(picture: Grey, tile: Option<(usize, usize)>) -> (Pictures, String) {
        let mut notes = Vec::new();
        (cut("x", picture, tile, &mut notes).unwrap().0, notes.join(" "))
    }

    #[test]
    fn our_own_pictures_are_cut_along_their_lines() {
        let digits = some_digits(7);
        let tiles: Vec<Tile> = digits.iter().map(|digit| Tile::levels(Some((28, 28)), digit)).collect();
        for (columns, scale) in [(3, 1), (3, 2), (7, 1), (1, 3)] {
            let picture = decode("x", &grid(&tiles, columns, scale).unwrap()).unwrap();
            let (pictures, notes) = read(picture, None);
            assert_eq!((pictures.count, pictures.shape), (7, (28, 28)), "{columns} {scale}");
            assert_eq!(pictures.values, Values::Bytes(digits.concat()));
            assert!(notes.contains("by the lines"), "{notes}");
        }
    }

    #[test]
    fn digits_side_by_side_are_cut_at_28() {
        let digits = some_digits(28 * 3 - 2);
        for (down, across) in [(4, 2), (3, 28), (1, 9), (1, 1)] {
            let at = |y: usize, x: usize| digits.get(y / 28 * across + x / 28).map_or(0, |digit| digit[y % 28 * 28 + x % 28]);
            let (pictures, notes) = read(grey(28 * down, 28 * across, at), None);
            let count = (down * across).min(digits.len());
            assert_eq!((pictures.count, pictures.shape), (count, (28, 28)), "{down} {across}");
            assert_eq!(pictures.values, Values::Bytes(digits[..count].concat()));
            assert_eq!(notes.contains("2 at the end"), down == 3, "{notes}");
        }
    }

    #[test]
    fn a_row_of_pixels_can_be_a_digit() {
        // 56 rows: a multiple of 28, like the width.
        for count in [56, 100] {
            let digits = some_digits(count);
            let (pictures, notes) = read(grey(count, 784, |y, x| digits[y][x]), None);
            assert_eq!((pictures.count, pictures.shape, pictures.values), (count, (28, 28), Values::Bytes(digits.concat())));
            assert!(notes.contains("each row"), "{notes}");
        }
    }

    #[test]
    fn strips_and_sizes_that_are_given() {
        let ramp = |y: usize, x: usize| (y * 37 + x * 11) as u8;
        assert_eq!(read(grey(9, 45, ramp), None).0.shape, (9, 9));
        let (pictures, _) = read(grey(9, 45, ramp), Some((9, 5)));
        assert_eq!((pictures.count, pictures.shape), (9, (9, 5)));
        assert_eq!(read(grey(3, 12, ramp), Some((2, 6))).0.shape, (2, 6));
        let (pictures, _) = read(grey(10, 21, ramp), Some((10, 10)));
        assert_eq!((pictures.count, pictures.shape), (2, (10, 10)), "lines of one pixel");
    }

    proptest! {
        #[test]
        fn no_picture_panics(rows in 1_usize..40, columns in 1_usize..40, pixels in prop::collection::vec(0..3_u8, 1..9), tile in prop::option::of((0_usize..9, 0_usize..9))) {
            let picture = grey(rows, columns, |y, x| pixels[(y * columns + x) % pixels.len()]);
            if let Ok((pictures, doubt)) = cut("x", picture.clone(), tile, &mut Vec::new()) {
                // The size that was found, and the one that is offered, can be given.
                let again = |tile| cut("x", picture.clone(), Some(tile), &mut Vec::new());
                prop_assert_eq!(&again(pictures.shape).unwrap().0, &pictures);
                if let Some(Doubt { change: Change::Tile(rows, columns), .. }) = doubt {
                    prop_assert_eq!(again((rows, columns)).unwrap().0.shape, (rows, columns));
                }
                let Values::Bytes(values) = pictures.values else { panic!("bytes go in") };
                prop_assert_eq!(values.len(), pictures.count * pictures.shape.0 * pictures.shape.1);
                prop_assert!(tile.is_none_or(|tile| tile == pictures.shape));
            }
        }

        #[test]
        fn lines_of_any_width_are_found(down in 1_usize..4, across in 1_usize..5, (rows, columns) in (2_usize..7, 2_usize..7), line in 1..=WIDEST, around: bool, seed: u64) {
            prop_assume!(down * across > 1);
            let border = if around { line } else { 0 };
            let place = |at: usize, tile: usize| at.checked_sub(border).filter(|at| at % (tile + line) < tile).map(|at| (at / (tile + line), at % (tile + line)));
            let value = |t: (usize, usize), p: (usize, usize)| {
                let mixed = (seed ^ ((t.0 * 31 + t.1) * 7919 + p.0 * 131 + p.1 * 17) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                // Neighbours differ, so no row or column of a tile has only one value.
                (mixed >> 58) as u8 * 2 + ((p.0 + p.1) % 2) as u8
            };
            let side = |count: usize, tile: usize| count * (tile + line) - line + 2 * border;
            let picture = grey(side(down, rows), side(across, columns), |y, x| match (place(y, rows), place(x, columns)) {
                (Some((ty, y)), Some((tx, x))) if ty < down && tx < across => value((ty, tx), (y, x)),
                _ => 200,
            });
            let found = lines(&picture).map(|(v, h)| ((v.count, v.tile), (h.count, h.tile)));
            prop_assert_eq!(found, Some(((down, rows), (across, columns))));
        }
    }
}
