//! From strokes to grey pixels: smooth curves, fitted and centred like MNIST's digits, drawn with a soft round pen.

use crate::hand::{StrokeRandom, Strokes};
use std::f32::consts::TAU;
use std::ops::Range;

/// Rows, and columns, of a digit.
pub const SIDE: usize = 28;
/// Pixels in a digit.
pub const PIXELS: usize = SIDE * SIDE;
/// MNIST fits every digit into a box with this side.
const BOX: f32 = 20.0;
/// Pixels that are inked together; few strokes are broader.
const RUN: usize = 8;
/// Straight segments between two control points.
const PIECES: usize = 7;
/// The most that the paper's grain moves an edge, in pixels.
const MOST_ROUGH: f32 = 0.2;

/// The pen that draws one digit.
pub(crate) struct Pen {
    /// Half the width of a stroke, in pixels.
    radius: f32,
    /// Relative variation of the radius along a stroke.
    pressure: f32,
    phase: f32,
    /// Width of the ramp from ink to paper at the edge, in pixels.
    softness: f32,
    /// The digit's offset within the pixel grid.
    offset: [f32; 2],
    /// How far the paper's grain moves the edge at each pixel, in pixels.
    grain: [f32; PIXELS],
}

impl Pen {
    /// A pen of random width, pressure and motion; on average as broad as those of MNIST.
    pub fn new(random: &mut StrokeRandom) -> Self {
        let rough = 0.05 + (MOST_ROUGH - 0.05) * random.unit();
        Self {
            radius: (1.21 * random.factor(0.26)).clamp(0.75, 2.6),
            pressure: 0.18 * random.unit(),
            phase: TAU * random.unit(),
            softness: 1.0 + 0.4 * random.unit(),
            offset: [random.unit() - 0.5, random.unit() - 0.5],
            grain: std::array::from_fn(|_| rough * (2.0 * random.unit() - 1.0)),
        }
    }

    /// Draws strokes of any size and position as one image; 0 is paper and 255 ink.
    pub fn draw(&self, strokes: &Strokes) -> [u8; PIXELS] {
        let mut lines: Vec<Vec<[f32; 2]>> = strokes.iter().map(|points| curve(points)).collect();
        self.fit(&mut lines);
        let mut ink = [0.0; PIXELS];
        for line in &lines {
            for (at, ends) in line.windows(2).enumerate() {
                let swing = libm::sinf(self.phase + 0.25 * at as f32);
                self.ink(&mut ink, ends[0], ends[1], self.radius * (1.0 + self.pressure * swing));
            }
        }
        centred(&ink)
    }

