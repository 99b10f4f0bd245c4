//! A dense row-major matrix of f32.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Side of the tiles in which a transposition proceeds.
const TILE: usize = 16;
/// Side of the squares of a tile that are transposed in registers.
const SQUARE: usize = 4;

/// Columns that share a span.
pub(super) const SPAN: usize = 32;

/// Row-major, `data[row * columns + column]`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "Packed<'_>")]
pub struct Matrix {
    rows: usize,
    columns: usize,
    #[serde(serialize_with = "as_bytes")]
    data: Vec<f32>,
    /// For every [`SPAN`] columns, the rows outside of which they are 0; empty if these are not known ([`Matrix::find_spans`]).
    #[serde(skip)]
    spans: Vec<Range<usize>>,
}

impl PartialEq for Matrix {
    /// What is known of its zeros does not matter.
    fn eq(&self, other: &Self) -> bool {
        (self.rows, self.columns, &self.data) == (other.rows, other.columns, &other.data)
    }
}

/// A matrix as it is sent: its values as one sequence of bytes, in the machine's byte order.
#[derive(Deserialize)]
struct Packed<'a> {
    rows: usize,
    columns: usize,
    #[serde(borrow)]
    data: &'a [u8],
}

fn as_bytes<S: serde::Serializer>(data: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytemuck::cast_slice(data))
}

