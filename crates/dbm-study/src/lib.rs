//! DBM Lab's third Web Worker: studies couplings and estimators on models that stand still.
//!
//! It holds nothing. Each request is a job of its own, which [`answer`] does from beginning to end; the page runs several of these workers side by side, and ends one
//! whose job it no longer wants.

mod answer;
mod models;
mod replay;
#[cfg(target_arch = "wasm32")]
mod shell;

pub use answer::answer;
#[cfg(target_arch = "wasm32")]
pub use shell::start;
