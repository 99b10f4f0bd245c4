//! Memory of checkpoints and tables in addition to their data: peaks of live bytes, counted by the allocator.
//!
//! A single test, because the whole process is counted.

mod common;

use common::{live, peak_of};
use dbm_core::{Settings, Trainer, Units, init};
use dbm_data::columns::Table;
use dbm_data::raw::Encoding;
use dbm_data::{Checkpoint, Precision};
use std::collections::BTreeMap;

/// Allowance for names, headers and pieces.
const LITTLE: usize = 200_000;
/// Allowance for names, kinds and the lines examined first.
const TABLE_LITTLE: usize = 700_000;

#[test]
fn checkpoints_and_tables_take_little_beside_their_data() {
    a_checkpoint_is_written_without_a_copy_of_the_run();
    a_table_takes_its_text_and_four_bytes_a_cell_and_little_more_while_it_is_read();
}

fn a_checkpoint_is_written_without_a_copy_of_the_run() {
    let model = init::gaussian(&[784, 500, 500], Units::Signs, 0.01, 1).unwrap();
    let copy = 4 * model.n_parameters();
    let run = Trainer::new(model, Settings { average: Some(0.9), ..Settings::default() }).unwrap();
    let view = || Checkpoint::from_snapshot(run.view(), None, BTreeMap::new());

    // Parameters, two moments and the average: four of the run's five copies are in the file.
    let (streaming, ()) = peak_of(|| view().lay_out(Precision::Full).unwrap().write_to(&mut std::io::sink()).unwrap());
    assert!(streaming < LITTLE, "{streaming} bytes to write a file");
    let (whole, bytes) = peak_of(|| view().to_bytes(Precision::Full).unwrap());
    assert_eq!(bytes.len(), view().lay_out(Precision::Full).unwrap().size());
    assert!((4 * copy..4 * copy + LITTLE).contains(&whole), "{whole} bytes for a file of {}", bytes.len());

    let (reading, checkpoint) = peak_of(|| Checkpoint::read("run", &bytes).unwrap());
    assert!((4 * copy..4 * copy + LITTLE).contains(&reading), "{reading} bytes to read it");
    let (restoring, restored) = peak_of(|| Trainer::restore(checkpoint.into_snapshot().unwrap()).unwrap());
    assert!(restoring < copy + LITTLE, "{restoring} bytes beside the snapshot, for weights transposed");
    assert_eq!(restored.snapshot(), run.snapshot());
}

fn a_table_takes_its_text_and_four_bytes_a_cell_and_little_more_while_it_is_read() {
    let (rows, columns) = (1500, 784);
    let row = |row: usize| {
        (0..columns).map(|column| if (row * column).is_multiple_of(3) { "0" } else { "1" }).collect::<Vec<_>>().join(",")
    };
    let text = (0..rows).map(row).collect::<Vec<_>>().join("\n");
    let before = live();
    let (reading, table) = peak_of(|| Table::read("x", &text).unwrap());
    let table_bytes = live() - before;
    assert!(table_bytes < text.len() + 4 * rows * columns + TABLE_LITTLE, "{table_bytes} bytes for {} cells", rows * columns);
    assert!(reading < text.len() + 4 * rows * columns + TABLE_LITTLE, "{reading} bytes to read a text of {}", text.len());
    let (encoding, data) = peak_of(|| table.encode("x", &Encoding::default()).unwrap());
    assert!(encoding < 2 * rows * columns / 8 + TABLE_LITTLE, "{encoding} bytes to encode it");
    assert_eq!((data.examples.len(), data.examples.width(), data.image), (rows, columns, Some((28, 28))));

    // The worst cases for their size: only separators, and only doubled quotes.
    for text in [",".repeat(90_000), "\"\"\"\"\n".repeat(50_000), "\n".repeat(500_000)] {
        let (reading, _) = peak_of(|| Table::read("x", &text).is_ok());
        let columns = if text.starts_with(',') { text.len() } else { 1 };
        assert!(reading < 7 * text.len() + 800 * columns + TABLE_LITTLE, "{reading} bytes to read a text of {}", text.len());
    }
}
