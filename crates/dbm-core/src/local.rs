//! Local receptive fields: units of the first hidden layer that see a part of the picture each, and have weights to nothing else.
//!
//! The centres of the fields are spread evenly over the picture, row by row, and a field is a rectangle around its centre, cut off at the
//! edges. If the visible layer is no picture, it counts as a picture of one row.

use std::ops::Range;

/// The fields of a first hidden layer.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalFields {
    /// Columns of the picture, in units.
    columns: usize,
    /// For each row of fields, its hidden units, and the rows of the picture that they see.
    bands: Vec<(Range<usize>, Range<usize>)>,
    /// For each row of fields and each column of the picture, the hidden units that see the column.
    seen_by: Vec<Vec<Range<usize>>>,
    hidden: usize,
}

impl LocalFields {
    /// The fields of `hidden` units on a picture of these rows and columns, each this share of its height and width, in `(0, 1]`.
    ///
    /// There are as many rows of fields as make fields about as far apart vertically as horizontally, measured in shares.
    pub fn new((rows, columns): (usize, usize), hidden: usize, share: f64) -> Self {
        let bands = if rows == 1 { 1 } else { (libm::round(libm::sqrt(hidden as f64)) as usize).clamp(1, hidden.max(1)) };
        let window = |place: usize, of: usize, pixels: usize| -> Range<usize> {
            let centre = (place as f64 + 0.5) / of as f64;
            let edge = |at: f64| (libm::round(at * pixels as f64).max(0.0) as usize).min(pixels);
            edge(centre - 0.5 * share)..edge(centre + 0.5 * share)
        };
        let bands: Vec<_> =
            (0..bands).map(|band| (hidden * band / bands..hidden * (band + 1) / bands, window(band, bands, rows))).collect();
        let seen_by = bands.iter().map(|(units, _)| {
            let windows: Vec<Range<usize>> = (0..units.len()).map(|place| window(place, units.len(), columns)).collect();
            let seeing = |column: usize| {
                let first = windows.iter().position(|window| window.contains(&column)).unwrap_or(0);
                let last = windows.iter().rposition(|window| window.contains(&column)).map_or(0, |last| last + 1);
                units.start + first..units.start + last
            };
            (0..columns).map(seeing).collect()
        });
        Self { columns, seen_by: seen_by.collect(), hidden, bands }
    }

    /// The hidden units that see a visible one, in order.
    pub fn seeing(&self, visible: usize) -> impl Iterator<Item = Range<usize>> {
        let (row, column) = (visible / self.columns, visible % self.columns);
        let bands = self.bands.iter().zip(&self.seen_by).filter(move |((_, rows), _)| rows.contains(&row));
        bands.map(move |(_, columns)| columns[column].clone()).filter(|units| !units.is_empty())
    }

    /// A range of hidden units with all those that see one of these visible ones.
    pub fn seeing_any(&self, visible: Range<usize>) -> Range<usize> {
        let ranges = visible.flat_map(|visible| self.seeing(visible));
        ranges.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
    }

    /// Sets what lies outside of the fields to 0, in rows `from..` of a matrix like `W_0`, `[n_0, n_1]`.
    pub fn clear_outside(&self, from: usize, rows: &mut [f32]) {
        for (row, visible) in rows.chunks_exact_mut(self.hidden).zip(from..) {
            let mut done = 0;
            for units in self.seeing(visible) {
                row[done..units.start].fill(0.0);
                done = units.end;
            }
            row[done..].fill(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::mean_and_error;

    /// Which hidden units see each visible one, `[visible][hidden]`.
    fn seen(fields: &LocalFields, visible: usize) -> Vec<Vec<bool>> {
        let sees = |at: usize, unit: usize| fields.seeing(at).any(|units| units.contains(&unit));
        (0..visible).map(|at| (0..fields.hidden).map(|unit| sees(at, unit)).collect()).collect()
    }

    #[test]
    fn fields_are_rectangles_of_their_size_spread_over_the_picture() {
        for ((rows, columns), hidden, share) in
            [((28, 28), 1000, 0.3), ((16, 8), 500, 0.5), ((5, 7), 12, 0.4), ((1, 805), 400, 0.1)]
        {
            let fields = LocalFields::new((rows, columns), hidden, share);
            let (mut centres, mut whole) = (Vec::new(), 0);
            let seen = &seen(&fields, rows * columns);
            let of_unit = |unit: usize| (0..rows * columns).filter(move |&at| seen[at][unit]);
            for unit in 0..hidden {
                let places: Vec<(usize, usize)> = of_unit(unit).map(|at| (at / columns, at % columns)).collect();
                let span = |of: fn(&(usize, usize)) -> usize| {
                    let all = || places.iter().map(of);
                    (all().min().unwrap(), all().max().unwrap() + 1)
                };
                let ((top, bottom), (left, right)) = (span(|place| place.0), span(|place| place.1));
                assert_eq!(places.len(), (bottom - top) * (right - left), "a field is a rectangle");
                let most = |pixels: usize| if pixels == 1 { 1 } else { libm::ceil(share * pixels as f64) as usize };
                assert!(bottom - top <= most(rows) && right - left <= most(columns), "{top}..{bottom}, {left}..{right}");
                centres.push(((top + bottom) as f64 / (2 * rows) as f64, (left + right) as f64 / (2 * columns) as f64));
                let least = |pixels: usize| if pixels == 1 { 1 } else { (share * pixels as f64) as usize };
                whole += usize::from(bottom - top >= least(rows) && right - left >= least(columns));
            }
            assert!(3 * whole > hidden, "{whole} of {hidden} fields are not cut off at an edge");
            let mean = |of: fn(&(f64, f64)) -> f64| mean_and_error(&centres.iter().map(of).collect::<Vec<_>>()).0;
            assert!(
                (mean(|c| c.0) - 0.5).abs() < 0.05 && (mean(|c| c.1) - 0.5).abs() < 0.05,
                "{rows} x {columns}, {hidden} units"
            );
        }
    }

    #[test]
    fn what_is_outside_of_the_fields_is_cleared_and_nothing_else() {
        let (rows, columns, hidden) = (6, 5, 23);
        let fields = LocalFields::new((rows, columns), hidden, 0.4);
        let seen = seen(&fields, rows * columns);
        for (from, count) in [(0, 30), (7, 11), (29, 1)] {
            let mut part = vec![1.0; count * hidden];
            fields.clear_outside(from, &mut part);
            for (at, value) in part.into_iter().enumerate() {
                assert_eq!(value > 0.0, seen[from + at / hidden][at % hidden]);
            }
            let all = fields.seeing_any(from..from + count);
            let any = |unit: usize| (from..from + count).any(|at| seen[at][unit]);
            assert_eq!(
                (0..hidden).find(|&unit| any(unit)).zip((0..hidden).rfind(|&unit| any(unit))),
                Some((all.start, all.end - 1))
            );
        }
    }

    #[test]
    fn a_field_as_large_as_twice_the_picture_would_see_everything() {
        let all = LocalFields::new((4, 4), 9, 2.0);
        assert!(seen(&all, 16).into_iter().flatten().all(|sees| sees));
    }
}
