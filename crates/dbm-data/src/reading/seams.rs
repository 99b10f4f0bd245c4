//! Where the tiles of a sheet end, if no line says so: what the picture itself shows of a grid of squares.
//!
//! A size *separates* the picture if either holds:
//!
//! - *Margins*: ink is at most an eighth as dense on the outermost pixels of the tiles as within them, is in at least three quarters of the
//!   tiles, to the last one that has any, and crosses their edges in fewer places than there are eighths of the tiles: so a single drawing
//!   is no sheet. Ink is what differs from the most frequent value at the border of the picture by more than an eighth of the picture's
//!   range. The same is true of a size's multiples, so the smallest counts.
//! - *Steps*: neighbours on either side of an edge of tiles differ on average at least twice as much as those within tiles, at half of the
//!   edges or more, as those of photographs laid side by side. The fewer edges there are, the more they have to differ: the excess times
//!   the square root of their number counts. It is at least 4, and the size with the largest is taken. JPEG's blocks of 8 x 8 have such
//!   edges too, so tiles of 8 x 8 are not found by them, and tiles of a multiple have to differ more than blocks do.

use super::image::Grey;

/// The smallest tile that is looked for: in smaller ones too much is border.
const SMALLEST: usize = 8;
/// By how much ink is denser within tiles than at their borders.
const MARGIN: u64 = 8;
/// Tiles per place where ink may cross an edge.
const TILES_PER_CROSSING: usize = 8;
/// By how much pixels differ more across the edges of tiles than within them.
const STEP: f64 = 2.0;
/// The side of JPEG's blocks.
const BLOCK: usize = 8;
/// The least excess, times the square root of the number of edges.
const CLEAR: f64 = 4.0;
/// Sizes of tiles that are common, the commonest first.
const COMMON: [usize; 8] = [28, 32, 16, 24, 64, 48, 20, 8];

/// What a picture shows of grids of squares.
pub(super) struct Seams<'p> {
    picture: &'p Grey,
    is_ink: [bool; 256],
    /// Pixels of ink in all.
    ink: u64,
    /// Sums of the differences between each row, or column, and the one before.
    steps: [Vec<u64>; 2],
}

/// Pixels, and how many of them are ink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Density {
    ink: u64,
    pixels: u64,
}

impl<'p> Seams<'p> {
    pub fn of(picture: &'p Grey) -> Self {
        let (rows, columns) = (picture.rows, picture.columns);
        let mut border = [0_u64; 256];
        let (mut low, mut high) = (u8::MAX, 0);
        let mut steps = [vec![0; rows], vec![0; columns]];
        for (y, row) in picture.pixels.chunks_exact(columns).enumerate() {
            for (x, &pixel) in row.iter().enumerate() {
                (low, high) = (low.min(pixel), high.max(pixel));
                if x > 0 {
                    steps[1][x] += u64::from(pixel.abs_diff(row[x - 1]));
                }
                if y > 0 {
                    steps[0][y] += u64::from(pixel.abs_diff(picture.pixels[(y - 1) * columns + x]));
                }
                if y == 0 || x == 0 || y + 1 == rows || x + 1 == columns {
                    border[usize::from(pixel)] += 1;
                }
            }
        }
        let paper = (0..=255_u8).max_by_key(|&value| border[usize::from(value)]).unwrap_or(0);
        let range = high.saturating_sub(low);
        let is_ink: [bool; 256] = std::array::from_fn(|value| paper.abs_diff(value as u8) > range / 8);
        let ink = picture.pixels.iter().filter(|&&pixel| is_ink[usize::from(pixel)]).count() as u64;
        Self { picture, is_ink, ink, steps }
    }

