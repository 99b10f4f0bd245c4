//! Tables that are pictures: one pixel per column, like MNIST on Kaggle.

use crate::columns::Table;
use crate::pictures::{Pictures, Values};
use std::ops::Range;

/// Names of a label column, in lower case.
const LABELS: [&str; 6] = ["label", "labels", "class", "target", "y", "digit"];
/// Names of numbered pixel columns, in lower case: `pixel7`, `px_0_1`, `3x4`, or only the number.
const PIXELS: [&str; 7] = ["", "pixel", "pix", "px", "p", "column", "pixels"];
/// Fewer columns are not a picture.
const LEAST: usize = 16;

/// The pictures in a table, if every cell is a whole number from 0 to 255, the columns are a square number, 16 or more, of nameless or
/// numbered pixels, and at most one label column precedes or follows them.
pub(crate) fn pictures(table: &Table, report: &mut dyn FnMut(&str, u64, u64)) -> Option<Pictures> {
    let (count, width) = (table.n_rows(), table.n_columns());
    let pixels = columns_of_pixels(table)?;
    let side = pixels.len().isqrt();
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for row in 0..count {
        if row % 1024 == 0 {
            report("reading values", row as u64, count as u64);
        }
        for column in 0..width {
            let value = byte(table.cell(row, column))?;
            if pixels.contains(&column) { values.push(value) } else { labels.push(value) }
        }
    }
    let labels = (pixels.len() < width).then_some(labels);
    Some(Pictures { count, shape: (side, side), values: Values::Bytes(values), labels })
}

/// All columns, or all except a label column at either end.
fn columns_of_pixels(table: &Table) -> Option<Range<usize>> {
    let width = table.n_columns();
    let is_square = |count: usize| count >= LEAST && count.isqrt().pow(2) == count;
    let is_label = |column: usize| LABELS.contains(&&*table.name(column).to_lowercase());
    let are_pixels = |columns: Range<usize>| columns.into_iter().all(|column| is_pixel(table.name(column)));
    if is_square(width) && are_pixels(0..width) {
        return Some(0..width);
    }
    let others = width.checked_sub(1).filter(|&others| is_square(others))?;
    if is_label(0) && are_pixels(1..width) {
        return Some(1..width);
    }
    if is_label(others) && are_pixels(0..others) {
        return Some(0..others);
    }
    // Without names, a label is a varying column at a corner where pictures do not vary.
    if others < 64 || !are_pixels(0..width) {
        return None;
    }
    let varies = |column: usize| (1..table.n_rows()).any(|row| table.cell(row, column) != table.cell(0, column));
    match (varies(0), varies(others)) {
        (true, false) => Some(1..width),
        (false, true) => Some(0..others),
        _ => None,
    }
}

fn is_pixel(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    let stem: String = name.chars().filter(|c| c.is_alphabetic()).collect();
    let numbered = name.contains(|c: char| c.is_ascii_digit());
    // `3x4`, but not `x3`.
    let by_place = stem == "x" && name.starts_with(|c: char| c.is_ascii_digit());
    numbered && (by_place || PIXELS.contains(&&*stem))
}

fn byte(cell: &str) -> Option<u8> {
    if let Ok(value) = cell.parse::<u8>() {
        return Some(value);
    }
    cell.parse::<f64>().ok().filter(|value| (0.0..=255.0).contains(value) && value.fract() == 0.0).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Pictures> {
        pictures(&Table::read("x", text).unwrap(), &mut |_, _, _| {})
    }

    fn line(cells: impl IntoIterator<Item = String>) -> String {
        cells.into_iter().collect::<Vec<_>>().join(",") + "\n"
    }

    fn numbers(range: Range<usize>) -> impl Iterator<Item = String> {
        range.map(|at| (at % 256).to_string())
    }

    #[test]
    fn a_pixel_a_column() {
        let header = line(["label".into()].into_iter().chain((0..16).map(|at| format!("pixel{at}"))));
        let row = line(numbers(3..20));
        let kaggle = read(&(header + &row)).unwrap();
        assert_eq!((kaggle.count, kaggle.shape, kaggle.labels), (1, (4, 4), Some(vec![3])));
        assert_eq!(kaggle.values, Values::Bytes((4..20).collect()));
        let header = line((1..=4).flat_map(|y| (1..=4).map(move |x| format!("{y}x{x}"))).chain(["class".into()]));
        let last = read(&(header + &row)).unwrap();
        assert_eq!((last.values, last.labels), (Values::Bytes((3..19).collect()), Some(vec![19])));
        let bare = read(&line(numbers(200..216))).unwrap();
        assert_eq!((bare.shape, bare.labels), ((4, 4), None));
    }

    #[test]
    fn nameless_labels_are_what_varies() {
        let row = |first: usize, last: usize| {
            line(numbers(first..first + 1).chain(["0".into()]).chain(numbers(0..62)).chain(numbers(last..last + 1)))
        };
        let first = read(&(row(7, 0) + &row(3, 0))).unwrap();
        assert_eq!((first.labels, first.shape), (Some(vec![7, 3]), (8, 8)));
        let last = read(&(row(0, 4) + &row(0, 9))).unwrap();
        assert_eq!(last.labels, Some(vec![4, 9]));
        assert_eq!(read(&(row(1, 4) + &row(0, 9))), None);
    }

    #[test]
    fn tables_stay_tables() {
        let header = |stem: &str| line((0..16).map(|at| format!("{stem}{at}")));
        assert_eq!(read(&(header("question") + &line(numbers(0..16)))), None);
        assert_eq!(read(&(header("x") + &line(numbers(0..16)))), None);
        assert!(read(&(header("px") + &line(numbers(0..16)))).is_some());
        for odd in ["256", "-1", "0.5", "x"] {
            assert_eq!(read(&(header("px") + &line(numbers(1..16).chain([odd.into()])))), None, "{odd}");
        }
        assert_eq!(read("0,1,1,0\n1,0,0,1\n"), None);
    }
}
