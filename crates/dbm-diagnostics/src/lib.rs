//! The workers that study couplings and estimators of models at rest, for the views of Coupling and Proof: a program of its own, so that only those who open them fetch it.
//!
//! Each command is a job of its own, from its message to its answer. Nothing is kept between them, and nothing here is of the browser; `shell` carries the messages.

mod answer;
mod models;
#[cfg(target_family = "wasm")]
mod shell;

pub use answer::answer;
#[cfg(target_family = "wasm")]
pub use shell::start;
