//! The run's latest checkpoint, kept as the browser's own bytes: megabytes every few seconds, for which the page has no use but to pass them on: to the next
//! worker that computes, and to the one that keeps the run.

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

/// The bytes.
pub fn latest() -> Option<Uint8Array> {
    CHECKPOINT.with_borrow(Clone::clone)
}

/// Holds those of a kept run, which is to be taken over.
pub fn take(bytes: Option<Uint8Array>) {
    TAKEN.set(bytes);
}

/// These.
pub fn taken() -> Option<Uint8Array> {
    TAKEN.with_borrow(Clone::clone)
}

/// The kept run is the run now.
pub fn adopt_taken() {
    TAKEN.take().into_iter().for_each(keep);
}