    /// Scales the lines, ink included, to fill the box in height or width, whichever is larger, near the middle of the image.
    fn fit(&self, lines: &mut [Vec<[f32; 2]>]) {
        let mut low = [f32::INFINITY; 2];
        let mut high = [f32::NEG_INFINITY; 2];
        for point in lines.iter().flatten() {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let extent = (high[0] - low[0]).max(high[1] - low[1]).max(1e-3);
        let scale = (BOX - 2.0 * self.radius) / extent;
        for point in lines.iter_mut().flatten() {
            for axis in 0..2 {
                let middle = low[axis] + 0.5 * (high[axis] - low[axis]);
                point[axis] = SIDE as f32 / 2.0 + self.offset[axis] + scale * (point[axis] - middle);
            }
        }
    }

    /// Inks one straight segment. Pixel `i` covers `i..i + 1`.
    fn ink(&self, ink: &mut [f32; PIXELS], from: [f32; 2], to: [f32; 2], radius: f32) {
        // Farther pixels get no ink: their centres are half a pixel inside them.
        let reach = radius + MOST_ROUGH + 0.5 * self.softness - 0.49;
        let range = |axis: usize| {
            let low = (from[axis].min(to[axis]) - reach).max(0.0) as usize;
            let high = (from[axis].max(to[axis]) + reach).max(0.0) as usize;
            low.min(SIDE)..(high + 1).min(SIDE)
        };
        let along = [to[0] - from[0], to[1] - from[1]];
        let length2 = (along[0] * along[0] + along[1] * along[1]).max(1e-9);
        let columns = range(0);
        for row in range(1) {
            for first in columns.clone().step_by(RUN) {
                let first = first.min(SIDE - RUN);
                let run = row * SIDE + first..row * SIDE + first + RUN;
                // Of one length, and without branches, so that it is compiled to vectors.
                for ((at, ink), grain) in ink[run.clone()].iter_mut().enumerate().zip(&self.grain[run]) {
                    let (x, y) = ((first + at) as f32 + 0.5 - from[0], row as f32 + 0.5 - from[1]);
                    let share = larger(0.0, smaller(1.0, (x * along[0] + y * along[1]) / length2));
                    let (x, y) = (x - share * along[0], y - share * along[1]);
                    let depth = (radius + grain - (x * x + y * y).sqrt()) / self.softness + 0.5;
                    *ink = larger(*ink, smaller(1.0, depth));
                }
            }
        }
    }
}

/// One comparison each: those of `f32` also decide about NaN, which costs vectors most of their speed.
fn larger(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// A Catmull-Rom curve through the points, as straight segments; smooth except at corners, where a point is repeated.
fn curve(points: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let mut line = Vec::with_capacity(points.len() * PIECES + 1);
    line.extend(points.first());
    for i in 1..points.len() {
        let (from, to) = (points[i - 1], points[i]);
        if from == to {
            continue;
        }
        let straight = |near: [f32; 2], far: [f32; 2]| [2.0 * near[0] - far[0], 2.0 * near[1] - far[1]];
        let before = if i >= 2 && points[i - 2] != from { points[i - 2] } else { straight(from, to) };
        let after = if i + 1 < points.len() && points[i + 1] != to { points[i + 1] } else { straight(to, from) };
        for piece in 1..=PIECES {
            let t = piece as f32 / PIECES as f32;
            line.push([0, 1].map(|axis| catmull_rom([before[axis], from[axis], to[axis], after[axis]], t)));
        }
    }
    line
}

/// The uniform Catmull-Rom spline between `p[1]` (t = 0) and `p[2]` (t = 1).
fn catmull_rom(p: [f32; 4], t: f32) -> f32 {
    let slope = p[2] - p[0];
    let bend = 2.0 * p[0] - 5.0 * p[1] + 4.0 * p[2] - p[3];
    let twist = 3.0 * (p[1] - p[2]) + p[3] - p[0];
    p[1] + 0.5 * t * (slope + t * (bend + t * twist))
}

/// Moves the image by whole pixels so that its centre of mass is in the middle.
fn centred(ink: &[f32; PIXELS]) -> [u8; PIXELS] {
    let mut sums = [0.0; 3];
    for (row, values) in ink.chunks_exact(SIDE).enumerate() {
        for (column, &value) in values.iter().enumerate() {
            for (sum, part) in sums.iter_mut().zip([1.0, column as f32, row as f32]) {
                *sum += value * part;
            }
        }
    }
    let [mass, x, y] = sums;
    let middle = (SIDE - 1) as f32 / 2.0;
    let shift = |moment: f32| (middle - moment / mass.max(1e-3)).round() as isize;
    let (right, down) = (shift(x), shift(y));
    let greys = ink.map(|value| (value * 255.0 + 0.5) as u8);
    let from = |shift: isize| shift.min(0).unsigned_abs().min(SIDE)..SIDE - shift.max(0).unsigned_abs().min(SIDE);
    let to = |shift: isize| from(-shift);
    let mut image = [0; PIXELS];
    for (old, new) in from(down).zip(to(down)) {
        let row = |row: usize, columns: Range<usize>| SIDE * row + columns.start..SIDE * row + columns.end;
        image[row(new, to(right))].copy_from_slice(&greys[row(old, from(right))]);
    }
    image
}
