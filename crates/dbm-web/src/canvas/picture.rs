//! One visible layer, cell by cell: known ink, unknown region, and what a model filled in.

use super::shape::Shape;
use super::{Colours, Plane, Surface, shows};
use leptos::html::Canvas;
use leptos::prelude::*;

/// Cells of fewer device pixels get no grid lines.
const GRID_FROM: f64 = 7.0;

/// What is drawn in the unknown cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Fill {
    /// Hatching: there is no answer yet.
    #[default]
    Hatching,
    /// An answer: its ink in the unknown cells is stored with the ink of the known ones.
    Answer,
    /// For each unit the share of answers in which it was high, 0 to 1.
    Shares(Vec<f64>),
}

/// A visible layer to draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// How its units are laid out.
    pub shape: Shape,
    /// Ink of the known cells, and of an answer's cells: one byte per unit, 0 or 1.
    pub bits: Vec<u8>,
    /// One byte per unit, 1 if it is unknown; may be empty if none is.
    pub unknown: Vec<u8>,
    /// What is drawn in the unknown cells.
    pub fill: Fill,
    /// Another answer: cells in which it differs are crossed. Empty for none.
    pub other: Vec<u8>,
}

/// Keeps a canvas showing what `layer` returns, or nothing if that is `None`.
pub fn shows_layer(canvas: NodeRef<Canvas>, layer: impl Fn() -> Option<Layer> + Copy + 'static) {
    shows(canvas, layer, |surface, colours, layer| draw_layer(surface, colours, &layer, None));
}

/// A layer's cells laid over a whole surface, with their edges on whole pixels.
struct Lattice<'a> {
    surface: &'a Surface,
    colours: &'a Colours,
    layer: &'a Layer,
}

/// Draws a layer over the whole surface, with a frame around the cell of the keyboard cursor, given as row and column.
pub fn draw_layer(surface: &Surface, colours: &Colours, layer: &Layer, cursor: Option<(usize, usize)>) {
    if layer.shape.units == 0 {
        return;
    }
    let lattice = Lattice { surface, colours, layer };
    surface.fill(&colours.paper, 0.0, 0.0, surface.width, surface.height);
    lattice.ink();
    if layer.fill == Fill::Hatching {
        lattice.hatching();
    }
    if lattice.x(1).min(lattice.y(1)) >= GRID_FROM * surface.ratio {
        lattice.grid();
    }
    lattice.border();
    lattice.crosses();
    if let Some(cell) = cursor {
        lattice.frame(cell);
    }
}

