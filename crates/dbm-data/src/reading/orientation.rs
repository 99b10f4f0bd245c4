//! The eight ways to turn and mirror a picture.

/// Quarter turns clockwise, and then rows and columns swapped or not: any way to turn and mirror a rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Orientation {
    pub turn: u8,
    pub transpose: bool,
}

impl Orientation {
    /// What brings a picture upright whose EXIF orientation is this number, 1 to 8.
    pub fn of_exif(number: u32) -> Option<Self> {
        let (turn, transpose) = match number {
            1 => (0, false),
            2 => (3, true),
            3 => (2, false),
            4 => (1, true),
            5 => (0, true),
            6 => (1, false),
            7 => (2, true),
            8 => (3, false),
            _ => return None,
        };
        Some(Self { turn, transpose })
    }

    /// Whether it changes nothing.
    pub fn is_upright(self) -> bool {
        self.turn.is_multiple_of(4) && !self.transpose
    }

    /// Changes pictures of `shape` (rows and columns) that follow each other, and returns their new shape.
    pub fn apply<T: Copy>(self, values: &mut [T], shape: (usize, usize)) -> (usize, usize) {
        let (rows, columns) = self.shape(shape);
        if self.is_upright() || rows * columns == 0 {
            return (rows, columns);
        }
        let mut before = Vec::with_capacity(rows * columns);
        for picture in values.chunks_exact_mut(rows * columns) {
            before.clear();
            before.extend_from_slice(picture);
            for (row, line) in picture.chunks_exact_mut(columns).enumerate() {
                for (column, value) in line.iter_mut().enumerate() {
                    let (y, x) = self.source((row, column), shape);
                    *value = before[y * shape.1 + x];
                }
            }
        }
        (rows, columns)
    }

    fn shape(self, (rows, columns): (usize, usize)) -> (usize, usize) {
        if (self.turn % 2 == 1) == self.transpose { (rows, columns) } else { (columns, rows) }
    }

    /// Where the pixel at a row and column of the result was, in a picture of `rows` and `columns`.
    fn source(self, (row, column): (usize, usize), (rows, columns): (usize, usize)) -> (usize, usize) {
        let (row, column) = if self.transpose { (column, row) } else { (row, column) };
        match self.turn % 4 {
            0 => (row, column),
            1 => (rows - 1 - column, row),
            2 => (rows - 1 - row, columns - 1 - column),
            _ => (column, columns - 1 - row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn changed(turn: u8, transpose: bool, values: &[u8], shape: (usize, usize)) -> (Vec<u8>, (usize, usize)) {
        let mut values = values.to_vec();
        let shape = Orientation { turn, transpose }.apply(&mut values, shape);
        (values, shape)
    }

    #[test]
    fn turns_are_clockwise_and_precede_the_swap() {
        // 1 2 3
        // 4 5 6
        let picture = [1, 2, 3, 4, 5, 6];
        let all = |turn, transpose| changed(turn, transpose, &picture, (2, 3));
        assert_eq!(all(0, false), (vec![1, 2, 3, 4, 5, 6], (2, 3)));
        assert_eq!(all(1, false), (vec![4, 1, 5, 2, 6, 3], (3, 2)));
        assert_eq!(all(2, false), (vec![6, 5, 4, 3, 2, 1], (2, 3)));
        assert_eq!(all(3, false), (vec![3, 6, 2, 5, 1, 4], (3, 2)));
        assert_eq!(all(0, true), (vec![1, 4, 2, 5, 3, 6], (3, 2)));
        // Turned, then transposed.
        assert_eq!(all(1, true), (vec![4, 5, 6, 1, 2, 3], (2, 3)));
    }

    #[test]
    fn the_numbers_of_exif_mean_what_they_say() {
        // As a camera stores an upright picture of 1 2 3 over 4 5 6 under each number, and where row 0 and column 0 of that are shown.
        let stored: [(u32, [u8; 6], (usize, usize)); 8] = [
            (1, [1, 2, 3, 4, 5, 6], (2, 3)), // top, left
            (2, [3, 2, 1, 6, 5, 4], (2, 3)), // top, right
            (3, [6, 5, 4, 3, 2, 1], (2, 3)), // bottom, right
            (4, [4, 5, 6, 1, 2, 3], (2, 3)), // bottom, left
            (5, [1, 4, 2, 5, 3, 6], (3, 2)), // left, top
            (6, [3, 6, 2, 5, 1, 4], (3, 2)), // right, top
            (7, [6, 3, 5, 2, 4, 1], (3, 2)), // right, bottom
            (8, [4, 1, 5, 2, 6, 3], (3, 2)), // left, bottom
        ];
        for (number, mut values, shape) in stored {
            let shape = Orientation::of_exif(number).unwrap().apply(&mut values, shape);
            assert_eq!((values, shape), ([1, 2, 3, 4, 5, 6], (2, 3)), "{number}");
        }
        assert_eq!((Orientation::of_exif(0), Orientation::of_exif(9)), (None, None));
    }

    proptest! {
        #[test]
        fn four_turns_and_two_swaps_change_nothing(count in 0_usize..4, shape in (1_usize..6, 1_usize..6), seed: u8) {
            let values: Vec<u8> = (0..count * shape.0 * shape.1).map(|at| seed.wrapping_add(at as u8)).collect();
            let (mut turned, mut of) = (values.clone(), shape);
            for _ in 0..4 {
                (turned, of) = changed(1, false, &turned, of);
            }
            prop_assert_eq!((&turned, of), (&values, shape));
            let (swapped, of) = changed(0, true, &values, shape);
            prop_assert_eq!(changed(0, true, &swapped, of), (values.clone(), shape));
            // Three turns are one turn, three times.
            let (one, of) = changed(1, false, &values, shape);
            let (two, of) = changed(1, false, &one, of);
            prop_assert_eq!(changed(1, false, &two, of), changed(3, false, &values, shape));
        }
    }
}
