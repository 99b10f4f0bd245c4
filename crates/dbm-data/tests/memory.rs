//! What writing and reading a checkpoint takes beside the run: peaks of live bytes, counted by the allocator.
//!
//! One test, since the count is of the whole process.

use dbm_core::{Settings, Trainer, Units, init};
use dbm_data::checkpoint::{Checkpoint, Contents, Precision};
use peak_alloc::PeakAlloc;
use std::collections::BTreeMap;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Room for names, headers and pieces.
const LITTLE: usize = 200_000;

fn peak_of<R>(work: impl FnOnce() -> R) -> (usize, R) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = work();
    (ALLOCATOR.peak_usage() - before, result)
}

#[test]
fn a_checkpoint_is_written_without_a_copy_of_the_run() {
    let model = init::gaussian(&[784, 500, 500], Units::Signs, 0.01, 1).unwrap();
    let copy = 4 * model.n_parameters();
    let run = Trainer::new(model, Settings { average: Some(0.9), ..Settings::default() }).unwrap();
    let notes = BTreeMap::new();
    let contents = || Contents::of_run(run.view(), None, &notes);

    // Parameters, two moments and the average: four of the run's five copies are in the file.
    let (streaming, ()) = peak_of(|| contents().lay_out(Precision::Full).unwrap().write_to(&mut std::io::sink()).unwrap());
    assert!(streaming < LITTLE, "{streaming} bytes to write a file");
    let (whole, bytes) = peak_of(|| contents().to_bytes(Precision::Full).unwrap());
    assert_eq!(bytes.len(), contents().lay_out(Precision::Full).unwrap().size());
    assert!((4 * copy..4 * copy + LITTLE).contains(&whole), "{whole} bytes for a file of {}", bytes.len());

    let (reading, checkpoint) = peak_of(|| Checkpoint::read("run", &bytes).unwrap());
    assert!((4 * copy..4 * copy + LITTLE).contains(&reading), "{reading} bytes to read it");
    let (restoring, restored) = peak_of(|| Trainer::restore(checkpoint.into_snapshot().unwrap()).unwrap());
    assert!(restoring < copy + LITTLE, "{restoring} bytes beside the snapshot, for weights transposed");
    assert_eq!(restored.snapshot(), run.snapshot());
}
