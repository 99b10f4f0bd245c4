//! One visible layer, cell by cell: known ink, unknown region, and what a model filled in.

use super::shape::Shape;
use super::{Colours, Surface};

/// Cells of fewer device pixels get no grid lines.
const GRID_FROM: f64 = 7.0;

/// What is drawn in unknown cells.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// Hatching: there is no answer yet.
    Hatching,
    /// An answer: one byte a unit, 0 or 1.
    Bits(Vec<u8>),
    /// The share of answers in which a unit was high, 0 to 1, for each unit.
    Shares(Vec<f64>),
}

/// A visible layer to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// How its units are laid out.
    pub shape: Shape,
    /// Ink of the known cells: one byte a unit, 0 or 1.
    pub known: Vec<u8>,
    /// One byte a unit, 1 where it is unknown; may be empty where none is.
    pub unknown: Vec<u8>,
    /// What is drawn where cells are unknown.
    pub fill: Fill,
    /// Another answer: cells where it differs from [`Fill::Bits`] are crossed. Empty for none.
    pub other: Vec<u8>,
}

/// A layer's cells laid over a whole surface, their edges on whole pixels.
struct Lattice<'a> {
    surface: &'a Surface,
    colours: &'a Colours,
    layer: &'a Layer,
}

/// Draws a layer over the whole surface, with a frame around the cell of the keyboard's cursor, given as row and column.
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

    /// All cells by row and column, with their first unit where they have one.
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
                    Fill::Bits(bits) => bit(bits, unit),
                    Fill::Shares(shares) => shares.get(unit).copied().unwrap_or(0.0),
                });
                (&colours.accent, level)
            } else {
                (&colours.ink, layer.shape.level(unit, |unit| bit(&layer.known, unit)))
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
        // Where nothing is unknown, this leaves nothing to draw on.
        context.clip();
        context.begin_path();
        let mut at = -height;
        while at < width {
            context.move_to(at, height);
            context.line_to(at + height, 0.0);
            at += 7.0 * self.surface.ratio;
        }
        context.set_global_alpha(0.45);
        self.stroke(&self.colours.accent, self.surface.ratio);
        context.restore();
    }

    fn grid(&self) {
        let context = &self.surface.context;
        context.begin_path();
        for column in 1..self.layer.shape.columns {
            context.move_to(self.x(column) - 0.5, 0.0);
            context.line_to(self.x(column) - 0.5, self.surface.height);
        }
        for row in 1..self.layer.shape.rows {
            context.move_to(0.0, self.y(row) - 0.5);
            context.line_to(self.surface.width, self.y(row) - 0.5);
        }
        context.set_global_alpha(0.4);
        self.stroke(&self.colours.line, 1.0);
        context.set_global_alpha(1.0);
    }

    /// A line wherever known and unknown meet.
    fn border(&self) {
        let (context, shape) = (&self.surface.context, &self.layer.shape);
        context.begin_path();
        for ((row, column), _) in self.cells() {
            let here = self.is_unknown_at(row, column);
            let (right, below) = (self.x(column + 1), self.y(row + 1));
            if column + 1 < shape.columns && here != self.is_unknown_at(row, column + 1) {
                context.move_to(right, self.y(row));
                context.line_to(right, below);
            }
            if row + 1 < shape.rows && here != self.is_unknown_at(row + 1, column) {
                context.move_to(self.x(column), below);
                context.line_to(right, below);
            }
        }
        self.stroke(&self.colours.accent, self.surface.ratio);
    }

    /// A cross over each cell where the other answer differs.
    fn crosses(&self) {
        let Layer { shape, fill: Fill::Bits(bits), other, .. } = self.layer else { return };
        if other.is_empty() {
            return;
        }
        let context = &self.surface.context;
        let differs = |unit: usize| shape.cell(unit).any(|unit| bits.get(unit) != other.get(unit));
        context.begin_path();
        for (place, _) in self.cells().filter(|(_, unit)| unit.is_some_and(differs)) {
            let [left, top, width, height] = self.area(place);
            context.move_to(left, top);
            context.line_to(left + width, top + height);
            context.move_to(left, top + height);
            context.line_to(left + width, top);
        }
        self.stroke(&self.colours.paper, 3.5 * self.surface.ratio);
        self.stroke(&self.colours.ink, 1.5 * self.surface.ratio);
    }

    /// Two frames around a cell, one in the other, so that it is seen on ink and on paper.
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
