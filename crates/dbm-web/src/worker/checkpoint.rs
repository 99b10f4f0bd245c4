//! The run's latest checkpoint, kept as the browser's own bytes: megabytes every few seconds, for which the page has no use but to pass them on, to the next
//! worker that computes and to the one that keeps the run.

use js_sys::Uint8Array;
use std::cell::RefCell;

thread_local! {
    static CHECKPOINT: RefCell<Option<Uint8Array>> = const { RefCell::new(None) };
    /// That of a kept run, until the worker that computes has taken it.
    static TAKEN: RefCell<Option<Uint8Array>> = const { RefCell::new(None) };
}

/// Takes the place of the one before.
pub fn keep(bytes: Uint8Array) {
    CHECKPOINT.set(Some(bytes));
}

/// The run's.
pub fn latest() -> Option<Uint8Array> {
    CHECKPOINT.with_borrow(Clone::clone)
}

/// That of a kept run has come.
pub fn hold_taken(bytes: Option<Uint8Array>) {
    TAKEN.set(bytes);
}

/// The kept run's.
pub fn taken() -> Option<Uint8Array> {
    TAKEN.with_borrow(Clone::clone)
}

/// The kept run is the run now.
pub fn adopt_taken() {
    if let Some(bytes) = TAKEN.take() {
        CHECKPOINT.set(Some(bytes));
    }
}
