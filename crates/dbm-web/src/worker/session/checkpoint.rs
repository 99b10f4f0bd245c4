//! The run's latest checkpoint, kept as the browser's own bytes: megabytes every few seconds, for which the page has no use but to pass them on, to the next
//! worker that computes and to the one that keeps the run.

use js_sys::Uint8Array;
use std::cell::RefCell;

thread_local! {
    static CHECKPOINT: RefCell<Option<Uint8Array>> = const { RefCell::new(None) };
}

/// Puts another in its place.
pub fn keep(bytes: Uint8Array) {
    CHECKPOINT.set(Some(bytes));
}

/// The present run's, where it has one.
pub fn latest() -> Option<Uint8Array> {
    CHECKPOINT.with_borrow(Clone::clone)
}