impl TryFrom<Packed<'_>> for Matrix {
    type Error = String;

    fn try_from(Packed { rows, columns, data }: Packed) -> Result<Self, String> {
        match rows.checked_mul(columns).and_then(|count| count.checked_mul(size_of::<f32>())) {
            Some(expected) if expected == data.len() => Ok(Self::from_vec(rows, columns, bytemuck::pod_collect_to_vec(data))),
            _ => Err(format!("a matrix of {rows} x {columns} came with {} bytes", data.len())),
        }
    }
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self::from_vec(rows, columns, vec![0.0; rows * columns])
    }

    /// From values, row by row.
    ///
    /// # Panics
    /// If `data` does not hold `rows * columns` values.
    pub fn from_vec(rows: usize, columns: usize, data: Vec<f32>) -> Self {
        assert_eq!(data.len(), rows * columns, "a {rows} x {columns} matrix");
        Self { rows, columns, data, spans: vec![] }
    }

    /// Looks for zeros that products by tables can skip: for every [`SPAN`] columns, rows at the top and at the bottom. Takes no time if
    /// there are none. A change of the values forgets what was found.
    pub fn find_spans(&mut self) {
        self.spans.clear();
        let blocks = (0..self.columns).step_by(SPAN).map(|from| from..(from + SPAN).min(self.columns));
        let spans: Vec<Range<usize>> = blocks
            .map(|block| {
                // All bits but the sign, gathered without a branch so that it becomes vector code.
                let has_values =
                    |&row: &usize| self.row(row)[block.clone()].iter().fold(0, |bits, x| bits | x.to_bits()).wrapping_shl(1) != 0;
                let first = (0..self.rows).find(has_values).unwrap_or(self.rows);
                first..(first..self.rows).rfind(has_values).map_or(first, |last| last + 1)
            })
            .collect();
        if spans.iter().any(|span| span.len() < self.rows) {
            self.spans = spans;
        }
    }

    /// The rows outside of which these columns are 0, as far as known.
    pub(super) fn span_of(&self, columns: Range<usize>) -> Range<usize> {
        let Some(spans) = self.spans.get(columns.start / SPAN..columns.end.div_ceil(SPAN)) else { return 0..self.rows };
        let spans = spans.iter().filter(|span| !span.is_empty());
        spans.cloned().reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All values, row by row.
    pub fn data(&self) -> &[f32] {
        &self.data
    }

    /// All values, mutable.
    pub fn data_mut(&mut self) -> &mut [f32] {
        self.spans.clear();
        &mut self.data
    }

    /// The values of one row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.data[row * self.columns..(row + 1) * self.columns]
    }

    /// One row, mutable.
    pub fn row_mut(&mut self, row: usize) -> &mut [f32] {
        self.spans.clear();
        &mut self.data[row * self.columns..(row + 1) * self.columns]
    }

    /// A copy of some rows.
    #[must_use]
    pub fn rows_of(&self, rows: Range<usize>) -> Self {
        let data = self.data[rows.start * self.columns..rows.end * self.columns].to_vec();
        Self::from_vec(rows.len(), self.columns, data)
    }

    /// A copy of the rows with these numbers.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut selected = Self::zeros(0, self.columns);
        selected.reserve_rows(rows.len());
        rows.iter().for_each(|&row| selected.push_row(self.row(row)));
        selected
    }

    /// Reserves space for this many more rows.
    pub fn reserve_rows(&mut self, rows: usize) {
        self.data.reserve_exact(rows * self.columns);
    }

    /// Appends a row.
    ///
    /// # Panics
    /// If its length is not the number of columns.
    pub fn push_row(&mut self, row: &[f32]) {
        assert_eq!(row.len(), self.columns);
        self.spans.clear();
        self.data.extend_from_slice(row);
        self.rows += 1;
    }

    /// Appends the rows of another matrix.
    ///
    /// # Panics
    /// If they have another width.
    pub fn push_rows(&mut self, rows: &Self) {
        assert_eq!(rows.columns, self.columns);
        self.spans.clear();
        self.data.extend_from_slice(&rows.data);
        self.rows += rows.rows;
    }

    /// The last row, mutable.
    ///
    /// # Panics
    /// If there is none.
    pub fn last_row_mut(&mut self) -> &mut [f32] {
        self.spans.clear();
        let start = self.data.len() - self.columns;
        &mut self.data[start..]
    }

    /// Writes rows `from..` of the transpose into `into`, as many as it holds, tile by tile so that both sides stay in the first-level
    /// cache.
    ///
    /// # Panics
    /// If `into` does not hold a whole number of such rows, or holds more than there are.
    pub fn transpose_rows_into(&self, from: usize, into: &mut [f32]) {
        let rows = into.len() / self.rows;
        assert!(
            rows * self.rows == into.len() && from + rows <= self.columns,
            "rows {from}.. of {} x {}",
            self.columns,
            self.rows
        );
        for top in (0..self.rows).step_by(TILE) {
            for left in (0..rows).step_by(TILE) {
                let (bottom, right) = ((top + TILE).min(self.rows), (left + TILE).min(rows));
                let (whole_bottom, whole_right) = (bottom - (bottom - top) % SQUARE, right - (right - left) % SQUARE);
                for row in (top..whole_bottom).step_by(SQUARE) {
                    for column in (left..whole_right).step_by(SQUARE) {
                        self.transpose_square(row, from + column, into, column * self.rows + row);
                    }
                }
                for row in top..bottom {
                    let done = if row < whole_bottom { whole_right } else { left };
                    for column in done..right {
                        into[column * self.rows + row] = self.data[row * self.columns + from + column];
                    }
                }
            }
        }
    }

    /// Adds the transpose to `out`, row-major, also tile by tile.
    ///
    /// # Panics
    /// If `out` has another size.
    pub fn add_transpose_to(&self, out: &mut [f32]) {
        assert_eq!(out.len(), self.data.len(), "the transpose of {} x {}", self.rows, self.columns);
        for top in (0..self.rows).step_by(TILE) {
            for left in (0..self.columns).step_by(TILE) {
                for column in left..(left + TILE).min(self.columns) {
                    for row in top..(top + TILE).min(self.rows) {
                        out[column * self.rows + row] += self.data[row * self.columns + column];
                    }
                }
            }
        }
    }

    /// Writes the transpose of the square that begins at `row` and `column` to `into`, from `start` on. Its size is known, so it stays in
    /// registers.
    fn transpose_square(&self, row: usize, column: usize, into: &mut [f32], start: usize) {
        let rows: [&[f32; SQUARE]; SQUARE] = std::array::from_fn(|i| {
            let start = (row + i) * self.columns + column;
            self.data[start..start + SQUARE].try_into().expect("a row of the square")
        });
        for j in 0..SQUARE {
            let start = start + j * self.rows;
            into[start..start + SQUARE].copy_from_slice(&rows.map(|row| row[j]));
        }
    }

    /// The transpose, as a copy.
    pub fn transposed(&self) -> Self {
        let mut result = Self::zeros(self.columns, self.rows);
        if self.rows > 0 {
            self.transpose_rows_into(0, &mut result.data);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposes_of_any_shape_have_every_value_in_its_place() {
        for (rows, columns) in [(1, 1), (3, 5), (16, 16), (4, 33), (35, 18), (50, 64), (17, 2)] {
            let matrix = Matrix::from_vec(rows, columns, (0..rows * columns).map(|i| i as f32).collect());
            let transposed = matrix.transposed();
            assert_eq!((transposed.rows(), transposed.columns()), (columns, rows));
            for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                assert_eq!(transposed.row(column)[row], matrix.row(row)[column], "({row}, {column}) of {rows} x {columns}");
            }
            let from = columns / 3;
            let mut some = vec![0.0; (columns - from) * rows];
            matrix.transpose_rows_into(from, &mut some);
            assert_eq!(some, transposed.data()[from * rows..]);
        }
    }

    #[test]
    fn spans_begin_and_end_at_values() {
        for (rows, columns) in [(50, 70), (7, 32), (90, 33)] {
            let value = |row: usize, column: usize| if row * columns / 2 == column * rows { -1e-40 } else { -0.0 };
            let data = (0..rows * columns).map(|at| value(at / columns, at % columns)).collect();
            let mut matrix = Matrix::from_vec(rows, columns, data);
            matrix.find_spans();
            for from in (0..columns).step_by(SPAN) {
                let block = from..(from + SPAN).min(columns);
                let has_values = |&row: &usize| block.clone().any(|column| matrix.row(row)[column] != 0.0);
                let first = (0..rows).find(has_values);
                let last = (0..rows).rfind(has_values);
                assert_eq!(matrix.span_of(block.clone()), first.map_or(0..0, |first| first..last.unwrap() + 1));
            }
            let any = |row: &usize| matrix.row(*row).iter().any(|&x| x != 0.0);
            assert_eq!(matrix.span_of(0..columns), (0..rows).find(any).unwrap()..(0..rows).rfind(any).unwrap() + 1);
        }
    }
}