impl Lattice<'_> {
    /// Left edge of a column.
    fn x(&self, column: usize) -> f64 {
        (column as f64 * self.surface.width / self.layer.shape.columns as f64).round()
    }

    /// Upper edge of a row.
    fn y(&self, row: usize) -> f64 {
        (row as f64 * self.surface.height / self.layer.shape.rows as f64).round()
    }

    /// Left, top, width and height of a cell.
    fn area(&self, (row, column): (usize, usize)) -> [f64; 4] {
        let (left, top) = (self.x(column), self.y(row));
        [left, top, self.x(column + 1) - left, self.y(row + 1) - top]
    }

    /// All cells by row and column, with their first unit if they have one.
    fn cells(&self) -> impl Iterator<Item = ((usize, usize), Option<usize>)> {
        let shape = self.layer.shape;
        let places = (0..shape.rows).flat_map(move |row| (0..shape.columns).map(move |column| (row, column)));
        places.map(move |(row, column)| ((row, column), shape.unit(row, column)))
    }

    fn is_unknown(&self, unit: usize) -> bool {
        self.layer.unknown.get(unit).is_some_and(|&unknown| unknown != 0)
    }

    fn is_unknown_at(&self, row: usize, column: usize) -> bool {
        self.layer.shape.unit(row, column).is_some_and(|unit| self.is_unknown(unit))
    }

    fn ink(&self) {
        let Self { surface, colours, layer } = self;
        let bit = |bits: &[u8], unit: usize| bits.get(unit).copied().map_or(0.0, f64::from);
        for (place, unit) in self.cells() {
            let [left, top, width, height] = self.area(place);
            let Some(unit) = unit else {
                surface.fill(&colours.line, left, top, width, height);
                continue;
            };
            let (colour, level) = if self.is_unknown(unit) {
                surface.fill(&colours.wash, left, top, width, height);
                let level = layer.shape.level(unit, |unit| match &layer.fill {
                    Fill::Hatching => 0.0,
                    Fill::Answer => bit(&layer.bits, unit),
                    Fill::Shares(shares) => shares.get(unit).copied().unwrap_or(0.0),
                });
                (&colours.accent, level)
            } else {
                (&colours.ink, layer.shape.level(unit, |unit| bit(&layer.bits, unit)))
            };
            if level > 0.0 {
                surface.context.set_global_alpha(level.min(1.0));
                surface.fill(colour, left, top, width, height);
                surface.context.set_global_alpha(1.0);
            }
        }
    }

    /// Fine diagonal strokes over the unknown cells.
    fn hatching(&self) {
        let context = &self.surface.context;
        let (width, height) = (self.surface.width, self.surface.height);
        context.save();
        context.begin_path();
        for (place, _) in self.cells().filter(|(_, unit)| unit.is_some_and(|unit| self.is_unknown(unit))) {
            let [left, top, width, height] = self.area(place);
            context.rect(left, top, width, height);
        }
        // If nothing is unknown, this clips everything.
        context.clip();
        let strokes = std::iter::successors(Some(-height), |at| Some(at + 7.0 * self.surface.ratio)).take_while(|at| *at < width);
        self.lines(strokes.map(|at| [at, height, at + height, 0.0]));
        context.set_global_alpha(0.45);
        self.stroke(&self.colours.accent, self.surface.ratio);
        context.restore();
    }

    fn grid(&self) {
        let (width, height) = (self.surface.width, self.surface.height);
        let columns = (1..self.layer.shape.columns).map(|column| self.x(column) - 0.5).map(|x| [x, 0.0, x, height]);
        let rows = (1..self.layer.shape.rows).map(|row| self.y(row) - 0.5).map(|y| [0.0, y, width, y]);
        self.lines(columns.chain(rows));
        self.surface.context.set_global_alpha(0.4);
        self.stroke(&self.colours.line, 1.0);
        self.surface.context.set_global_alpha(1.0);
    }

    /// A line wherever known and unknown cells meet.
    fn border(&self) {
        let shape = &self.layer.shape;
        let sides = self.cells().flat_map(|((row, column), _)| {
            let here = self.is_unknown_at(row, column);
            let (left, top, right, below) = (self.x(column), self.y(row), self.x(column + 1), self.y(row + 1));
            let beside = column + 1 < shape.columns && here != self.is_unknown_at(row, column + 1);
            let under = row + 1 < shape.rows && here != self.is_unknown_at(row + 1, column);
            [beside.then_some([right, top, right, below]), under.then_some([left, below, right, below])]
        });
        self.lines(sides.flatten());
        self.stroke(&self.colours.accent, self.surface.ratio);
    }

    /// A cross over each cell in which the other answer differs.
    fn crosses(&self) {
        let Layer { shape, bits, other, .. } = self.layer;
        if other.is_empty() {
            return;
        }
        let differs = |unit: usize| shape.cell(unit).any(|unit| bits.get(unit) != other.get(unit));
        let crossed = self.cells().filter(|(_, unit)| unit.is_some_and(differs));
        self.lines(crossed.flat_map(|(place, _)| {
            let [left, top, width, height] = self.area(place);
            [[left, top, left + width, top + height], [left, top + height, left + width, top]]
        }));
        self.stroke(&self.colours.paper, 3.5 * self.surface.ratio);
        self.stroke(&self.colours.ink, 1.5 * self.surface.ratio);
    }

    /// Begins a path of line segments, each given by its two ends.
    fn lines(&self, lines: impl Iterator<Item = [f64; 4]>) {
        self.surface.context.begin_path();
        for [from_x, from_y, to_x, to_y] in lines {
            self.surface.context.move_to(from_x, from_y);
            self.surface.context.line_to(to_x, to_y);
        }
    }

    /// Two nested frames around a cell, visible on both ink and paper.
    fn frame(&self, place: (usize, usize)) {
        let line = (2.0 * self.surface.ratio).max(1.0);
        let [left, top, width, height] = self.area(place);
        for (colour, by) in [(&self.colours.paper, -line), (&self.colours.accent, 0.0)] {
            self.surface.context.set_stroke_style_str(colour);
            self.surface.context.set_line_width(line);
            self.surface.context.stroke_rect(left + by, top + by, width - 2.0 * by, height - 2.0 * by);
        }
    }

    fn stroke(&self, colour: &str, width: f64) {
        self.surface.context.set_stroke_style_str(colour);
        self.surface.context.set_line_width(width);
        self.surface.context.stroke();
    }
}
