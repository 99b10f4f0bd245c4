//! How a visible layer is laid out on the screen.

/// Rows and columns in which units are shown; the last cells are empty where the units do not fill them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Rows shown.
    pub rows: usize,
    /// Columns shown.
    pub columns: usize,
    /// Units, `<= rows * columns`.
    pub units: usize,
    /// Whether this is a row of bits wrapped for display only.
    pub wrapped: bool,
}

impl Shape {
    /// The layout of an image, or the nearest to a square for a plain row of bits.
    pub fn of(image: (u32, u32)) -> Self {
        let (rows, columns) = (image.0 as usize, image.1 as usize);
        let units = rows.saturating_mul(columns);
        if rows > 1 || columns <= 1 {
            return Self { rows, columns, units, wrapped: false };
        }
        let root = units.isqrt();
        let exact = (1..=root).rev().find(|rows| units.is_multiple_of(*rows)).filter(|&rows| units / rows <= 2 * rows);
        let columns = exact.map_or_else(|| (units as f64).sqrt().ceil() as usize, |rows| units / rows);
        Self { rows: units.div_ceil(columns), columns, units, wrapped: true }
    }

    /// The unit shown in a cell, if there is one.
    pub fn unit(&self, row: usize, column: usize) -> Option<usize> {
        let unit = row * self.columns + column;
        (row < self.rows && column < self.columns && unit < self.units).then_some(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_stay_and_rows_of_bits_wrap_to_near_squares() {
        let of = |image| (Shape::of(image).rows, Shape::of(image).columns, Shape::of(image).wrapped);
        assert_eq!(of((28, 28)), (28, 28, false));
        assert_eq!(of((1, 64)), (8, 8, true));
        assert_eq!(of((1, 12)), (3, 4, true));
        assert_eq!(of((1, 13)), (4, 4, true));
        assert_eq!(of((1, 1)), (1, 1, false));
        assert_eq!(of((0, 0)), (0, 0, false));
        assert_eq!(Shape::of((1, 13)).unit(3, 0), Some(12));
        assert_eq!(Shape::of((1, 13)).unit(3, 1), None);
    }
}
