//! Tables of texts in files beside the code that shows them: a line for each row, a bar between columns.

/// The rows of such a file; a column that is missing is empty.
pub fn rows<const N: usize>(file: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    file.lines().map(|line| {
        let mut columns = line.split(" | ");
        std::array::from_fn(|_| columns.next().unwrap_or_default())
    })
}
