//! The run's latest checkpoint, kept as the browser's own bytes: megabytes every few seconds, for which the page has no use but to give them to the next worker.

use js_sys::Uint8Array;
use std::cell::RefCell;

thread_local! {
    static CHECKPOINT: RefCell<Option<Uint8Array>> = const { RefCell::new(None) };
}

/// Takes the place of the one before.
pub fn keep(bytes: Uint8Array) {
    CHECKPOINT.set(Some(bytes));
}

/// The bytes.
pub fn latest() -> Option<Uint8Array> {
    CHECKPOINT.with_borrow(Clone::clone)
}