    /// The size that separates the picture into several tiles.
    pub fn find(&self) -> Option<usize> {
        self.sizes().find(|&size| self.has_margins(size)).or_else(|| {
            let steps = self.sizes().filter_map(|size| Some((size, self.step(size)?)));
            steps.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(size, _)| size)
        })
    }

    /// Whether this size, which divides both sides, separates it.
    pub fn separates(&self, size: usize) -> bool {
        self.has_margins(size) || self.step(size).is_some()
    }

    /// A size for a picture that nothing separates: the commonest that divides both sides, or else the largest. With it some tile has
    /// something in it.
    pub fn likeliest(&self) -> Option<usize> {
        let sizes: Vec<usize> = self.sizes().filter(|&size| self.mean(|at| !at.is_multiple_of(size)) > 0.0).collect();
        COMMON.into_iter().find(|size| sizes.contains(size)).or(sizes.last().copied())
    }

    /// Sides of squares of which several fill the picture, the smallest first.
    fn sizes(&self) -> impl Iterator<Item = usize> {
        let (rows, columns) = (self.picture.rows, self.picture.columns);
        let longest = rows.min(columns);
        (SMALLEST..=longest).filter(move |size| rows % size == 0 && columns % size == 0 && size * size < rows * columns)
    }

    fn has_margins(&self, size: usize) -> bool {
        let border = self.border(size);
        let inside = Density { ink: self.ink - border.ink, pixels: self.picture.pixels.len() as u64 - border.pixels };
        inside.ink > 0
            && MARGIN * border.ink * inside.pixels <= inside.ink * border.pixels
            && self.fills(size)
            && self.crossings(size) * TILES_PER_CROSSING <= self.picture.pixels.len() / (size * size)
    }

    /// The outermost pixels of all tiles.
    fn border(&self, size: usize) -> Density {
        let mut border = Density { ink: 0, pixels: 0 };
        let is_edge = |at: usize| at.is_multiple_of(size) || (at + 1).is_multiple_of(size);
        for (y, row) in self.picture.pixels.chunks_exact(self.picture.columns).enumerate() {
            let mut add = |pixel: u8| {
                border.pixels += 1;
                border.ink += u64::from(self.is_ink[usize::from(pixel)]);
            };
            if is_edge(y) {
                row.iter().for_each(|&pixel| add(pixel));
            } else {
                row.chunks_exact(size).for_each(|line| [line[0], line[size - 1]].into_iter().for_each(&mut add));
            }
        }
        border
    }

    /// Whether ink is in at least three quarters of the tiles, to the last one that has any.
    fn fills(&self, size: usize) -> bool {
        let across = self.picture.columns / size;
        let mut inked = vec![false; self.picture.rows / size * across];
        for (y, row) in self.picture.pixels.chunks_exact(self.picture.columns).enumerate() {
            for (x, line) in row.chunks_exact(size).enumerate() {
                inked[y / size * across + x] |= line.iter().any(|&pixel| self.is_ink[usize::from(pixel)]);
            }
        }
        let with_ink = inked.iter().filter(|&&inked| inked).count();
        inked.iter().rposition(|&inked| inked).is_some_and(|last| last > 0 && 4 * with_ink >= 3 * (last + 1))
    }

    /// Pairs of neighbours on either side of an edge that are both ink.
    fn crossings(&self, size: usize) -> usize {
        let columns = self.picture.columns;
        let is_ink = |pixel: &u8| self.is_ink[usize::from(*pixel)];
        let both = |(a, b): (&u8, &u8)| is_ink(a) && is_ink(b);
        let along = |row: &[u8]| (size..columns).step_by(size).filter(|&x| is_ink(&row[x - 1]) && is_ink(&row[x])).count();
        let down = |rows: &[u8]| {
            let (above, below) = rows[(size - 1) * columns..].split_at(columns);
            above.iter().zip(below).filter(|&pair| both(pair)).count()
        };
        let pixels = &self.picture.pixels;
        let across: usize = pixels.chunks_exact(columns).map(along).sum();
        across + (0..pixels.len() - size * columns).step_by(size * columns).map(|from| down(&pixels[from..])).sum::<usize>()
    }

    /// How clearly neighbours differ more across the edges of tiles than within them, if they do.
    fn step(&self, size: usize) -> Option<f64> {
        let mut edges: Vec<f64> =
            self.lines(|at| at.is_multiple_of(size)).map(|(sum, pairs)| sum as f64 / pairs as f64).collect();
        edges.sort_by(f64::total_cmp);
        let blocks = self.mean(|at| !at.is_multiple_of(size) && at.is_multiple_of(BLOCK) && size.is_multiple_of(BLOCK));
        let within = self.mean(|at| !at.is_multiple_of(size)).max(blocks);
        if size == BLOCK || within <= 0.0 {
            return None;
        }
        let ratio = edges.get(edges.len().checked_sub(1)? / 2)? / within;
        let clearness = (ratio - 1.0) * (edges.len() as f64).sqrt();
        (ratio >= STEP && clearness >= CLEAR).then_some(clearness)
    }

    /// The mean difference of neighbours at some rows and columns from the ones before.
    fn mean(&self, is_counted: impl Fn(usize) -> bool) -> f64 {
        let (sum, pairs) = self.lines(is_counted).fold((0, 0), |all, line| (all.0 + line.0, all.1 + line.1));
        sum as f64 / pairs.max(1) as f64
    }

    /// The differences of some rows and columns from the ones before: their sum, and how many there are.
    fn lines(&self, is_counted: impl Fn(usize) -> bool) -> impl Iterator<Item = (u64, u64)> {
        let pairs = [self.picture.columns as u64, self.picture.rows as u64];
        let steps =
            self.steps.iter().zip(pairs).flat_map(|(sums, pairs)| sums.iter().enumerate().skip(1).map(move |at| (at, pairs)));
        steps.filter(move |((at, _), _)| is_counted(*at)).map(|((_, &sum), pairs)| (sum, pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grey(rows: usize, columns: usize, pixel: impl Fn(usize, usize) -> u8) -> Grey {
        let pixels = (0..rows * columns).map(|at| pixel(at / columns, at % columns)).collect();
        Grey { rows, columns, pixels, opacity: None, coloured: false, turned: false }
    }

    fn found(picture: &Grey) -> Option<usize> {
        Seams::of(picture).find()
    }

    /// Strokes of two directions and different lengths, with margins of two pixels.
    fn stroke(size: usize, tile: usize, y: usize, x: usize) -> bool {
        let inside = |at: usize| (2..size - 2).contains(&at);
        inside(y) && inside(x) && (y == x || y + x == size + tile % 3)
    }

    #[test]
    fn tiles_with_margins_are_found_whatever_their_size() {
        for size in [8, 12, 16, 20, 24, 32, 40, 64] {
            for (down, across) in [(3, 5), (4, 4), (1, 6)] {
                let at = |y: usize, x: usize| stroke(size, y / size * across + x / size, y % size, x % size);
                let dark = grey(size * down, size * across, |y, x| if at(y, x) { 230 } else { 10 });
                let light = grey(size * down, size * across, |y, x| if at(y, x) { 0 } else { 250 + (x % 3) as u8 });
                assert_eq!((found(&dark), found(&light)), (Some(size), Some(size)), "{down} x {across} of {size}");
            }
        }
    }

    #[test]
    fn empty_places_at_the_end_do_no_harm() {
        let at = |y: usize, x: usize| y / 32 * 8 + x / 32 < 9 && stroke(32, y / 32, y % 32, x % 32);
        assert_eq!(found(&grey(256, 256, |y, x| u8::from(at(y, x)))), Some(32));
    }

    #[test]
    fn photographs_side_by_side_differ_at_their_edges() {
        let tone = |tile: usize| (tile * 97 % 251) as u8;
        let at = |y: usize, x: usize| (tone(y / 24 * 7 + x / 24) / 2).saturating_add((y % 24 + x % 24) as u8);
        assert_eq!(found(&grey(72, 7 * 24, at)), Some(24));
    }

    #[test]
    fn one_picture_is_no_sheet() {
        let ring = |y: usize, x: usize| {
            let far = y.abs_diff(32).pow(2) + x.abs_diff(32).pow(2);
            u8::from((15 * 15..19 * 19).contains(&far))
        };
        assert_eq!(found(&grey(64, 64, ring)), None);
        // The strokes of a four, which leave most of the middle free.
        let four = |y: usize, x: usize| {
            u8::from((y == 17 && (4..28).contains(&x)) || (x == 23 && y > 3 && y < 29) || (x == 5 && y > 3 && y < 18))
        };
        assert_eq!(found(&grey(32, 32, four)), None);
        // A stroke along the middle.
        assert_eq!(found(&grey(32, 32, |y, x| u8::from((16..19).contains(&x) && (3..29).contains(&y)))), None);
        assert_eq!(found(&grey(64, 64, |y, x| (y + 2 * x) as u8)), None);
        assert_eq!(found(&grey(64, 64, |y, x| (((y * 64 + x) as u64 * 2_654_435_761) >> 8) as u8)), None);
        // The blocks of JPEG.
        assert_eq!(found(&grey(64, 64, |y, x| ((y / 8 * 5 + x / 8 * 11) * 3 % 50 + (y % 8 + x % 8) % 3) as u8)), None);
        // A few dots on a large page are within any grid, but most of its tiles are empty.
        let dots = grey(64, 64, |y, x| u8::from([(3, 3), (61, 60)].contains(&(y, x))));
        assert_eq!(found(&dots), None);
        assert_eq!((Seams::of(&dots).likeliest(), Seams::of(&grey(35, 77, |y, _| y as u8)).likeliest()), (Some(32), None));
        assert_eq!(Seams::of(&grey(99, 66, |y, _| y as u8)).likeliest(), Some(33));
    }

    proptest! {
        #[test]
        fn what_is_found_divides_the_picture(rows in 1_usize..60, columns in 1_usize..60, pixels in prop::collection::vec(any::<u8>(), 1..9)) {
            let picture = grey(rows, columns, |y, x| pixels[(y * 7 + x / 3) % pixels.len()]);
            for size in [found(&picture), Seams::of(&picture).likeliest()].into_iter().flatten() {
                prop_assert!(rows % size == 0 && columns % size == 0 && size < rows.max(columns));
            }
        }
    }
}
