//! What reading and encoding a table takes: peaks of live bytes, counted by the allocator.
//!
//! One test, since the count is of the whole process.

use dbm_data::columns::Table;
use dbm_data::raw::Encoding;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Room for names, kinds and the lines looked at first.
const LITTLE: usize = 500_000;

fn peak_of<R>(work: impl FnOnce() -> R) -> (usize, R) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = work();
    (ALLOCATOR.peak_usage() - before, result)
}

#[test]
fn a_table_takes_five_bytes_a_cell_and_little_more_while_it_is_read() {
    let (rows, columns) = (1500, 784);
    let row = |row: usize| {
        (0..columns).map(|column| if (row * column).is_multiple_of(3) { "0" } else { "1" }).collect::<Vec<_>>().join(",")
    };
    let text = (0..rows).map(row).collect::<Vec<_>>().join("\n");
    let before = ALLOCATOR.current_usage();
    let (reading, table) = peak_of(|| Table::read("x", &text).unwrap());
    let table_bytes = ALLOCATOR.current_usage() - before;
    assert!(table_bytes < 5 * rows * columns + LITTLE, "{table_bytes} bytes for {} cells", rows * columns);
    assert!(reading < 5 * rows * columns + LITTLE, "{reading} bytes to read a text of {}", text.len());
    let (encoding, data) = peak_of(|| table.encode("x", &Encoding::default()).unwrap());
    assert!(encoding < 2 * rows * columns / 8 + LITTLE, "{encoding} bytes to encode it");
    assert_eq!((data.examples.len(), data.examples.width(), data.image), (rows, columns, Some((28, 28))));

    // What is worst for its size: nothing but separators, and nothing but quotes that stand for one.
    for text in [",".repeat(90_000), "\"\"\"\"\n".repeat(50_000), "\n".repeat(500_000)] {
        let (reading, _) = peak_of(|| Table::read("x", &text).is_ok());
        let columns = if text.starts_with(',') { text.len() } else { 1 };
        assert!(reading < 7 * text.len() + 500 * columns + LITTLE, "{reading} bytes to read a text of {}", text.len());
    }
}
