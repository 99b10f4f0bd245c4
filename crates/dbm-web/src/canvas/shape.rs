//! How a visible layer is laid out on the screen.

use dbm_protocol::{Coding, Greys, Grid, ModelInfo};
use std::ops::Range;

/// Rows and columns of cells that show the units, `depth` units per cell; the last cells are empty if there are too few units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    pub rows: usize,
    pub columns: usize,
    /// Units, `<= rows * columns * depth`.
    pub units: usize,
    /// Units per cell, which together encode its value.
    pub depth: usize,
    /// How they encode it, if there is more than one.
    pub coding: Coding,
    /// Whether this is a row of bits that is wrapped only for display.
    pub wrapped: bool,
}

impl Shape {
    /// The layout of an image with these rows and columns of units; a plain row of units becomes the nearest to a square.
    pub fn of(image: (u32, u32), Greys { bits, coding }: Greys) -> Self {
        let (rows, columns, depth) = (image.0 as usize, image.1 as usize, usize::from(bits.max(1)));
        let units = rows.saturating_mul(columns);
        let (columns, cells) = (columns / depth, units / depth);
        if rows > 1 || columns <= 1 {
            return Self { rows, columns, units, depth, coding, wrapped: false };
        }
        let root = cells.isqrt();
        let exact = (1..=root).rev().find(|rows| cells.is_multiple_of(*rows)).filter(|&rows| cells / rows <= 2 * rows);
        let columns = exact.map_or_else(|| (cells as f64).sqrt().ceil() as usize, |rows| cells / rows);
        Self { rows: cells.div_ceil(columns), columns, units, depth, coding, wrapped: true }
    }

    /// The layout of a model's visible layer; a single row unless it is an image.
    pub fn of_model(about: &ModelInfo) -> Self {
        Self::of(about.image.unwrap_or_else(|| (1, about.sizes.first().copied().unwrap_or_default())), about.greys)
    }

    /// The layout of each picture in a grid.
    pub fn of_grid(grid: &Grid) -> Self {
        Self::of(grid.image, grid.greys)
    }

    /// The coding of a cell's units.
    pub fn greys(&self) -> Greys {
        Greys { bits: self.depth as u8, coding: self.coding }
    }

    /// Whether it is a picture with this many rows and columns.
    pub fn is_picture(&self, rows: usize, columns: usize) -> bool {
        (self.rows, self.columns, self.wrapped) == (rows, columns, false)
    }

    /// Width to height of a grid of such pictures, `across` per row and `down` rows, for the style sheet.
    pub fn ratio(&self, across: usize, down: usize) -> String {
        format!("{} / {}", self.columns.max(1) * across, self.rows.max(1) * down)
    }

    /// The first unit shown in a cell, if there is one.
    pub fn unit(&self, row: usize, column: usize) -> Option<usize> {
        let unit = (row * self.columns + column) * self.depth;
        (row < self.rows && column < self.columns && unit < self.units).then_some(unit)
    }

    /// All units of the cell that begins with this unit.
    pub fn cell(&self, unit: usize) -> Range<usize> {
        unit..unit + self.depth
    }

    /// The value of that cell, 0 to 1, given how high each of its units is.
    pub fn level(&self, unit: usize, high: impl Fn(usize) -> f64) -> f64 {
        self.greys().level(&self.cell(unit).map(high).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_bits(image: (u32, u32)) -> Shape {
        Shape::of(image, Greys::default())
    }

    #[test]
    fn images_stay_and_rows_of_bits_wrap_to_near_squares() {
        let of = |image| (of_bits(image).rows, of_bits(image).columns, of_bits(image).wrapped);
        assert_eq!(of((28, 28)), (28, 28, false));
        assert_eq!(of((1, 64)), (8, 8, true));
        assert_eq!(of((1, 12)), (3, 4, true));
        assert_eq!(of((1, 13)), (4, 4, true));
        assert_eq!(of((1, 1)), (1, 1, false));
        assert_eq!(of((0, 0)), (0, 0, false));
        assert_eq!(of_bits((1, 13)).unit(3, 0), Some(12));
        assert_eq!(of_bits((1, 13)).unit(3, 1), None);
    }

    #[test]
    fn values_of_several_bits_are_one_cell() {
        let shape = Shape::of((2, 24), Greys::binary(8));
        assert_eq!((shape.rows, shape.columns, shape.units), (2, 3, 48));
        assert_eq!(shape.unit(1, 0), Some(24));
        let bits = [1, 0, 0, 0, 0, 0, 0, 1];
        assert_eq!(shape.level(0, |unit| f64::from(bits[unit])), 129.0 / 255.0);
        let row = Shape::of((1, 8 * 12), Greys::binary(8));
        assert_eq!((row.rows, row.columns, row.wrapped, row.unit(2, 3)), (3, 4, true, Some(88)));
    }
}
